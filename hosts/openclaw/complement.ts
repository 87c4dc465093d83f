// Complement mode: the host keeps its engine and compacts as ever. What was said is written down as it is said, a checkpoint
// is made before the host compacts (after its memory flush, which runs before), and the next prompt starts with the packet,
// once. The host's own text after a compaction stays as it is; it stands in the system prompt, the packet in the prompt.
import type { Message } from 'clawback'
import type { HookContext, PluginApi } from './host.js'
import { withCallNames } from './ids.js'
import { keyOf, leaveToHost, liveSession, withSession, type Plugin } from './plugin.js'
import { ofConversation } from './view.js'

/** Tokens of the host's request and its window, as far as the host has said them. */
const usageOf = (tokens: number | undefined, window: number | undefined) => ({ inputTokens: Math.max(0, tokens ?? 0), contextWindow: window ?? 0 })

export function listenBesideHost(api: PluginApi, plugin: Plugin): void {
  api.on('before_prompt_build', async ({ messages }, context) => {
    try {
      return await beforePrompt(plugin, context, messages)
    } catch (error) {
      leaveToHost(plugin, 'giving the packet back', error)
      return undefined
    }
  })

  api.on('agent_end', async ({ messages }, context) => {
    if (!messages?.length) return
    try {
      await withSession(plugin, context, async (session) => {
        session.sync(withCallNames(ofConversation(messages)))
        await session.flush()
      })
    } catch (error) {
      leaveToHost(plugin, 'storing a turn', error)
    }
  })

  api.on('after_tool_call', async ({ toolName, params, error: errorText }, context) => {
    const key = keyOf(context)
    const addon = plugin.addon()
    if (key === undefined || addon === undefined) return
    try {
      const failed = errorText === undefined ? {} : { isError: true, errorText }
      await addon.recordToolUseInState(plugin.stateDir, key, { name: toolName, params, ...failed })
    } catch (error) {
      leaveToHost(plugin, 'noting a tool call', error)
    }
  })

  api.on('before_compaction', async ({ tokenCount, messages }, context) => {
    try {
      await withSession(plugin, context, async (session, live) => {
        if (messages?.length) session.sync(withCallNames(ofConversation(messages)))
        await session.checkpoint({ trigger: 'compaction', tokenUsage: usageOf(tokenCount, live.window ?? context.contextTokenBudget) })
      })
    } catch (error) {
      leaveToHost(plugin, 'the checkpoint before a compaction', error)
    }
  })

  api.on('after_compaction', (_event, context) => {
    const live = liveSession(plugin, context)
    if (live) live.owesPacket = true
  })
}

async function beforePrompt(plugin: Plugin, context: HookContext, messages: Message[] | undefined) {
  return withSession(plugin, context, async (session, live) => {
    if (context.contextTokenBudget) {
      live.window = context.contextTokenBudget
      session.setLimits({ contextWindow: live.window })
    }
    if (messages?.length) session.sync(withCallNames(ofConversation(messages)))
    const owed = live.owesPacket === true || (live.met !== true && (messages?.length ?? 0) > 0)
    live.met = true
    if (!owed) return undefined
    const packet = await plugin.addon()?.readCheckpointForInjection(plugin.stateDir, keyOf(context) as string)
    live.owesPacket = false
    return packet ? { prependContext: packet } : undefined
  })
}
