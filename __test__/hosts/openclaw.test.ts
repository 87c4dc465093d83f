// OpenClaw's plugin without OpenClaw: what it hands to the host and what it does when something fails. How it behaves inside
// the real host is tested by `npm run test:hosts`.
import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Message } from 'clawback'
import { addonLoader } from '../../hosts/openclaw/addon.js'
import type { Clawback, Plan, Session } from '../../hosts/openclaw/api.js'
import { createEngine } from '../../hosts/openclaw/engine.js'
import type { PluginApi, ToolResultEvent } from '../../hosts/openclaw/host.js'
import { callNames, withCallNames } from '../../hosts/openclaw/ids.js'
import { register } from '../../hosts/openclaw/index.js'
import { followSessions } from '../../hosts/openclaw/lifecycle.js'
import { resultLimit, roomInTurn } from '../../hosts/openclaw/limits.js'
import { reasonOf, resultOf } from '../../hosts/openclaw/outcome.js'
import { withSession, type Plugin } from '../../hosts/openclaw/plugin.js'
import { compactionProvider } from '../../hosts/openclaw/provider.js'
import { DEFAULTS, readSettings, roleIn } from '../../hosts/openclaw/settings.js'
import { spillLargeResults } from '../../hosts/openclaw/spill.js'
import { appendedTo, ofConversation, viewOf } from '../../hosts/openclaw/view.js'

let count = 0
let key = ''
beforeEach(() => void (key = `agent:main:${++count}`))

const failing = (code: string) => async () => {
  throw Object.assign(new Error(`it is ${code}`), { code })
}

const planOf = (keep: number[], packet: string | null = null): Plan => ({
  epoch: 1, zone: 'green', packet, tail: null, keep: Uint32Array.from(keep), replace: [], tokensBefore: 9, tokensAfter: 7, droppedMessages: 0, warnings: [],
})

/** A session that plans to show everything, with some methods replaced. */
function fakeSession(over: Partial<Record<keyof Session, unknown>> = {}) {
  let synced: readonly Message[] = []
  const plan = async () => planOf(synced.map((_, index) => index))
  const session = {
    setLimits: vi.fn(), sync: vi.fn((messages: readonly Message[]) => void (synced = messages)), gauge: vi.fn(), plan: vi.fn<Session['plan']>(plan),
    compact: vi.fn(async () => ({ compacted: true, reason: '', tokensBefore: 90, tokensAfter: 30, summary: 's' })),
    commit: vi.fn(async () => 'committed'), checkpoint: vi.fn(), recall: vi.fn(async () => []), recover: vi.fn(), spill: vi.fn(),
    maintain: vi.fn(), agentStarted: vi.fn(), fork: vi.fn(), reset: vi.fn(async () => {}), drainLogs: vi.fn(() => []), flush: vi.fn(), close: vi.fn(async () => {}),
  }
  return Object.assign(session, over) as typeof session
}

function fakePlugin(session: object | null, settings = {}): Plugin & { lines: string[] } {
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  const addon = {
    version: '0', estimateMessageTokens: (message: Message) => JSON.stringify(message.content).length / 4,
    agentEndedByKey: vi.fn(async () => true), ContextSession: { open: async () => session }, summarizeMessages: vi.fn(async () => 'summary'),
  } as unknown as Clawback
  return {
    addon: () => (session === null ? undefined : addon), stateDir: `/nowhere/${count}`, settings: { ...DEFAULTS, ...settings },
    role: roleIn({ plugins: { slots: { contextEngine: 'clawback' } } }), logger: { info: say, warn: say, error: say }, lines,
  }
}

const history: Message[] = [
  { role: 'user', content: 'first', timestamp: 1 },
  { role: 'assistant', content: [{ type: 'text', text: 'one' }], timestamp: 2 },
  { role: 'toolResult', toolCallId: 'c', content: [{ type: 'text', text: 'long' }], details: { big: true }, timestamp: 3 },
]
const beforePrompt = (more = {}) => ({ sessionKey: key, messages: history, prompt: 'next', tokenBudget: 1000, runtimeSettings: { limits: { promptTokenBudget: 1000, maxOutputTokens: 200 } }, ...more })
const betweenCalls = (messages: Message[], more = {}) => ({ sessionKey: key, messages, prompt: 'next', tokenBudget: 1900, runtimeSettings: { limits: { promptTokenBudget: 2000, maxOutputTokens: null } }, ...more })

