// What the plugin uses of OpenClaw's plugin SDK (2026.9), written down here so that the package compiles without the host.
// Messages stay the host's own objects; nothing else of them is assumed.
import type { Message } from 'clawback'

export interface Logger {
  debug?(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** The parts of `openclaw.json` that the plugin looks at. */
export interface HostConfig {
  agents?: {
    defaults?: {
      compaction?: { provider?: string }
      contextPruning?: { mode?: string }
    }
  }
  plugins?: {
    slots?: { contextEngine?: string }
    entries?: Record<string, { hooks?: { allowConversationAccess?: boolean; allowPromptInjection?: boolean } } | undefined>
  }
}

export interface SessionRef {
  sessionId?: string
  sessionKey?: string
  agentId?: string
}

export interface RuntimeContext {
  tokenBudget?: number
  modelContextWindow?: number
  trigger?: string
  attempt?: number
  llm?: { complete(params: LlmRequest): Promise<{ text?: string }> }
}
export interface LlmRequest {
  messages: { role: 'user'; content: string }[]
  systemPrompt?: string
  maxTokens?: number
  purpose?: string
  signal?: AbortSignal
}

export interface AssembleParams extends SessionRef {
  messages: Message[]
  tokenBudget?: number
  prompt?: string
  availableTools?: Set<string>
  citationsMode?: string
  runtimeSettings?: { limits?: { promptTokenBudget?: number | null; maxOutputTokens?: number | null } }
}
export interface AssembleResult {
  messages: Message[]
  estimatedTokens: number
  systemPromptAddition?: string
}
export interface CompactParams extends SessionRef {
  tokenBudget?: number
  force?: boolean
  currentTokenCount?: number
  compactionTarget?: 'budget' | 'threshold'
  runtimeContext?: RuntimeContext
  abortSignal?: AbortSignal
}
export interface CompactResult {
  ok: boolean
  compacted: boolean
  reason?: string
  result?: { summary?: string; tokensBefore: number; tokensAfter?: number; details?: unknown }
}
export interface TurnParams extends SessionRef {
  messages: Message[]
  isHeartbeat?: boolean
}

export interface ContextEngine {
  readonly info: {
    id: string
    name: string
    version?: string
    ownsCompaction?: boolean
    turnMaintenanceMode?: 'foreground' | 'background'
    transcriptSemantics?: { currentTurnFence: 'before-current-turn-entry-v1'; turnAdvancementIdempotency: 'atomic-idempotent-v1' }
  }
  bootstrap(params: SessionRef & { runtimeContext?: RuntimeContext }): Promise<{ bootstrapped: boolean; reason?: string }>
  maintain(params: SessionRef & { runtimeContext?: RuntimeContext; abortSignal?: AbortSignal }): Promise<{ changed: boolean; bytesFreed: number; rewrittenEntries: number; reason?: string }>
  ingest(params: SessionRef & { message: Message; isHeartbeat?: boolean }): Promise<{ ingested: boolean }>
  ingestBatch(params: TurnParams): Promise<{ ingestedCount: number }>
  afterTurn(params: TurnParams & { prePromptMessageCount: number }): Promise<void>
  commitTurn(params: TurnParams & { advancementKey: string }): Promise<{ status: 'committed' | 'duplicate' }>
  assemble(params: AssembleParams): Promise<AssembleResult>
  compact(params: CompactParams): Promise<CompactResult>
  prepareSubagentSpawn(params: SubagentSpawn): Promise<{ rollback(): Promise<void> } | undefined>
  onSubagentEnded(params: { childSessionKey: string; reason: string }): Promise<void>
  dispose(): Promise<void>
}
export interface SubagentSpawn {
  parentSessionKey: string
  childSessionKey: string
  contextMode?: 'isolated' | 'fork'
}

export interface ToolResultEvent {
  toolCallId: string
  toolName: string
  isError?: boolean
  result: { content?: unknown; details?: unknown } & Record<string, unknown>
}
export interface HookContext extends SessionRef {
  contextTokenBudget?: number
  trigger?: string
}
/** The hooks that the plugin listens to; each handler gets `(event, context)`. */
export interface Hooks {
  before_prompt_build: { event: { prompt?: string; messages?: Message[] }; result: { prependContext?: string; appendContext?: string } | undefined }
  before_compaction: { event: { tokenCount?: number; messages?: Message[] }; result: void }
  after_compaction: { event: { tokenCount?: number; compactedCount?: number }; result: void }
  agent_end: { event: { messages?: Message[] }; result: void }
  after_tool_call: { event: { toolName: string; params?: unknown; error?: string }; result: void }
  /** Not awaited: the handler must answer at once. */
  before_message_write: { event: { message: Message; sessionKey?: string }; result: undefined }
  before_reset: { event: { reason?: string }; result: void }
  session_start: { event: SessionRef & { resumedFrom?: string }; result: void }
  session_end: { event: SessionRef & { reason?: string }; result: void }
  subagent_ended: { event: { targetSessionKey?: string }; result: void }
}

export interface AgentTool {
  name: string
  label: string
  description: string
  parameters: Record<string, unknown>
  execute(toolCallId: string, params: Record<string, unknown>): Promise<{ content: { type: 'text'; text: string }[]; details?: unknown }>
}
export interface CompactionProvider {
  id: string
  label: string
  summarize(params: { messages: unknown[]; previousSummary?: string; signal?: AbortSignal }): Promise<string>
}

export interface PluginApi {
  id: string
  registrationMode?: string
  config?: HostConfig
  pluginConfig?: Record<string, unknown>
  logger: Logger
  runtime: { state: { resolveStateDir(): string } }
  registerContextEngine(id: string, factory: (context: { config?: HostConfig }) => ContextEngine): void
  registerCompactionProvider(provider: CompactionProvider): void
  registerTool(factory: (context: SessionRef) => AgentTool[] | null, options: { names: string[]; optional?: boolean }): void
  registerAgentToolResultMiddleware(handler: (event: ToolResultEvent, context: SessionRef) => Promise<{ result: ToolResultEvent['result'] } | undefined>, options: { runtimes: string[] }): void
  on<K extends keyof Hooks>(name: K, handler: (event: Hooks[K]['event'], context: HookContext) => Promise<Hooks[K]['result']> | Hooks[K]['result'], options?: { priority?: number; timeoutMs?: number }): void
}
