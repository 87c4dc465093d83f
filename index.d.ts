// The public surface, written by hand. `__test__/types.test.ts` holds it against index.js and the generated binding.d.ts.
// Times are ISO 8601 strings in files and epoch milliseconds in messages; ratios are 0..1. Asynchronous functions reject
// with an `Error` that has one of the codes below; synchronous ones throw it.

/** What went wrong, as `error.code`. A compatibility surface: codes are added, never renamed. */
export type ErrorCode =
  | 'InvalidInput' | 'Corrupt' | 'NotFound' | 'Locked' | 'LockUnsupported' | 'NoSpace' | 'ReadOnly' | 'Io' | 'Refused'
  | 'Unsupported' | 'Closed' | 'Internal' | 'LoadFailed'

/** A message as hosts make them. Functions take any object: hand over the host's own, as it is. */
export type Message = { role?: string; content?: unknown; timestamp?: number } & Record<string, unknown>

export const version: string

// ---- text: sync, pure ----

/** Comparable form: list marks and markdown off, blanks collapsed, lower case. */
export function normalize(text: string): string
/** The words that carry meaning, in order of first use. */
export function extractKeywords(text: string): string[]
/** Words without meaning of their own, English and Serbian; no negations. Read-only. */
export const STOP_WORDS: ReadonlySet<string>
export type Comparison = 'duplicate' | 'conflict' | 'distinct'
/** Whether two remembered items say the same, contradict each other, or neither. */
export function compareItems(older: string, newer: string): Comparison
export function isSemanticDuplicate(a: string, b: string): boolean
export interface Merged {
  items: string[]
  folded: { text: string; into: string }[]
  superseded: { text: string; by: string }[]
}
/** `primary` is a model's list, `secondary` what was captured, newer. At most 1,000 items. */
export function mergeItems(primary: string[], secondary: string[]): Merged
/** The same for long lists, off the event loop. */
export function mergeItemsAsync(primary: string[], secondary: string[]): Promise<Merged>
/** The decision in an agent's reply, given the user's answer if there is one; at most 200 graphemes. */
export function extractDecisionFromResponse(reply: string, userReply?: string): string | null
/** Whether a person typed this message; what hosts and clawback inject under the role `user` is not real. */
export function isRealUserMessage(message: Message | object): boolean
/** What the person typed, without the envelopes of hosts; null when nobody did. */
export function userText(message: Message | object): string | null
export function estimateTokens(text: string): number
export function estimateMessageTokens(message: Message | object): number
/** Directory name of a key in seed 002's form. Kept for callers that know it; clawback's own paths do not use it. */
export function sanitizeSessionKeyForPath(sessionKey: string): string
/** Keys, tokens and passwords become `[redacted:kind]`; hashes, UUIDs and git ids stay. */
export function redactSecrets(text: string): string
/** The same for texts above 256 kB, off the event loop. */
export function redactSecretsAsync(text: string): Promise<string>

// ---- state ----