describe('the manifest', () => {
  const manifest = JSON.parse(readFileSync('openclaw.plugin.json', 'utf8'))

  test('declares every setting with its default and says what it does', () => {
    const { properties } = manifest.configSchema
    expect(Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, (property as { default: unknown }).default]))).toEqual(DEFAULTS)
    for (const property of Object.values(properties)) expect((property as { description: string }).description.length).toBeGreaterThan(20)
  })

  test('names the entry that is packed', () => {
    const packed = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(packed.openclaw.extensions).toEqual(['./dist/hosts/openclaw/index.js'])
    expect(packed.files).toEqual(expect.arrayContaining(['dist/hosts', 'openclaw.plugin.json']))
  })

  test('settings of another type count as missing', () => {
    expect(readSettings({ tools: 'yes', maxToolResultTokens: -1, manager: [], tail: false })).toEqual({ ...DEFAULTS, tail: false })
  })
})

describe('a wrong knob of the manager', () => {
  const wrong = Object.assign(new Error('ContextSession.open: configuration, option config: compactionTriggerPct is 50: a number from 0 to 1 is needed'), { code: 'InvalidInput' })

  test('costs the knobs and not the memory, and is told with its place', async () => {
    const session = fakeSession()
    const plugin = fakePlugin(session, { manager: { compactionTriggerPct: 50 } })
    const open = vi.fn(async ({ config }: { config: object }) => (Object.keys(config).length > 0 ? Promise.reject(wrong) : session))
    Object.assign(plugin.addon() as object, { ContextSession: { open } })
    expect(await withSession(plugin, { sessionKey: key }, async () => 'used')).toBe('used')
    expect(open).toHaveBeenCalledTimes(2)
    expect(plugin.lines).toEqual(['clawback: plugins.entries.clawback.config.manager in openclaw.json: compactionTriggerPct is 50: a number from 0 to 1 is needed; it is left out, the defaults are used'])
  })

  test('is not taken for another failure', async () => {
    const plugin = fakePlugin(null, { manager: { compactionTriggerPct: 0.5 } })
    const open = vi.fn(async () => Promise.reject(Object.assign(new Error('locked'), { code: 'Locked' })))
    await expect(withSession({ ...plugin, addon: () => ({ ContextSession: { open } }) as never }, { sessionKey: key }, async () => 'used')).rejects.toThrow('locked')
    expect(open).toHaveBeenCalledTimes(1)
  })
})

