// What the state functions remember, and what the same messages do when they come again.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import * as clawback from '../index.js'
import { assistant, freshDir, manual, toolCall, toolResult, treeOf, untimed, user } from './support/sandbox.js'

const decide = async (dir: string, texts: string[]) => {
  const outcomes: string[] = []
  for (const what of texts) outcomes.push(await clawback.appendDecisionToState(dir, 'k', { what }))
  const { decisions } = await clawback.readState(dir, 'k')
  return { outcomes, active: decisions.filter((item) => item.status === 'active').map((item) => item.text), decisions }
}

describe('appended decisions', () => {
  test.each([
    ['Use Redis for the session cache', '- **use redis** for the session cache'],
    ['Koristi Redis za keš sesija', 'Користи Redis за кеш сесија'],
    ['Koristi Redis za keš sesija', 'koristi redis za kes sesija'],
    ['Set request timeout to 30s for the importer', 'Set the request timeout to 30 seconds for the importer'],
  ])('%s = %s', async (first, second) => {
    expect(await decide(freshDir(), [first, second])).toMatchObject({ outcomes: ['added', 'duplicate'], active: [expect.any(String)] })
  })

  test.each([
    ['Use Redis for the session cache', 'Do not use Redis for the session cache'],
    ['Koristi Redis za keš sesija', 'Ne koristi Redis za keš sesija'],
    ['Користи Redis за кеш сесија', 'Не користи Redis за кеш сесија'],
    ['Set request timeout to 30s for the importer', 'Set request timeout to 60s for the importer'],
    ['Delete rows older than 7 days', 'Delete rows older than 70 days'],
    ['Listen on port 80', 'Listen on port 8080'],
    ['Switch from Postgres to SQLite', 'Switch from SQLite to Postgres'],
    ['Use Redis for the queue', 'Use NATS instead of Redis for the queue'],
    ['Koristimo Redis za red poruka', 'Koristimo NATS umesto Redisa za red poruka'],
  ])('%s, then: %s', async (first, second) => {
    const { outcomes, active, decisions } = await decide(freshDir(), [first, second])
    expect(outcomes).toEqual(['added', 'superseded-older'])
    expect(active).toEqual([second])
    expect(decisions).toMatchObject([{ text: first, status: 'superseded', by: second }, { text: second }])
  })

  test('on doubt both stay, the newest last', async () => {
    const both = ['Not enough disk on host a', 'Not enough RAM on host b']
    expect(await decide(freshDir(), both)).toMatchObject({ outcomes: ['added', 'added'], active: both })
  })

  test('a mind changed back is changed back', async () => {
    const { active } = await decide(freshDir(), ['Use tabs for indentation', 'Use spaces instead of tabs for indentation', 'Use tabs instead of spaces for indentation'])
    expect(active).toEqual(['Use tabs instead of spaces for indentation'])
  })
})

describe('open items', () => {
  test.each([
    ['Ask Jovan about the rate limit', 'ask jovan about the rate limit'],
    ['Pošalji izveštaj magacinu', 'posalji izvestaj magacinu'],
    ['Пошаљи извештај магацину', 'Pošalji izveštaj magacinu'],
    ['Deploy v2 to staging', 'Deploy v2 to staging is done'],
  ])('%s is settled by: %s', async (item, settled) => {
    const dir = freshDir()
    await clawback.appendOpenItemToState(dir, 'k', item)
    expect(await clawback.resolveOpenItemInState(dir, 'k', settled)).toBe(true)
    expect((await clawback.buildCheckpointFromState(dir, 'k', manual)).open_items).toEqual([])
    expect((await clawback.readState(dir, 'k')).openItems).toMatchObject([{ status: 'resolved' }])
  })

  test('another version, or nothing known, is not settled; what comes back is open again', async () => {
    const dir = freshDir()
    await clawback.appendOpenItemToState(dir, 'k', 'deploy v2')
    expect(await clawback.resolveOpenItemInState(dir, 'k', 'deploy v3')).toBe(false)
    expect(await clawback.resolveOpenItemInState(dir, 'k', 'deploy v2')).toBe(true)
    expect(await clawback.resolveOpenItemInState(dir, 'k', 'deploy v2')).toBe(false)
    expect(await clawback.appendOpenItemToState(dir, 'k', 'deploy v2')).toBe('added')
    expect((await clawback.buildCheckpointFromState(dir, 'k', manual)).open_items).toEqual(['deploy v2'])
  })
})

