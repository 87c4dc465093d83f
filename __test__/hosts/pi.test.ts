// The pure parts of the pi extension. What they do inside the real pi is tested by `npm run test:hosts`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { estimateMessageTokens, isRealUserMessage } from '../../index.js'
import { chooseCut, interactive, type Projected } from '../../hosts/pi/compaction.js'
import { agentDir, hostCompactsAt, readSettings, sessionIdOf } from '../../hosts/pi/settings.js'
import { applyPlan } from '../../hosts/pi/view.js'
import { freshDir } from '../support/sandbox.js'

let clock = Date.UTC(2026, 10, 2)
const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }], timestamp: clock++ })
const assistant = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }, { type: 'toolCall', id: `c${clock}`, name: 'bash', arguments: {} }], timestamp: clock++ })
const result = (text: string) => ({ role: 'toolResult', toolCallId: 'c1', toolName: 'bash', content: [{ type: 'text', text }], details: { fullOutputPath: '/tmp/x' }, isError: false, timestamp: clock++ })
const big = 'a line of output that says nothing in particular\n'.repeat(200)

describe('a plan becomes messages', () => {
  const messages = [user('first'), assistant('calls'), result(big), user('second')]
  const view = applyPlan(messages, { packet: 'PACKET', tail: 'TAIL', keep: new Uint32Array([1, 2, 3]), replace: [{ index: 2, text: 'short' }] })

  test('packet first, tail last, the kept ones between them in their order', () => {
    expect(view.map(({ role }) => role)).toEqual(['custom', 'assistant', 'toolResult', 'user', 'custom'])
    expect(view[0]).toMatchObject({ content: 'PACKET', display: false })
    expect(view.at(-1)).toMatchObject({ content: 'TAIL' })
  })

  test('what is kept is the host’s own object; what is replaced is a copy with its ids and without details', () => {
    expect(view[1]).toBe(messages[1])
    expect(view[2]).toEqual({ ...messages[2], content: [{ type: 'text', text: 'short' }], details: undefined })
    expect(view[2]).not.toHaveProperty('details')
    expect(messages[2]).toMatchObject({ details: { fullOutputPath: '/tmp/x' } })
  })

  test('the same plan gives the same request, byte for byte', () => {
    const again = applyPlan(messages, { packet: 'PACKET', tail: 'TAIL', keep: new Uint32Array([1, 2, 3]), replace: [{ index: 2, text: 'short' }] })
    expect(JSON.stringify(again)).toBe(JSON.stringify(view))
  })

  test('without packet and tail nothing is added', () => {
    expect(applyPlan(messages, { packet: null, tail: null, keep: new Uint32Array([0, 3]), replace: [] })).toEqual([messages[0], messages[3]])
  })
})

describe('where a boundary compaction cuts', () => {
  const entry = (id: string, message: Projected['messages'][number], type = 'message'): Projected => ({ sourceEntry: { type, id, parentId: null }, messages: [message] })
  const cut = (entries: Projected[], needed: number) => chooseCut(entries, needed, isRealUserMessage, estimateMessageTokens)

  test('at the user’s newest request', () => {
    const entries = [entry('u1', user('first')), entry('a1', assistant(big)), entry('u2', user('second')), entry('a2', assistant('working')), entry('r2', result('ok'))]
    expect(cut(entries, 500)).toEqual({ firstKeptEntryId: 'u2', keepsRequest: true })
  })

  test('at the newest step where the running turn itself is the weight', () => {
    const entries = [entry('u1', user('only')), entry('a1', assistant(big)), entry('r1', result(big)), entry('a2', assistant('next')), entry('r2', result('ok'))]
    expect(cut(entries, 500)).toEqual({ firstKeptEntryId: 'a2', keepsRequest: false })
  })

  test('nowhere when nothing worth it would leave', () => {
    expect(cut([entry('u1', user('only')), entry('a1', assistant('working'))], 500)).toBeNull()
    expect(cut([], 500)).toBeNull()
  })

  test('what clawback or a host injected under the role user is no request', () => {
    const injected = { role: 'user', content: '[Context: 81% | 162k/200k tokens]', timestamp: clock++ }
    const entries = [entry('u1', user('first')), entry('a1', assistant(big)), entry('u2', user('second')), entry('a2', assistant('x')), entry('i', injected)]
    expect(cut(entries, 500)?.firstKeptEntryId).toBe('u2')
  })

  test('the summary of the last compaction frees nothing: the next one takes its place', () => {
    const summary = { role: 'compactionSummary', summary: big, tokensBefore: 9, timestamp: clock++ }
    expect(cut([entry('c', summary, 'compaction'), entry('u1', user('only')), entry('a1', assistant('x'))], 500)).toBeNull()
  })
})

