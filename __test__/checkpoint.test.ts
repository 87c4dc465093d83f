// A conversation goes in, a checkpoint and a packet come out; npm yaml reads what we write.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as clawback from '../index.js'

let dir: string
beforeEach(() => (dir = mkdtempSync(path.join(tmpdir(), 'clawback-test-'))))
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const key = 'agent:main:test'
const usage = { inputTokens: 164_000, contextWindow: 200_000 }
let clock = 1_770_000_000_000
const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }], timestamp: (clock += 1_000) })
const assistant = (...content: object[]) => ({ role: 'assistant', content, stopReason: 'stop', timestamp: (clock += 1_000) })
const text = (value: string) => ({ type: 'text', text: value })
const conversation = () => [
  user('Make the nightly import reliable. Never touch the migrations folder.'),
  assistant(text('Reading.'), { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'src/importer.js' } }),
  { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [text('export function run() {}')], isError: false, timestamp: (clock += 1_000) },
  assistant(text('Shall I set the request timeout to 30 s?')),
  user('yes'),
  assistant(text('Done. The request timeout is 30 s.')),
  user('Now write the runbook.'),
]

test('what was said is in the packet after a compaction', async () => {
  const outcome = await clawback.writeCheckpoint(dir, key, { trigger: 'compaction', tokenUsage: usage, messages: conversation() })
  expect(outcome).toMatchObject({ written: true, id: 'cp_001' })
  const packet = await clawback.readCheckpointForInjection(dir, key)
  expect(packet).toContain('Now write the runbook.')
  expect(packet).toMatch(/request timeout to 30 s/)
  expect(packet).toMatch(/[Nn]ever touch the migrations/)
  expect(clawback.estimateTokens(packet!)).toBeLessThanOrEqual(700)
})

test('the same messages twice change nothing', async () => {
  const messages = conversation()
  await clawback.writeCheckpoint(dir, key, { trigger: 'manual', tokenUsage: usage, messages })
  const before = await clawback.readState(dir, key)
  await clawback.writeCheckpoint(dir, key, { trigger: 'manual', tokenUsage: usage, messages })
  const { journalSeq: _, ...after } = await clawback.readState(dir, key)
  expect(after).toEqual({ ...before, journalSeq: undefined, ...after })
  expect(after.decisions).toEqual(before.decisions)
})

test('npm yaml reads exactly the object that readLatestCheckpoint gives', async () => {
  const outcome = await clawback.writeCheckpoint(dir, key, { trigger: 'compaction', tokenUsage: usage, messages: conversation() })
  if (!outcome.written) throw new Error(outcome.reason)
  const file = path.isAbsolute(outcome.path) ? outcome.path : path.join(dir, outcome.path)
  const latest = await clawback.readLatestCheckpoint(dir, key)
  expect(parse(readFileSync(file, 'utf8'))).toEqual(latest)
  expect(clawback.parseCheckpointYaml(readFileSync(file, 'utf8'))).toEqual(latest)
})

test('rendering is byte-identical and its own text is recognised when it comes back', async () => {
  await clawback.writeCheckpoint(dir, key, { trigger: 'manual', tokenUsage: usage, messages: conversation() })
  const checkpoint = (await clawback.readLatestCheckpoint(dir, key))!
  const packet = clawback.renderCheckpoint(checkpoint)
  expect(clawback.renderCheckpoint(checkpoint)).toEqual(packet)
  expect(clawback.isRealUserMessage({ role: 'user', content: packet.text })).toBe(false)
})

test('state functions acknowledge what they store', async () => {
  expect(await clawback.appendDecisionToState(dir, key, { what: 'Keep supplier tokens in SQLite' })).toBe('added')
  expect(await clawback.appendDecisionToState(dir, key, { what: '- keep supplier tokens in **SQLite**' })).toBe('duplicate')
  expect(await clawback.appendOpenItemToState(dir, key, 'Ask Jovan about the rate limit')).toBe('added')
  expect(await clawback.resolveOpenItemInState(dir, key, 'ask Jovan about the rate limit')).toBe(true)
  expect(await clawback.resolveOpenItemInState(dir, key, 'water the plants')).toBe(false)
  await clawback.writeLastToolCallToState(dir, key, { name: 'bash', paramsSummary: 'npm test' })
  expect(await clawback.readLastToolCallFromState(dir, key)).toEqual({ name: 'bash', paramsSummary: 'npm test' })
  const state = await clawback.readState(dir, key)
  expect(state.decisions.map((item) => item.text)).toEqual(['Keep supplier tokens in SQLite'])
  expect(state.openItems.filter((item) => item.status === 'active')).toEqual([])
  expect((await clawback.listSessions(dir)).map((session) => session.sessionKey)).toEqual([key])
})

test('keys that look alike are different sessions', async () => {
  const keys = ['telegram:a:b', 'telegram:a_b', 'telegram/a:b', 'Foo', 'foo', '..', 'CON', '日本語', '中文話', 'k'.repeat(300)]
  for (const one of keys) await clawback.appendDecisionToState(dir, one, { what: `Decided in session number ${keys.indexOf(one)}` })
  for (const one of keys) expect((await clawback.readState(dir, one)).decisions.length).toBe(1)
  const names = (await clawback.listSessions(dir)).map((session) => session.name.toLowerCase())
  expect(new Set(names).size).toBe(keys.length)
})

test('the gauge shows from 70 %', () => {
  const line = (tokens: number) => clawback.gaugeLine(clawback.measureUsage({ usage: { tokens }, contextWindow: 200_000 }), { checkpointSaved: true })
  expect(line(100_000)).toBeNull()
  expect(line(162_431)).toBe('[Context: 81% | 162k/200k tokens | Checkpoint saved]')
})

test('the difference of two checkpoints says what changed', async () => {
  await clawback.writeCheckpoint(dir, key, { trigger: 'manual', tokenUsage: usage, messages: conversation() })
  await clawback.appendDecisionToState(dir, key, { what: 'Set the request timeout to 60 s instead of 30 s' })
  await clawback.writeCheckpoint(dir, key, { trigger: 'manual', tokenUsage: usage })
  const [older, newer] = await Promise.all(['cp_001', 'cp_002'].map((id) => clawback.readCheckpoint(dir, key, id)))
  const difference = clawback.diffCheckpoints(older!, newer!)
  expect(difference.gained.map((change) => change.text)).toEqual(['Set the request timeout to 60 s instead of 30 s'])
  expect(difference.superseded.map((change) => change.text)).toEqual([expect.stringMatching(/30 s/)])
  expect(clawback.diffCheckpoints(newer!, newer!)).toEqual({ gained: [], superseded: [], resolved: [], lost: [] })
})
