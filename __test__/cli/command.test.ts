// The command as a user runs it: exit codes, what goes to stdout and stderr, JSON shapes.
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as clawback from 'clawback'

const root = path.join(__dirname, '..', '..')
const main = path.join(root, 'dist', 'cli', 'main.js')
const fixture = (name: string): string => path.join(root, 'fixtures', 'transcripts', name)
const hash = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

let home: string
let tmp: string
beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'cli-home-'))
  tmp = mkdtempSync(path.join(tmpdir(), 'cli-tmp-'))
})
afterAll(() => {
  for (const directory of [home, tmp]) rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
})

interface Run { code: number; stdout: string; stderr: string }

function run(...args: string[]): Promise<Run> {
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: home, USERPROFILE: home, TMPDIR: tmp, TEMP: tmp, TMP: tmp, CI: '1' }
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env, cwd: root, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

describe('wrong usage', () => {
  test.each([
    [[]], [['nonsense']], [['replay']], [['replay', 'a', 'b']], [['status', '--bogus']], [['replay', 'x', '--window', 'many']],
    [['status']], [['packet', '--state-dir', '']], [['checkpoints', 'nonsense']],
  ])('%j ends with 2 and says why on stderr', async (args) => {
    const { code, stdout, stderr } = await run(...args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).not.toBe('')
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('help and version are fine and go to stdout', async () => {
    for (const args of [['--help'], ['replay', '--help'], ['status', '--help'], ['checkpoints', 'list', '--help'], ['checkpoints', 'show', '--help'], ['packet', '--help'], ['config', '--help']]) {
      const { code, stdout } = await run(...args)
      expect(code).toBe(0)
      expect(stdout).toContain('Examples:')
      if (args.length > 1) for (const option of ['--json', '--state-dir', '--session']) expect(stdout).toContain(option)
    }
    expect(await run('--version')).toEqual({ code: 0, stdout: `${clawback.version}\n`, stderr: '' })
  })
})

describe('replay', () => {
  test('prints one JSON document with everything in it', async () => {
    const { code, stdout, stderr } = await run('replay', fixture('pi_v1.jsonl'), '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const document = JSON.parse(stdout)
    expect(document).toMatchObject({
      format: 'pi', version: 1, cwd: '/home/mira/ferry', compactions: 1, problems: [],
      stats: { lines: 9, messages: 6, problems: 0, offPath: 0 },
      state: { decisions: expect.any(Array), resources: { filesRead: ['src/import.ts'] } },
      packet: { text: expect.stringContaining('[Post-compaction checkpoint restore]'), tokens: expect.any(Number) },
    })
    expect(document.type).toBeUndefined()
    expect(document.packet.tokens).toBeLessThanOrEqual(700)
    expect(document.events.map((event: { type: string }) => event.type)).toEqual(expect.arrayContaining(['gauge', 'checkpoint', 'compaction', 'packet']))
    expect(document.checkpoints.map((info: { trigger: string }) => info.trigger)).toEqual(['compaction', 'session-end'])
  })

  test.each(['pi_v1.jsonl', 'pi_v2.jsonl', 'pi_v3_branches.jsonl', 'openclaw.jsonl', 'claude.jsonl', 'codex.jsonl', 'damaged.jsonl'])(
    '%s is told in plain text, the file and the disk left as they were',
    async (name) => {
      const before = hash(fixture(name))
      const { code, stdout, stderr } = await run('replay', fixture(name))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).not.toContain('\u001b')
      expect(stdout).toContain('What the agent wakes up with')
      expect(hash(fixture(name))).toBe(before)
      expect(readdirSync(tmp)).toEqual([])
    },
  )

  test('follows the live path only', async () => {
    const { stdout } = await run('replay', fixture('pi_v3_branches.jsonl'), '--json')
    expect(stdout).not.toContain('Redis it is')
    expect(JSON.parse(stdout).stats.offPath).toBe(2)
  })

  test('lists damaged lines and goes on', async () => {
    const { stdout } = await run('replay', fixture('damaged.jsonl'), '--json')
    const { problems } = JSON.parse(stdout)
    expect(problems.map((problem: { line: number }) => problem.line)).toEqual([5, 6, 8, 9, 10, 11, 13])
    const text = await run('replay', fixture('damaged.jsonl'))
    expect(text.stdout).toContain('line 13   damaged: cut off')
    expect(text.stdout).toContain('7 damaged lines')
  })

  test('refuses what it does not know, naming what it saw', async () => {
    const { code, stdout, stderr } = await run('replay', fixture('unknown.jsonl'))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^Unsupported: .*keys invoice, total, currency/)
    expect((await run('replay', '/nonexistent.jsonl')).stderr).toMatch(/^NotFound: /)
    expect((await run('replay', tmp)).stderr).toMatch(/^InvalidInput: .*directory/)
    const empty = path.join(home, 'empty.jsonl')
    writeFileSync(empty, '')
    expect((await run('replay', empty)).stderr).toMatch(/^Corrupt: /)
  })

  test('uses the window that is given', async () => {
    const { stdout } = await run('replay', fixture('pi_v1.jsonl'), '--json', '--window', '1_200')
    const { contextWindow, windowSource, events } = JSON.parse(stdout)
    expect({ contextWindow, windowSource }).toEqual({ contextWindow: 1200, windowSource: 'option' })
    expect(events.some((event: { type: string; trigger?: string }) => event.type === 'checkpoint' && event.trigger === 'auto-80pct')).toBe(true)
  })

  test('ends quietly when its reader has seen enough', async () => {
    const { stderr, code } = await new Promise<Run>((resolve) => {
      const env = { PATH: process.env.PATH, HOME: home, TMPDIR: tmp }
      const child = execFile(process.execPath, [main, 'replay', fixture('pi_v1.jsonl')], { env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }))
      child.stdout?.destroy()
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(readdirSync(tmp)).toEqual([])
  })
})

test.skipIf(process.platform === 'win32')('a replay that is interrupted removes its temporary store and ends with 130', async () => {
  const long = path.join(home, 'long.jsonl')
  const [header, ...entries] = readFileSync(fixture('pi_v1.jsonl'), 'utf8').trim().split('\n')
  writeFileSync(long, [header, ...Array.from({ length: 500 }, () => entries).flat(), ''].join('\n'))
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: tmp }
  const child = spawn(process.execPath, [main, 'replay', long], { env, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  while (readdirSync(tmp).length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  child.kill('SIGINT')
  expect(await ended).toBe(130)
  expect(readdirSync(tmp)).toEqual([])
})

describe('what is stored', () => {
  let stateDir: string
  const store = (...args: string[]): Promise<Run> => run(...args, '--state-dir', stateDir)
  const write = (sessionKey: string, text: string) =>
    clawback.writeCheckpoint(stateDir, sessionKey, {
      trigger: 'manual', tokenUsage: { inputTokens: 50_000, contextWindow: 200_000 },
      messages: [{ role: 'user', content: text, timestamp: 1_772_438_401_000 }],
    })
  beforeAll(async () => {
    stateDir = path.join(home, '.openclaw')
    await write('agent:main', 'Please repaint the harbour wall before Friday.')
  })

  test('is found without options where there is one session', async () => {
    for (const args of [['status'], ['checkpoints', 'list'], ['checkpoints', 'show'], ['packet']]) {
      const { code, stdout, stderr } = await run(...args)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).not.toBe('')
    }
    expect((await run('packet')).stdout).toContain('harbour wall')
  })

  test('has a JSON shape for every command', async () => {
    const parsed = async (...args: string[]) => JSON.parse((await store(...args, '--json')).stdout)
    expect(await parsed('status')).toMatchObject({ stateDir, session: { sessionKey: 'agent:main' }, latest: { meta: { checkpoint_id: 'cp_001' } }, state: { openItems: [] } })
    expect(await parsed('checkpoints', 'list')).toMatchObject({ sessionKey: 'agent:main', checkpoints: [{ id: 'cp_001', trigger: 'manual', valid: true }] })
    expect(await parsed('checkpoints', 'show', 'cp_001')).toEqual(await clawback.readCheckpoint(stateDir, 'agent:main', 'cp_001'))
    const packet = await parsed('packet', '--max-tokens', '200')
    expect(packet).toMatchObject({ sessionKey: 'agent:main', checkpoint: 'cp_001', omitted: expect.any(Object) })
    expect(packet.tokens).toBeLessThanOrEqual(200)
    expect((await store('checkpoints', 'show')).stdout).toContain('schema: ')
  })

  test('that is not there ends with 1', async () => {
    for (const args of [['checkpoints', 'show', 'cp_099'], ['packet', '--checkpoint', 'cp_099'], ['status', '--session', 'other']]) {
      const { code, stdout, stderr } = await store(...args)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^NotFound: /)
    }
    expect((await run('status', '--state-dir', path.join(home, 'nowhere'))).code).toBe(1)
    expect(existsSync(path.join(home, 'nowhere'))).toBe(false)
    expect((await store('checkpoints', 'show', '../../etc/passwd')).code).toBe(2)
  })

  test('in several sessions asks which one is meant', async () => {
    await write('agent:other', 'Count the buoys in the northern channel.')
    const { code, stderr } = await store('packet')
    expect(code).toBe(2)
    expect(stderr).toContain('  agent:other')
    const { sessions } = JSON.parse((await store('status', '--json')).stdout)
    expect(sessions.map((one: { sessionKey: string }) => one.sessionKey).sort()).toEqual(['agent:main', 'agent:other'])
    expect((await store('packet', '--session', 'agent:other')).stdout).toContain('buoys')
  })
})

const shared = path.join(root, '..', 'shared', 'data')
describe.skipIf(!existsSync(shared))('public transcripts (../shared/data)', () => {
  const files = ['pi_mono_sessions', 'agent_sessions_fixtures'].flatMap((folder) => {
    const directory = path.join(shared, folder)
    return existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.jsonl')).map((name) => path.join(directory, name)) : []
  })
  test.each(files.map((file) => [path.basename(file), file]))('%s is replayed to the end', { timeout: 120_000 }, async (_, file) => {
    const { code, stdout, stderr } = await run('replay', file, '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { packet, problems, stats, windowSource, peak } = JSON.parse(stdout)
    expect(problems).toEqual([])
    expect(stats.messages).toBeGreaterThan(0)
    expect(packet.tokens).toBeLessThanOrEqual(700)
    expect(windowSource).not.toBe('usage')
    expect(peak?.utilization ?? 0).toBeLessThanOrEqual(1)
  })
})
