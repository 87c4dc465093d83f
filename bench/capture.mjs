// What one 4 kB message costs to capture: a checkpoint is built from 10 and from 50 messages, nothing is written, and the
// difference is shared out. Handing the messages over, redaction and counting tokens are in it: what they cost is told by
// messages of a role that is stored and not captured, and capture is the rest. Once with what a message usually holds, a
// decision or two among explanations, and once with nothing but plans and decisions, where each is compared with all that
// came before; that runs by itself, for it leaves the caches of the processor to those who come next.
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
  const rounds = quick ? 3 : 9
  const times = await inTurns(rounds, {
    usualFew: () => build(usual.slice(0, 10)),
    usualMany: () => build(usual),
    unreadFew: () => build(unread.slice(0, 10)),
    unreadMany: () => build(unread),
  })
  const denseTimes = await inTurns(rounds, { few: () => build(dense.slice(0, 10)), many: () => build(dense) })
  const each = (few, many) => ((many - few) / 40) * 1000
  const whole = each(times.usualFew, times.usualMany)
  const stored = each(times.unreadFew, times.unreadMany)
  return [
    atMost({ what: 'capture of one message of 4 kB', unit: 'µs', value: whole - stored, goal: 200 }),
    fact({ what: 'with all that is done with a message', unit: 'µs', value: whole }),
    fact({ what: 'the same, dense with plans and decisions', unit: 'µs', value: each(denseTimes.few, denseTimes.many) }),
  ]
}

/** 4 kB that explain one decision at length. */
function explained(decision) {
  const talk = 'The second test looks at the path that the first one leaves out, and both go through the same reader. '
  return `${talk.repeat(20)}\n\nDecision: ${decision}.\n\n${talk.repeat(20)}`.slice(0, 4096)
}
