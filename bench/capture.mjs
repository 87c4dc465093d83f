// What one 4 kB message costs to capture: a checkpoint is built from 10 and from 50 messages, nothing is written, and the
// difference is shared out. Handing the messages over, redaction and counting tokens are in it: what they cost is told by
// messages of a role that is stored and not captured. Once with what a message usually holds, a decision or two
// among explanations, and once with nothing but plans and decisions, where each is compared with all that came before.
import { load, missing } from './lib/clawback.mjs'
import { inTurns } from './lib/measure.mjs'
import { atMost, fact, skipped } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'
import { conversation, sentences } from './lib/words.mjs'

export const title = 'Capture'

export async function run({ quick }) {
  const clawback = load()
  const gone = missing(clawback, 'buildCheckpointFromState')
  if (gone.length) return [skipped(title, `no export ${gone.join(', ')}`)]
  const dir = tempDir('capture')
  const dense = conversation(50, 4096)
  const usual = dense.map((message, index) => ({ ...message, content: explained(sentences(1, index)[0]) }))
  const unread = usual.map((message) => ({ ...message, role: 'custom' }))
  const build = (messages) =>
    clawback.buildCheckpointFromState(dir, 'capture', { trigger: 'manual', tokenUsage: { inputTokens: 1, contextWindow: 10 }, messages })
  const times = await inTurns(quick ? 3 : 9, {
    usualFew: () => build(usual.slice(0, 10)),
    usualMany: () => build(usual),
    unreadFew: () => build(unread.slice(0, 10)),
    unreadMany: () => build(unread),
    denseFew: () => build(dense.slice(0, 10)),
    denseMany: () => build(dense),
  })
  const each = (few, many) => ((times[many] - times[few]) / 40) * 1000
  return [
    atMost({ what: 'one message of 4 kB', unit: 'µs', value: each('usualFew', 'usualMany'), goal: 200 }),
    fact({ what: 'of that, what one costs that is only stored', unit: 'µs', value: each('unreadFew', 'unreadMany') }),
    fact({ what: 'the same, dense with plans and decisions', unit: 'µs', value: each('denseFew', 'denseMany') }),
  ]
}

/** 4 kB that explain one decision at length. */
function explained(decision) {
  const talk = 'The second test looks at the path that the first one leaves out, and both go through the same reader. '
  return `${talk.repeat(20)}\n\nDecision: ${decision}.\n\n${talk.repeat(20)}`.slice(0, 4096)
}
