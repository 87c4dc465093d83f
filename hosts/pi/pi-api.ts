// The parts of pi's extension API that are used, for 0.73 and 1.x alike. Written here instead of imported: the two versions
// live under different package names, and an extension that imports neither works in both. `?` marks what only 1.x has.
import type { Message } from '../../index.js'

export type AgentMessage = Message & { role: string }

export interface SessionEntry {
  type: string
  id: string
  parentId: string | null
  message?: AgentMessage
  customType?: string
  data?: unknown
  summary?: string
}
export interface SessionManager {
  getSessionId(): string
  getSessionFile(): string | undefined
  getLeafId(): string | null
  /** From the root to the leaf. */
  getBranch(): SessionEntry[]
}
export interface ContextUsage { tokens: number | null; contextWindow: number; percent: number | null }
export interface CompactionResult { summary: string; firstKeptEntryId: string; tokensBefore: number; details?: unknown }
export interface Context {
  ui: { notify(message: string, level?: 'info' | 'warning' | 'error'): void }
  /** 1.x; 0.73 has only `hasUI`, which is false in print and JSON mode. */
  mode?: 'tui' | 'rpc' | 'json' | 'print'
  hasUI: boolean
  cwd: string
  model?: { id: string; provider?: string; contextWindow?: number }
  sessionManager: SessionManager
  isIdle(): boolean
  hasPendingMessages(): boolean
  getContextUsage(): ContextUsage | undefined
  /** Aborts a running agent: only to be called when none runs. */
  compact(options?: { onComplete?: (result: CompactionResult) => void; onError?: (error: Error) => void }): void
}

export interface FileOperations { read: Set<string>; written: Set<string>; edited: Set<string> }
export interface CompactionPreparation {
  firstKeptEntryId: string
  messagesToSummarize: AgentMessage[]
  turnPrefixMessages: AgentMessage[]
  isSplitTurn: boolean
  tokensBefore: number
  fileOps: FileOperations
}

/** 1.x: entries that a boundary event asks pi to append. */
export type Draft =
  | { type: 'custom'; customType: string; data?: unknown }
  | { type: 'compaction'; summary: string; firstKeptEntryId: string | null; details?: unknown }

export interface Events {
  session_start: { reason: 'startup' | 'reload' | 'new' | 'resume' | 'fork'; previousSessionFile?: string }
  session_shutdown: { reason: 'quit' | 'reload' | 'new' | 'resume' | 'fork' }
  context: { messages: AgentMessage[] }
  tool_result: { toolName: string; toolCallId: string; content: { type: string; text?: string }[]; details?: unknown; isError: boolean }
  /** `context` is there where pi has actionable boundaries (0.87 and later). */
  turn_end: { message: AgentMessage; messageEntryId?: string; entries?: Draft[]; context?: { contextEntries: { sourceEntry: SessionEntry; messages: AgentMessage[] }[] } }
  agent_end: { messages: AgentMessage[] }
  agent_settled: { aborted?: boolean }
  session_before_compact: { preparation: CompactionPreparation; branchEntries: SessionEntry[]; customInstructions?: string; reason?: 'manual' | 'threshold' | 'overflow' }
  session_compact: { compactionEntry: SessionEntry & { summary: string; fromHook?: boolean }; fromExtension: boolean }
  session_compact_failed: { errorMessage?: string; aborted: boolean }
  session_tree: { newLeafId: string | null; oldLeafId: string | null; summaryEntry?: SessionEntry & { summary: string } }
  model_select: { model: { id: string; contextWindow?: number } }
}
export interface Results {
  session_start: void
  session_shutdown: void
  context: { messages: AgentMessage[] }
  tool_result: { content: { type: string; text?: string }[]; details?: unknown }
  turn_end: { entries: Draft[] }
  agent_end: void
  agent_settled: void
  session_before_compact: { compaction: CompactionResult }
  session_compact: void
  session_compact_failed: void
  session_tree: void
  model_select: void
}
export type EventName = keyof Events
export type Handler<Name extends EventName> = (event: Events[Name], ctx: Context) => Promise<Results[Name] | undefined | void>

export interface ExtensionAPI {
  on<Name extends EventName>(event: Name, handler: Handler<Name>): unknown
  registerCommand(name: string, command: { description: string; handler: (args: string, ctx: Context) => Promise<void> }): void
  appendEntry(customType: string, data?: unknown): void
}