describe('registering', () => {
  function fakeApi(config: PluginApi['config'], pluginConfig = {}) {
    const seen: string[] = []
    const lines: string[] = []
    const say = (line: string) => void lines.push(line)
    const api = {
      id: 'clawback', registrationMode: 'full', config, pluginConfig, logger: { info: say, warn: say, error: say },
      runtime: { state: { resolveStateDir: () => '/nowhere' } },
      registerContextEngine: (id: string) => seen.push(`engine ${id}`),
      registerCompactionProvider: ({ id }: { id: string }) => seen.push(`provider ${id}`),
      registerTool: (_: unknown, { names }: { names: string[] }) => seen.push(...names),
      registerAgentToolResultMiddleware: () => seen.push('middleware'),
      on: (name: string) => seen.push(name),
    } as unknown as PluginApi
    return { api, seen, lines }
  }
  const slot = { slots: { contextEngine: 'clawback' }, entries: { clawback: { hooks: { allowConversationAccess: true } } } }

  test('as context engine: tails through the prompt hook, large results through the middleware', () => {
    const { api, seen } = fakeApi({ plugins: slot })
    register(api)
    expect(seen).toEqual(expect.arrayContaining(['engine clawback', 'provider clawback', 'middleware', 'before_prompt_build', 'session_end']))
    expect(seen).not.toContain('before_compaction')
    expect(seen).not.toContain('context_search')
  })

  test('beside the host: hooks only', () => {
    const { api, seen } = fakeApi({ plugins: { entries: slot.entries } })
    register(api)
    expect(seen).toEqual(expect.arrayContaining(['before_prompt_build', 'before_compaction', 'after_compaction', 'after_tool_call', 'agent_end']))
    expect(seen).not.toContain('middleware')
  })

  test('as summariser only, nothing else is added to the conversation', () => {
    const { api, seen } = fakeApi({ plugins: { entries: slot.entries }, agents: { defaults: { compaction: { provider: 'clawback' } } } })
    register(api)
    expect(seen).toEqual(['engine clawback', 'provider clawback'])
  })

  test('without the switch for conversations: no tail, and one line that names the switch, however often it registers', () => {
    const first = fakeApi({ plugins: { slots: slot.slots } })
    const second = fakeApi({ plugins: { slots: slot.slots } })
    register(first.api)
    register(second.api)
    expect(first.seen).not.toContain('before_prompt_build')
    expect([...first.lines, ...second.lines].filter((line) => line.includes('plugins.entries.clawback.hooks.allowConversationAccess'))).toHaveLength(1)
  })

  test('warns when the host rewrites old tool results itself', () => {
    const { api, lines } = fakeApi({ plugins: slot, agents: { defaults: { contextPruning: { mode: 'cache-ttl' } } } })
    register(api)
    expect(lines.filter((line) => line.includes('contextPruning'))).toHaveLength(1)
  })

  test('an addon that does not load is said once', () => {
    const lines: string[] = []
    const say = (line: string) => void lines.push(line)
    const logger = { info: say, warn: say, error: say }
    const broken = () => {
      throw new Error('no binary for this platform')
    }
    for (const load of [addonLoader(logger, broken), addonLoader(logger, broken)]) {
      expect(load()).toBeUndefined()
      expect(load()).toBeUndefined()
    }
    expect(lines).toEqual(['clawback: not active, OpenClaw manages the context itself. no binary for this platform'])
  })
})

describe('the view', () => {
  test('begins with the packet, at the time of the first kept message, and copies only what is replaced', () => {
    const view = viewOf(history, { ...planOf([1, 2], 'packet'), replace: [{ index: 2, text: 'short' }] })
    expect(view).toEqual([
      { role: 'user', content: 'packet', timestamp: 2 },
      history[1],
      { role: 'toolResult', toolCallId: 'c', content: [{ type: 'text', text: 'short' }], timestamp: 3 },
    ])
    expect(view[1]).toBe(history[1])
    expect(history[2]).toHaveProperty('details')
  })

  test('leaves out what the host puts in front of a history that begins with an answer', () => {
    const said: Message = { role: 'user', content: '(session bootstrap)', timestamp: 9 }
    expect(ofConversation([said, ...history])).toEqual(history)
    expect(ofConversation([...history, said])).toEqual([...history, said])
  })

  test('finds what the host has appended to it', () => {
    const added: Message = { role: 'assistant', content: 'new', timestamp: 9 }
    expect(appendedTo(history, [...history.map((message) => ({ ...message })), added])).toEqual([added])
    expect(appendedTo(history, [added])).toBeNull()
  })

  test('room within a turn shrinks by what has come since its first call', () => {
    expect(roomInTurn(1000, 1900, 1900)).toBe(1000)
    expect(roomInTurn(1000, 1900, 1500)).toBe(600)
    expect(roomInTurn(1000, 1900, 100)).toBe(1)
    expect(roomInTurn(undefined, 1900, 100)).toBeUndefined()
  })
})

