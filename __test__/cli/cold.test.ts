// What left the view, through the command line: listed, shown, recovered, judged, looked after.
import { execFile } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, describe } from 'vitest'
import * as clawback from 'clawback'
import { chunkId, storeAndDrop } from '../support/cold.js'
import { freshDir, sessionDir } from '../support/sandbox.js'

const root = path.join(__dirname, '..', '..')
const main = path.join(root, 'dist', 'cli', 'main.js')

interface Run { code: number; stdout: string; stderr: string }
function run(...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, HOME: '/nonexistent', CI: '1' }
    execFile(process.execPath, [main, ...args], { env, cwd: root, maxBuffer: 1 << 28 }, (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }))
  })
}
const KEY = 'agent:main'

async function withDrops(): Promise<{ stateDir: string; dir: string }> {
  const stateDir = freshDir()
  const dir = await storeAndDrop(stateDir, KEY, [
    { ordinal: 1, text: 'The harbour wall is repainted on Friday.' },
    { ordinal: 2, text: 'ls -la\n\u001b[31mred\u001b[0m', role: 'toolResult', reason: 'low_relevance', score: 0.15, prompt: 'journal search' },
    { ordinal: 3, text: 'Third \u{1f980} message', reason: 'low_relevance', score: 0.27 },
  ])
  return { stateDir, dir }
}

describe('drops and cold-storage', () => {
  test('list what left, with the fields of the seed', async () => {
    const { stateDir } = await withDrops()
    const { code, stdout } = await run('drops', '--json', '--state-dir', stateDir)
    expect(code).toBe(0)
    const found = JSON.parse(stdout)
    expect(found).toMatchObject({ sessionKey: KEY, total: 3, damaged: 0 })
    expect(found.drops[1]).toEqual({
      chunk_id: chunkId(2), session_id: KEY, timestamp: '2026-02-02T22:55:02Z', role: 'toolResult', tokens: 12, drop_reason: 'low_relevance',
      relevance_score: 0.15, prompt_at_drop: 'journal search', recoverable_until: '2126-03-02T22:55:00Z', epoch: 1,
    })
    const table = await run('drops', '--reason', 'low_relevance', '--limit', '1', '--state-dir', stateDir)
    expect(table.stdout).toContain(chunkId(3))
    expect(table.stdout).not.toContain(chunkId(2))
    expect(table.stdout).toContain('the newest 1 of 2')
    expect(table.stdout).not.toContain('\u001b')
    expect((await run('drops', '--since', '2027-01-01', '--state-dir', stateDir)).stdout).toContain('nothing was dropped that fits')
    expect((await run('drops', '--since', 'yesterday', '--state-dir', stateDir)).code).toBe(2)
  })

  test('show prints the whole object with its content', async () => {
    const { stateDir } = await withDrops()
    const { code, stdout } = await run('cold-storage', 'show', chunkId(2), '--state-dir', stateDir)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      chunk_id: chunkId(2), session_id: KEY, timestamp: '2026-02-02T22:55:02Z', content: 'ls -la\n\u001b[31mred\u001b[0m', tokens: 12, drop_reason: 'low_relevance',
      relevance_score: 0.15, prompt_at_drop: 'journal search', recoverable_until: '2126-03-02T22:55:00Z',
    })
    expect(stdout).not.toContain('\u001b')
    const list = JSON.parse((await run('cold-storage', 'list', '--json', '--state-dir', stateDir)).stdout)
    expect(list).toMatchObject({ total: 3, tokens: 36 })
  })

  test('what is no id is wrong usage, what is not there is not found', async () => {
    const { stateDir } = await withDrops()
    for (const id of ['../../etc/passwd', 'c0-1-abc', 'abc123']) {
      expect((await run('cold-storage', 'show', id, '--state-dir', stateDir)).code).toBe(2)
      expect((await run('recover', '--chunk-id', id, '--state-dir', stateDir)).code).toBe(2)
    }
    const missing = await run('cold-storage', 'show', chunkId(99), '--state-dir', stateDir)
    expect(missing).toMatchObject({ code: 1, stdout: '' })
    expect(missing.stderr).toMatch(/^NotFound: /)
    expect((await run('recover', '--state-dir', stateDir)).code).toBe(2)
  })

  test('a damaged line hides nothing else', async () => {
    const { stateDir, dir } = await withDrops()
    const file = path.join(dir, 'cold', '2026-02.jsonl')
    writeFileSync(file, readFileSync(file, 'utf8').replace('journal search', 'journal scorch'))
    expect(JSON.parse((await run('drops', '--json', '--state-dir', stateDir)).stdout)).toMatchObject({ total: 2, damaged: 1 })
  })
})

