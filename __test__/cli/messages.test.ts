// What the command line says where something is missing, too small, or not there any more.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import * as clawback from 'clawback'
import { freshDir } from '../support/sandbox.js'

const root = path.join(__dirname, '..', '..')
const main = path.join(root, 'dist', 'cli', 'main.js')
const transcript = path.join(root, 'fixtures', 'transcripts', 'pi_v2.jsonl')
const KEY = 'agent:main'
const usage = { inputTokens: 1, contextWindow: 200_000 }

interface Run { code: number; stdout: string; stderr: string }
function run(args: string[], input?: string): Promise<Run> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, HOME: '/nonexistent', CI: '1', TMPDIR: process.env.TMPDIR, TEMP: process.env.TEMP }
    const child = execFile(process.execPath, [main, ...args], { env, cwd: root }, (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }))
    child.stdin!.end(input ?? '')
  })
}

describe('a path that cannot be used is told in words', () => {
  const cases: [string, (file: string) => string[], RegExp][] = [
    ['a state directory that is a file', (file) => ['status', '--state-dir', file], /^NotFound: no clawback state in .*file: a part of the path is a file/],
    ['one that is not there', (file) => ['tune', '--state-dir', `${file}-not`], /^NotFound: .*there is no such directory/],
    ['a temporary place that is a file', (file) => ['replay', transcript, '--state-dir', file], /^Io: no temporary directory can be made in .*--state-dir names another place/],
    ['a transcript below a file', (file) => ['replay', path.join(file, 'x')], /^Io: .*file.x: a part of the path/],
    ['a configuration below a file', (file) => ['config', '--file', path.join(file, 'x')], /^Io: .*file.x: a part of the path/],
  ]
  test.skipIf(process.platform === 'win32').each(cases)('%s', async (_, args, said) => {
    const file = path.join(freshDir(), 'file')
    writeFileSync(file, 'x')
    const { code, stderr } = await run(args(file))
    expect(code).toBe(1)
    expect(stderr).toMatch(said)
    expect(stderr).not.toMatch(/ENOENT|ENOTDIR|EACCES|os error/)
  })
})

test('replay - plays what comes in on standard input', async () => {
  const played = await run(['replay', '-', '--json'], readFileSync(transcript, 'utf8'))
  expect(played.code).toBe(0)
  expect(JSON.parse(played.stdout)).toMatchObject({ file: 'standard input', format: 'pi' })
  const empty = await run(['replay', '-'])
  expect(empty).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Corrupt: standard input has no entries/) })
})

test('a key with line breaks and control characters is spelled out in lists', async () => {
  const stateDir = freshDir()
  for (const key of ['two\nlines', 'bell\u0007', 'plain']) await clawback.appendDecisionToState(stateDir, key, { what: 'Use SQLite' })
  const { stderr, code } = await run(['packet', '--state-dir', stateDir])
  expect(code).toBe(2)
  expect(stderr.split('\n').slice(1, 4).sort()).toEqual(['  "bell\\u0007"', '  "two\\nlines"', '  plain'])
})

test('a packet that cannot be made so small says what it takes', async () => {
  const stateDir = freshDir()
  await clawback.appendDecisionToState(stateDir, KEY, { what: 'Use SQLite' })
  await clawback.writeCheckpoint(stateDir, KEY, { trigger: 'manual', tokenUsage: usage })
  const { code, stdout, stderr } = await run(['packet', '--max-tokens', '10', '--state-dir', stateDir])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('--max-tokens 10 does not hold even the frame')
  expect((await run(['replay', transcript, '--max-tokens', '10'])).stdout).toContain('nothing: the limit does not hold')
})

test('after a reset the commands say where the older checkpoints are', async () => {
  const stateDir = freshDir()
  await clawback.appendDecisionToState(stateDir, KEY, { what: 'Use SQLite' })
  await clawback.writeCheckpoint(stateDir, KEY, { trigger: 'manual', tokenUsage: usage })
  expect((await run(['reset', '--force', '--state-dir', stateDir])).stdout).toContain('no longer remembers 1 decision\n')
  expect((await run(['reset', '--force', '--state-dir', stateDir])).stdout).toContain('starts anew; it remembered nothing\n')
  for (const command of [['packet'], ['checkpoints', 'show']]) {
    const { code, stderr } = await run([...command, '--state-dir', stateDir])
    expect(code).toBe(1)
    expect(stderr).toContain('packet --checkpoint cp_001')
  }
  expect((await run(['packet', '--checkpoint', 'cp_001', '--state-dir', stateDir])).stdout).toContain('Use SQLite')
  expect((await run(['status', '--state-dir', stateDir])).stdout).toContain('none since the reset')
})

