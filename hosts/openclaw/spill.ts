// Large tool results. The host waits for this before the model sees a result, so its body is stored first and the model gets
// a shortened copy that says how to get the rest. What the host appends to the running turn cannot be shortened later.
import type { Message } from 'clawback'
import type { PluginApi, ToolResultEvent } from './host.js'
import { leaveToHost, withSession, type Plugin } from './plugin.js'

export function spillLargeResults(api: PluginApi, plugin: Plugin): void {
  const maxTokens = plugin.settings.maxToolResultTokens
  if (maxTokens === 0) return
  api.registerAgentToolResultMiddleware(
    async (event, context) => {
      // A handler that fails would cost the model the whole result.
      try {
        const message = messageOf(event)
        const addon = plugin.addon()
        if (addon === undefined || addon.estimateMessageTokens(message) <= maxTokens) return undefined
        return await withSession(plugin, context, async (session) => {
          const spilled = await session.spill(message, { maxTokens })
          return { result: { ...event.result, content: spilled.message.content } }
        })
      } catch (error) {
        leaveToHost(plugin, 'shortening a tool result', error)
        return undefined
      }
    },
    { runtimes: ['openclaw'] },
  )
}

/** The message that the host will make of the result: the call's id is what names it. */
const messageOf = ({ toolCallId, toolName, isError, result }: ToolResultEvent): Message => ({
  role: 'toolResult',
  toolCallId,
  toolName,
  content: result.content,
  isError: isError === true,
})
