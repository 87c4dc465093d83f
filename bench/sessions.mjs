// 2,000 sessions in one process: descriptors and memory must not follow their number.
import { readdirSync } from 'node:fs'
import { load, missing } from './lib/clawback.mjs'
import { inFlight } from './lib/measure.mjs'
import { atMost, fact, skipped } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'

export const title = '2,000 sessions in one process'
const descriptors = () => readdirSync('/proc/self/fd').length
const megabytes = () => {
  globalThis.gc()
  return process.memoryUsage.rss() / 2 ** 20
}

export async function run() {
  if (process.platform !== 'linux') return [skipped(title, 'reads /proc, which only Linux has')]
  const clawback = load()
  const gone = missing(clawback, 'appendOpenItemToState')
  if (gone.length) return [skipped(title, `no export ${gone.join(', ')}`)]
  const dir = tempDir('sessions')
  const half = 1000
  const open = (from) =>
    inFlight(half, 8, (index) => clawback.appendOpenItemToState(dir, `agent:main:chat:${from + index}`, 'Call the printer about the missing pages'))

  const before = { fds: descriptors(), rss: megabytes() }
  await open(0)
  const middle = { fds: descriptors(), rss: megabytes() }
  await open(half)
  const after = { fds: descriptors(), rss: megabytes() }
  return [
    atMost({ what: 'descriptors in use', unit: '', value: after.fds, goal: 1024, beside: before.fds, besideWhat: 'before' }),
    atMost({ what: 'memory added by the second half', unit: 'MB', value: after.rss - middle.rss, goal: 8, beside: middle.rss - before.rss, besideWhat: 'first half' }),
    fact({ what: 'resident memory at the end', unit: 'MB', value: after.rss, beside: before.rss, besideWhat: 'before' }),
  ]
}