test('a checkpoint is found by its number, and a wrong time names its own flag', async () => {
  const stateDir = freshDir()
  for (const what of ['Use SQLite', 'Use pnpm']) {
    await clawback.appendDecisionToState(stateDir, KEY, { what })
    await clawback.writeCheckpoint(stateDir, KEY, { trigger: 'manual', tokenUsage: usage })
  }
  const shown = await Promise.all(['2', 'cp_2', 'cp_002'].map((id) => run(['checkpoints', 'show', id, '--state-dir', stateDir])))
  expect(new Set(shown.map((one) => one.stdout)).size).toBe(1)
  expect(shown[0]!.stdout).toContain('cp_002')
  expect((await run(['checkpoints', 'diff', '1', '2', '--state-dir', stateDir])).stdout).toContain('+ decision: Use pnpm')
  expect(await run(['search', 'x', '--until', 'soon', '--state-dir', stateDir])).toMatchObject({ code: 2, stderr: expect.stringContaining('--until needs a time') })
})

test('explain says who said it, what became of it, and whether the packet shows it', async () => {
  const stateDir = freshDir()
  const messages = ['Set the request timeout to 30 s.', 'Set the request timeout to 60 s.'].map((content, index) => ({ role: 'user', content, timestamp: index + 1 }))
  await clawback.writeCheckpoint(stateDir, KEY, { trigger: 'manual', tokenUsage: usage, messages })
  const older = await run(['explain', 'request', 'timeout', 'to', '30', 's', '--state-dir', stateDir])
  expect(older.code).toBe(0)
  expect(older.stdout).toMatch(/said by +user\n +status +superseded, by: Set the request timeout to 60 s\n +packet +does not show it: something newer replaced it\n/)
  const newer = await run(['explain', 'Set the request timeout to 60 s', '--json', '--state-dir', stateDir])
  expect(JSON.parse(newer.stdout)).toMatchObject({ found: true, status: 'active' })
  expect(await run(['explain', 'paint it blue', '--state-dir', stateDir])).toMatchObject({ code: 1, stderr: expect.stringContaining('clawback search') })
})

test('health and status tell the same size', async () => {
  const stateDir = freshDir()
  // Closed, so that nothing is written any more while the two look.
  const session = await clawback.ContextSession.open({ stateDir, sessionKey: KEY, contextWindow: 200_000 })
  session.sync([{ role: 'user', content: 'Use SQLite for the ledger.', timestamp: 1 }])
  await session.checkpoint({ trigger: 'manual' })
  await session.close()
  const size = (text: string): string | undefined => /on disk +([\d.]+ k?B)/.exec(text)?.[1]
  const health = await run(['health', '--state-dir', stateDir])
  const status = await run(['status', '--state-dir', stateDir])
  expect(size(health.stdout)).toBeDefined()
  expect(size(health.stdout)).toBe(size(status.stdout))
})

describe('how full a session is, told from outside', () => {
  test('after an epoch it is what the epoch left, not what it found', async () => {
    const stateDir = freshDir()
    const session = await clawback.ContextSession.open({ stateDir, sessionKey: KEY, contextWindow: 32_000 })
    const messages = []
    for (let number = 0; ; number++) {
      messages.push({ role: 'user', content: `question ${number} ${'word '.repeat(200)}`, timestamp: 2 * number + 1 }, { role: 'assistant', content: `answer ${number}`, timestamp: 2 * number + 2 })
      session.sync(messages)
      if ((await session.plan()).epoch > 0) break
    }
    const { currentTokens } = await session.health()
    await session.close()
    const health = await run(['health', '--notify-if-pct', '0.3', '--state-dir', stateDir])
    expect(health).toEqual({ code: 0, stdout: '', stderr: '' })
    const { stdout } = await run(['health', '--json', '--state-dir', stateDir])
    expect(JSON.parse(stdout)).toMatchObject({ currentTokens, limit: 32_000, zone: 'green', outdated: false, asOf: expect.any(String) })
  })

  test('a checkpoint from before room was made is no alarm, and says what it is; any other one is', async () => {
    for (const [trigger, code, words] of [['compaction', 0, /80 % .*as of checkpoint cp_001 at .*before room was made/], ['session-end', 1, /80 % .*as of checkpoint cp_001 at [^,]*\n/]] as const) {
      const stateDir = freshDir()
      await clawback.writeCheckpoint(stateDir, KEY, { trigger, tokenUsage: { inputTokens: 160_000, contextWindow: 200_000 }, messages: [{ role: 'user', content: 'Use SQLite for the ledger.', timestamp: 1 }] })
      expect((await run(['health', '--notify-if-pct', '0.3', '--state-dir', stateDir])).code, trigger).toBe(code)
      expect((await run(['health', '--state-dir', stateDir])).stdout).toMatch(words)
    }
  })
})

test('what comes from the latest checkpoint is told apart from what is live', async () => {
  const stateDir = freshDir()
  await clawback.writeCheckpoint(stateDir, KEY, { trigger: 'manual', tokenUsage: usage, messages: [{ role: 'user', content: 'Use SQLite for the ledger.', timestamp: 1 }] })
  expect((await run(['status', '--state-dir', stateDir])).stdout).toMatch(/ next .*\n +both as of checkpoint cp_001 at \d{4}-.*; the lists below are live\n/)
  const packet = await run(['packet', '--json', '--state-dir', stateDir])
  expect(JSON.parse(packet.stdout)).toMatchObject({ checkpoint: 'cp_001', asOf: expect.stringMatching(/^\d{4}-/) })
})
