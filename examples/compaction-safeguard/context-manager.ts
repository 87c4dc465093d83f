// src/agents/pi-extensions/context-manager.ts: the gauge, the checkpoint at 80 %, and what each tool did.
//
// What clawback takes over from seeds 000 and 002:
//   isRealUserMessage, findFirstUserMessage, buildThreadSummary, buildKeyExchanges   -> inside writeCheckpoint
//   truncate(agentText, 200), extractDecisionFromResponse                             -> extractDecisionFromResponse
//   appendDecisionToState and its fingerprint dedup                                   -> appendDecisionToState
//   runtime.lastToolCall                                                              -> writeLastToolCallToState
//   the state file resets of section 7.3                                              -> gone: a checkpoint carries the state forward
import {
  appendDecisionToState, extractDecisionFromResponse, gaugeLine, isRealUserMessage, measureUsage, recordToolUseInState,
  userText, writeCheckpoint, writeLastToolCallToState,
} from 'clawback'
import { getContextManagerRuntime, type ContextManagerRuntime } from './context-manager-runtime.js'
import { textOf, type AgentMessage, type ExtensionAPI } from './host.js'

/** Section 6.3 of seed 002. */
const CHECKPOINT_AT = 0.8

export default function contextManager(pi: ExtensionAPI): void {
  pi.on('context', async (event, ctx) => {
    const runtime = getContextManagerRuntime(ctx.sessionManager)
    if (!runtime) return undefined
    try {
      // The host's own figure wins; without one the last answer's usage is taken, else an estimate.
      const usage = ctx.getContextUsage()
      const measure = measureUsage({ usage, messages: event.messages, contextWindow: usage?.contextWindow || runtime.contextWindowTokens })
      await captureAnswer(runtime, event.messages)
      let checkpointSaved = false
      if (measure.utilization >= CHECKPOINT_AT) {
        // Not written again when neither the fill nor the state has changed; the state is on disk either way.
        await writeCheckpoint(runtime.stateDir, runtime.sessionKey, {
          trigger: 'auto-80pct',
          tokenUsage: { inputTokens: measure.tokens, contextWindow: measure.contextWindow, utilization: measure.utilization },
          sessionFile: runtime.sessionFile,
          compactionCount: runtime.compactionCount,
          messages: event.messages,
        })
        checkpointSaved = true
      }
      const line = gaugeLine(measure, { checkpointSaved })
      if (line === null) return undefined
      // Last in the list: a line at the front would void the provider's prompt cache at every call.
      return { messages: [...event.messages, { role: 'custom', customType: 'context-gauge', content: line, display: false, timestamp: Date.now() }] }
    } catch (error) {
      runtime.log(`context manager: ${String(error)}`)
      return undefined
    }
  })

  pi.on('tool_result', async (event, ctx) => {
    const runtime = getContextManagerRuntime(ctx.sessionManager)
    if (!runtime) return undefined
    try {
      const errorText = event.isError ? textOf(event.content) : undefined
      // Files read and modified, tools used and failures all come out of this one call.
      await recordToolUseInState(runtime.stateDir, runtime.sessionKey, { name: event.toolName, params: event.input, isError: event.isError, errorText })
      await writeLastToolCallToState(runtime.stateDir, runtime.sessionKey, { name: event.toolName, paramsSummary: JSON.stringify(event.input).slice(0, 200) })
    } catch (error) {
      runtime.log(`context manager: ${String(error)}`)
    }
    return undefined
  })
}

/**
 * A decision that the newest user message has just settled, stored before any checkpoint is due. `writeCheckpoint` finds
 * the same one in its messages later; it is stored once.
 */
async function captureAnswer(runtime: ContextManagerRuntime, messages: AgentMessage[]): Promise<void> {
  const last = messages.at(-1)
  if (last?.role !== 'user' || !isRealUserMessage(last)) return
  const reply = messages.findLast((message) => message.role === 'assistant')
  if (!reply) return
  const decision = extractDecisionFromResponse(textOf(reply.content), userText(last) ?? undefined)
  if (decision === null) return
  await appendDecisionToState(runtime.stateDir, runtime.sessionKey, { what: decision, when: new Date(last.timestamp).toISOString() })
}
