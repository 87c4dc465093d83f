// Damaged, cut, foreign and vanished files; many writers at once (FAULTS theme H).
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as clawback from '../index.js'
import { codeOf, freshDir, manual, sessionDir, treeOf, user } from './support/sandbox.js'

const root = path.join(__dirname, '..')
/** Runs a script in a process of its own; `clawback` and `dir` are there, its result comes back as JSON. */
async function elsewhere(dir: string, script: string) {
  const whole = `const clawback = require('./index.js'), dir = ${JSON.stringify(dir)}; (async () => { ${script} })().then((value) => console.log(JSON.stringify(value ?? null)))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', whole], { cwd: root })
  return JSON.parse(stdout)
}
const texts = async (dir: string) => (await clawback.readState(dir, 'k')).decisions.map((item) => item.text)

/** A session with two decisions and two checkpoints, moved so that this process does not know it. */
async function session(): Promise<{ dir: string; folder: string }> {
  const [first, dir] = [freshDir(), freshDir()]
  for (const what of ['Use SQLite for the sessions', 'Keep the importer idempotent']) {
    await clawback.appendDecisionToState(first, 'k', { what })
    await clawback.writeCheckpoint(first, 'k', manual)
  }
  cpSync(path.join(first, 'context'), path.join(dir, 'context'), { recursive: true })
  return { dir, folder: await sessionDir(dir, 'k') }
}

describe('damage', () => {
  test.each(['', '{"as_of_seq": 3, "items": ["call the ba', '[]', '\0\0\0\0', 'null'])('a snapshot that reads %j goes to quarantine and nothing is lost', async (text) => {
    const { dir, folder } = await session()
    for (const name of ['view.json', 'decisions.json', 'open_items.json', 'last_tool_call.json']) writeFileSync(path.join(folder, name), text)
    expect((await texts(dir)).length).toBe(2)
    expect(await clawback.appendDecisionToState(dir, 'k', { what: 'Ship on Fridays only after lunch' })).toBe('added')
    expect((await texts(dir)).length).toBe(3)
    expect(readdirSync(path.join(folder, 'quarantine')).length).toBeGreaterThanOrEqual(3)
  })

  test('a journal that is cut anywhere gives back what is whole, and goes on', async () => {
    const { dir, folder } = await session()
    const journal = path.join(folder, 'journal.jsonl')
    const size = statSync(journal).size
    for (let cut = 1; cut < 60; cut += 6) {
      const other = freshDir()
      cpSync(path.join(dir, 'context'), path.join(other, 'context'), { recursive: true })
      const copy = path.join(other, path.relative(dir, journal))
      truncateSync(copy, size - cut)
      expect(await texts(other)).toContain('Use SQLite for the sessions')
      expect(await clawback.appendDecisionToState(other, 'k', { what: 'Ship on Fridays only after lunch' })).toBe('added')
      expect(await elsewhere(other, "return (await clawback.readState(dir, 'k')).decisions.length")).toBeGreaterThanOrEqual(2)
    }
  })

  test('one bad line in the middle hides no other', async () => {
    const { dir, folder } = await session()
    const journal = path.join(folder, 'journal.jsonl')
    const lines = readFileSync(journal, 'utf8').split('\n')
    lines.splice(1, 0, '{"half a line', '\0\0\0')
    writeFileSync(journal, lines.join('\n'))
    expect((await texts(dir)).length).toBe(2)
  })

  test('what cannot be read is an error, and nothing is written over it', async () => {
    const { dir, folder } = await session()
    const journal = path.join(folder, 'journal.jsonl')
    renameSync(journal, path.join(folder, 'kept'))
    mkdirSync(journal)
    for (const call of [clawback.readState(dir, 'k'), clawback.appendLearningToState(dir, 'k', 'x y z'), clawback.writeCheckpoint(dir, 'k', manual)]) expect(['Refused', 'Io']).toContain(await codeOf(call))
    rmSync(journal, { recursive: true })
    renameSync(path.join(folder, 'kept'), journal)
    expect((await texts(dir)).length).toBe(2)
  })

  test('a damaged checkpoint is passed over, said, and its number is not used again', async () => {
    const { dir, folder } = await session()
    truncateSync(path.join(folder, 'checkpoints', 'cp_002.yaml'), 300)
    expect((await clawback.readLatestCheckpoint(dir, 'k'))!.meta.checkpoint_id).toBe('cp_001')
    expect(await codeOf(clawback.readCheckpoint(dir, 'k', 'cp_002'))).toBe('Corrupt')
    expect((await clawback.listCheckpoints(dir, 'k')).map(({ id, valid }) => [id, valid])).toEqual([['cp_001', true], ['cp_002', false]])
    expect(await clawback.writeCheckpoint(dir, 'k', manual)).toMatchObject({ id: 'cp_003' })
    expect((await clawback.readLatestCheckpoint(dir, 'k'))!.meta.checkpoint_id).toBe('cp_003')
  })

  test.each(['damaged', 'gone'])('no checkpoint is left out because of one whose file is %s', async (what) => {
    const dir = freshDir()
    const auto = { trigger: 'auto-80pct', tokenUsage: manual.tokenUsage } as const
    await clawback.appendDecisionToState(dir, 'k', { what: 'Use SQLite for the sessions' })
    expect(await clawback.writeCheckpoint(dir, 'k', auto)).toMatchObject({ written: true })
    expect(await clawback.writeCheckpoint(dir, 'k', auto)).toMatchObject({ written: false })
    const file = path.join(await sessionDir(dir, 'k'), 'checkpoints', 'cp_001.yaml')
    if (what === 'gone') rmSync(file)
    else truncateSync(file, 200)
    expect(await clawback.writeCheckpoint(dir, 'k', auto)).toMatchObject({ written: true, id: 'cp_002' })
    expect((await clawback.readLatestCheckpoint(dir, 'k'))!.decisions.length).toBe(1)
  })

  test.each(['{"checkp', '', '[]', '{"checkpoint_id":"cp_001","bytes":1,"hash":"x","state_seq":1}', '{"checkpoint_id":"../../b/cp_001","bytes":1,"hash":"x","state_seq":1}', '{"path":"../b/cp_001.yaml"}'])('a pointer that reads %j is only a hint', async (pointer) => {
    const { dir, folder } = await session()
    writeFileSync(path.join(folder, 'checkpoints', '_latest.json'), pointer)
    expect((await clawback.readLatestCheckpoint(dir, 'k'))!.meta.checkpoint_id).toBe('cp_002')
    expect(await clawback.writeCheckpoint(dir, 'k', manual)).toMatchObject({ id: 'cp_003' })
    expect((await clawback.readLatestCheckpoint(dir, 'k'))!.meta.previous_checkpoint).toBe('cp_002')
    expect(JSON.parse(readFileSync(path.join(folder, 'checkpoints', '_latest.json'), 'utf8')).checkpoint_id).toBe('cp_003')
  })
})

describe('retention', () => {
  test('numbers are numbers beyond 999, and foreign files and leftovers are nobody', async () => {
    const { dir, folder } = await session()
    const files = path.join(folder, 'checkpoints')
    const checkpoint = (await clawback.readLatestCheckpoint(dir, 'k'))!
    for (const number of [9, 10, 998, 999]) {
      const id = `cp_${String(number).padStart(3, '0')}`
      writeFileSync(path.join(files, `${id}.yaml`), clawback.formatCheckpointYaml({ ...checkpoint, meta: { ...checkpoint.meta, checkpoint_id: id } }))
    }
    for (const name of ['notes.txt', 'cp_old.yaml', 'cp_01.yaml.bak']) writeFileSync(path.join(files, name), 'mine')
    writeFileSync(path.join(files, '.tmp.1.2'), 'half a checkpoint')
    const ids: string[] = []
    for (let round = 0; round < 7; round++) ids.push(((await clawback.writeCheckpoint(dir, 'k', manual)) as { id: string }).id)
    expect(ids).toEqual(['cp_1000', 'cp_1001', 'cp_1002', 'cp_1003', 'cp_1004', 'cp_1005', 'cp_1006'])
    expect((await clawback.listCheckpoints(dir, 'k')).map(({ id }) => id)).toEqual(ids.slice(-5))
    expect(readdirSync(files).filter((name) => !name.startsWith('cp_1')).toSorted()).toEqual(['_latest.json', 'cp_01.yaml.bak', 'cp_old.yaml', 'notes.txt'])
    expect((await clawback.readLatestCheckpoint(dir, 'k'))!.meta.checkpoint_id).toBe('cp_1006')
  })

  test('what is written often does not crowd out what was asked for', async () => {
    const dir = freshDir()
    await clawback.writeCheckpoint(dir, 'k', manual)
    for (let round = 0; round < 8; round++) {
      await clawback.appendDecisionToState(dir, 'k', { what: `Decision about subject number ${round}` })
      await clawback.writeCheckpoint(dir, 'k', { ...manual, trigger: 'epoch' })
    }
    expect((await clawback.listCheckpoints(dir, 'k')).map(({ trigger }) => trigger)).toEqual(['manual', ...Array(5).fill('epoch')])
  })
})

test('order comes from the conversation, not from clocks that jump (H12)', async () => {
  const dir = freshDir()
  const messages = [{ ...user('Never deploy on Fridays.'), timestamp: 4_000_000_000_000 }, { ...user('Never touch the migrations folder.'), timestamp: 1 }, { ...user('Now write the runbook.'), timestamp: 500 }]
  await clawback.writeCheckpoint(dir, 'k', { ...manual, messages })
  await clawback.appendDecisionToState(dir, 'k', { what: 'Set the request timeout to 30 s', when: '2099-01-01T00:00:00Z' })
  await clawback.appendDecisionToState(dir, 'k', { what: 'Set the request timeout to 60 s', when: '1999-01-01T00:00:00Z' })
  const state = await clawback.readState(dir, 'k')
  expect(state.constraints.map((item) => item.text)).toEqual([expect.stringMatching(/Fridays/), expect.stringMatching(/migrations/)])
  expect(state.decisions.filter((item) => item.status === 'active').map((item) => item.text)).toEqual(['Set the request timeout to 60 s'])
  expect((await clawback.buildCheckpointFromState(dir, 'k', manual)).working.topic).toContain('runbook')
})

test('a session directory that vanishes between calls is a new session', async () => {
  const dir = freshDir()
  await clawback.appendDecisionToState(dir, 'k', { what: 'Use SQLite for the sessions' })
  await clawback.writeCheckpoint(dir, 'k', manual)
  rmSync(await sessionDir(dir, 'k'), { recursive: true })
  expect(await texts(dir)).toEqual([])
  expect(await clawback.readLatestCheckpoint(dir, 'k')).toBeNull()
  expect(await clawback.appendDecisionToState(dir, 'k', { what: 'Keep the importer idempotent' })).toBe('added')
  rmSync(path.join(dir, 'context'), { recursive: true })
  expect(await clawback.writeCheckpoint(dir, 'k', manual)).toMatchObject({ id: 'cp_001' })
})

test('four processes and four worker threads write to one session: nothing is lost, no number is given twice', async () => {
  const dir = freshDir()
  const part = (name: string) => `
    const words = ['alder', 'birch', 'cedar', 'dogwood', 'elm', 'fir', 'ginkgo', 'hazel', 'ivy', 'juniper']
    const written = []
    for (const word of words) await clawback.appendOpenItemToState(dir, 'k', 'Plant ' + word + ' in garden ${name}')
    for (let n = 0; n < 3; n++) written.push((await clawback.writeCheckpoint(dir, 'k', { trigger: 'manual', tokenUsage: { inputTokens: 1, contextWindow: 2 } })).id)
    return written`
  const worker = (name: string) => new Promise<string[]>((resolve, reject) => {
    const script = `const clawback = require(${JSON.stringify(path.join(root, 'index.js'))}), dir = ${JSON.stringify(dir)}; (async () => { ${part(name)} })().then((written) => require('node:worker_threads').parentPort.postMessage(written))`
    const thread = new Worker(script, { eval: true })
    thread.once('message', resolve).once('error', reject)
  })
  const ids = (await Promise.all(['a', 'b', 'c', 'd'].flatMap((name) => [elsewhere(dir, part(`p${name}`)), worker(`w${name}`)]))).flat()
  expect(new Set(ids).size).toBe(24)
  const journal = readFileSync(path.join(await sessionDir(dir, 'k'), 'journal.jsonl'), 'utf8')
  for (const name of ['pa', 'pb', 'pc', 'pd', 'wa', 'wb', 'wc', 'wd']) expect(journal.match(new RegExp(`in garden ${name}"`, 'g'))!.length).toBe(10)
  const seqs = journal.trim().split('\n').map((line) => JSON.parse(line).seq)
  expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  expect(treeOf(dir).filter((name) => name.includes('.tmp.'))).toEqual([])
}, 60_000)