describe('recover', () => {
  test('gives back the bytes that were stored', async () => {
    const { stateDir } = await withDrops()
    const one = await run('recover', '--chunk-id', chunkId(3), '--state-dir', stateDir)
    expect(one).toMatchObject({ code: 0, stdout: 'Third \u{1f980} message\n' })
    const document = JSON.parse((await run('recover', '--chunk-id', chunkId(2), '--json', '--state-dir', stateDir)).stdout)
    expect(document).toMatchObject({ chunkId: chunkId(2), role: 'toolResult', text: 'ls -la\n\u001b[31mred\u001b[0m' })
    const plain = await run('recover', '--chunk-id', chunkId(2), '--state-dir', stateDir)
    expect(plain.stdout).toBe('ls -la\nred\n')
  })

  test('of several says which are gone and still gives the others', async () => {
    const { stateDir } = await withDrops()
    const { code, stdout, stderr } = await run('recover', '--chunk-id', chunkId(1), '--chunk-id', chunkId(98), '--json', '--state-dir', stateDir)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ recovered: [{ chunkId: chunkId(1) }], failed: [{ chunkId: chunkId(98), code: 'NotFound' }] })
    expect(stderr).toContain('1 of 2')
  })
})

test('tune shows figures out of the logs and a suggestion for each knob', async () => {
  const { stateDir } = await withDrops()
  const logs = path.join(stateDir, 'context', 'logs')
  mkdirSync(logs, { recursive: true })
  const line = (n: number): string => JSON.stringify({ timestamp: '2026-02-02T22:55:00Z', event: 'chunk_dropped', chunk_id: chunkId(n), session_id: KEY, reason: 'low_relevance', relevance_score: 0.28, threshold_used: 0.3 })
  writeFileSync(path.join(logs, 'drops.jsonl'), `${Array.from({ length: 40 }, (_, n) => line(n)).join('\n')}\n{"torn`)
  writeFileSync(path.join(logs, 'compaction.jsonl'), `${JSON.stringify({ trigger: 'token_threshold', tokens_before: 80_000, tokens_after: 40_000, session_id: KEY })}\n`)
  const report = JSON.parse((await run('tune', '--json', '--state-dir', stateDir)).stdout)
  expect(report).toMatchObject({ drops: { low_relevance: 40 }, compactions: { token_threshold: 1 }, tokensSaved: 40_000, damagedLines: 1, scores: { p50: 0.28 } })
  expect(report.scoreHistogram).toEqual([0, 0, 40, 0, 0, 0, 0, 0, 0, 0])
  expect(report.suggestions.find((one: { knob: string }) => one.knob === 'RELEVANCE_CUTOFF')).toMatchObject({ current: 0.3, suggested: 0.35, observations: 40 })
  const { code, stdout } = await run('tune', '--state-dir', stateDir)
  expect(code).toBe(0)
  expect(stdout).toContain('RELEVANCE_CUTOFF 0.3 -> 0.35')
  expect(stdout).toMatch(/0\.2-0\.3 +40 +#{40}/)
})

test('compact --now leaves word for the host, and without --now is refused', async () => {
  const { stateDir, dir } = await withDrops()
  expect((await run('compact', '--state-dir', stateDir)).code).toBe(2)
  expect(JSON.parse((await run('compact', '--now', '--json', '--state-dir', stateDir)).stdout)).toEqual({ stateDir, sessionKey: KEY, requested: true })
  expect(readFileSync(path.join(dir, 'journal.jsonl'), 'utf8')).toContain('"kind":"compaction_requested"')
})

describe('checkpoints diff', () => {
  test('says what was gained, replaced, settled and lost, each with its reason', async () => {
    const stateDir = freshDir()
    const write = (): Promise<unknown> => clawback.writeCheckpoint(stateDir, KEY, { trigger: 'manual', tokenUsage: { inputTokens: 1, contextWindow: 10 } })
    await clawback.appendDecisionToState(stateDir, KEY, { what: 'Use a timeout of 30 seconds for the journal lock' })
    await clawback.appendOpenItemToState(stateDir, KEY, 'Write the release notes')
    await write()
    await clawback.appendDecisionToState(stateDir, KEY, { what: 'Use a timeout of 60 seconds for the journal lock' })
    await clawback.resolveOpenItemInState(stateDir, KEY, 'Write the release notes')
    await clawback.appendLearningToState(stateDir, KEY, 'The build needs Node 20')
    await write()
    const found = JSON.parse((await run('checkpoints', 'diff', 'cp_001', 'cp_002', '--json', '--state-dir', stateDir)).stdout)
    expect(found).toMatchObject({ older: 'cp_001', newer: 'cp_002' })
    const all = [...found.gained, ...found.superseded, ...found.resolved, ...found.lost]
    expect(all.every((change: { reason: string }) => change.reason.length > 0)).toBe(true)
    expect(found.gained.map((change: { text: string }) => change.text).join()).toContain('Node 20')
    const { stdout } = await run('checkpoints', 'diff', 'cp_001', 'cp_002', '--state-dir', stateDir)
    expect(stdout).toContain('+ learning: The build needs Node 20')
    expect((await run('checkpoints', 'diff', 'cp_001', 'cp_001', '--state-dir', stateDir)).stdout).toContain('no difference')
    expect((await run('checkpoints', 'diff', 'cp_001', 'cp_077', '--state-dir', stateDir)).code).toBe(1)
    expect((await run('checkpoints', 'diff', 'x', 'cp_001', '--state-dir', stateDir)).code).toBe(2)
  })
})

describe('doctor', () => {
  test('finds nothing where nothing is wrong', async () => {
    const { stateDir } = await withDrops()
    const { code, stdout } = await run('doctor', '--state-dir', stateDir)
    expect({ code, stdout }).toEqual({ code: 0, stdout: `all is well in ${stateDir}\n` })
  })

  test('names what is wrong, changes nothing, and repairs with --fix after a backup', async () => {
    const { stateDir, dir } = await withDrops()
    const snapshot = path.join(dir, 'decisions.json')
    writeFileSync(snapshot, '{ broken', { mode: 0o600 })
    appendFileSync(path.join(dir, 'journal.jsonl'), '{"gen":0,"seq":')
    writeFileSync(path.join(dir, '.tmp.1.1'), 'left over', { mode: 0o600 })
    mkdirSync(path.join(stateDir, 'context', 'state', 'agent_old'), { recursive: true, mode: 0o700 })
    if (process.platform !== 'win32') chmodSync(path.join(dir, 'session.json'), 0o644)
    const before = readdirSync(stateDir)
    const looked = await run('doctor', '--json', '--state-dir', stateDir)
    expect(looked.code).toBe(1)
    const kinds = JSON.parse(looked.stdout).findings.map((one: { kind: string }) => one.kind)
    expect(kinds).toEqual(expect.arrayContaining(['leftover', 'damage', ...(process.platform === 'win32' ? [] : ['permissions'])]))
    expect(readdirSync(stateDir)).toEqual(before)
    expect(existsSync(path.join(dir, '.tmp.1.1'))).toBe(true)

    const fixed = await run('doctor', '--fix', '--json', '--state-dir', stateDir)
    const { backup, findings, notes } = JSON.parse(fixed.stdout)
    expect(fixed.code).toBe(0)
    expect(readFileSync(path.join(backup, path.relative(path.join(stateDir, 'context'), snapshot)), 'utf8')).toBe('{ broken')
    expect(findings.map((one: { fixed: boolean }) => one.fixed)).not.toContain(false)
    expect(findings.length).toBeGreaterThanOrEqual(2)
    expect(notes.map((one: { kind: string }) => one.kind).sort()).toEqual(['older-layout', 'set aside'])
    if (process.platform !== 'win32') expect(statSync(path.join(dir, 'session.json')).mode & 0o777).toBe(0o600)
    expect(existsSync(path.join(dir, '.tmp.1.1'))).toBe(false)
    expect(await clawback.listDrops(stateDir, KEY)).toMatchObject({ total: 3 })
  })

  test('damaged lines, checkpoints and a lost identity are repaired, and a second look is clean', async () => {
    const { stateDir, dir } = await withDrops()
    for (const what of ['Use SQLite', 'Use pnpm', 'Use Node 20']) await clawback.appendDecisionToState(stateDir, KEY, { what })
    await clawback.writeCheckpoint(stateDir, KEY, { trigger: 'manual', tokenUsage: { inputTokens: 1, contextWindow: 200_000 } })
    await clawback.repairSession(stateDir, KEY)
    appendFileSync(path.join(dir, 'checkpoints', 'cp_001.yaml'), 'more: 1\n')
    for (const file of [path.join(dir, 'journal.jsonl'), ...['messages', 'cold'].map((folder) => path.join(dir, folder, readdirSync(path.join(dir, folder))[0]!))]) {
      const [first, second, ...rest] = readFileSync(file, 'utf8').split('\n')
      writeFileSync(file, [first, second!.replace('{', '['), ...rest].join('\n'), { mode: 0o600 })
    }
    writeFileSync(path.join(dir, 'session.json'), '{', { mode: 0o600 })
    const fixed = await run('doctor', '--fix', '--state-dir', stateDir)
    expect(fixed.code).toBe(0)
    const again = await run('doctor', '--state-dir', stateDir)
    expect(again.code).toBe(0)
    expect(again.stdout).toMatch(/^all is well in .*\nnote: set aside .*quarantine\n/)
    expect((await clawback.readState(stateDir, KEY)).decisions.map((one) => one.text)).toEqual(['Use SQLite', 'Use pnpm', 'Use Node 20'])
    expect(await clawback.listDrops(stateDir, KEY)).toMatchObject({ total: 2, damaged: 0 })
  })

  test('a newer version and a second directory for one key are named', async () => {
    const { stateDir, dir } = await withDrops()
    const twin = path.join(path.dirname(dir), 'agent-main-00000000000000000000000000000000')
    mkdirSync(twin, { mode: 0o700 })
    writeFileSync(path.join(twin, 'session.json'), readFileSync(path.join(dir, 'session.json')), { mode: 0o600 })
    const other = path.join(path.dirname(dir), 'agent-next-00000000000000000000000000000000')
    mkdirSync(other, { mode: 0o700 })
    writeFileSync(path.join(other, 'session.json'), JSON.stringify({ ...JSON.parse(readFileSync(path.join(dir, 'session.json'), 'utf8')), format: 99 }), { mode: 0o600 })
    const { findings } = JSON.parse((await run('doctor', '--json', '--state-dir', stateDir)).stdout)
    expect(findings.map((one: { kind: string }) => one.kind).sort()).toEqual(expect.arrayContaining(['collision', 'version']))
  })
})

describe('completion', () => {
  test.each(['bash', 'zsh', 'fish'])('%s knows every command', async (shell) => {
    const { code, stdout } = await run('completion', shell)
    expect(code).toBe(0)
    for (const name of ['replay', 'drops', 'cold-storage', 'recover', 'search', 'tune', 'doctor', 'diff', '--chunk-id', 'chunk-id'].slice(0, shell === 'fish' ? 8 : 9)) expect(stdout).toContain(name)
  })

  test.skipIf(process.platform === 'win32')('bash completes commands and options', async () => {
    const script = (await run('completion', 'bash')).stdout
    const complete = (...words: string[]): Promise<string[]> =>
      new Promise((resolve, reject) => {
        const program = `${script}\nCOMP_WORDS=(${['clawback', ...words].map((word) => JSON.stringify(word)).join(' ')}); COMP_CWORD=${words.length}; _clawback; printf '%s\\n' "\${COMPREPLY[@]}"`
        execFile('bash', ['-c', program], { cwd: freshDir() }, (error, stdout) => (error ? reject(error) : resolve(stdout.trim().split('\n'))))
      })
    expect(await complete('cold')).toEqual(['cold-storage'])
    expect((await complete('cold-storage', '')).sort()).toEqual(expect.arrayContaining(['list', 'show']))
    expect(await complete('recover', '--chunk')).toEqual(['--chunk-id'])
    expect(await complete('checkpoints', 'diff', '--j')).toEqual(['--json'])
  })

  test('of an unknown shell is wrong usage', async () => {
    expect((await run('completion', 'tcsh')).code).toBe(2)
  })
})

test('every new command has help with examples and the common options', async () => {
  for (const args of [['drops'], ['cold-storage', 'list'], ['cold-storage', 'show'], ['recover'], ['search'], ['explain'], ['compact'], ['health'], ['tune'], ['reset'], ['doctor'], ['checkpoints', 'diff']]) {
    const { code, stdout } = await run(...args, '--help')
    expect(code).toBe(0)
    for (const word of ['Examples:', '--json', '--state-dir', '--session']) expect(stdout, args.join(' ')).toContain(word)
  }
})

test('the session of a drop is found by its directory too', async () => {
  const { stateDir } = await withDrops()
  const name = path.basename(await sessionDir(stateDir, KEY))
  expect((await run('drops', '--session', name, '--json', '--state-dir', stateDir)).code).toBe(0)
})