describe('the names of tool calls', () => {
  const turn = (...ids: string[]): Message[] => [
    { role: 'assistant', content: [{ type: 'text', text: 'Reading.' }, ...ids.map((id) => ({ type: 'toolCall', id, name: 'read' }))], timestamp: 5 },
    ...ids.map((id, index) => ({ role: 'toolResult', toolCallId: id, content: [], timestamp: 6 + index })),
  ]

  test('are the same whatever ids the host has made of them', () => {
    const own = withCallNames(turn('call_1', 'call_2'))
    expect(own).toEqual(withCallNames(turn('call1', 'call2')))
    expect(own.map(({ toolCallId }) => toolCallId)).toEqual([undefined, 't5-0', 't5-1'])
    expect(callNames(turn('call_1', 'call_2')[0] as Message)).toEqual([['call_1', 't5-0'], ['call_2', 't5-1']])
  })

  test('tell a reused id apart, and leave the host’s objects and stray results alone', () => {
    const [answer, result] = turn('call_1') as [Message, Message]
    const later = [{ ...answer, timestamp: 9 }, { ...result, timestamp: 10 }]
    const stray: Message = { role: 'toolResult', toolCallId: 'nobody', content: [], timestamp: 11 }
    const all = [answer, result, ...later, stray]
    const named = withCallNames(all)
    expect(named.map(({ toolCallId }) => toolCallId)).toEqual([undefined, 't5-0', undefined, 't9-0', 'nobody'])
    expect(result.toolCallId).toBe('call_1')
    expect(named[4]).toBe(stray)
    // The same object comes back for the same object: what was seen is known by identity.
    expect(withCallNames(all).every((message, index) => message === named[index])).toBe(true)
  })
})