export type Appended = 'added' | 'duplicate' | 'superseded-older'
export interface WriteOptions {
  /** `full`: acknowledged only when it survives a power cut; otherwise a crash at once and a power cut after 250 ms. */
  durability?: 'written' | 'full'
  /** Milliseconds to wait for another process; 5,000 if missing. */
  lockTimeoutMs?: number
  /** Only this process uses the directory: run where the file system has no locks. */
  singleProcess?: boolean
}
export function appendDecisionToState(stateDir: string, sessionKey: string, decision: { what: string; when?: string }, options?: WriteOptions): Promise<Appended>
export function appendOpenItemToState(stateDir: string, sessionKey: string, item: string, options?: WriteOptions): Promise<Appended>
/** False when no open item matches. */
export function resolveOpenItemInState(stateDir: string, sessionKey: string, item: string, options?: WriteOptions): Promise<boolean>
export function appendLearningToState(stateDir: string, sessionKey: string, learning: string, options?: WriteOptions): Promise<Appended>
export interface ToolUse {
  name: string
  params?: unknown
  isError?: boolean
  errorText?: string
}
export function recordToolUseInState(stateDir: string, sessionKey: string, tool: ToolUse, options?: WriteOptions): Promise<void>
export interface ToolCall {
  name: string
  paramsSummary: string
}
export function writeLastToolCallToState(stateDir: string, sessionKey: string, call: ToolCall, options?: WriteOptions): Promise<void>
export function readLastToolCallFromState(stateDir: string, sessionKey: string): Promise<ToolCall | null>
export interface Item {
  id: string
  text: string
  at: string
  source: 'user' | 'enrichment' | 'assistant' | 'summary' | 'tool'
  status: 'active' | 'superseded' | 'resolved'
  by?: string
}
/** Each list holds at most 50 items: of more, the oldest resolved leave first, then superseded, then the oldest active. */
export interface SessionState {
  goal: string | null
  decisions: Item[]
  constraints: Item[]
  tasks: Item[]
  openItems: Item[]
  learnings: Item[]
  resources: { filesRead: string[]; filesModified: string[]; toolsUsed: string[] }
  thread: { topic: string | null; errors: string[] }
  lastToolCall: ToolCall | null
  journalSeq: number
}
export function readState(stateDir: string, sessionKey: string): Promise<SessionState>
export interface SessionInfo {
  sessionKey: string
  name: string
  updatedAt: string
  checkpoints: number
  bytes: number
}
export function listSessions(stateDir: string): Promise<SessionInfo[]>

// ---- checkpoints ----

