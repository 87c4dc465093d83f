// Seed 003's face: an agent with four callbacks and nothing else.
import { expect, test } from 'vitest'
import { ContextManager, readLatestCheckpoint, listDrops, type Message } from '../index.js'
import { codeOf, freshDir } from './support/sandbox.js'

const KEY = 'any:agent'

/** An agent that keeps its context in a list and counts four characters as a token. */
function agent(turns: number, options: object = {}) {
  let at = Date.UTC(2026, 1, 1)
  let context: Message[] = []
  const say = (number: number): void => {
    context.push({ role: 'user', content: `Request ${number}: please look at file number ${number} of the harbour project.`, timestamp: (at += 1_000) } as Message)
    context.push({ role: 'assistant', content: [{ type: 'text', text: `Answer ${number}. ${'The wall was inspected and the findings noted. '.repeat(20)}` }], timestamp: (at += 1_000) } as Message)
  }
  for (let number = 1; number <= turns; number++) say(number)
  const count = (): number => Math.ceil(JSON.stringify(context).length / 4)
  const stateDir = freshDir()
  const manager = new ContextManager({
    stateDir, sessionKey: KEY,
    getContext: () => context,
    setContext: (next) => void (context = next),
    getTokenCount: count,
    getMessages: (n) => context.slice(-n),
    ...options,
  })
  return { manager, stateDir, say, count, context: () => context, set: (next: Message[]) => void (context = next) }
}

test('a small context needs nothing', async () => {
  const { manager } = agent(2)
  const status = await manager.beforeResponse({ maxTokens: 100_000 })
  expect(status).toMatchObject({ needsCompaction: false, limit: 100_000, zone: 'green', line: null })
  expect(status.currentTokens).toBeGreaterThan(100)
  await manager.sessionEnd()
})

test('a full one is compacted: old turns leave, the packet comes first, and what left is in cold storage', async () => {
  const { manager, stateDir, count, context } = agent(60)
  const before = count()
  const newest = context().slice(-2)
  expect(await manager.beforeResponse({ maxTokens: 20_000 })).toMatchObject({ needsCompaction: true })
  const compaction = await manager.compact()
  expect(compaction).toMatchObject({ compacted: true, epoch: 1 })
  expect(compaction.droppedMessages).toBeGreaterThan(50)
  expect(count()).toBeLessThan(before / 2)
  expect(context()[0]).toMatchObject({ role: 'user', content: expect.stringContaining('[Post-compaction checkpoint restore]') })
  expect(context().slice(-2)).toEqual(newest)
  expect(context().slice(-2)[0]).toBe(newest[0])
  expect((await listDrops(stateDir, KEY)).total).toBe(compaction.droppedMessages)
  expect(await manager.beforeResponse({ maxTokens: 20_000 })).toMatchObject({ needsCompaction: false })
  await manager.sessionEnd()
})

test('what it put in itself is not taken for the conversation, and nothing is dropped twice', async () => {
  const { manager, stateDir, say, context, set } = agent(60)
  await manager.beforeResponse({ maxTokens: 20_000 })
  await manager.compact()
  // An agent that stores its context gets copies back.
  set(JSON.parse(JSON.stringify(context())) as Message[])
  const first = (await listDrops(stateDir, KEY)).total
  for (let number = 61; number <= 100; number++) say(number)
  expect(await manager.beforeResponse({ maxTokens: 20_000 })).toMatchObject({ needsCompaction: true })
  await manager.compact()
  const { drops } = await listDrops(stateDir, KEY)
  expect(drops.length).toBeGreaterThan(first)
  expect(new Set(drops.map((drop) => drop.chunk_id)).size).toBe(drops.length)
  expect(context().filter((message) => JSON.stringify(message).includes('[Post-compaction checkpoint restore]'))).toHaveLength(1)
  await manager.sessionEnd()
})

test('the hook points do all of it, and never throw', async () => {
  const errors: unknown[] = []
  const { manager, stateDir, count } = agent(60, { onError: (error: unknown) => errors.push(error) })
  const hooks = manager.hooks()
  const before = count()
  expect(await hooks['message-received']({ maxTokens: 20_000 })).toMatchObject({ needsCompaction: true })
  expect(await hooks['pre-response']({ maxTokens: 20_000 })).toMatchObject({ compaction: { compacted: true } })
  expect(count()).toBeLessThan(before)
  expect(await hooks['post-response']({ maxTokens: 20_000 })).toMatchObject({ zone: expect.any(String) })
  expect(await hooks['pre-response']({ maxTokens: -1 })).toBeUndefined()
  expect(errors).toMatchObject([{ code: 'InvalidInput' }])
  await hooks['session-end']()
  await hooks['session-end']()
  expect(await hooks['message-received']()).toBeUndefined()
  expect(errors).toMatchObject([{ code: 'InvalidInput' }, { code: 'Closed' }])
  expect((await readLatestCheckpoint(stateDir, KEY))?.meta.trigger).toBe('session-end')
})

test('a callback that fails leaves the agent with its context', async () => {
  const { manager, context } = agent(60, { setContext: () => { throw new Error('the agent is busy') } })
  const before = context()
  await manager.beforeResponse({ maxTokens: 20_000 })
  await expect(manager.compact()).rejects.toThrow('the agent is busy')
  expect(context()).toBe(before)
  await manager.sessionEnd()
})

test('an opaque context is read through getMessages', async () => {
  const { manager } = agent(3, { getContext: () => 'one long text' })
  expect(await manager.beforeResponse({ maxTokens: 100_000 })).toMatchObject({ zone: 'green' })
  await manager.sessionEnd()
  const nothing = agent(1, { getContext: () => 'text', getMessages: () => 'text' })
  expect(await codeOf(nothing.manager.beforeResponse())).toBe('InvalidInput')
})

test('it cannot be made without its callbacks', () => {
  const good = { stateDir: '/tmp', sessionKey: 'a', getContext: () => [], setContext: () => undefined, getTokenCount: () => 0, getMessages: () => [] }
  for (const missing of Object.keys(good)) {
    expect(() => new ContextManager({ ...good, [missing]: undefined } as never)).toThrow(expect.objectContaining({ code: 'InvalidInput', message: expect.stringContaining(missing) }))
  }
})

test('a hook does not throw where onError itself does', async () => {
  const { manager } = agent(2, { getContext: () => { throw new Error('no context') }, onError: () => { throw new Error('no log either') } })
  for (const hook of Object.values(manager.hooks())) await expect(hook({ maxTokens: 20_000 })).resolves.toBeUndefined()
  const { manager: other } = agent(2, { getContext: () => { throw new Error('no context') }, onError: async () => { throw new Error('no log either') } })
  await expect(other.hooks()['session-end']()).resolves.toBeUndefined()
})
