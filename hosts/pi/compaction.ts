// Compaction before the host's own threshold. What to keep is decided here, purely; when it may be asked for, in `live.ts`.
import type { AgentMessage, Context, SessionEntry } from './pi-api.js'

/** A session entry and the messages that it still contributes to a request. */
export interface Projected { sourceEntry: SessionEntry; messages: readonly AgentMessage[] }

/** Whether a person can be waiting: print and JSON mode end with the run and must not be held up by a compaction. */
export const interactive = (ctx: Pick<Context, 'mode' | 'hasUI'>): boolean => (ctx.mode === undefined ? ctx.hasUI : ctx.mode === 'tui' || ctx.mode === 'rpc')

/** Where a boundary compaction cuts, and whether the user's newest request stays. */
export interface Cut { firstKeptEntryId: string; keepsRequest: boolean }

/**
 * The user's newest request and all that follows stays. Only where the running turn itself is the weight, its newest step
 * is kept instead; the packet carries the request then. Null when neither frees at least `needed` tokens.
 */
export function chooseCut(entries: readonly Projected[], needed: number, isReal: (message: AgentMessage) => boolean, tokensOf: (message: AgentMessage) => number): Cut | null {
  const request = entries.findLastIndex(({ sourceEntry, messages }) => sourceEntry.type === 'message' && messages.some((message) => message.role === 'user' && isReal(message)))
  const step = entries.findLastIndex(({ sourceEntry, messages }) => sourceEntry.type === 'message' && messages.some((message) => message.role === 'assistant'))
  for (const index of step > request ? [request, step] : [request]) {
    const entry = entries[index]
    if (!entry) continue
    // The last compaction's summary is replaced by the next one: it frees nothing.
    const freed = entries
      .slice(0, index)
      .filter(({ sourceEntry }) => sourceEntry.type !== 'compaction')
      .flatMap(({ messages }) => [...messages])
      .reduce((sum, message) => sum + tokensOf(message), 0)
    if (freed >= needed) return { firstKeptEntryId: entry.sourceEntry.id, keepsRequest: index === request }
  }
  return null
}
