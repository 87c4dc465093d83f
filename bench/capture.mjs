// What one 4 kB message costs to capture: a checkpoint is built from 20 and from 220 messages, nothing is written, and
// the difference is shared out. Handing the messages over is in it.
import { load, missing } from './lib/clawback.mjs'
import { inTurns } from './lib/measure.mjs'
import { atMost, skipped } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'
import { conversation } from './lib/words.mjs'

export const title = 'Capture'

export async function run({ quick }) {
  const clawback = load()
  const gone = missing(clawback, 'buildCheckpointFromState')
  if (gone.length) return [skipped(title, `no export ${gone.join(', ')}`)]
  const dir = tempDir('capture')
  const all = conversation(220, 4096)
  const build = (messages) =>
    clawback.buildCheckpointFromState(dir, 'capture', { trigger: 'manual', tokenUsage: { inputTokens: 1, contextWindow: 10 }, messages })
  const times = await inTurns(quick ? 5 : 15, { few: () => build(all.slice(0, 20)), many: () => build(all) })
  return [atMost({ what: 'one message of 4 kB', unit: 'µs', value: ((times.many - times.few) / 200) * 1000, goal: 200 })]
}
