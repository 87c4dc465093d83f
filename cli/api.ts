// What the command line uses of the package. Handed in everywhere, so that the replay can be driven by tests and by the
// demo without a second copy of the addon.
import type * as clawback from 'clawback'

export type {
  Checkpoint, CheckpointInfo, CheckpointInput, Item, Measure, Message, SessionInfo, SessionState, TranscriptEvent, TranscriptStats, Trigger,
} from 'clawback'

/** The exports that the command line calls. */
export type Api = Pick<
  typeof clawback,
  | 'version' | 'openTranscript' | 'measureUsage' | 'gaugeLine' | 'estimateTokens' | 'estimateMessageTokens' | 'writeCheckpoint' | 'readState'
  | 'readCheckpointForInjection' | 'readLatestCheckpoint' | 'readCheckpoint' | 'listCheckpoints' | 'formatCheckpointYaml' | 'renderCheckpoint' | 'listSessions'
>
