// src/agents/context-enrichment.ts: a model refines the newest checkpoint. Prompt, parsing, merging, checks and the
// rewrite of seeds 000 and 002 are one call; the host brings its model.
import { enrichCheckpoint } from 'clawback'
import type { ContextManagerRuntime } from './context-manager-runtime.js'
import type { AgentMessage } from './host.js'

/** The host's way to ask a model once. */
export type AskModel = (request: { system: string; prompt: string; maxTokens: number; signal?: AbortSignal }) => Promise<string>

/** Runs beside the conversation, never in it: after a compaction or when the session is idle. True if a checkpoint was written. */
export async function enrichInBackground(runtime: ContextManagerRuntime, ask: AskModel, messages: AgentMessage[], signal?: AbortSignal): Promise<boolean> {
  try {
    const outcome = await enrichCheckpoint(
      runtime.stateDir,
      runtime.sessionKey,
      (prompt, abort) => ask({ system: prompt.system, prompt: prompt.user, maxTokens: prompt.maxTokens, signal: abort }),
      { messages, timeoutMs: 30_000, signal },
    )
    // Refused, item by item: quotes of what nobody said, contradictions of a person, orders. What was captured is never
    // lost to the model's list.
    for (const { text, why } of outcome.rejected) runtime.log(`enrichment: left out "${text}": ${why}`)
    if (!outcome.written) runtime.log(`enrichment: nothing written: ${outcome.reason ?? 'nothing new'}`)
    return outcome.written
  } catch (error) {
    runtime.log(`enrichment: ${String(error)}`)
    return false
  }
}
