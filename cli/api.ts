// What the command line uses of the package. Handed in everywhere, so that the replay can be driven by tests and by the
// demo without a second copy of the addon.
import type * as clawback from 'clawback'

export type {
  Change, Checkpoint, CheckpointInfo, CheckpointInput, ColdChunk, ConfigOrigin, Drop, Inspection, Item, Measure, Message, Percentiles, SessionInfo, SessionState, TranscriptEvent, TranscriptStats, Trigger, TuningReport,
} from 'clawback'

/** The exports that a replay calls. */
export type ReplayApi = Pick<
  typeof clawback,
  | 'version' | 'openTranscript' | 'measureUsage' | 'gaugeLine' | 'estimateTokens' | 'estimateMessageTokens' | 'writeCheckpoint' | 'readState'
  | 'readCheckpointForInjection' | 'readLatestCheckpoint' | 'readCheckpoint' | 'listCheckpoints' | 'formatCheckpointYaml' | 'renderCheckpoint' | 'listSessions' | 'readConfig'
>

/** The exports that the command line calls. */
export type Api = ReplayApi & Pick<
  typeof clawback,
  | 'listDrops' | 'readColdChunk' | 'inspectSession' | 'repairSession' | 'requestCompaction' | 'tuningReport' | 'diffCheckpoints' | 'sanitizeSessionKeyForPath'
> & LaterApi

/** What a package without its live session lacks; commands that need it say so. */
export interface LaterApi {
  ContextSession?: {
    prototype: { recover?: unknown }
    open(options: { stateDir: string; sessionKey: string; contextWindow: number }): Promise<LiveSession>
  }
  loadConfig?: (path?: string) => Promise<unknown>
}

/** The part of a live session that the command line uses. */
export interface LiveSession {
  recover(chunkId: string, options?: { offset?: number }): Promise<{ chunkId: string; role: string; text: string; timestamp: string; nextOffset?: number }>
  recall(query: string, options?: object): Promise<RecallHit[]>
  packet(options?: { maxTokens?: number }): Promise<{ text: string; tokens: number; omitted: Record<string, number> } | null>
  explain(text: string): Promise<Explained>
  health(): Promise<Health>
  reset(reason: 'new' | 'reset' | 'deleted'): Promise<void>
  close(): Promise<void>
}
export interface Explained {
  found: boolean
  source?: string
  status?: string
  by?: string
  whyNotInPacket?: string
}
export interface RecallHit {
  chunkId: string
  sessionKey: string
  role: string
  text: string
  passage?: string
  context?: string
  tokens: number
  score: number
  timestamp: string
  dropReason: string | null
  recoverableUntil: string | null
}
export interface Health {
  currentTokens: number
  limit: number
  pctUsed: number
  zone: string
  epoch: number
  checkpoints: number
  journalLines: number
  coldChunks: number
  bytesOnDisk: number
  readOnly: boolean
  problems: string[]
}