export type Trigger = 'auto-80pct' | 'compaction' | 'epoch' | 'session-end' | 'enrichment' | 'manual'
export interface RunningAgent {
  id: string
  task?: string
  startedAt?: string
}
export interface CheckpointInput {
  trigger: Trigger
  sessionFile?: string
  channel?: string
  agentId?: string
  /** Compactions by the host so far. */
  compactionCount?: number
  tokenUsage: { inputTokens: number; contextWindow: number; utilization?: number }
  /** Captured first; the same messages twice change nothing. */
  messages?: readonly (Message | object)[]
  /** The host's compaction cuts a turn in two. */
  isSplitTurn?: boolean
  fileOps?: { read: Iterable<string>; written: Iterable<string>; edited: Iterable<string> }
  agents?: RunningAgent[]
}
/** A checkpoint with exactly the keys of its YAML file. */
export interface Checkpoint {
  schema: string
  schema_version: number
  meta: {
    checkpoint_id: string
    session_key: string
    session_file: string | null
    created_at: string
    trigger: Trigger
    compaction_count: number
    token_usage: { input_tokens: number; context_window: number; utilization: number }
    previous_checkpoint: string | null
    channel: string | null
    agent_id: string | null
  }
  active_request: string | null
  goal: string | null
  working: {
    topic: string
    status: 'in_progress' | 'idle' | 'waiting_for_user'
    interrupted: boolean
    last_tool_call: { name: string; params_summary: string } | null
    next_action: string
  }
  constraints: string[]
  decisions: { id: string; what: string; when: string }[]
  tasks: { what: string; state: 'open' | 'done' | 'blocked' }[]
  resources: { files_read: string[]; files_modified: string[]; tools_used: string[] }
  thread: { summary: string; key_exchanges: { role: string; gist: string }[]; errors: string[] }
  open_items: string[]
  learnings: string[]
  agents: { id: string; task: string | null; started_at: string | null }[]
  superseded: number
  integrity: { bytes: number; hash: string; state_seq: number } | null
}
export type CheckpointOutcome = { written: true; id: string; path: string } | { written: false; reason: string }
export interface CheckpointInfo {
  id: string
  /** Empty for a damaged file. */
  createdAt: string
  /** Null for a damaged file. */
  trigger: Trigger | null
  bytes: number
  valid: boolean
}
export interface PacketOptions {
  /** At most 700, which is the default. */
  maxTokens?: number
}
/** What the model is given after a compaction. */
export interface Packet {
  text: string
  tokens: number
  /** Items left out, by section. */
  omitted: Record<string, number>
}
/** A subagent ended; its own session names its parent. False when nobody started it or it has ended before. */
export function agentEndedByKey(stateDir: string, childSessionKey: string): Promise<boolean>
/** The checkpoint that would be written now; writes nothing. */
export function buildCheckpointFromState(stateDir: string, sessionKey: string, input: CheckpointInput): Promise<Checkpoint>
/** Resolves when the checkpoint survives a power cut. */
export function writeCheckpoint(stateDir: string, sessionKey: string, input: CheckpointInput): Promise<CheckpointOutcome>
/** The newest valid one. */
export function readLatestCheckpoint(stateDir: string, sessionKey: string): Promise<Checkpoint | null>
export function readCheckpoint(stateDir: string, sessionKey: string, id: string): Promise<Checkpoint>
/** Oldest first. */
export function listCheckpoints(stateDir: string, sessionKey: string): Promise<CheckpointInfo[]>
/** An item of one of two checkpoints. Who said it is not in a checkpoint: `source` is always `summary`. */
export interface Change extends Item {
  kind: 'goal' | 'constraint' | 'decision' | 'task' | 'open_item' | 'learning'
}
/** What the newer one gained, superseded and resolved, and what it lost without a reason. */
export function diffCheckpoints(older: Checkpoint, newer: Checkpoint): { gained: Change[]; superseded: Change[]; resolved: Change[]; lost: Change[] }
export function formatCheckpointYaml(checkpoint: Checkpoint): string
export function parseCheckpointYaml(text: string): Checkpoint
/** The same for texts above 256 kB, off the event loop. */
export function parseCheckpointYamlAsync(text: string): Promise<Checkpoint>
export function renderCheckpoint(checkpoint: Checkpoint, options?: PacketOptions): Packet
/** The packet of the newest checkpoint, fenced and ready to be handed to a model; null when there is none. */
export function readCheckpointForInjection(stateDir: string, sessionKey: string, options?: PacketOptions): Promise<string | null>

// ---- a model's help ----

/** What a model is asked. */
export interface Prompt {
  system: string
  user: string
  /** Tokens of its answer. */
  maxTokens: number
}
/** The host's model. The signal is aborted when nobody waits for the answer any more. */
export type Complete = (prompt: Prompt, signal?: AbortSignal) => Promise<string>
/** Asks for decisions, open items and learnings that rules miss. Shows 20 messages, or 15 when it would pass 1,500 tokens. */
export function buildEnrichmentPrompt(checkpoint: Checkpoint, messages: readonly (Message | object)[]): Prompt & { messageCount: number }
/** What a model answered; lists hold at most 20 items, not yet checked. */
export interface Enrichment {
  decisions: string[]
  openItems: string[]
  learnings: string[]
  topic?: string
  nextAction?: string
  summary?: string
}
/** Reads an answer with fences, prose around it, wrong types or a cut end. Never throws on a text. */
export function parseEnrichment(text: string): Enrichment
export interface EnrichOptions {
  /** Captured first; the same messages twice change nothing. */
  messages?: readonly (Message | object)[]
  /** Milliseconds that the model has; 30,000 if missing. */
  timeoutMs?: number
  signal?: AbortSignal
}
export interface Enriched {
  written: boolean
  /** The checkpoint that holds what was merged. */
  id?: string
  /** Items that were not kept: they quote what nobody said, contradict a person or something newer, or give orders. */
  rejected: { text: string; why: string }[]
  /** Why nothing was written. */
  reason?: string
}
/**
 * Asks the model, checks its answer and writes a checkpoint with what holds. A model that fails, is slow, is called off or
 * never answers leaves the checkpoint from before: the promise resolves with `written: false` and the reason.
 */
