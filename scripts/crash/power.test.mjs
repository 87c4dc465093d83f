// Power cuts: a worker writes checkpoints to a disk of its own, the power goes at a random moment, the disk is mounted
// again, and every acknowledged checkpoint must be there. CRASH_LONG=1: 40 cuts; else 8.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { complaints } from './lib/judge.mjs'
import { LoopDisk, whyNot } from './lib/loop.mjs'
import { buildWorker, whole } from './lib/worker.mjs'

const CUTS = process.env.CRASH_LONG === '1' ? 40 : 8
const skip = whyNot() ?? false

/**
 * Lets a worker write until the power goes; what it had acknowledged when the cut began. What it acknowledges during the
 * cut does not count: the ioctl may let a sync that is under way succeed although the log is thrown away. (A bare loop of
 * write and fsync loses its last line that way in about one of ten cuts; real power does not answer.)
 */
async function writeUntilCut(disk, args) {
  const child = spawn(buildWorker(), args, { stdio: ['ignore', 'pipe', 'ignore'] })
  let stdout = ''
  child.stdout.on('data', (data) => (stdout += data))
  let acked
  const ended = new Promise((resolve) => child.on('close', resolve))
  try {
    while (whole(stdout).length === 0) await sleep(1)
    await sleep(Math.random() * 60)
    acked = whole(stdout)
    disk.cut()
  } finally {
    child.kill('SIGKILL')
    await ended
  }
  return acked
}

/** Cuts the power so many times; what was lost, in words, per cut. Every cut has a directory of its own. */
async function cuts(count, command, options) {
  const disk = new LoopDisk()
  const losses = []
  let acknowledged = 0
  try {
    for (let cut = 0; cut < count; cut++) {
      const dir = path.join(disk.mountPoint, `cut-${cut}`)
      mkdirSync(dir)
      const acked = await writeUntilCut(disk, [command, dir, '--count', '1000000', ...options])
      acknowledged += acked.length
      disk.restart()
      const lost = await complaints(dir, acked, options.filter((option) => option === '--naive'))
      if (lost) losses.push(`cut ${cut}: ${lost}`)
    }
  } finally {
    disk.remove()
  }
  return { losses, acknowledged }
}

describe(`${CUTS} power cuts`, { skip }, () => {
  test('no acknowledged checkpoint is lost', async (context) => {
    const { losses, acknowledged } = await cuts(CUTS, 'checkpoint', [])
    context.diagnostic(`${acknowledged} acknowledged checkpoints`)
    assert.deepEqual(losses, [])
  })

  test('no append with full durability is lost', async (context) => {
    const { losses, acknowledged } = await cuts(CUTS / 2, 'append', ['--full'])
    context.diagnostic(`${acknowledged} acknowledged appends`)
    assert.deepEqual(losses, [])
  })

  test('the same cuts catch a program that does not sync', async (context) => {
    const { losses, acknowledged } = await cuts(4, 'checkpoint', ['--naive'])
    context.diagnostic(`${losses.length} of 4 cuts lost some of ${acknowledged} checkpoints`)
    assert.ok(losses.length > 0, 'checkpoints without a sync survived every cut: this test cannot see a loss')
  })
})