test('a compaction is asked for only where a person can wait for it', () => {
  expect(interactive({ hasUI: true })).toBe(true)
  expect(interactive({ hasUI: false })).toBe(false)
  for (const [mode, wanted] of [['tui', true], ['rpc', true], ['print', false], ['json', false]] as const) expect(interactive({ mode, hasUI: true })).toBe(wanted)
})

describe('settings', () => {
  test('the agent directory is found as pi finds it', () => {
    expect(agentDir({})).toBe(path.join(homedir(), '.pi', 'agent'))
    expect(agentDir({ PI_CODING_AGENT_DIR: '/srv/agent' })).toBe('/srv/agent')
    expect(agentDir({ PI_CODING_AGENT_DIR: '~/agent' })).toBe(path.join(homedir(), 'agent'))
  })

  test('a missing file gives the defaults, a damaged or wrong one says so and gives them too', async () => {
    const dir = freshDir()
    expect(await readSettings(dir)).toEqual({ settings: { mode: 'prune' } })
    writeFileSync(path.join(dir, 'clawback.json'), '{ "mode": "compact", "spillTokens": 900 }')
    expect(await readSettings(dir)).toMatchObject({ settings: { mode: 'compact', spillTokens: 900 } })
    writeFileSync(path.join(dir, 'clawback.json'), '{ "mode": "fast" }')
    expect((await readSettings(dir)).problem).toMatch(/prune, compact or complement/)
    writeFileSync(path.join(dir, 'clawback.json'), '{ "mode"')
    const damaged = await readSettings(dir)
    expect(damaged.settings.mode).toBe('prune')
    expect(damaged.problem).toMatch(/clawback\.json/)
  })

  test.each<[string, RegExp, object]>([
    ['{ "spillToken": 500, "mod": "compact" }', /"spillToken", "mod" have no effect; there are mode, spillTokens, config$/, {}],
    ['{ "spillTokens": -1 }', /spillTokens must be a number of at least 1, not -1; an eighth of the window is used$/, {}],
    ['{ "spillTokens": "500", "mode": "compact" }', /not "500"/, { mode: 'compact' }],
    ['[]', /an object is needed, not \[\]; the defaults are used$/, {}],
    ['null', /an object is needed, not null/, {}],
    ['{ "mode": "fast" }', /not "fast"; prune is used$/, {}],
    ['{ "config": 5, "spillTokens": 900 }', /config must be an object, not 5; the defaults are used$/, { spillTokens: 900 }],
  ])('%s is told, with what is used instead', async (text, problem, used) => {
    const dir = freshDir()
    writeFileSync(path.join(dir, 'clawback.json'), text)
    const read = await readSettings(dir)
    expect(read.problem).toMatch(problem)
    expect(read.settings).toEqual({ mode: 'prune', ...used })
  })

  test('pi’s own threshold: its reserve, the project’s over the user’s, the model’s over both', async () => {
    const [dir, cwd] = [freshDir(), freshDir()]
    const model = { id: 'm', provider: 'p' }
    expect(await hostCompactsAt(dir, cwd, model, 200_000)).toBe(200_000 - 16_384)
    writeFileSync(path.join(dir, 'settings.json'), JSON.stringify({ compaction: { reserveTokens: 30_000, modelOverrides: { 'p/m': { reserveTokens: 50_000 } } } }))
    expect(await hostCompactsAt(dir, cwd, model, 200_000)).toBe(150_000)
    expect(await hostCompactsAt(dir, cwd, { id: 'other', provider: 'p' }, 200_000)).toBe(170_000)
    mkdirSync(path.join(cwd, '.pi'))
    writeFileSync(path.join(cwd, '.pi', 'settings.json'), JSON.stringify({ compaction: { enabled: false } }))
    expect(await hostCompactsAt(dir, cwd, model, 200_000)).toBeUndefined()
  })

  test('the id of a session file', async () => {
    const file = path.join(freshDir(), 'session.jsonl')
    writeFileSync(file, '{"type":"session","version":3,"id":"0199-abc","cwd":"/work"}\n{"type":"message"}\n')
    expect(await sessionIdOf(file)).toBe('0199-abc')
    writeFileSync(file, 'nonsense')
    expect(await sessionIdOf(file)).toBeNull()
    expect(await sessionIdOf(`${file}.missing`)).toBeNull()
  })
})
