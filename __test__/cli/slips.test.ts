// Slips of the keyboard, outputs that cannot be written, and what a person asks for in their own words.
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import * as clawback from 'clawback'
import { freshDir } from '../support/sandbox.js'

const root = path.join(__dirname, '..', '..')
const main = path.join(root, 'dist', 'cli', 'main.js')
const env = { PATH: process.env.PATH, HOME: '/nonexistent', CI: '1' }

interface Run { code: number; stdout: string; stderr: string }
function run(...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env, cwd: root }, (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }))
  })
}
/** The same through a shell, for pipes and redirections. */
function shell(script: string): Promise<Run> {
  return new Promise((resolve) => {
    execFile('bash', ['-c', `run() { "${process.execPath}" "${main}" "$@"; }; ${script}`], { env, cwd: root }, (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }))
  })
}
const hasBash = (() => {
  try {
    execFileSync('bash', ['-c', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

let clock = Date.UTC(2026, 7, 7)
const user = (content: string) => ({ role: 'user', content, timestamp: (clock += 1_000) })
const reply = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop', timestamp: (clock += 1_000) })

async function talk(...messages: object[]): Promise<string> {
  const stateDir = freshDir()
  const session = await clawback.ContextSession.open({ stateDir, sessionKey: 'agent:main', contextWindow: 32_000 })
  session.sync(messages as never)
  await session.close()
  return stateDir
}
const conversation = () => talk(
  user('Build the importer. Use Redis for the cache.'), reply('The cache uses Redis.'), user('Sessions?'), reply('Auth uses sessions now.'),
  user("ok, let's go with SQLite for the queue"), reply('The queue is in SQLite.'), user('And the docs?'), reply('They are written.'),
)

test('search lists what matches first, nothing that stands apart from it, and without a hit fails in every form', async () => {
  const stateDir = await conversation()
  const { hits } = JSON.parse((await run('search', 'Redis', '--json', '--state-dir', stateDir)).stdout)
  const texts = hits.map((hit: { text: string }) => hit.text)
  expect(texts.slice(0, 2).toSorted()).toEqual(['Build the importer. Use Redis for the cache.', 'The cache uses Redis.'])
  for (const apart of ['Auth uses sessions now.', 'The queue is in SQLite.', 'They are written.']) expect(texts).not.toContain(apart)
  for (const more of [[], ['--json']]) expect((await run('search', 'zzz', ...more, '--state-dir', stateDir)).code).toBe(1)
})

test('a filter that no message can pass is a slip, not "nothing"', async () => {
  const stateDir = await conversation()
  const role = await run('search', 'Redis', '--role', 'usr', '--state-dir', stateDir)
  expect([role.code, role.stderr]).toEqual([2, expect.stringMatching(/--role "usr" .*there are user, assistant, toolResult/)])
  expect((await run('search', 'Redis', '--role', 'bashExecution', '--state-dir', stateDir)).code).toBe(1)
  for (const command of [['drops'], ['cold-storage', 'list']]) {
    const reason = await run(...command, '--reason', 'foo', '--state-dir', stateDir)
    expect([reason.code, reason.stderr]).toEqual([2, expect.stringMatching(/--reason "foo" is not known; there are epoch, low_relevance/)])
    expect((await run(...command, '--reason', 'spill', '--state-dir', stateDir)).code).toBe(0)
  }
})

test('one telling word explains what holds it', async () => {
  const stateDir = await conversation()
  expect(JSON.parse((await run('explain', 'SQLite', '--json', '--state-dir', stateDir)).stdout)).toMatchObject({ found: true, status: 'active' })
  expect((await run('explain', 'Kafka', '--state-dir', stateDir)).code).toBe(1)
  expect((await run('explain', 'the', '--state-dir', stateDir)).code).toBe(1)
})

test('packet is that of now, also before the first checkpoint, and names none that is not there', async () => {
  const stateDir = await conversation()
  const now = JSON.parse((await run('packet', '--json', '--state-dir', stateDir)).stdout)
  expect(now).toMatchObject({ checkpoint: null, text: expect.stringMatching(/SQLite/) })
  expect(now.text).not.toContain('cp_')
  const written = await clawback.writeCheckpoint(stateDir, 'agent:main', { trigger: 'manual', tokenUsage: { inputTokens: 1, contextWindow: 10 } })
  expect(written).toMatchObject({ id: 'cp_001' })
  expect(JSON.parse((await run('packet', '--json', '--state-dir', stateDir)).stdout)).toMatchObject({ checkpoint: 'cp_001' })
  await clawback.appendDecisionToState(stateDir, 'agent:main', { what: 'Deploy with Ansible' })
  expect((await run('packet', '--state-dir', stateDir)).stdout).toContain('Ansible')
  expect((await run('packet', '--checkpoint', 'cp_001', '--state-dir', stateDir)).stdout).not.toContain('Ansible')
})

test('checkpoints diff also tells what changed besides the lists', async () => {
  const stateDir = freshDir()
  const write = () => clawback.writeCheckpoint(stateDir, 'agent:main', { trigger: 'manual', tokenUsage: { inputTokens: 1, contextWindow: 10 } })
  await clawback.writeLastToolCallToState(stateDir, 'agent:main', { name: 'bash', paramsSummary: 'npm test' })
  await write()
  await clawback.writeLastToolCallToState(stateDir, 'agent:main', { name: 'edit', paramsSummary: 'src/a.ts' })
  await clawback.recordToolUseInState(stateDir, 'agent:main', { name: 'edit', params: { path: 'src/a.ts' } })
  await write()
  const { changed } = JSON.parse((await run('checkpoints', 'diff', 'cp_001', 'cp_002', '--json', '--state-dir', stateDir)).stdout)
  expect(changed).toContainEqual({ field: 'files modified', from: null, to: 'src/a.ts' })
  const { stdout } = await run('checkpoints', 'diff', 'cp_001', 'cp_002', '--state-dir', stateDir)
  expect(stdout).toMatch(/last tool call\n +was: bash npm test\n +now: edit (?:path: )?src\/a\.ts/)
  expect(stdout).not.toContain('no difference')
})

test('tune suggests only what it would change', async () => {
  const stateDir = await conversation()
  const { suggestions, kept } = JSON.parse((await run('tune', '--json', '--state-dir', stateDir)).stdout)
  expect(suggestions.filter((one: { suggested: unknown; current: unknown }) => one.suggested === one.current)).toEqual([])
  expect(kept.length).toBeGreaterThan(0)
})

test.skipIf(!hasBash)('a reader that has seen enough is no failure of a replay from standard input', async () => {
  const file = path.join(freshDir(), 'session.jsonl')
  const entries = Array.from({ length: 300 }, (_, n) => ({ type: 'message', id: `m${n}`, parentId: n ? `m${n - 1}` : null, timestamp: '2026-01-01T00:00:00Z', message: n % 2 ? reply(`Part ${n} was looked at. ${'It is fine. '.repeat(40)}`) : user(`Look at part ${n}.`) }))
  writeFileSync(file, [{ type: 'session', version: 3, id: 'one', cwd: '/work' }, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  const { code, stdout, stderr } = await shell(`set -o pipefail; run replay - --window 8000 < "${file}" | head -1`)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('standard input')
})

test.skipIf(!hasBash || !existsSync('/dev/full'))('an output that cannot be written is told in one line', async () => {
  const { code, stderr } = await shell(`run status --state-dir "${await conversation()}" > /dev/full`)
  expect([code, stderr]).toEqual([1, 'ENOSPC: the output cannot be written: no room is left on the disk; free some and try again\n'])
})
