// The kill sweep for machines where nothing can be traced: the worker ends itself before each step on disk. Coarser than
// `sweep` (steps of the store, not calls of the system), but it runs everywhere.
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { describe, test } from 'node:test'
import { judge } from './lib/judge.mjs'
import { removeDir, tempDir } from './lib/temp.mjs'
import { runWorker } from './lib/worker.mjs'

/** No worker takes more steps than this. */
const LIMIT = 300

describe('steps of the store', () => {
  for (const [name, args] of Object.entries({ 'state appends': ['append', '--count', '3', '--full'], 'a checkpoint': ['checkpoint', '--count', '1'], 'drops and their expiry': ['drop', '--count', '4'] })) {
    test(`ended before every step of ${name}`, async (context) => {
      const [command, ...rest] = args
      const start = tempDir()
      const history = await runWorker(['mixed', start, '--count', '10', '--prefix', 'old-'])
      for (let step = 0; ; step++) {
        assert.ok(step < LIMIT, 'the sweep does not end')
        const dir = tempDir()
        cpSync(start, dir, { recursive: true })
        const run = await runWorker([command, dir, ...rest, '--kill-at', String(step)])
        const ended = run.signal === 'SIGABRT' || (process.platform === 'win32' && run.code > 2)
        if (ended) await judge(dir, [...history.acked, ...run.acked], `ended before step ${step}`)
        removeDir(dir)
        if (ended) continue
        assert.equal(run.code, 0, run.stderr)
        context.diagnostic(`${step} steps`)
        assert.ok(step >= 5, `only ${step} steps were met`)
        return
      }
    })
  }
})