export function enrichCheckpoint(stateDir: string, sessionKey: string, complete: Complete, options?: EnrichOptions): Promise<Enriched>
/** Messages as a summary for a host's compaction, without a model, a session or a disk. `previousSummary` is merged in, not
 * appended. At most `maxTokens` (2,000 if missing) and 16,000 characters; empty when nothing was said. */
export function summarizeMessages(messages: readonly (Message | object)[], options?: { maxTokens?: number; previousSummary?: string }): Promise<string>
// ---- cold storage and repairs: async ----

/** Why a message left the view. */
export type DropReason = 'epoch' | 'low_relevance' | 'host_compaction' | 'hard_limit' | 'distilled' | 'cap' | 'spill' | 'session_end' | (string & {})
/** Seed 003's record, without the content. Times are ISO 8601. */
export interface Drop {
  chunk_id: string
  session_id: string
  timestamp: string
  role: string
  tokens: number
  drop_reason: DropReason
  /** 0..1; null where no score decided. */
  relevance_score: number | null
  prompt_at_drop: string | null
  recoverable_until: string
  epoch: number
}
/** Seed 003's whole object. Of a message that never left the view the fields of the drop are null. */
export interface ColdChunk extends Omit<Drop, 'drop_reason' | 'recoverable_until' | 'epoch'> {
  content: string
  /** Tokens of `content` alone; `tokens` is what the drop of the whole message freed. */
  content_tokens: number
  /** When the message was said; `timestamp` is when it left the view. */
  said_at: string
  tool: string | null
  drop_reason: DropReason | null
  recoverable_until: string | null
  epoch: number | null
}
/** What left the view, oldest first; with `limit` the newest so many. `total` counts all that fit. */
export function listDrops(stateDir: string, sessionKey: string, query?: { reason?: string; since?: string; limit?: number }): Promise<{ drops: Drop[]; total: number; damaged: number }>
/** One stored message; reads only. `NotFound` also once it has expired. */
export function readColdChunk(stateDir: string, sessionKey: string, chunkId: string): Promise<ColdChunk>
export interface Inspection {
  journalLines: number
  badLines: number
  bodies: number
  damagedBodies: number
  coldChunks: number
  damagedDrops: number
  dropsWithoutBody: number
  bodyBytes: number
  quarantined: number
  problems: string[]
}
/** Reads every file of a session and changes nothing. */
export function inspectSession(stateDir: string, sessionKey: string): Promise<Inspection>
/** Sets torn ends and damaged snapshots aside and writes the snapshots anew. */
export function repairSession(stateDir: string, sessionKey: string): Promise<void>
/** Asks the host of a live session to compact at its next plan. */
export function requestCompaction(stateDir: string, sessionKey: string): Promise<void>
/** Values at a few ranks; each is a value that occurred. */
export interface Percentiles { p10: number; p25: number; p50: number; p75: number; p90: number; p99: number }
/** The knobs of seed 003 as they are; those that are missing have their defaults. */
export interface TuningKnobs {
  relevance?: boolean
  compactionTriggerPct?: number
  maxContextPct?: number
  curationTriggerPct?: number
  relevanceCutoff?: number
  thresholdKeep?: number
  minChunksToKeep?: number
  recencyBonus?: number
  importanceBonus?: number
  memfasWeight?: number
  memfasMinScore?: number
  recoverableForDays?: number
  summaryTargetTokens?: number
  /** Where the logs lie; without it in the state directory. */
  logPath?: string
}
export interface TuningReport {
  drops: Record<string, number>
  compactions: Record<string, number>
  recoveries: Record<string, number>
  curations: number
  healthSamples: number
  /** 0..1: recoveries by drops. */
  recoveredShare: number
  damagedLines: number
  /** Ten bars over 0..1. */
  scoreHistogram: number[]
  scores: Percentiles | null
  savings: Percentiles | null
  tokensSaved: number
  curationSavings: Percentiles | null
  recoveredAfterHours: Percentiles | null
  suggestions: { knob: string; current: number; suggested: number; observations: number; why: string }[]
}
/** What the activity logs say, of one session or of all, and a suggestion for each knob. */
export function tuningReport(stateDir: string, sessionKey?: string, knobs?: TuningKnobs): Promise<TuningReport>

