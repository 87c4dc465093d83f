// Whatever stands in an argument's place, a call answers with an Error that has a code, or with a value: it never throws
// from an asynchronous function, never leaves a promise open, never ends the process (FAULTS E4, I1).
import { expect, test } from 'vitest'
import * as clawback from '../index.js'
import { codeOf, freshDir, manual, user } from './support/sandbox.js'

const odd: unknown[] = [undefined, null, 0, -1, NaN, Infinity, 1e308, true, '', 'x', '\ud83d', 10n, Symbol('s'), () => 1, {}, [], [null], new Date(NaN), new Map(), new Set(['a']), /x/, Buffer.from('a'), new Proxy({}, {}), Object.create(null),
  { what: 1, name: 1, trigger: 1, tokenUsage: 1, role: 1, content: { type: 5 } }, { what: {}, name: [], messages: 'x' }]

const cyclic: Record<string, unknown> = { role: 'user', content: 'x' }
cyclic.self = cyclic

const functions = Object.entries(clawback as unknown as Record<string, unknown>).filter((entry): entry is [string, (...args: unknown[]) => unknown] => typeof entry[1] === 'function' && !/^[A-Z]/.test(entry[0]) && entry[0] !== 'default')

test.each(functions)('%s answers to anything', async (name, call) => {
  const dir = freshDir()
  const good: unknown[] = /Yaml|normalize|extract|Token|redact|compare|isSemantic|sanitize|merge|Message|userText|diff|render|gauge|measure/.test(name) ? ['x', 'x'] : [dir, 'k', { ...manual, what: 'x', name: 'x', paramsSummary: 'x' }, {}]
  const codes = new Set<string>()
  for (let position = 0; position < 4; position++) {
    for (const value of [...odd, cyclic]) {
      const args = good.slice()
      while (args.length < position) args.push(undefined)
      // A word is a fine state directory, but not here.
      args[position] = position === 0 && value === 'x' && good[0] === dir ? `${dir}/x` : value
      let result: unknown
      try {
        result = call(...args)
      } catch (error) {
        expect(error, name).toBeInstanceOf(Error)
        codes.add(String((error as { code?: string }).code))
        continue
      }
      if (result instanceof Promise) codes.add(await codeOf(result))
    }
  }
  codes.delete('none')
  expect([...codes].filter((code) => !['InvalidInput', 'NotFound', 'Corrupt', 'Unsupported'].includes(code)), name).toEqual([])
}, 60_000)

test('asynchronous functions reject, they do not throw', async () => {
  const asynchronous = functions.filter(([name]) => /State$|State[A-Z]|Checkpoint(s|ForInjection)?$|Sessions$|Async$|ByKey$|Transcript$/.test(name) && !/^(render|diff)/.test(name))
  expect(asynchronous.length).toBeGreaterThan(12)
  for (const [name, call] of asynchronous) {
    let promise: unknown
    expect(() => (promise = call()), name).not.toThrow()
    expect(promise, name).toBeInstanceOf(Promise)
    expect(await codeOf(promise as Promise<unknown>), name).toBe('InvalidInput')
  }
})

test('messages of any shape are read, never refused', () => {
  const shapes: unknown[] = [...odd.filter((value) => typeof value !== 'symbol' && typeof value !== 'bigint'), cyclic, { role: 'user', content: null }, { role: 'user', content: [null, 7, { type: 'text' }] }, { role: 'user', content: 'x', timestamp: NaN }, { role: 'user', content: 'x', at: new Date(), run: () => 1, big: 10n }]
  for (const shape of shapes) {
    const message = shape as clawback.Message
    expect(typeof clawback.isRealUserMessage(message)).toBe('boolean')
    expect(['string', 'object']).toContain(typeof clawback.userText(message))
    expect(clawback.estimateMessageTokens(message)).toBeGreaterThanOrEqual(0)
  }
  expect(clawback.userText({ role: 'user', content: 'Ship it today.', timestamp: NaN })).toBe('Ship it today.')
})