describe('the older layout', () => {
  /** Files as seed 002's version wrote them. */
  function older(dir: string, key: string): string {
    const safe = clawback.sanitizeSessionKeyForPath(key)
    const [state, checkpoints] = [path.join(dir, 'context', 'state', safe), path.join(dir, 'context', 'checkpoints', safe)]
    mkdirSync(state, { recursive: true })
    mkdirSync(checkpoints, { recursive: true })
    const yaml = (id: string, owner: string, decision: string) =>
      `schema: openclaw/checkpoint\nschema_version: 1\nmeta:\n  checkpoint_id: ${id}\n  session_key: "${owner}"\n  created_at: "2026-02-24T15:30:00Z"\n  trigger: compaction\n  token_usage:\n    input_tokens: 164000\n    context_window: 200000\n    utilization: 0.82\nworking:\n  topic: importer\n  status: in_progress\n  interrupted: false\n  last_tool_call: null\n  next_action: test it\ndecisions:\n  - id: d1\n    what: |\n      ${decision}\n    when: "2026-02-24T14:15:00Z"\nresources:\n  files_read: [src/a.ts]\n  files_modified: [src/b.ts]\n  tools_used: [read, edit]\nthread:\n  summary: |\n    importer\n  key_exchanges: []\nopen_items:\n  - |\n    Ask Jovan about the rate limit\nlearnings: []\n`
    writeFileSync(path.join(checkpoints, 'cp_001.yaml'), yaml('cp_001', 'somebody:else', 'Use Oracle'))
    writeFileSync(path.join(checkpoints, 'cp_002.yaml'), yaml('cp_002', key, 'Keep supplier tokens in SQLite'))
    writeFileSync(path.join(checkpoints, '_latest.json'), '{"checkpoint_id":"cp_002","path":"cp_002.yaml"}')
    writeFileSync(path.join(state, 'decisions.json'), JSON.stringify([{ id: 'd2', what: 'Retry failed imports twice', when: '2026-02-24T15:40:00Z' }]))
    writeFileSync(path.join(state, 'open_items.json'), JSON.stringify(['Write the runbook']))
    writeFileSync(path.join(state, 'learnings.json'), '["half')
    writeFileSync(path.join(state, 'last_tool_call.json'), JSON.stringify({ name: 'exec', paramsSummary: 'npm test' }))
    return path.join(dir, 'context')
  }
  const contents = (dir: string) => treeOf(dir).filter((name) => !name.startsWith('sessions')).map((name) => [name, statSync(path.join(dir, name)).isFile() && readFileSync(path.join(dir, name), 'utf8')])

  test('is taken in once, for the key that its newest checkpoint names, and stays as it is', async () => {
    const dir = freshDir()
    const context = older(dir, 'agent:main:tg')
    const before = contents(context)
    await clawback.appendLearningToState(dir, 'agent:main:tg', 'The staging database is read-only')
    const state = await clawback.readState(dir, 'agent:main:tg')
    expect(state.decisions.map((item) => item.text)).toEqual(['Keep supplier tokens in SQLite', 'Retry failed imports twice'])
    expect(state.openItems.map((item) => item.text)).toEqual(['Ask Jovan about the rate limit', 'Write the runbook'])
    expect(state.resources).toMatchObject({ filesRead: ['src/a.ts'], filesModified: ['src/b.ts'] })
    expect(state.lastToolCall).toEqual({ name: 'exec', paramsSummary: 'npm test' })
    await clawback.resolveOpenItemInState(dir, 'agent:main:tg', 'Write the runbook')
    expect(await elsewhere(dir, "await clawback.appendLearningToState(dir, 'agent:main:tg', 'Imports run at night'); const s = await clawback.readState(dir, 'agent:main:tg'); return [s.decisions.length, s.openItems.filter((item) => item.status === 'active').length]")).toEqual([2, 1])
    expect(contents(context)).toEqual(before)
  })

  test('another key with the same old directory name gets nothing', async () => {
    const dir = freshDir()
    older(dir, 'agent:main:tg')
    await clawback.appendLearningToState(dir, 'agent_main:tg', 'Imports run at night')
    expect((await clawback.readState(dir, 'agent_main:tg')).decisions).toEqual([])
  })
})

test('checkpoints on disk are written once: no later call changes one', async () => {
  const { dir, folder } = await session()
  const file = path.join(folder, 'checkpoints', 'cp_001.yaml')
  const before = readFileSync(file, 'utf8')
  await clawback.appendDecisionToState(dir, 'k', { what: 'Use Postgres instead of SQLite for the sessions' })
  await clawback.writeCheckpoint(dir, 'k', manual)
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(parse(before).meta.checkpoint_id).toBe('cp_001')
  expect(existsSync(file)).toBe(true)
})
