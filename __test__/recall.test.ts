// Search and recovery through the public surface.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ContextSession } from '../index.js'

let stateDir: string
let session: Awaited<ReturnType<typeof ContextSession.open>>

beforeEach(async () => {
  stateDir = mkdtempSync(path.join(tmpdir(), 'clawback-recall-'))
  session = await ContextSession.open({ stateDir, sessionKey: 'test:recall', contextWindow: 2_000 })
})

afterEach(async () => {
  await session.close()
  rmSync(stateDir, { recursive: true, force: true })
})

const history = (texts: string[]) => texts.map((text, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: [{ type: 'text', text }],
  timestamp: 1_700_000_000_000 + index * 60_000,
  ...(index % 2 === 0 ? {} : { stopReason: 'stop' }),
}))

const talk = ['Which port does the importer use?', 'The importer listens on port 8443.', 'And the lunch menu?', 'Soup and bread.', `A long one: ${'word '.repeat(2_000)}`, 'Noted.']

test('what was synced is found at once, and what was dropped says so', async () => {
  session.sync([...history(talk), { role: 'user', content: 'New topic.', timestamp: 1_800_000_000_000 }])
  await session.plan({ force: true, budgetTokens: 300 })
  const hits = await session.recall('importer port')
  expect(hits[0]!.text).toMatch(/importer/)
  expect(hits.map((hit) => hit.text)).toContain('The importer listens on port 8443.')
  expect(hits[0]).toMatchObject({ sessionKey: 'test:recall', dropReason: expect.any(String), recoverableUntil: expect.any(String) })
  for (const hit of hits) expect(hit.score).toBeGreaterThanOrEqual(0)
  expect(hits[0]!.score).toBeLessThanOrEqual(1)
})

test('a message comes back whole, and in pages that put together are the message', async () => {
  session.sync(history(talk))
  const [hit] = await session.recall('a long one', { maxTokens: 50 })
  expect(hit!.tokens).toBeLessThanOrEqual(50)
  const whole = await session.recover(hit!.chunkId)
  expect(whole.text).toBe(talk[4])
  expect(whole.nextOffset).toBeUndefined()
  let text = ''
  let offset: number | undefined = 0
  while (offset !== undefined) {
    const page: Awaited<ReturnType<typeof session.recover>> = await session.recover(hit!.chunkId, { offset, maxTokens: 700 })
    expect(page.tokens).toBeLessThanOrEqual(700)
    expect(page.totalTokens).toBe(whole.totalTokens)
    text += page.text
    offset = page.nextOffset
  }
  expect(text).toBe(talk[4])
})

test('any text is a query; wrong arguments have codes', async () => {
  session.sync(history(talk))
  for (const query of ['', '"unbalanced', 'a AND (b OR', 'field:value^2~', '\ud800', '*'.repeat(100_000), '\u0000']) {
    expect(Array.isArray(await session.recall(query))).toBe(true)
  }
  const code = (promise: Promise<unknown>) => promise.then(() => 'none', (error) => error.code)
  expect(await code(session.recall(5 as never))).toBe('InvalidInput')
  expect(await code(session.recall('x', { scope: 'galaxy' as never }))).toBe('InvalidInput')
  expect(await code(session.recall('x', { since: 'yesterday' }))).toBe('InvalidInput')
  expect(await code(session.recover('../../x'))).toBe('InvalidInput')
  expect(await code(session.recover('c0-99-0123456789abcdef'))).toBe('NotFound')
})

test('other sessions are found only when asked for', async () => {
  const other = await ContextSession.open({ stateDir, sessionKey: 'test:other', contextWindow: 2_000 })
  other.sync(history(['The secret word is xylophone.']))
  await other.close()
  session.sync(history(talk))
  expect(await session.recall('xylophone')).toEqual([])
  const [hit] = await session.recall('xylophone', { scope: 'all' })
  expect(hit!.sessionKey).toBe('test:other')
  await expect(session.recover(hit!.chunkId)).rejects.toMatchObject({ code: 'NotFound' })
})

test('with cold storage off there is nothing to find', async () => {
  const without = await ContextSession.open({ stateDir, sessionKey: 'test:off', contextWindow: 2_000, config: { coldStorageEnabled: false } })
  await expect(without.recall('x')).rejects.toMatchObject({ code: 'Unsupported' })
  await expect(without.recover('c0-99-0123456789abcdef')).rejects.toMatchObject({ code: 'Unsupported' })
  await without.close()
})

test('who holds the id that is asked for comes before all who do not', async () => {
  const about = (number: number): string => `The ticket about the transfer ${number} was looked at by the finance team, the ticket stays open.`
  session.sync(history([about(1), 'FIN-7731 is the suspicious one.', about(2), about(3), 'Thanks.', about(4), about(5), 'Lunch?', `Closed today, after a long look at the whole transfer: ${'it was said that '.repeat(40)} FIN-7731.`, about(6)]))
  for (const query of ['FIN-7731', 'the ticket FIN-7731 about the transfer', 'finance team fin-7731 ticket open']) {
    const hits = await session.recall(query)
    const holds = hits.map((hit) => hit.text.includes('FIN-7731'))
    expect(holds, query).toEqual(holds.map((_, at) => at < 2))
    expect(hits.map((hit) => hit.score), query).toEqual(hits.map((hit) => hit.score).toSorted((a, b) => b - a))
  }
})
