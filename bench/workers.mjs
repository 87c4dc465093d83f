// 20 worker threads load the addon, use it and end: half on their own, half terminated with calls still under way.
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'
import { load, missing } from './lib/clawback.mjs'
import { atMost, skipped } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'
import { sentences } from './lib/words.mjs'

export const title = '20 worker threads'
const WORKERS = 20

async function work({ dir, number, terminated }) {
  const clawback = load()
  clawback.redactSecrets?.('plain text')
  const items = sentences(10, number + 1)
  for (const item of items) await clawback.appendOpenItemToState(dir, 'workers', item)
  await clawback.writeCheckpoint(dir, `worker ${number}`, { trigger: 'manual', tokenUsage: { inputTokens: 1, contextWindow: 10 } })
  parentPort.postMessage({ appended: items })
  if (terminated) for (const item of sentences(1000, 1000 + number)) void clawback.appendOpenItemToState(dir, `pending ${number}`, item)
}

/** Starts one worker and waits for its end; true when it went as it should. */
function lives(dir, number) {
  const terminated = number % 2 === 1
  return new Promise((resolve) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { dir, number, terminated } })
    let used = false
    worker.on('message', () => {
      used = true
      if (terminated) setTimeout(() => worker.terminate(), 5)
    })
    worker.on('error', (error) => console.error(`worker ${number}: ${error.message}`))
    worker.on('exit', (code) => resolve(used && (terminated || code === 0)))
  })
}

export async function run() {
  const clawback = load()
  const gone = missing(clawback, 'appendOpenItemToState', 'writeCheckpoint', 'readState')
  if (gone.length) return [skipped(title, `no export ${gone.join(', ')}`)]
  const dir = tempDir('workers')
  const outcomes = await Promise.all(Array.from({ length: WORKERS }, (_, number) => lives(dir, number)))
  // The main thread still works, and sees all that the workers were told is stored.
  const { journalSeq } = await clawback.readState(dir, 'workers')
  return [
    atMost({ what: 'workers that did not end cleanly', unit: '', value: outcomes.filter((good) => !good).length, goal: 0 }),
    atMost({ what: 'acknowledged appends missing afterwards', unit: '', value: Math.max(0, WORKERS * 10 - journalSeq), goal: 0 }),
  ]
}

if (!isMainThread) await work(workerData)
