// What the host's model saw at each point of a transcript. Bodies are kept only as long as they are needed for the
// gauge: since the last assistant message that carries usage. For the rest an estimate in tokens is enough.
import type { ReplayApi, Measure, Message } from './api.js'

interface Seen {
  id: string | null
  line: number
  role: string
  tokens: number
}

export class ReplayContext {
  private seen: Seen[] = []
  private estimate = 0
  /** The last assistant message with usage since the last compaction, and everything after it. */
  private tail: Message[] | null = null
  private tailTokens = 0
  /** What the transcript itself reported, apart from messages, and the estimate at that time. */
  private hostTokens: { tokens: number; estimate: number } | null = null

  constructor(private readonly api: ReplayApi, public window: number) {}

  get length(): number {
    return this.seen.length
  }

  /** Adds a message; returns its estimate in tokens. */
  add(message: Message, id: string | null, line: number): number {
    const tokens = this.api.estimateMessageTokens(message)
    this.seen.push({ id, line, role: message.role ?? '', tokens })
    this.estimate += tokens
    if (hasUsage(message)) {
      this.tail = [message]
      this.tailTokens = 0
      this.hostTokens = null
    } else if (this.tail) {
      this.tail.push(message)
      this.tailTokens += tokens
    }
    return tokens
  }

  /** The transcript says how full the context was. */
  reported(tokens: number): void {
    this.hostTokens = { tokens, estimate: this.estimate }
    this.tail = null
  }

  /** The host changed or left out a message for its model. */
  edit(id: string, replacement: { content?: unknown } | null): void {
    const at = this.seen.findIndex((entry) => entry.id === id)
    const entry = this.seen[at]
    if (!entry) return
    const tokens = replacement === null ? 0 : this.api.estimateMessageTokens({ role: entry.role, content: replacement.content })
    this.estimate += tokens - entry.tokens
    if (replacement === null) this.seen.splice(at, 1)
    else entry.tokens = tokens
    // The usage from before the edit says too much.
    this.tail = null
    this.hostTokens = null
  }

  /** How many messages a compaction keeps, and whether its cut lies inside a turn. */
  keptFrom(line: number | null): { count: number; splitsTurn: boolean } {
    const first = line === null ? -1 : this.seen.findIndex((entry) => entry.line >= line)
    if (first < 0) return { count: 0, splitsTurn: false }
    const turnStart = this.seen[first]?.role
    return { count: this.seen.length - first, splitsTurn: turnStart !== 'user' && turnStart !== 'bashExecution' }
  }

  /** Leaves the summary and the last `kept` messages. */
  compact(kept: number, summary?: Message, line = 0): void {
    this.seen = kept > 0 ? this.seen.slice(-kept) : []
    if (summary) this.seen.unshift({ id: null, line, role: 'compactionSummary', tokens: this.api.estimateMessageTokens(summary) })
    this.estimate = this.seen.reduce((sum, entry) => sum + entry.tokens, 0)
    this.tail = null
    this.hostTokens = null
  }

  /** Tokens of the last provider call as it reported them; 0 where none did. */
  usedTokens(): number {
    const message = this.tail?.[0]
    return message ? reportedTokens(message) : (this.hostTokens?.tokens ?? 0)
  }

  /** How full the context is; `tokens` is given where a compaction says it. */
  measure(tokens?: number): Measure {
    const contextWindow = this.window
    if (tokens !== undefined) return this.api.measureUsage({ usage: { tokens, contextWindow }, contextWindow })
    if (this.hostTokens) {
      const grown = this.estimate - this.hostTokens.estimate
      return this.api.measureUsage({ usage: { tokens: this.hostTokens.tokens + grown, contextWindow }, contextWindow })
    }
    if (this.tail) {
      const measure = this.api.measureUsage({ messages: this.tail, contextWindow })
      if (measure.source === 'usage') return measure
    }
    const measure = this.api.measureUsage({ usage: { tokens: this.estimate, contextWindow }, contextWindow })
    return { ...measure, source: this.seen.length === 0 ? 'unknown' : 'estimate' }
  }
}

/** Usage counts only where the call was answered. */
function hasUsage(message: Message): boolean {
  const stop = message.stopReason ?? message.stop_reason
  return message.role === 'assistant' && stop !== 'aborted' && stop !== 'error' && reportedTokens(message) > 0
}

function reportedTokens(message: Message): number {
  const usage = message.usage
  if (typeof usage !== 'object' || usage === null) return 0
  const fields = usage as Record<string, unknown>
  const count = (...names: string[]): number => {
    const value = names.map((name) => fields[name]).find((candidate) => typeof candidate === 'number')
    return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
  }
  const parts =
    count('input', 'input_tokens', 'prompt_tokens') + count('output', 'output_tokens', 'completion_tokens') +
    count('cacheRead', 'cache_read_input_tokens') + count('cacheWrite', 'cache_creation_input_tokens')
  return parts || count('totalTokens', 'total_tokens')
}