describe('the engine', () => {
  test('between model calls plans the history of the start, not the view that the host hands back', async () => {
    const session = fakeSession({ plan: vi.fn(async () => planOf([2], 'packet')) })
    const engine = createEngine(fakePlugin(session))
    const { messages } = await engine.assemble(beforePrompt())
    const again = await engine.assemble(betweenCalls(messages))
    // The view makes way only when what was said since leaves it no room.
    await engine.assemble(betweenCalls(messages, { tokenBudget: 1500 }))
    expect(session.plan).toHaveBeenCalledTimes(1)
    await engine.assemble(betweenCalls(messages, { tokenBudget: 907 }))
    expect(again.messages).toEqual(messages)
    expect(messages[0]).toMatchObject({ role: 'user', content: 'packet' })
    for (const [synced] of session.sync.mock.calls) expect(synced).toEqual(history)
    expect(session.plan.mock.calls).toEqual([[{ budgetTokens: 1000, prompt: 'next' }], [{ budgetTokens: 7, prompt: 'next' }]])
  })

  test('in a run without a durable turn what was said since is part of the history', async () => {
    const session = fakeSession()
    const engine = createEngine(fakePlugin(session))
    const { messages } = await engine.assemble(beforePrompt({ prompt: undefined }))
    const added: Message = { role: 'user', content: 'next', timestamp: 9 }
    expect((await engine.assemble(betweenCalls([...messages, added], { prompt: undefined }))).messages).toEqual([...history, added])
  })

  test('learns window and overhead from what the host says before and between', async () => {
    const session = fakeSession()
    const engine = createEngine(fakePlugin(session))
    const { messages } = await engine.assemble(beforePrompt())
    await engine.assemble(betweenCalls(messages))
    await createEngine(fakePlugin(session)).assemble(beforePrompt())
    expect(session.setLimits.mock.calls).toEqual([
      [{ contextWindow: 1200, reserveTokens: 200 }],
      [{ contextWindow: 2000, reserveTokens: 200, overheadTokens: 800 }],
    ])
  })

  test('hands back what it was given when planning fails, and says so once', async () => {
    const plugin = fakePlugin(fakeSession({ plan: failing('Corrupt') }))
    for (const _ of [1, 2]) expect((await createEngine(plugin).assemble(beforePrompt())).messages).toBe(history)
    expect(plugin.lines).toEqual([expect.stringMatching(/assembling the context failed.*Corrupt/)])
  })

  test('a turn that cannot be stored now is offered again; one that never can is not', async () => {
    const turn = { sessionKey: '', messages: history, advancementKey: 'k' }
    await expect(createEngine(fakePlugin(fakeSession({ commit: failing('Locked') }))).commitTurn({ ...turn, sessionKey: key })).rejects.toMatchObject({ code: 'Locked' })
    expect(await createEngine(fakePlugin(fakeSession({ commit: failing('InvalidInput') }))).commitTurn({ ...turn, sessionKey: `${key}b` })).toEqual({ status: 'duplicate' })
  })

  test('a handle that was closed meanwhile is opened again', async () => {
    const session = fakeSession({ plan: vi.fn().mockRejectedValueOnce(Object.assign(new Error('closed'), { code: 'Closed' })).mockResolvedValue(planOf([0])) })
    expect((await createEngine(fakePlugin(session)).assemble(beforePrompt())).messages).toEqual([history[0]])
  })

  test('a turn that a reset has left behind does not reach the new generation', async () => {
    const session = fakeSession()
    const plugin = fakePlugin(session)
    let end: ((event: object, context: object) => Promise<void>) | undefined
    followSessions({ on: (name: string, handler: typeof end) => void (name === 'session_end' && (end = handler)) } as unknown as PluginApi, plugin)
    const engine = createEngine(plugin)
    const { messages } = await engine.assemble(beforePrompt())
    const resetting = end?.({ reason: 'reset', sessionKey: key }, { sessionKey: key })
    // The host does not wait for the hook; the next turn waits for the reset.
    await createEngine(plugin).assemble(beforePrompt({ messages: [] }))
    expect(session.reset).toHaveBeenCalledWith('reset')
    expect(session.reset.mock.invocationCallOrder[0]).toBeLessThan(session.plan.mock.invocationCallOrder[1] as number)
    await resetting
    await engine.assemble(betweenCalls(messages, { tokenBudget: 901 }))
    expect(session.plan).toHaveBeenCalledTimes(2)
    expect(await engine.commitTurn({ sessionKey: key, messages: history, advancementKey: 'k' })).toEqual({ status: 'duplicate' })
    expect(session.commit).not.toHaveBeenCalled()
    await end?.({ reason: 'daily', sessionKey: key }, { sessionKey: key })
    expect(session.reset).toHaveBeenCalledTimes(1)
  })

  test('compaction, maintenance and subagents never throw', async () => {
    const plugin = fakePlugin(fakeSession({ compact: failing('Io'), maintain: failing('Io'), agentStarted: failing('Io') }))
    const engine = createEngine(plugin)
    expect(await engine.compact({ sessionKey: key })).toMatchObject({ ok: false, compacted: false })
    expect(await engine.maintain({ sessionKey: key, runtimeContext: { modelContextWindow: 1 } })).toEqual({ changed: false, bytesFreed: 0, rewrittenEntries: 0 })
    expect(await engine.prepareSubagentSpawn({ parentSessionKey: key, childSessionKey: 'child' })).toBeUndefined()
  })

  test('notes a subagent and takes it back when the spawn fails', async () => {
    const session = fakeSession()
    const plugin = fakePlugin(session)
    const spawn = await createEngine(plugin).prepareSubagentSpawn({ parentSessionKey: key, childSessionKey: 'child', contextMode: 'fork' })
    expect(session.agentStarted).toHaveBeenCalledWith({ id: 'child', startedAt: expect.any(String) })
    expect(session.fork).toHaveBeenCalledWith('child')
    await spawn?.rollback()
    expect(plugin.addon()?.agentEndedByKey).toHaveBeenCalledWith(plugin.stateDir, 'child')
  })

  test('makes no model call unless it may, and none before a turn', async () => {
    const session = fakeSession()
    const llm = { complete: vi.fn() }
    await createEngine(fakePlugin(session)).maintain({ sessionKey: key, runtimeContext: { modelContextWindow: 1, llm } })
    expect(session.maintain).toHaveBeenLastCalledWith({})
    const willing = createEngine(fakePlugin(session, { useModel: true }))
    await willing.maintain({ sessionKey: key, runtimeContext: { llm } })
    expect(session.maintain).toHaveBeenCalledTimes(1)
    await willing.maintain({ sessionKey: key, runtimeContext: { modelContextWindow: 1, llm } })
    expect(session.maintain).toHaveBeenLastCalledWith({ complete: expect.any(Function) })
  })

  test('without the addon the host compacts and nothing is kept from it', async () => {
    const engine = createEngine(fakePlugin(null))
    expect(engine.info.ownsCompaction).toBe(false)
    expect((await engine.assemble(beforePrompt())).messages).toBe(history)
    expect(await engine.commitTurn({ sessionKey: key, messages: history, advancementKey: 'k' })).toEqual({ status: 'committed' })
    expect(await engine.bootstrap({ sessionKey: key })).toEqual({ bootstrapped: false })
  })
})