describe('tools', () => {
  test('files and names are those of the calls, the last one is known', async () => {
    const dir = freshDir()
    await clawback.recordToolUseInState(dir, 'k', { name: 'read', params: { path: 'src/a.ts' } })
    await clawback.recordToolUseInState(dir, 'k', { name: 'edit', params: { path: 'src/b.ts', edits: [] } })
    await clawback.recordToolUseInState(dir, 'k', { name: 'read', params: { path: 'src/b.ts' } })
    await clawback.recordToolUseInState(dir, 'k', { name: 'write', params: { path: 'src/c.ts' }, isError: true, errorText: 'EACCES: permission denied' })
    const state = await clawback.readState(dir, 'k')
    expect(state.resources).toEqual({ filesRead: ['src/a.ts'], filesModified: ['src/b.ts'], toolsUsed: ['read', 'edit', 'write'] })
    expect(state.thread.errors.join()).toContain('EACCES')
    expect(await clawback.readLastToolCallFromState(dir, 'k')).toEqual({ name: 'write', paramsSummary: 'path: src/c.ts' })
  })
})

const conversation = () => [
  user('Make the nightly import reliable. Never touch the migrations folder.'),
  assistant('Shall I set the request timeout to 30 s?'),
  user('yes'),
  toolCall('c1', 'read', { path: 'src/importer.ts' }),
  toolResult('c1', 'x'.repeat(5_000)),
  toolCall('c2', 'edit', { path: 'src/importer.ts' }),
  toolResult('c2', 'edited'),
  assistant('Done. The request timeout is 30 s.'),
  user('continue'),
  assistant('ok'),
  user('continue'),
  assistant('Shall I use NATS for the queue?'),
  user([{ type: 'text', text: 'yes' }]),
]
/** The state without what only says when and where. */
async function remembered(dir: string, key = 'k') {
  const { journalSeq: _, ...state } = await clawback.readState(dir, key)
  return JSON.parse(JSON.stringify(state, (name, value) => (name === 'id' || name === 'at' ? undefined : value)))
}
const give = (dir: string, messages: unknown[], key = 'k') => clawback.writeCheckpoint(dir, key, { ...manual, messages: messages as clawback.Message[] })

