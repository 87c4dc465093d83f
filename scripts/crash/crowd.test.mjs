// Eight processes at once on one session: nothing lost, nothing twice, every checkpoint number given once.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { complaints } from './lib/judge.mjs'
import { tempDir } from './lib/temp.mjs'
import { runWorker } from './lib/worker.mjs'

const PROCESSES = 8

describe('many processes on one session', () => {
  test(`${PROCESSES} x 1,000 appends and 20 checkpoints`, async (context) => {
    const dir = tempDir()
    const everyone = (command, number, ...rest) => runWorker([command, dir, '--prefix', `p${number}-`, ...rest])
    const started = Date.now()
    const runs = await Promise.all(
      Array.from({ length: PROCESSES }, (_, number) => [everyone('append', number, '--count', '1000'), everyone('checkpoint', number, '--count', '20')]).flat(),
    )
    context.diagnostic(`took ${((Date.now() - started) / 1000).toFixed(1)} s`)
    for (const run of runs) assert.equal(run.code, 0, run.stderr)
    const acked = runs.flatMap((run) => run.acked)
    const checkpoints = acked.filter((line) => line.startsWith('cp_'))
    assert.equal(acked.length - checkpoints.length, PROCESSES * 1000)
    assert.equal(new Set(checkpoints).size, PROCESSES * 20, 'a checkpoint number was given twice')
    assert.equal(await complaints(dir, acked), '')
  })

  test('killed in the crowd: what each was told is there', async () => {
    const dir = tempDir()
    const runs = await Promise.all(
      Array.from({ length: PROCESSES }, (_, number) =>
        runWorker(['mixed', dir, '--count', '100000', '--prefix', `k${number}-`], { killAfter: 300 + 50 * number }),
      ),
    )
    const acked = runs.flatMap((run) => run.acked)
    assert.ok(acked.length > PROCESSES, `only ${acked.length} calls were acknowledged before the kills`)
    assert.equal(await complaints(dir, acked), '')
  })
})
