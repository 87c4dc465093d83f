// One state append, awaited one by one and with 64 in flight, with and without sync, against a JSON array kept by peers.
import path from 'node:path'
import { load, missing } from './lib/clawback.mjs'
import { inFlight, inTurns } from './lib/measure.mjs'
import { jsonState } from './lib/peers.mjs'
import { skipped, versus } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'
import { sentences } from './lib/words.mjs'

export const title = 'State appends'

export async function run({ quick }) {
  const clawback = load()
  const gone = missing(clawback, 'appendOpenItemToState', 'readState')
  if (gone.length) return [skipped(title, `no export ${gone.join(', ')}`)]
  const rounds = quick ? 3 : 9
  const texts = sentences(200)

  /** The same number of appends to a fresh session and a fresh peer file, in turns; microseconds per append. */
  async function compare({ appends, width, full }) {
    const dir = tempDir('append')
    const options = full ? { durability: 'full' } : undefined
    const times = await inTurns(rounds, {
      ours: (round) => inFlight(appends, width, (index) => clawback.appendOpenItemToState(dir, `round ${round}`, texts[index], options)),
      theirs: async (round) => {
        const state = jsonState(path.join(dir, `peer-${round}.json`), { fsync: full })
        await inFlight(appends, width, (index) => state.append(texts[index]))
        if ((await state.count()) !== appends) throw new Error('the peer lost appends')
      },
    })
    const { openItems, journalSeq } = await clawback.readState(dir, 'round 0')
    if (journalSeq < appends) throw new Error(`${appends} appends, but the journal ends at ${journalSeq} with ${openItems.length} items`)
    return { ours: (times.ours / appends) * 1000, theirs: (times.theirs / appends) * 1000 }
  }

  const row = async (what, goal, peer, setting) => versus({ what, unit: 'µs', goal, peer, ...(await compare(setting)) })
  const appends = quick ? 64 : 200
  return [
    await row('append, awaited one by one', 20, 'lock + read + write', { appends, width: 1, full: false }),
    await row('append, 64 in flight', 100, 'lock + read + write', { appends, width: 64, full: false }),
    await row('append with sync, awaited one by one', 4, 'the same with fsync', { appends: quick ? 20 : 50, width: 1, full: true }),
  ]
}
