// What the command line uses of the package. Injected everywhere, so that the replay can be driven by tests and by the
// demo without a second copy of the addon.

/** A message as a host wrote it. */
export type Message = Record<string, unknown> & { role?: string }

export type Trigger = 'auto-80pct' | 'compaction' | 'epoch' | 'session-end' | 'enrichment' | 'manual'
export type Zone = 'green' | 'yellow' | 'red' | 'compact'

export interface Measure {
  tokens: number
  contextWindow: number
  utilization: number
  zone: Zone
  source: 'host' | 'usage' | 'estimate' | 'unknown'
}

export interface Item {
  id: string
  text: string
  at: string
  source: 'user' | 'enrichment' | 'assistant' | 'summary' | 'tool'
  status: 'active' | 'superseded' | 'resolved'
  by?: string
}

export interface SessionState {
  goal: string | null
  decisions: Item[]
  constraints: Item[]
  tasks: Item[]
  openItems: Item[]
  learnings: Item[]
  resources: { filesRead: string[]; filesModified: string[]; toolsUsed: string[] }
  thread: { topic: string | null; errors: string[] }
  lastToolCall: { name: string; paramsSummary: string } | null
  journalSeq: number
}

export interface SessionInfo {
  sessionKey: string
  name: string
  updatedAt: string
  checkpoints: number
  bytes: number
}

export interface CheckpointInfo {
  id: string
  createdAt: string
  trigger: Trigger
  bytes: number
  valid: boolean
}

export interface CheckpointInput {
  trigger: Trigger
  sessionFile?: string
  compactionCount?: number
  tokenUsage: { inputTokens: number; contextWindow: number; utilization?: number }
  messages?: Message[]
  isSplitTurn?: boolean
}

/** The parts of a checkpoint that the command line shows by name; the rest is shown as YAML. */
export interface Checkpoint {
  meta: {
    checkpoint_id: string
    created_at: string
    trigger: Trigger
    token_usage: { input_tokens: number; context_window: number; utilization: number }
  }
  working: { topic: string; status: string; next_action: string }
}

/** One thing that a transcript says; lines count from 1, times are epoch milliseconds. */
export type TranscriptEvent =
  | { type: 'header'; line: number; format: string; version: number | null; sessionId: string | null; cwd: string | null; timestamp: number | null; parentSession: string | null }
  | { type: 'message'; line: number; id: string | null; value: Message; timestamp: number | null }
  | { type: 'compaction'; line: number; id: string | null; summary: string; firstKept: string | number | null; firstKeptLine: number | null; tokensBefore: number | null; fromHook: boolean; timestamp: number | null }
  | { type: 'branchSummary'; line: number; id: string | null; summary: string; fromId: string | null; timestamp: number | null }
  | { type: 'modelChange'; line: number; provider: string | null; modelId: string | null }
  | { type: 'usage'; line: number; tokens: number | null; contextWindow: number | null }
  | { type: 'contextEdit'; line: number; targetId: string; replacement: { content?: unknown } | null }
  | { type: 'reset'; line: number }
  | { type: 'other'; line: number; kind: string }
  | ({ type: 'end' } & TranscriptStats)

export interface TranscriptStats {
  lines: number
  entries: number
  messages: number
  /** Entries on branches that were left; not delivered. */
  offPath: number
  /** Entries whose parent is missing; taken to follow the entry before them. */
  relinked: number
  problems: number
}

export interface Problem {
  line: number
  why: string
}

export interface TranscriptReader {
  next(): Promise<{ events: TranscriptEvent[]; problems: Problem[]; bytesRead?: number; bytesTotal?: number } | null>
}

/** The exports that the command line calls. */
export interface Api {
  version: string
  openTranscript(path: string): Promise<TranscriptReader>
  measureUsage(input: { usage?: { tokens?: number | null; contextWindow?: number }; messages?: Message[]; contextWindow: number }): Measure
  gaugeLine(measure: Measure, options?: { checkpointSaved?: boolean }): string | null
  estimateTokens(text: string): number
  estimateMessageTokens(message: Message): number
  writeCheckpoint(stateDir: string, sessionKey: string, input: CheckpointInput): Promise<{ written: true; id: string; path: string } | { written: false; reason: string }>
  readState(stateDir: string, sessionKey: string): Promise<SessionState>
  readCheckpointForInjection(stateDir: string, sessionKey: string, options?: { maxTokens?: number }): Promise<string | null>
  readLatestCheckpoint(stateDir: string, sessionKey: string): Promise<Checkpoint | null>
  readCheckpoint(stateDir: string, sessionKey: string, id: string): Promise<Checkpoint>
  listCheckpoints(stateDir: string, sessionKey: string): Promise<CheckpointInfo[]>
  formatCheckpointYaml(checkpoint: Checkpoint): string
  renderCheckpoint(checkpoint: Checkpoint, options?: { maxTokens?: number }): { text: string; tokens: number; omitted: Record<string, number> }
  listSessions(stateDir: string): Promise<SessionInfo[]>
}