// ---- pressure: sync ----

export type Zone = 'green' | 'yellow' | 'red' | 'compact'
export interface HostUsage {
  tokens?: number | null
  contextWindow?: number
  /** 0..100 */
  percent?: number | null
}
export interface Measure {
  tokens: number
  contextWindow: number
  utilization: number
  zone: Zone
  source: 'host' | 'usage' | 'estimate' | 'unknown'
}
/** How full the context is: the host's figure, else the last answer's usage, else an estimate. */
export function measureUsage(input: { usage?: HostUsage; messages?: readonly (Message | object)[]; contextWindow: number; overheadTokens?: number; reserveTokens?: number }): Measure
/** `[Context: 81% | 162k/200k tokens | Checkpoint saved]`; null below 70 % and when unknown. */
export function gaugeLine(measure: Measure, options?: { checkpointSaved?: boolean }): string | null

/** Shares of the window (0..1) and the least room for the answer in tokens; `InvalidInput` when they add up to more than 1. */
export interface Ratios {
  systemPromptRatio: number
  bootstrapRatio: number
  historyRatio: number
  responseRatio: number
  minResponseTokens: number
}
/** Regions of the window in tokens. `history` = its share + `reclaimed` + `reserve`. */
export interface BudgetAllocation {
  systemPrompt: number
  bootstrap: number
  history: number
  response: number
  reserve: number
  reclaimed: number
}
/** Divides a window between system prompt, bootstrap files, history and answer; what the first two do not use goes to history. */
export function allocateBudget(input: { contextWindow: number; ratios?: Partial<Ratios>; actual?: { systemPrompt?: number; bootstrap?: number } }): BudgetAllocation
/** At most `maxTokens` for all files together: small files stay whole, large ones keep head and tail around a line that says what was cut. */
export function truncateBootstrapFiles(files: { path: string; content: string }[], maxTokens: number): { path: string; content: string; truncated: boolean }[]

// ---- configuration ----

/** Every knob; docs/config.md has the table. Shares and scores are 0..1, sizes are tokens. */
export interface Config {
  compactionTriggerPct: number
  maxContextPct: number
  relevance: boolean
  curationTriggerPct: number
  relevanceCutoff: number
  thresholdKeep: number
  minChunksToKeep: number
  recencyBonus: number
  importanceBonus: number
  memfasWeight: number
  memfasMinScore: number
  coldStorageEnabled: boolean
  /** Null: inside the session. */
  coldStoragePath: string | null
  recoverableForDays: number
  summarizeMediumChunks: boolean
  summaryTargetTokens: number
  /** Null: the host's. */
  summaryModel: string | null
  /** Null: `<stateDir>/context/logs`. */
  logPath: string | null
  logCompaction: boolean
  logCuration: boolean
  logDrops: boolean
  logRecovery: boolean
  durability: 'normal' | 'full'
  contextManagement: {
    enabled: boolean
    budget: Ratios
    rollingSummary: { enabled: boolean; windowSize: number; summaryMaxTokens: number; triggerThreshold: number }
    semanticHistory: { enabled: boolean; maxRetrievedChunks: number; maxRetrievedTokens: number; minRelevanceScore: number }
  }
}
/** Any part of the configuration. */
export type PartialConfig = Partial<Omit<Config, 'contextManagement'>> & {
  contextManagement?: { [Group in keyof Config['contextManagement']]?: Partial<Config['contextManagement'][Group]> }
}
export type ConfigOrigin = { source: 'default' } | { source: 'file' | 'env'; name: string } | { source: 'option' }
export interface LoadedConfig {
  config: Config
  /** By the knob's path, such as `contextManagement.budget.historyRatio`. */
  origins: Record<string, ConfigOrigin>
  /** Keys that nobody knows, with the nearest known one. */
  warnings: { key: string; nearest: string | null; text: string }[]
}
/** Defaults, then the file (which must exist), then `CLAWBACK_...` of the environment. `InvalidInput` for values out of range. */
export function loadConfig(path?: string): Promise<Config>
/** The same, with where each value came from. With `stateDir` and no path, `<stateDir>/context/config.yaml` is read where it exists. */
export function readConfig(path?: string, options?: { stateDir?: string }): Promise<LoadedConfig>

