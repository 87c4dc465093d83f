// What a process that runs for months would lose: growth of memory in use over many calls of each export.
import { getHeapStatistics } from 'node:v8'
import { load, missing } from './lib/clawback.mjs'
import { SIZES, calls } from './lib/exports.mjs'
import { atMost, skipped } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'

export const title = 'Memory growth'

/** Megabytes after everything that can be freed is freed: finalizers of addons run a turn after the collection. */
async function used() {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc()
    await new Promise(setImmediate)
  }
  const heap = getHeapStatistics()
  const resident = process.memoryUsage.rss()
  return { resident: resident / 2 ** 20, live: (resident - heap.total_physical_size + heap.used_heap_size) / 2 ** 20 }
}

/**
 * What is lost shows in both: resident memory also grows when V8 makes its heap larger, by 16 MB at a time, and what is live
 * of it seems to when V8 makes it smaller.
 */
function growth(before, after) {
  return Math.max(0, Math.min(after.resident - before.resident, after.live - before.live))
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
      const before = await used()
      await repeat(one, count, count / 4)
      rows.push(atMost({ what, unit: 'MB', goal: 5, value: growth(before, await used()) }))
    } catch (error) {
      rows.push(skipped(what, `${error.code ?? 'error'}: ${error.message.slice(0, 80)}`))
    }
  }
  return rows
}
