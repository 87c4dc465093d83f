// What the plugin uses of clawback, so that tests can hand in something else.
import type * as clawback from 'clawback'
import type { ContextSession } from 'clawback'

export type { Complete, ContextPlan as Plan, RecallHit as Hit } from 'clawback'

export type Clawback = Pick<
  typeof clawback,
  'version' | 'estimateMessageTokens' | 'recordToolUseInState' | 'readCheckpointForInjection' | 'agentEndedByKey' | 'summarizeMessages'
> & { ContextSession: { open(options: Parameters<typeof ContextSession.open>[0]): Promise<Session> } }

/** The live handle on one session. */
export type Session = Pick<
  ContextSession,
  | 'setLimits' | 'sync' | 'gauge' | 'plan' | 'compact' | 'commit' | 'checkpoint' | 'recall' | 'recover' | 'spill' | 'maintain'
  | 'agentStarted' | 'fork' | 'reset' | 'drainLogs' | 'flush' | 'close'
>
export type CompactReason = Parameters<Session['compact']>[0]['reason']
export type Outcome = Awaited<ReturnType<Session['compact']>>