describe('a compaction', () => {
  test('is named by who asks for it', () => {
    expect(reasonOf({ runtimeContext: { trigger: 'overflow' }, force: true })).toBe('overflow')
    expect(reasonOf({ runtimeContext: { trigger: 'budget' }, force: true })).toBe('budget')
    expect(reasonOf({ compactionTarget: 'threshold', force: true })).toBe('manual')
    expect(reasonOf({ compactionTarget: 'threshold' })).toBe('threshold')
  })

  test('tells the host what happened in words that it knows', () => {
    const outcome = { compacted: false, reason: 'only the running turn is left', tokensBefore: 9, tokensAfter: 9, summary: '' }
    expect(resultOf(outcome)).toEqual({ ok: true, compacted: false, reason: 'nothing to compact: only the running turn is left', result: { tokensBefore: 9, tokensAfter: 9 } })
    expect(resultOf({ ...outcome, reason: 'below threshold' }).reason).toBe('below threshold')
    expect(resultOf({ ...outcome, compacted: true, tokensAfter: 3 })).toEqual({ ok: true, compacted: true, result: { tokensBefore: 9, tokensAfter: 3 } })
  })

  test('a failed summary is left to the host', async () => {
    const plugin = fakePlugin(fakeSession())
    const { summarizeMessages } = plugin.addon() as unknown as { summarizeMessages: ReturnType<typeof vi.fn> }
    expect(await compactionProvider(plugin).summarize({ messages: history, previousSummary: 'old' })).toBe('summary')
    expect(summarizeMessages).toHaveBeenCalledWith(history, { maxTokens: 2000, previousSummary: 'old' })
    summarizeMessages.mockRejectedValue(new Error('broken'))
    expect(await compactionProvider(plugin).summarize({ messages: history })).toBe('')
  })
})

describe('a large tool result', () => {
  const handlerOf = (plugin: Plugin) => {
    let handler: ((event: ToolResultEvent, context: object) => Promise<unknown>) | undefined
    spillLargeResults({ on: () => {}, registerAgentToolResultMiddleware: (given: typeof handler) => void (handler = given) } as unknown as PluginApi, plugin)
    return handler
  }
  const event = (text: string): ToolResultEvent => ({ toolCallId: 'c', toolName: 'read', result: { content: [{ type: 'text', text }], details: 1 } })

  test('is stored before it is shortened; a small one stays', async () => {
    const session = fakeSession({ spill: vi.fn(async (message: Message) => ({ message: { ...message, content: 'short' }, chunkId: 'x' })) })
    const handler = handlerOf(fakePlugin(session))
    expect(await handler?.(event('x'.repeat(40_000)), { sessionKey: key })).toEqual({ result: { content: 'short', details: 1 } })
    expect(session.spill).toHaveBeenCalledWith(expect.objectContaining({ role: 'toolResult', toolCallId: 'c' }), { maxTokens: 4000 })
    expect(await handler?.(event('small'), { sessionKey: key })).toBeUndefined()
  })

  test('takes at most half of what is left in the turn', () => {
    expect(resultLimit(4_000, undefined)).toBe(4_000)
    expect(resultLimit(4_000, 20_000)).toBe(4_000)
    expect(resultLimit(4_000, 5_000)).toBe(2_500)
    expect(resultLimit(4_000, 0)).toBe(500)
  })

  test('stays whole when storing it fails, or when it is not wanted', async () => {
    const handler = handlerOf(fakePlugin(fakeSession({ spill: failing('NoSpace') })))
    expect(await handler?.(event('x'.repeat(40_000)), { sessionKey: key })).toBeUndefined()
    expect(handlerOf(fakePlugin(fakeSession(), { maxToolResultTokens: 0 }))).toBeUndefined()
  })
})
