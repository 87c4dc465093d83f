// src/agents/pi-extensions/compaction-safeguard.ts: the state is on disk before the summariser is asked, and the
// summariser's lists are merged with what was captured instead of replacing it.
import { mergeItems, readLatestCheckpoint, writeCheckpoint, type Checkpoint } from 'clawback'
import { getContextManagerRuntime, type ContextManagerRuntime } from './context-manager-runtime.js'
import type { AgentMessage, CompactionPreparation, ExtensionAPI } from './host.js'

/** What the host's summarising call gives back. */
export interface Summary { text: string; decisions: string[]; openItems: string[] }
export type Summarize = (preparation: CompactionPreparation, signal: AbortSignal) => Promise<Summary>

export default function compactionSafeguard(pi: ExtensionAPI, summarize: Summarize): void {
  pi.on('session_before_compact', async (event, ctx) => {
    const { preparation, signal } = event
    const runtime = getContextManagerRuntime(ctx.sessionManager)
    // Before the model is asked: when its call fails, is cancelled or takes the process down, this is already durable.
    if (runtime) await checkpoint(runtime, preparation)
    const summary = await summarize(preparation, signal)
    const captured = runtime ? await latest(runtime) : null
    return {
      compaction: {
        summary: withLists(summary, captured),
        firstKeptEntryId: preparation.firstKeptEntryId,
        tokensBefore: preparation.tokensBefore,
        details: { readFiles: [...preparation.fileOps.read], modifiedFiles: [...preparation.fileOps.written, ...preparation.fileOps.edited] },
      },
    }
  })
}

async function checkpoint(runtime: ContextManagerRuntime, preparation: CompactionPreparation): Promise<void> {
  // In the order of the conversation: the head of a split turn is the newest part of what goes.
  const messages: AgentMessage[] = [...preparation.messagesToSummarize, ...preparation.turnPrefixMessages]
  runtime.compactionCount += 1
  try {
    await writeCheckpoint(runtime.stateDir, runtime.sessionKey, {
      trigger: 'compaction',
      tokenUsage: { inputTokens: preparation.tokensBefore, contextWindow: runtime.contextWindowTokens },
      sessionFile: runtime.sessionFile,
      compactionCount: runtime.compactionCount,
      isSplitTurn: preparation.isSplitTurn,
      fileOps: preparation.fileOps, // its Sets are taken as they are
      messages,
    })
  } catch (error) {
    // A full disk must not keep the host from compacting.
    runtime.log(`context manager: no checkpoint before this compaction: ${String(error)}`)
  }
}

async function latest(runtime: ContextManagerRuntime): Promise<Checkpoint | null> {
  try {
    return await readLatestCheckpoint(runtime.stateDir, runtime.sessionKey)
  } catch (error) {
    runtime.log(`context manager: ${String(error)}`)
    return null
  }
}

/**
 * Replaces the set difference on lower-cased strings (seed 000, issue 2). The model's wording is kept where it says the
 * same; what it left out comes back; of "use 30 s" and "use 60 s" the captured, newer one wins.
 */
function withLists(summary: Summary, captured: Checkpoint | null): string {
  const decisions = mergeItems(summary.decisions, captured?.decisions.map((decision) => decision.what.trim()) ?? []).items
  const openItems = mergeItems(summary.openItems, captured?.open_items ?? []).items
  const section = (title: string, items: string[]) => (items.length > 0 ? `\n\n## ${title}\n${items.map((item) => `- ${item}`).join('\n')}` : '')
  return summary.text + section('Decisions', decisions) + section('Open TODOs', openItems)
}