describe.each([['with timestamps', conversation], ['without timestamps', () => conversation().map(untimed)]])('messages %s', (_, make) => {
  test('twice, as a whole or in part, change nothing', async () => {
    const dir = freshDir()
    const messages = make()
    await give(dir, messages)
    const once = await remembered(dir)
    expect(once.decisions.map((item: clawback.Item) => item.text)).toEqual([expect.stringMatching(/timeout to 30 s/), expect.stringMatching(/NATS/)])
    const content = ({ meta: _, integrity: __, ...rest }: clawback.Checkpoint) => rest
    const first = content((await clawback.readLatestCheckpoint(dir, 'k'))!)
    for (const again of [messages, messages.slice(3), messages.slice(2, 9), messages.slice(0, 1), messages.slice(-1)]) {
      await give(dir, structuredClone(again))
      expect(await remembered(dir)).toEqual(once)
    }
    expect(content((await clawback.readLatestCheckpoint(dir, 'k'))!)).toEqual(first)
  })

  test('growing by one at a time say the same as all at once', async () => {
    const dir = freshDir()
    const messages = make()
    await give(dir, messages, 'whole')
    for (let end = 1; end <= messages.length; end++) await give(dir, messages.slice(0, end), 'growing')
    for (let end = 2; end < messages.length + 2; end += 2) await give(dir, messages.slice(Math.max(0, end - 4), end), 'sliding')
    expect(await remembered(dir, 'growing')).toEqual(await remembered(dir, 'whole'))
    expect(await remembered(dir, 'sliding')).toEqual(await remembered(dir, 'whole'))
  })

  test('whose results the host has shortened since are the same messages', async () => {
    const dir = freshDir()
    const messages = make()
    await give(dir, messages)
    const once = await remembered(dir)
    await give(dir, messages.map((message) => (message.role === 'toolResult' ? { ...message, content: '[shortened]' } : message)))
    expect(await remembered(dir)).toEqual(once)
  })

  test('are known to every process', async () => {
    const dir = freshDir()
    const messages = make()
    await give(dir, messages)
    const once = await remembered(dir)
    const script = `require('./index.js').writeCheckpoint(${JSON.stringify(dir)}, 'k', ${JSON.stringify({ ...manual, messages })})`
    execFileSync(process.execPath, ['-e', script], { cwd: path.join(__dirname, '..') })
    expect(await remembered(dir)).toEqual(once)
  })
})

test('"continue" said twice is two messages, a new "yes" after a new question is an answer', async () => {
  const dir = freshDir()
  const start = [user('Build the importer.'), assistant('Shall I use SQLite for the cache?'), user('yes'), assistant('Done.')].map(untimed)
  await give(dir, start)
  await give(dir, [assistant('Shall I use NATS for the queue?'), user('yes')].map(untimed))
  expect((await clawback.readState(dir, 'k')).decisions.map((item) => item.text)).toEqual([expect.stringMatching(/SQLite/), expect.stringMatching(/NATS/)])
})

test('messages that say nothing are taken without harm', async () => {
  const dir = freshDir()
  const odd = [null, 7, 'x', {}, { role: 'user' }, user(null), user([]), user([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }]), user([null, 7, {}, { type: 'text' }, { type: 'hologram', x: 1 }]),
    { role: 'alien', content: 'zap' }, { role: 'toolResult', toolCallId: 'none', content: null }, assistant([{ type: 'toolCall' }]), { role: 'user', content: 'ok', timestamp: 'no time' }, { role: 'user', content: 'b', timestamp: 1e300 }, undefined]
  expect(await give(dir, odd)).toMatchObject({ written: true })
  const once = await remembered(dir)
  expect([once.goal, once.decisions, once.constraints]).toEqual([null, [], []])
  await give(dir, odd)
  expect(await remembered(dir)).toEqual(once)
})

test('reading and building create and change nothing', async () => {
  const [missing, dir] = [path.join(freshDir(), 'missing'), freshDir()]
  await give(dir, conversation())
  const { readFileSync, lstatSync } = await import('node:fs')
  const contents = () => treeOf(dir).map((name) => [name, lstatSync(path.join(dir, name)).isFile() && readFileSync(path.join(dir, name), 'utf8')])
  const before = contents()
  for (const where of [missing, dir]) {
    for (const key of ['k', 'other']) {
      await clawback.readState(where, key)
      await clawback.readLatestCheckpoint(where, key)
      await clawback.listCheckpoints(where, key)
      await clawback.readCheckpointForInjection(where, key)
      await clawback.readLastToolCallFromState(where, key)
      await clawback.listSessions(where)
      const built = await clawback.buildCheckpointFromState(where, key, { ...manual, messages: [user('Never delete the fixtures folder.')], fileOps: { read: ['a'], written: [], edited: [] }, agents: [{ id: 'a' }] })
      expect(built.constraints.join()).toContain('fixtures folder')
      expect((await clawback.readState(where, key)).constraints.join()).not.toContain('fixtures')
    }
  }
  expect(treeOf(path.dirname(missing))).toEqual([])
  expect(contents()).toEqual(before)
})
