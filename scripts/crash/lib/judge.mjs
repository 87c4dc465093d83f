// What must hold after a worker was killed, starved or unplugged: everything acknowledged is there exactly once, nothing
// is there twice, no checkpoint is damaged, and the next call works. The worker's `verify` looks; here it is asked.
import assert from 'node:assert/strict'
import { runWorker } from './worker.mjs'

/** What is wrong on disk, given all lines that were acknowledged; an empty string when all is well. */
export async function complaints(dir, acked, options = []) {
  const verdict = await runWorker(['verify', dir, ...options], { input: acked.map((line) => `${line}\n`).join('') })
  return verdict.code === 0 ? '' : `${verdict.stderr || `verify ended with ${verdict.code ?? verdict.signal}`}`
}

/** Throws an AssertionError when something is wrong now, or when ten more appends and a checkpoint do not work. */
export async function judge(dir, acked, where) {
  assert.equal(await complaints(dir, acked), '', where)
  const next = await runWorker(['mixed', dir, '--count', '10', '--prefix', 'next-'])
  assert.equal(next.acked.length, 11, `${where}: the next calls did not work: ${next.stderr}`)
  const everything = [...acked, ...next.acked]
  assert.equal(new Set(everything).size, everything.length, `${where}: a checkpoint number was given twice`)
  assert.equal(await complaints(dir, everything), '', `${where}, after the next calls`)
}
