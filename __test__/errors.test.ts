// What errors say: which function, what was wrong, what to give; short, and never the value itself, which may be a whole
// conversation or hold a secret.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import * as clawback from '../index.js'
import { PARAMETERS, describe as words, short, withoutValues } from '../lib/wording.js'
import { freshDir, manual } from './support/sandbox.js'

const SECRET = 'sk-proj-abcdefghijklmnop1234567890ABCDEFGHIJ'
const circle: Record<string, unknown> = { text: SECRET }
circle.self = circle
const failing = new Proxy({}, {
  get() { throw new Error('trap') },
  ownKeys() { throw new Error('trap') },
  has() { throw new Error('trap') },
})
const odd: [string, unknown][] = [
  ['an object', { content: SECRET, text: SECRET }], ['a huge text', `${SECRET} `.repeat(20_000)], ['a text', SECRET], ['an array', [SECRET, { a: SECRET }]], ['a circle', circle],
  ['a BigInt', 10n], ['a symbol', Symbol(SECRET)], ['a failing proxy', failing], ['a number', 7], ['null', null], ['undefined', undefined],
  ['a failing getter', { get maxTokens() { throw new Error(SECRET) }, get limit() { throw new Error(SECRET) }, get from() { throw new Error(SECRET) }, get contextWindow() { throw new Error(SECRET) }, get messages() { throw new Error(SECRET) } }],
]

async function failure(call: () => unknown): Promise<(Error & { code?: string }) | undefined> {
  try {
    await call()
    return undefined
  } catch (error) {
    return error as Error
  }
}

function check(error: Error & { code?: string }, name: string, what: string): void {
  expect(error, what).toBeInstanceOf(Error)
  expect(error.code, `${what}: ${error.message}`).toMatch(/^(InvalidInput|NotFound|Corrupt|Unsupported|Refused|Closed)$/)
  expect(error.message.length, what).toBeLessThanOrEqual(300)
  expect(error.message, what).toContain(name)
  expect(error.message, what).not.toContain(SECRET.slice(0, 24))
  expect(error.message, what).not.toMatch(/rust|napi|\bf64\b|\bu32\b|undefined/)
}

const functions = Object.entries(clawback as unknown as Record<string, unknown>).filter((entry): entry is [string, (...args: unknown[]) => unknown] => typeof entry[1] === 'function' && !/^[A-Z]/.test(entry[0]) && entry[0] !== 'default')

test('the parameters are named as index.d.ts names them', () => {
  const types = readFileSync(path.join(__dirname, '..', 'index.d.ts'), 'utf8')
  for (const [name] of functions.filter(([name]) => name in PARAMETERS)) {
    const list = new RegExp(`export function ${name}(?:<.*?>)?\\((.*)\\): `).exec(types)![1]!
    const names = [...list.replace(/\{[^}]*\}|\([^)]*\)|<[^>]*>/g, '').matchAll(/(\w+)\??: /g)].map((match) => match[1])
    expect(Object.keys(PARAMETERS[name]!), name).toEqual(names)
  }
  expect(functions.map(([name]) => name).filter((name) => !(name in PARAMETERS)).sort()).toEqual(['drainLogs'])
})

test.each(functions)('%s', async (name, call) => {
  const parameters = Object.entries(PARAMETERS[name] ?? {})
  const good: Record<string, unknown> = { ...manual, stateDir: freshDir(), sessionKey: 'k', decision: { what: 'x' }, tool: { name: 'x' }, call: { name: 'x', paramsSummary: 'y' }, input: manual, complete: async () => '{}', messages: [], files: [], maxTokens: 5 }
  for (const position of parameters.keys()) {
    for (const [kind, value] of odd) {
      const args = parameters.map(([parameter, type], index) => (index === position ? value : good[parameter] ?? (type === 'string' ? 'x' : undefined)))
      // A text is a path; errors about files name them.
      if (/stateDir|path/.test(parameters[position]![0]) && typeof value === 'string') continue
      const error = await failure(() => call(...args))
      if (error) check(error, name, `${name}: ${parameters[position]![0]} is ${kind}`)
    }
  }
})