test('nothing is written as null or left out, in any place where it may be', async () => {
  const dir = freshDir()
  const nothing = null as never
  expect(await clawback.writeCheckpoint(dir, 'k', { ...manual, sessionFile: nothing, channel: nothing, agentId: nothing, compactionCount: nothing, messages: nothing, isSplitTurn: nothing, fileOps: nothing, agents: [{ id: 'a', task: nothing, startedAt: nothing }] })).toMatchObject({ written: true })
  expect(await clawback.appendDecisionToState(dir, 'k', { what: 'Use SQLite', when: nothing }, nothing)).toBe('added')
  await clawback.recordToolUseInState(dir, 'k', { name: 'read', params: nothing, isError: nothing, errorText: nothing })
  expect((await clawback.readLatestCheckpoint(dir, 'k'))!.agents).toEqual([{ id: 'a', task: null, started_at: null }])
  expect(clawback.renderCheckpoint((await clawback.readLatestCheckpoint(dir, 'k'))!, nothing).text).toContain('cp_001')
})

test('a wait of less than no time is refused, not taken for ever', async () => {
  for (const lockTimeoutMs of [-1, NaN, Infinity]) expect(await codeOf(clawback.appendLearningToState(freshDir(), 'k', 'x y z', { lockTimeoutMs }))).toBe('InvalidInput')
})

test('`when` is a time; a day or a time without a zone is UTC', async () => {
  const dir = freshDir()
  for (const when of ['yesterday', '', '2026-13-01', '2026-02-30T00:00:00Z', '25.02.2026']) expect(await codeOf(clawback.appendDecisionToState(dir, 'k', { what: `Decided ${when}`, when })), when).toBe('InvalidInput')
  const times = ['2026-02-25T14:15:00Z', '2026-02-25T16:15:00+02:00', '2026-02-25T14:15:00', '2026-02-25']
  for (const [index, when] of times.entries()) await clawback.appendDecisionToState(dir, 'k', { what: `Decision about subject number ${index}`, when })
  expect((await clawback.readState(dir, 'k')).decisions.map((item) => item.at)).toEqual([...Array(3).fill('2026-02-25T14:15:00.000Z'), '2026-02-25T00:00:00.000Z'])
})

test('10,000 promises in flight are all answered', async () => {
  const dir = freshDir()
  const calls = Array.from({ length: 10_000 }, (_, number) => (number % 20 === 0 ? clawback.writeLastToolCallToState(dir, 'k', { name: 'bash', paramsSummary: `run ${number}` }) : clawback.readLastToolCallFromState(dir, `k${number % 7}`)))
  const answers = await Promise.allSettled(calls)
  expect(answers.filter((answer) => answer.status === 'rejected')).toEqual([])
  expect(await clawback.readLastToolCallFromState(dir, 'k')).toEqual({ name: 'bash', paramsSummary: 'run 9980' })
})

test('one odd message costs neither the others nor the checkpoint', async () => {
  const deep = (levels: number) => {
    let value: object = {}
    for (let level = 0; level < levels; level++) value = { a: value }
    return value
  }
  for (const [index, levels] of [100, 130, 3_000, 100_000].entries()) {
    const dir = freshDir()
    const call = { role: 'assistant', content: [{ type: 'toolCall', id: 'c1', name: 'query', arguments: deep(levels) }], timestamp: index }
    expect(await clawback.writeCheckpoint(dir, 'k', { ...manual, messages: [user('Never touch the migrations folder.'), call, cyclic, { role: 'user', content: 'x', big: 10n }] }), `${levels} levels`).toMatchObject({ written: true })
    await clawback.recordToolUseInState(dir, 'k', { name: 'query', params: deep(levels) })
    const state = await clawback.readState(dir, 'k')
    expect(state.constraints.map((item) => item.text)).toEqual([expect.stringContaining('migrations folder')])
    expect(state.resources.toolsUsed).toEqual(['query'])
    expect(clawback.estimateMessageTokens(call)).toBeGreaterThan(0)
  }
})

test('lists that are no lists are refused', async () => {
  const dir = freshDir()
  expect(await codeOf(clawback.writeCheckpoint(dir, 'k', { ...manual, messages: 'none' as never }))).toBe('InvalidInput')
  expect(await codeOf(clawback.writeCheckpoint(dir, 'k', { ...manual, fileOps: { read: 'abc' } as never }))).toBe('InvalidInput')
  expect(await clawback.readLatestCheckpoint(dir, 'k')).toBeNull()
})
