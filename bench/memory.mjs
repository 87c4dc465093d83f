// What a process that runs for months would lose: growth of memory in use over many calls of each export.
import { getHeapStatistics } from 'node:v8'
import { load, missing } from './lib/clawback.mjs'
import { SIZES, calls } from './lib/exports.mjs'
import { atMost, skipped } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'

export const title = 'Memory growth'

/**
 * Megabytes in use after everything that can be freed is freed: finalizers of addons run a turn after the collection. What
 * V8 sets aside for its heap comes and goes in steps of 16 MB with what runs before; what it holds there is counted.
 */
async function inUse() {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc()
    await new Promise(setImmediate)
  }
  const heap = getHeapStatistics()
  return (process.memoryUsage.rss() - heap.total_physical_size + heap.used_heap_size) / 2 ** 20
}

async function repeat({ sync, call }, count, from = 0) {
  for (let index = from; index < from + count; index++) {
    if (sync) call(index)
    else await call(index)
    // A sync loop that never yields keeps V8 from ending what it started.
    if (sync && index % 1000 === 999) await new Promise(setImmediate)
  }
}

export async function run({ quick }) {
  const clawback = load()
  const gone = missing(clawback, 'buildCheckpointFromState')
  if (gone.length) return [skipped(title, `no export ${gone.join(', ')}`)]
  const rows = []
  for (const one of await calls(clawback, tempDir('memory'), SIZES.tiny)) {
    const count = (one.sync ? 100_000 : 2_000) / (quick ? 20 : 1)
    const what = `${one.name}, ${count.toLocaleString('en')} calls`
    try {
      await repeat(one, count / 4)
      const before = await inUse()
      await repeat(one, count, count / 4)
      rows.push(atMost({ what, unit: 'MB', goal: 5, value: Math.max(0, (await inUse()) - before) }))
    } catch (error) {
      rows.push(skipped(what, `${error.code ?? 'error'}: ${error.message.slice(0, 80)}`))
    }
  }
  return rows
}