// ---- a live session: a handle on shared per-session state ----

export interface SessionOptions {
  /** The host's state directory; everything lives below `<stateDir>/context/`. */
  stateDir: string
  sessionKey: string
  /** The model's window in tokens; 0 when unknown: then nothing is triggered. */
  contextWindow: number
  /** Room for the answer in tokens; min(20,000, window / 4) if missing. */
  reserveTokens?: number
  /** System prompt and tools in tokens; learned from the host's usage if missing. */
  overheadTokens?: number
  /** The host's own threshold in tokens of the whole request; clawback comes first. */
  hostCompactsAt?: number
  /** `prune` (default), `compact` or `complement`. */
  mode?: 'prune' | 'compact' | 'complement'
  agentId?: string
  channel?: string
  sessionFile?: string
  /** What differs from the defaults; unknown keys come out as warnings of the first plan. */
  config?: PartialConfig
}
export interface ContextPlan {
  /** Counts from 1; 0 before the first. */
  epoch: number
  zone: Zone
  /** The first message of the request, in the user's role; null when there is none. */
  packet: string | null
  /** The last message of the request, null when there is none: the gauge line from 70 % on, and dropped messages that clearly match the prompt. The same for a whole turn. */
  tail: string | null
  /** Indices into the array last synced, ascending. */
  keep: Uint32Array
  /** Kept messages that are shown with this text instead of their content; `applyPlan` does it for each form of message. */
  replace: { index: number; text: string }[]
  tokensBefore: number
  tokensAfter: number
  droppedMessages: number
  checkpointId?: string
  warnings: string[]
}
export interface Health {
  currentTokens: number
  limit: number
  /** 0..1 and above. */
  pctUsed: number
  zone: Zone
  epoch: number
  checkpoints: number
  journalLines: number
  coldChunks: number
  /** Of all files of the session. */
  bytesOnDisk: number
  readOnly: boolean
  problems: string[]
}

/** What narrows a search. */
export interface RecallOptions {
  /** 10 if missing, at most 1,000. */
  limit?: number
  /** Tokens of all hits together; 2,000 if missing. The first hit is cut around what matches rather than left out. */
  maxTokens?: number
  /** `all`: also other sessions, and older generations of this one. */
  scope?: 'session' | 'all'
  role?: string
  tool?: string
  /** ISO 8601. */
  since?: string
  /** ISO 8601. */
  until?: string
  /** The host's own similarity, 0..1, by chunk id. */
  scores?: Record<string, number>
}

/** A message that was found. */
export interface RecallHit {
  chunkId: string
  sessionKey: string
  role: string
  /** The message, or the part of it that answers. */
  text: string
  /** The part of `text` around what matches, at most 60 tokens; missing where `text` is no longer. */
  passage?: string
  context?: string
  tokens: number
  /** 0..1, never rising from hit to hit. */
  score: number
  timestamp: string
  /** Why it left the view; null where it did not, or belongs to another session. */
  dropReason: string | null
  /** Null where it does not expire. */
  recoverableUntil: string | null
}

