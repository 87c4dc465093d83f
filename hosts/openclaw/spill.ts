// Large tool results. The host waits for this before the model sees a result, so its body is stored first and the model gets
// a shortened copy that says how to get the rest. What the host appends to the running turn cannot be shortened later.
import type { Message } from 'clawback'
import type { PluginApi, ToolResultEvent } from './host.js'
import { callNames } from './ids.js'
import { leftOf, resultLimit } from './limits.js'
import { leaveToHost, liveSession, withSession, type Plugin } from './plugin.js'

/** Calls of a running turn that are remembered by name. */
const MOST_CALLS = 256

export function spillLargeResults(api: PluginApi, plugin: Plugin): void {
  const most = plugin.settings.maxToolResultTokens
  if (most === 0) return
  // The answer that makes a call is written down before the call runs; only there its time is to be had.
  api.on('before_message_write', ({ message, sessionKey }, context) => {
    const names = callNames(message)
    const live = names.length > 0 ? liveSession(plugin, { ...context, ...(sessionKey === undefined ? {} : { sessionKey }) }) : undefined
    if (live === undefined) return undefined
    live.calls ??= new Map()
    if (live.calls.size > MOST_CALLS) live.calls.clear()
    for (const [id, name] of names) live.calls.set(id, name)
    return undefined
  })
  api.registerAgentToolResultMiddleware(
    async (event, context) => {
      // A handler that fails would cost the model the whole result.
      try {
        const live = liveSession(plugin, context)
        const message = messageOf(event, live?.calls?.get(event.toolCallId))
        const addon = plugin.addon()
        if (addon === undefined) return undefined
        const maxTokens = resultLimit(most, live?.left)
        const tokens = addon.estimateMessageTokens(message)
        // Calls may run beside each other, with no word from the host in between.
        if (live) live.left = leftOf(live.left, Math.min(tokens, maxTokens))
        if (tokens <= maxTokens) return undefined
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
const messageOf = ({ toolCallId, toolName, isError, result }: ToolResultEvent, name: string = toolCallId): Message => ({
  role: 'toolResult',
  toolCallId: name,
  toolName,
  content: result.content,
  isError: isError === true,
})
