// Every system call of a state append and of a checkpoint, one after the other: the process is killed there, or the disk
// says no. CRASH_LONG=1 makes every call fail with every error, not only with those that it can really meet.
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { complaints, judge } from './lib/judge.mjs'
import { CALLS, saboteur, whyNot } from './lib/strace.mjs'
import { removeDir, tempDir } from './lib/temp.mjs'
import { runWorker } from './lib/worker.mjs'

const long = process.env.CRASH_LONG === '1'
const skip = whyNot() ?? false
/** What a disk answers in real life: full, broken, forbidden. */
const ERRORS = {
  ENOSPC: ['openat', 'mkdirat', 'write', 'pwrite64', 'writev', 'fsync', 'renameat2', 'linkat'],
  EIO: ['write', 'pwrite64', 'writev', 'ftruncate', 'fsync', 'fdatasync', 'renameat2', 'unlinkat'],
  EACCES: ['openat', 'mkdirat', 'renameat', 'renameat2', 'linkat', 'unlinkat', 'fchmod'],
}
/** Calls that change files, without those that only open them: an index is many files. */
const CHANGES = CALLS.filter((call) => call !== 'openat')
/** No worker makes more calls of one kind than this; a sweep that gets here is running in circles. */
const LIMIT = 300

/** A session with a history: retention has something to remove, the journal something to read. */
let history
async function startingPoint(fresh, from = history) {
  const dir = tempDir()
  if (!fresh) cpSync(from.dir, dir, { recursive: true })
  return { dir, acked: fresh ? [] : from.acked }
}

/**
 * Strikes at the 1st, 2nd, ... call of each kind until there is none left; `check` looks at what is there afterwards. Each time
 * it begins with a copy of `from`, the usual history unless told otherwise.
 */
async function sweep({ args, fresh = false, from, calls, what, check }) {
  let points = 0
  for (const call of calls) {
    for (let nth = 1; ; nth++) {
      assert.ok(nth < LIMIT, `${call} was still struck at its call number ${LIMIT}`)
      const { dir, acked } = await startingPoint(fresh, from)
      const sabotage = saboteur(dir, call, nth, what)
      const [command, ...rest] = args
      const run = await runWorker([command, dir, ...rest], sabotage)
      const struck = sabotage.struck()
      if (struck === 'work') {
        points++
        await check(dir, [...acked, ...run.acked], `${what} at ${call} number ${nth}`)
      } else if (struck === 'nowhere') assert.equal(run.code, 0, `undisturbed, ${command} fails: ${run.stderr}`)
      removeDir(dir)
      if (struck === 'nowhere') break
    }
  }
  return points
}

const SCENARIOS = [
  { name: 'synced state appends to a new session', args: ['append', '--count', '3', '--prefix', 'a', '--full'], fresh: true },
  { name: 'a checkpoint, with retention', args: ['checkpoint', '--count', '1'] },
  { name: 'drops and their expiry', args: ['drop', '--count', '4', '--prefix', 'd'], errors: long },
  { name: 'state appends to a session with a history', args: ['append', '--count', '3', '--prefix', 'a'], errors: long },
]

describe('crash sweep', { skip }, () => {
  before(async () => {
    const dir = tempDir()
    const appends = await runWorker(['append', dir, '--count', '5', '--prefix', 'old'])
    const checkpoints = await runWorker(['checkpoint', dir, '--count', '6'])
    history = { dir, acked: [...appends.acked, ...checkpoints.acked] }
    assert.equal(history.acked.length, 11, appends.stderr + checkpoints.stderr)
  })

  for (const scenario of SCENARIOS) {
    test(`killed at every call of ${scenario.name}`, async (context) => {
      const points = await sweep({ ...scenario, calls: CALLS, what: 'kill', check: judge })
      context.diagnostic(`${points} kill points`)
      assert.ok(points >= 15, `only ${points} points were found`)
    })
    if (scenario.errors === false) continue // the calls are those of the other scenarios
    for (const [error, calls] of Object.entries(ERRORS)) {
      test(`${error} at every call of ${scenario.name}`, async (context) => {
        const points = await sweep({ ...scenario, calls: long ? CALLS : calls, what: error, check: judge })
        context.diagnostic(`${points} error points`)
        assert.ok(points >= 5, `only ${points} points were found`)
      })
    }
  }

  test('killed at every call of indexing: each message is found once, before and after the index is seen to', async (context) => {
    const dir = tempDir()
    const dropped = await runWorker(['drop', dir, '--count', '5', '--prefix', 'kestrel'])
    assert.equal(dropped.acked.length, 5, dropped.stderr)
    const input = dropped.acked.map((line) => `${line}\n`).join('')
    const found = async (dir, where) => assert.equal((await runWorker(['find', dir], { input })).stderr, '', where)
    const points = await sweep({
      args: ['index'], calls: CHANGES, what: 'kill', from: { dir, acked: dropped.acked },
      check: async (dir, _acked, where) => {
        await found(dir, where)
        const again = await runWorker(['index', dir])
        assert.equal(again.code, 0, `${where}: ${again.stderr}`)
        await found(dir, `${where}, indexed again`)
      },
    })
    removeDir(dir)
    context.diagnostic(`${points} kill points`)
    assert.ok(points >= 15, `only ${points} points were found`)
  })

  test('the same sweep catches a program that writes in place', async (context) => {
    const caught = []
    const points = await sweep({
      args: ['append', '--count', '3', '--prefix', 'a', '--naive'], fresh: true, calls: ['write', 'openat'], what: 'kill',
      check: async (dir, acked, where) => {
        if (await complaints(dir, acked, ['--naive'])) caught.push(where)
      },
    })
    context.diagnostic(`${caught.length} of ${points} kill points lose something`)
    assert.ok(caught.length > 0, 'a plain in-place write survived every kill: this test cannot see a loss')
  })
})