export interface RecoveredMessage extends RecallHit {
  totalTokens: number
  /** Counts as `text.length` does. */
  nextOffset?: number
}

export declare class ContextSession {
  private constructor()
  /** Restores ledger, epoch, view and calibration from disk. */
  static open(options: SessionOptions): Promise<ContextSession>
  /** A model was switched, or its limits were learned; missing figures stay. */
  setLimits(limits: { contextWindow?: number; reserveTokens?: number; overheadTokens?: number; hostCompactsAt?: number }): void
  /** The host's current array, or its end from index `from`. Queues; errors come out of the next plan, flush or health. */
  sync(messages: readonly (Message | object)[], hints?: { from?: number; rewind?: boolean }): { added: number; rewound: number; hostCompacted: boolean }
  /** How full the context is; writes nothing. */
  gauge(usage?: HostUsage): Measure & { line: string | null; pressure: number }
  /**
   * What the model sees of the array last synced. No model call. `prompt`: a request that is not yet in that array, as hosts
   * have it that send it apart from the history. The array's own last turn then counts as an older one; a request whose
   * message was synced is not given again. `force`: a new epoch now.
   */
  plan(options?: { budgetTokens?: number; prompt?: string; force?: boolean }): Promise<ContextPlan>
  /** Answers a compaction of the host; `compacted` is always true to what happened. */
  compact(options: { reason: 'threshold' | 'budget' | 'overflow' | 'manual'; force?: boolean; budgetTokens?: number; currentTokens?: number }): Promise<{ compacted: boolean; reason: string; tokensBefore: number; tokensAfter: number; summary: string }>
  /** A turn's messages, all or nothing, once per key, durably. */
  commit(messages: readonly (Message | object)[], options: { key: string }): Promise<'committed' | 'duplicate'>
  checkpoint(input: Partial<CheckpointInput> & { trigger: Trigger }): Promise<CheckpointOutcome>
  /** The packet of what is known now; null where nothing is. */
  packet(options?: PacketOptions): Promise<Packet | null>
  /** Stays true until `compactionStarted` or back-off. */
  shouldCompact(): boolean
  compactionStarted(): void
  compactionSettled(outcome: { ok: boolean; tokensAfter?: number; reason?: string }): void
  /** The whole message is stored, durably; the copy has at most `maxTokens` tokens of text. */
  spill<M extends object>(message: M, options: { maxTokens: number }): Promise<{ message: M; chunkId: string }>
  /** Never dropped by relevance, never expires. */
  pin(target: string | Message | object): Promise<void>
  /** The messages that answer a question best, best first; one hit is one message, all hits together keep `maxTokens` (2,000). Any text is a query. */
  recall(query: string, options?: RecallOptions): Promise<RecallHit[]>
  /** One message, whole or, with `maxTokens`, in pages: go on from `nextOffset`. Logged; does not touch the view. */
  recover(chunkId: string, options?: { offset?: number; maxTokens?: number }): Promise<RecoveredMessage>
  explain(text: string): Promise<{ found: boolean; source?: string; status?: string; by?: string; whyNotInPacket?: string }>
  /**
   * Between turns: lets expired messages go and, where there is a model, asks it once per epoch for the rolling summary of
   * what left the view and for an enrichment. What it writes is shown from the next epoch on; where it fails nothing changes.
   */
  maintain(options?: { complete?: Complete; signal?: AbortSignal; timeoutMs?: number }): Promise<{ summarized: boolean; enriched: boolean; expired: number }>
  agentStarted(agent: RunningAgent): Promise<void>
  agentEnded(id: string): Promise<void>
  fork(childSessionKey: string): Promise<void>
  /** A clean generation: no packet, no entries; handles opened before are refused. */
  reset(reason: 'new' | 'reset' | 'deleted'): Promise<void>
  /** Checkpoint, archive, close. */
  end(options: { reason: string }): Promise<void>
  health(): Promise<Health>
  /** Diagnostics of the process since the last call, oldest first; the newest 1,000 are kept. Sync. */
  drainLogs(): LogLine[]
  /** Everything queued so far is durable. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface LogLine {
  at: string
  level: 'error' | 'warn' | 'info' | 'debug'
  message: string
  fields?: Record<string, unknown>
}
/**
 * The array to send: the packet and the tail as user messages, the kept messages between them. `messages` is the array that
 * was last synced; its objects are handed on, and those in `plan.replace` copied: their blocks of tool calls and tool results
 * stay with their ids (a provider refuses one without the other), all else gives way to the shorter text. Sync.
 */
export function applyPlan<M extends object>(plan: Pick<ContextPlan, 'packet' | 'tail' | 'keep' | 'replace'>, messages: readonly M[]): (M | { role: 'user'; content: string })[]

/** Diagnostics of the process since the last call, oldest first; the newest 1,000 are kept. */
export function drainLogs(): LogLine[]

// ---- any agent: seed 003's callbacks ----

export interface ContextManagerOptions {
  stateDir: string
  sessionKey: string
  /** The context as the agent has it now: an array of messages. Where it is something else, `getMessages` is asked instead. */
  getContext(): unknown
  /** Replaces it. */
  setContext(context: Message[]): unknown
  /** Tokens of the context; anything but a number: unknown. */
  getTokenCount(): number | null | undefined | Promise<number | null | undefined>
  /** The newest `count` messages, oldest first. */
  getMessages(count: number): unknown
  contextWindow?: number
  reserveTokens?: number
  overheadTokens?: number
  mode?: 'prune' | 'compact' | 'complement'
  config?: PartialConfig
  /** A model for summaries of what left, used after responses. */
  complete?: (prompt: { system: string; user: string; maxTokens: number }, signal?: AbortSignal) => Promise<string>
  /** What went wrong in a hook; hooks never throw. */
  onError?(error: unknown): void
}
export interface ContextStatus {
  needsCompaction: boolean
  currentTokens: number
  limit: number
  /** 0..1 and above. */
  pctUsed: number
  zone: Zone
  line: string | null
}
export interface ContextCompaction {
  compacted: boolean
  epoch: number
  tokensBefore: number
  tokensAfter: number
  droppedMessages: number
  checkpointId: string | null
  warnings: string[]
}
export declare class ContextManager {
  constructor(options: ContextManagerOptions)
  /** How full the context is, and whether `compact` is due. */
  beforeResponse(limits?: { maxTokens?: number }): Promise<ContextStatus>
  /** Drops what is old, durably stored first, and hands the new context to `setContext`. */
  compact(): Promise<ContextCompaction>
  /** Checkpoint, archive, close. */
  sessionEnd(): Promise<void>
  /** Seed 003's hook points. None of them throws. */
  hooks(): {
    'message-received'(limits?: { maxTokens?: number }): Promise<ContextStatus | undefined>
    /** Compacts when it is due. */
    'pre-response'(limits?: { maxTokens?: number }): Promise<(ContextStatus & { compaction?: ContextCompaction }) | undefined>
    /** Maintenance from the curation trigger on. */
    'post-response'(limits?: { maxTokens?: number }): Promise<(ContextStatus & { curation?: unknown }) | undefined>
    'session-end'(): Promise<void>
  }
}

// ---- transcripts ----

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
export interface TranscriptReader {
  /** The next events and the damaged lines between them; null at the end. */
  next(): Promise<{ events: TranscriptEvent[]; problems: { line: number; why: string }[]; bytesRead?: number; bytesTotal?: number } | null>
}
/** Reads a transcript of Pi or OpenClaw (as best effort also of Claude Code and Codex), streaming; writes nothing. */
export function openTranscript(path: string): Promise<TranscriptReader>
