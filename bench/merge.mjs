// Merging a model's list with what was captured: time at 10,000 with 10,000, growth per doubling, and the pairwise loop.
import { load, missing } from './lib/clawback.mjs'
import { inTurns, timed } from './lib/measure.mjs'
import { mergePairwise } from './lib/pairwise.mjs'
import { atMost, skipped, versus } from './lib/rows.mjs'
import { sentences } from './lib/words.mjs'

export const title = 'Merging'

/** Two lists of `count`: every tenth item of the second is one of the first in other clothes. */
function lists(count) {
  const primary = sentences(count, 1)
  const secondary = sentences(count, 2).map((item, index) => (index % 10 === 0 ? `- **${primary[index].replace('the', 'a')}**.` : item))
  return [primary, secondary]
}

export async function run({ quick }) {
  const clawback = load()
  const gone = missing(clawback, 'mergeItemsAsync', 'mergeItems')
  if (gone.length) return [skipped(title, `no export ${gone.join(', ')}`)]
  const sizes = quick ? [1250, 2500, 5000] : [2500, 5000, 10_000, 20_000]
  const known = Object.fromEntries(sizes.map((size) => [size, lists(size)]))
  const merge = ([size, [primary, secondary]]) => [size, () => clawback.mergeItemsAsync(primary, secondary)]
  // In turns: a slow minute of the machine meets all sizes alike.
  const times = await inTurns(quick ? 3 : 7, Object.fromEntries(Object.entries(known).map(merge)))
  const growths = sizes.slice(1).map((size, index) => times[size] / times[sizes[index]])
  const [primary, secondary] = lists(1000)
  // The loop takes many seconds: once is enough for a goal of 50 times, and a warmed-up engine is in its favour.
  mergePairwise(primary.slice(0, 100), secondary.slice(0, 100))
  const theirs = await timed(() => mergePairwise(primary, secondary))
  const small = await inTurns(5, { ours: () => clawback.mergeItems(primary, secondary) })
  const largest = quick ? 5000 : 10_000
  return [
    atMost({ what: `${largest} with ${largest} items`, unit: 'ms', value: times[largest], goal: 1000 }),
    atMost({ what: 'growth per doubling, worst', unit: 'x', value: Math.max(...growths), goal: 2.5 }),
    versus({ what: '1,000 with 1,000 items', unit: 'ms', ours: small.ours, theirs, peer: 'pairwise loop', goal: 50 }),
  ]
}