describe('methods of a session', () => {
  let context: clawback.ContextSession
  beforeAll(async () => {
    context = await clawback.ContextSession.open({ stateDir: freshDir(), sessionKey: 'k', contextWindow: 32_000 })
  })

  test('ContextSession.open', async () => {
    const base = { stateDir: freshDir(), sessionKey: 'k', contextWindow: 32_000 }
    for (const [kind, value] of odd) {
      for (const field of ['config', 'mode', 'contextWindow', 'agentId', 'sessionKey']) {
        const error = await failure(async () => (await clawback.ContextSession.open({ ...base, [field]: value })).close())
        if (error) check(error, 'ContextSession.open', `${field} is ${kind}`)
      }
    }
    expect(await failure(() => clawback.ContextSession.open({ ...base, config: circle as never }))).toMatchObject({ code: 'InvalidInput' })
  })

  const calls: [string, (value: never) => unknown][] = [
    ['setLimits', (value) => context.setLimits(value)], ['sync', (value) => context.sync(value)], ['sync', (value) => context.sync([], value)], ['sync', (value) => context.sync([], { from: value })],
    ['gauge', (value) => context.gauge(value)], ['plan', (value) => context.plan(value)], ['plan', (value) => context.plan({ prompt: value })], ['compact', (value) => context.compact(value)],
    ['compact', (value) => context.compact({ reason: value })], ['commit', (value) => context.commit(value, { key: 'k' })], ['commit', (value) => context.commit([], value)],
    ['checkpoint', (value) => context.checkpoint(value)], ['checkpoint', (value) => context.checkpoint({ trigger: value })], ['packet', (value) => context.packet(value)], ['packet', (value) => context.packet({ maxTokens: value })],
    ['spill', (value) => context.spill(value, { maxTokens: 10 })], ['spill', (value) => context.spill({}, value)], ['pin', (value) => context.pin(value)],
    ['recall', (value) => context.recall(value)], ['recall', (value) => context.recall('x', value)], ['recall', (value) => context.recall('x', { scope: value })], ['recall', (value) => context.recall('x', { since: value })],
    ['recover', (value) => context.recover(value)], ['explain', (value) => context.explain(value)], ['maintain', (value) => context.maintain(value)], ['agentStarted', (value) => context.agentStarted(value)],
    ['agentEnded', (value) => context.agentEnded(value)], ['reset', (value) => context.reset(value)], ['compactionSettled', (value) => context.compactionSettled(value)],
  ]
  test.each(calls)('%s', async (name, call) => {
    for (const [kind, value] of odd) {
      const error = await failure(() => call(value as never))
      if (error) check(error, name, `${name} with ${kind}`)
    }
  })

  test('show the short value of an option that takes one of a few words, or a time; no other', async () => {
    const message = async (call: () => unknown) => (await failure(call))!.message
    const stateDir = freshDir()
    const input = (trigger: string) => ({ trigger, tokenUsage: { inputTokens: 1, contextWindow: 2 } }) as never
    const open = (more: object) => clawback.ContextSession.open({ stateDir, sessionKey: 'k', contextWindow: 1, ...more } as never)
    expect(await message(() => clawback.writeCheckpoint(stateDir, 'k', input('foo')))).toContain('unknown trigger "foo"')
    expect(await message(() => open({ mode: 'fast' }))).toContain('mode "fast" is unknown')
    expect(await message(() => open({ config: { durability: 'fulll' } }))).toContain('"fulll"')
    expect(await message(() => clawback.appendDecisionToState(stateDir, 'k', { what: 'Use tabs', when: 'yesterday' }))).toContain('"yesterday"')
    expect(await message(() => context.recall('x', { since: '2026-13-45' }))).toContain('"2026-13-45"')
    for (const secret of [SECRET, 'my password is hunter2', 'x'.repeat(30)]) {
      expect(await message(() => clawback.writeCheckpoint(stateDir, 'k', input(secret)))).toContain('unknown trigger "…"')
      expect(await message(() => open({ mode: secret }))).not.toContain(secret)
    }
  })

  test('name the field and what it takes', async () => {
    const message = async (call: () => unknown) => (await failure(call))!.message
    expect(await message(() => context.gauge({ tokens: 'many' as never }))).toBe('gauge: tokens is a string of 4 characters; give a number')
    expect(await message(() => context.spill(null as never, { maxTokens: 5 }))).toBe('spill: message is null; give a message')
    expect(await message(() => context.reset(10n as never))).toBe("reset: reason is a BigInt; there are 'new', 'reset' and 'deleted'")
    expect(await message(() => clawback.mergeItems([1] as never, []))).toBe('mergeItems: primary[0] is the number 1; give a string')
    expect(await message(() => clawback.appendOpenItemToState('/nowhere', 'k', { text: SECRET } as never))).toBe('appendOpenItemToState: item is an object; give a string')
    expect(await message(() => clawback.allocateBudget({ contextWindow: 100, ratios: { historyRatio: 'x' as never } }))).toBe('allocateBudget: ratios.historyRatio is a string of 1 characters; give a number')
  })
})

describe('wording', () => {
  test('a value is described, not shown', () => {
    expect([words(SECRET), words(circle), words(Symbol(SECRET)), words(NaN), words('')]).toEqual([`a string of ${SECRET.length} characters`, 'an object', 'a symbol', 'the number NaN', 'an empty string'])
  })

  test('a message is at most 300 characters, and a long path keeps its two ends', () => {
    expect(short('words '.repeat(100)).length).toBe(300)
    expect(short(`no such file: /home/${'x'.repeat(4_000)}/a.yaml: is missing`)).toMatch(/^no such file: \/home\/x+…x+\/a\.yaml: is missing$/)
  })

  test('what is quoted is left out, also with a quote in it', () => {
    expect(withoutValues(String.raw`reason "a \" b" is unknown; there are "x"`)).toBe('reason "…" is unknown; there are "…"')
  })
})
