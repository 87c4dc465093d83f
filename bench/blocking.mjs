// How long each export holds the event loop: the time until the call returns, which for an async one is long before its
// promise settles. At the usual size and at the caps of DESIGN section 7.
import { performance } from 'node:perf_hooks'
import { load, missing } from './lib/clawback.mjs'
import { SIZES, calls, uncovered } from './lib/exports.mjs'
import { percentile } from './lib/measure.mjs'
import { atMost, skipped } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'

export const title = 'Time until an export returns (p99)'
const GOALS = { usual: 1, caps: 20 }
/** The best of so many batches: what another process does to one batch says nothing about the code. */
const BATCHES = 3

/** Once a call has taken so many ms in all, its figure is clear enough. */
const ENOUGH = 5000

/** Milliseconds that the slowest hundredth of calls takes to return. */
async function p99({ sync, call }, count) {
  const batches = []
  const until = performance.now() + ENOUGH
  for (let batch = 0; batch < BATCHES && (batch === 0 || performance.now() < until); batch++) {
    const times = []
    for (let index = 0; index < count && (index === 0 || performance.now() < until); index++) {
      const started = performance.now()
      const result = call(batch * count + index)
      times.push(performance.now() - started)
      if (!sync) await result
    }
    batches.push(percentile(times, 0.99))
  }
  return Math.min(...batches)
}

export async function run({ quick }) {
  const clawback = load()
  const gone = missing(clawback, 'buildCheckpointFromState')
  if (gone.length) return [skipped(title, `no export ${gone.join(', ')}`)]
  const rows = []
  for (const [size, goal] of Object.entries(GOALS)) {
    const known = await calls(clawback, tempDir(`blocking-${size}`), SIZES[size])
    for (const one of known) {
      const what = `${one.name}, ${size}`
      try {
        rows.push(atMost({ what, unit: 'ms', goal, value: await p99(one, quick ? 50 : size === 'caps' ? 100 : 300) }))
      } catch (error) {
        rows.push(skipped(what, `${error.code ?? 'error'}: ${error.message.slice(0, 80)}`))
      }
    }
    if (size === 'usual') rows.push(...uncovered(clawback, known).map((name) => skipped(name, 'no call in lib/exports.mjs')))
  }
  return rows
}
