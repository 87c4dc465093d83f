// The parts of a host that the example touches, with the shapes that OpenClaw 2026.9 and pi use. In your tree these are
// the host's own types; nothing here is needed at run time.

export type TextContent = { type: 'text'; text: string }
export type ToolCall = { type: 'toolCall'; id: string; name: string; arguments: Record<string, unknown> }
export type ThinkingContent = { type: 'thinking'; thinking: string; thinkingSignature?: string }
export type ImageContent = { type: 'image'; data: string; mimeType: string }
export interface Usage { input: number; output: number; cacheRead: number; cacheWrite: number; totalTokens: number }

export type AgentMessage =
  | { role: 'user'; content: string | (TextContent | ImageContent)[]; timestamp: number }
  | { role: 'assistant'; content: (TextContent | ThinkingContent | ToolCall)[]; usage?: Usage; stopReason?: string; timestamp: number }
  | { role: 'toolResult'; toolCallId: string; toolName: string; content: (TextContent | ImageContent)[]; details?: unknown; isError: boolean; timestamp: number }
  | { role: 'custom'; customType: string; content: string | (TextContent | ImageContent)[]; display: boolean; details?: unknown; timestamp: number }
  | { role: 'compactionSummary'; summary: string; tokensBefore: number; timestamp: number }

/** What the host has decided to compact. The file lists are Sets. */
export interface CompactionPreparation {
  firstKeptEntryId: string
  messagesToSummarize: AgentMessage[]
  turnPrefixMessages: AgentMessage[]
  isSplitTurn: boolean
  tokensBefore: number
  previousSummary?: string
  fileOps: { read: Set<string>; written: Set<string>; edited: Set<string> }
  settings: { enabled: boolean; reserveTokens: number; keepRecentTokens: number }
}
export interface CompactionResult { summary: string; firstKeptEntryId: string; tokensBefore: number; details?: unknown }

export interface ContextUsage { tokens: number | null; contextWindow: number; percent: number | null }
export interface ExtensionContext {
  getContextUsage(): ContextUsage | undefined
  sessionManager: object
}
export interface ContextEvent { messages: AgentMessage[] }
export interface ToolResultEvent { toolName: string; toolCallId: string; input: Record<string, unknown>; content: (TextContent | ImageContent)[]; isError: boolean }
export interface SessionBeforeCompactEvent { preparation: CompactionPreparation; customInstructions?: string; signal: AbortSignal }

type Answer<T> = Promise<T | undefined> | T | undefined
export interface ExtensionAPI {
  on(event: 'context', handler: (event: ContextEvent, ctx: ExtensionContext) => Answer<{ messages?: AgentMessage[] }>): void
  on(event: 'tool_result', handler: (event: ToolResultEvent, ctx: ExtensionContext) => Answer<object>): void
  on(event: 'session_before_compact', handler: (event: SessionBeforeCompactEvent, ctx: ExtensionContext) => Answer<{ cancel?: boolean; compaction?: CompactionResult }>): void
}

export const textOf = (content: string | { type: string; text?: string }[]): string =>
  typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? (block.text ?? '') : '')).join('\n')
