// What contention does to an event loop: 8 processes append to one session as fast as they can, each measuring its own
// delay, and one idle Node process beside them measures what the machine alone does.
import { fork } from 'node:child_process'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { load, missing } from './lib/clawback.mjs'
import { median } from './lib/measure.mjs'
import { atMost, fact, skipped } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'

export const title = 'Event loop under contention'
const PROCESSES = 8

/** What a child does: measures its event loop for `ms`, meanwhile appending or not; sends `{ p99, appends }`. */
async function child({ dir, number, busy, ms }) {
  const clawback = busy ? load() : undefined
  const append = async (count) => clawback.recordToolUseInState(dir, 'contended', { name: `tool-${number}-${count % 10}` })
  if (busy) await append(0)
  process.send('ready')
  await new Promise((resolve) => process.once('message', resolve))
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const until = Date.now() + ms
  let appends = 0
  while (busy && Date.now() < until) await append(++appends)
  if (!busy) await sleep(ms)
  delay.disable()
  process.send({ p99: delay.percentile(99) / 1e6, appends })
  process.disconnect()
}

/** One run of all processes at once; their results, the idle one's last. */
async function contend(ms) {
  const dir = tempDir('eventloop')
  const start = (busy, number) => fork(fileURLToPath(import.meta.url), ['child', JSON.stringify({ dir, number, busy, ms })])
  const children = [...Array.from({ length: PROCESSES }, (_, number) => start(true, number)), start(false)]
  const heard = (one) =>
    new Promise((resolve, reject) => {
      one.once('message', resolve)
      one.once('exit', (code, signal) => reject(new Error(`a contending process ended with ${code ?? signal}`)))
    })
  try {
    await Promise.all(children.map(heard))
    const results = children.map(heard)
    children.forEach((one) => one.send('go'))
    return await Promise.all(results)
  } finally {
    children.forEach((one) => one.kill())
  }
}

export async function run({ quick }) {
  const gone = missing(load(), 'recordToolUseInState')
  if (gone.length) return [skipped(title, `no export ${gone.join(', ')}`)]
  const runs = []
  for (let round = 0; round < (quick ? 1 : 3); round++) runs.push(await contend(quick ? 1500 : 3000))
  const busy = runs.map((results) => median(results.slice(0, -1).map((one) => one.p99)))
  const idle = runs.map((results) => results.at(-1).p99)
  const appends = runs.map((results) => results.reduce((sum, one) => sum + one.appends, 0) / (quick ? 1.5 : 3))
  return [
    atMost({ what: 'p99 delay above the idle process', unit: 'ms', goal: 2, value: median(busy.map((value, index) => value - idle[index])), beside: median(idle), besideWhat: 'idle p99' }),
    fact({ what: 'worst of the 8', unit: 'ms', value: Math.max(...runs.flat().map((one) => one.p99)) }),
    fact({ what: 'appends per second, all together', unit: '/s', value: median(appends) }),
  ]
}

if (process.argv[2] === 'child') await child(JSON.parse(process.argv[3]))
