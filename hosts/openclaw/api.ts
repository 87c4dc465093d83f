// What the plugin uses of clawback, so that tests can hand in something else.
import type * as clawback from 'clawback'
import type { CheckpointInput, Message, RunningAgent, Trigger } from 'clawback'

type Exports = Pick<typeof clawback, 'version' | 'estimateMessageTokens' | 'recordToolUseInState' | 'readCheckpointForInjection' | 'agentEndedByKey'>

export interface Clawback extends Exports {
  ContextSession: { open(options: SessionOptions): Promise<Session> }
  summarizeMessages(messages: Message[], options?: { maxTokens?: number; previousSummary?: string }): Promise<string>
}

export interface SessionOptions {
  stateDir: string
  sessionKey: string
  contextWindow: number
  mode: 'prune' | 'complement'
  config?: Record<string, unknown>
  agentId?: string
}

export type CompactReason = 'threshold' | 'budget' | 'overflow' | 'manual'
export interface Outcome {
  compacted: boolean
  reason: string
  tokensBefore: number
  tokensAfter: number
  summary: string
}
export interface Plan {
  packet: string | null
  tail: string | null
  keep: ArrayLike<number> & Iterable<number>
  replace: { index: number; text: string }[]
  tokensAfter: number
  warnings: string[]
}
export type Complete = (prompt: { system: string; user: string; maxTokens: number }, signal?: AbortSignal) => Promise<string>
export interface Hit {
  chunkId: string
  role: string
  text: string
  timestamp: string
}

/** The live handle on one session. */
export interface Session {
  setLimits(limits: { contextWindow?: number; reserveTokens?: number; overheadTokens?: number }): void
  sync(messages: readonly Message[]): unknown
  gauge(usage: { tokens: number; contextWindow?: number }): unknown
  plan(options: { budgetTokens?: number; prompt?: string }): Promise<Plan>
  compact(options: { reason: CompactReason; force?: boolean; currentTokens?: number }): Promise<Outcome>
  commit(messages: readonly Message[], options: { key: string }): Promise<'committed' | 'duplicate'>
  checkpoint(input: Partial<CheckpointInput> & { trigger: Trigger }): Promise<unknown>
  recall?(query: string, options: { limit: number; maxTokens: number; scope: 'session' }): Promise<Hit[]>
  recover?(chunkId: string, options: { offset?: number; maxTokens: number }): Promise<{ text: string; nextOffset?: number }>
  spill(message: Message, options: { maxTokens: number }): Promise<{ message: Message; chunkId: string }>
  maintain?(options: { complete?: Complete; signal?: AbortSignal }): Promise<unknown>
  agentStarted(agent: RunningAgent): Promise<void>
  fork(childSessionKey: string): Promise<void>
  reset(reason: 'new' | 'reset' | 'deleted'): Promise<void>
  drainLogs?(): { level: 'error' | 'warn' | 'info' | 'debug'; message: string }[]
  flush(): Promise<void>
  close(): Promise<void>
}
