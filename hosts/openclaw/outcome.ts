// How a compaction is named to clawback, and how its outcome is told to the host.
import type { CompactReason, Outcome } from './api.js'
import type { CompactParams, CompactResult } from './host.js'

/** The host says why in several places, by who asked. */
export function reasonOf({ runtimeContext, compactionTarget, force }: CompactParams): CompactReason {
  switch (runtimeContext?.trigger) {
    case 'overflow':
    case 'timeout_recovery':
      return 'overflow'
    case 'budget':
      return 'budget'
    case 'manual':
      return 'manual'
    default:
      if (compactionTarget === 'budget') return 'budget'
      return force ? 'manual' : 'threshold'
  }
}

/**
 * The host takes `compacted: false` for a failure unless the reason is one that it knows: `below threshold` where there was
 * no need, `nothing to compact` where there is nothing to leave out.
 */
export function resultOf(outcome: Outcome): CompactResult {
  const { compacted, tokensBefore, tokensAfter, summary } = outcome
  const result = { tokensBefore, tokensAfter, ...(summary ? { summary } : {}) }
  if (compacted) return { ok: true, compacted, result }
  const known = /below threshold|already under target|already compacted|nothing to compact/i.test(outcome.reason)
  return { ok: true, compacted, reason: known ? outcome.reason : `nothing to compact: ${outcome.reason}`, result }
}
