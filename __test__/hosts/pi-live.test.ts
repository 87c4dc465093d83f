// The pi extension around the real core, with a pi that records what it is told: what a person reads when something is wrong.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ContextSession, listSessions } from '../../index.js'
import clawback from '../../hosts/pi/index.js'
import type { AgentMessage, Context } from '../../hosts/pi/pi-api.js'
import { freshDir } from '../support/sandbox.js'

let dir: string
const before = process.env['PI_CODING_AGENT_DIR']
beforeEach(() => {
  dir = freshDir()
  process.env['PI_CODING_AGENT_DIR'] = dir
})
afterEach(() => {
  if (before === undefined) delete process.env['PI_CODING_AGENT_DIR']
  else process.env['PI_CODING_AGENT_DIR'] = before
})

/** A pi with one session. */
function pi(contextWindow = 32_000) {
  const handlers = new Map<string, (event: unknown, ctx: Context) => Promise<unknown>>()
  const commands = new Map<string, { handler(args: string, ctx: Context): Promise<void> }>()
  const told: string[] = []
  clawback({
    on: (name: string, handler: never) => void handlers.set(name, handler),
    registerCommand: (name: string, command: never) => void commands.set(name, command),
    appendEntry: () => undefined,
  } as never)
  const ctx = {
    ui: { notify: (text: string) => void told.push(text) }, hasUI: true, mode: 'rpc', cwd: dir, model: { id: 'm', contextWindow },
    sessionManager: { getSessionId: () => 'one', getSessionFile: () => undefined, getLeafId: () => null, getBranch: () => [] },
    isIdle: () => true, hasPendingMessages: () => false, getContextUsage: () => undefined, compact: () => undefined,
  } as unknown as Context
  return {
    told,
    fire: (name: string, event: object = {}) => handlers.get(name)?.(event, ctx) as Promise<{ messages: AgentMessage[] } | undefined>,
    async command(name: string, args = '') {
      await commands.get(name)?.handler(args, ctx)
      return told.pop() ?? ''
    },
  }
}

let clock = Date.UTC(2026, 5, 5)
const user = (text: string): AgentMessage => ({ role: 'user', content: [{ type: 'text', text }], timestamp: (clock += 1_000) })
const reply = (text: string): AgentMessage => ({ role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop', timestamp: (clock += 1_000) })
const settings = (value: unknown) => writeFileSync(path.join(dir, 'clawback.json'), typeof value === 'string' ? value : JSON.stringify(value))

test('one wrong knob costs the knobs and not the memory, and says which it is and where', async () => {
  settings({ config: { compactionTriggerPct: 50 } })
  const host = pi()
  await host.fire('session_start', { reason: 'startup' })
  expect(host.told).toEqual([expect.stringMatching(/^clawback: clawback\.json, config: compactionTriggerPct .*; its config is left out, the defaults are used$/)])
  await host.fire('context', { messages: [user('We use SQLite.')] })
  expect(await host.command('ctx-search', 'SQLite')).toContain('We use SQLite.')
  await host.fire('session_shutdown', { reason: 'quit' })
  expect(await listSessions(dir)).toHaveLength(1)
})

test('a mode that keeps pi’s summary in the request does not say that it is kept out', async () => {
  const summary = { compactionEntry: { type: 'compaction', id: 'c', parentId: null, summary: 'what was said' }, fromExtension: false }
  for (const [mode, line] of [['prune', 'summary of pi kept out of view: compaction'], ['complement', 'summary of pi in the request: compaction']] as const) {
    settings({ mode })
    const host = pi()
    await host.fire('session_start', { reason: 'startup' })
    await host.fire('session_compact', summary)
    expect(await host.command('ctx-status')).toContain(line)
    await host.fire('session_shutdown', { reason: 'quit' })
  }
})

test('a warning with other figures is the same warning', async () => {
  const host = pi(4_000)
  const messages: AgentMessage[] = [user('Look at everything.')]
  for (let step = 0; step < 60; step++) {
    messages.push({ role: 'assistant', content: [{ type: 'toolCall', id: `c${step}`, name: 'bash', arguments: {} }], stopReason: 'toolUse', timestamp: (clock += 1_000) })
    messages.push({ role: 'toolResult', toolCallId: `c${step}`, toolName: 'bash', content: [{ type: 'text', text: 'a line of output '.repeat(20) }], isError: false, timestamp: (clock += 1_000) })
    await host.fire('context', { messages: [...messages] })
  }
  expect(host.told.filter((text) => text.includes('usable tokens'))).toHaveLength(1)
  await host.fire('session_shutdown', { reason: 'quit' })
})

test('a reset from outside is a plain note, and the request at hand gets its view', async () => {
  const host = pi()
  const messages = [user('We use SQLite.'), reply('OK.')]
  await host.fire('context', { messages })
  const outside = await ContextSession.open({ stateDir: dir, sessionKey: 'pi:one', contextWindow: 0 })
  await outside.reset('reset')
  await outside.close()
  const view = await host.fire('context', { messages: [...messages, user('And now?')] })
  expect(view?.messages.at(-1)).toMatchObject({ role: 'user' })
  expect(host.told).toEqual(['clawback: the session was reset from outside; it goes on with nothing remembered'])
  await host.fire('context', { messages: [...messages, user('And now?'), reply('Fine.'), user('We use Redis.')] })
  expect(await host.command('ctx-search', 'Redis')).toContain('We use Redis.')
  expect(host.told).toHaveLength(1)
  await host.fire('session_shutdown', { reason: 'quit' })
})

describe('what /ctx-search shows', () => {
  test('is around what matches', async () => {
    const host = pi()
    await host.fire('context', { messages: [user(`${'Some words before it. '.repeat(60)}The separator is a semicolon. ${'And some after it. '.repeat(60)}`)] })
    expect(await host.command('ctx-search', 'separator')).toContain('The separator is a semicolon.')
    await host.fire('session_shutdown', { reason: 'quit' })
  })
})

test('an agent directory that is no directory does not stop pi', async () => {
  mkdirSync(path.join(dir, 'sub'))
  writeFileSync(path.join(dir, 'sub', 'file'), '')
  process.env['PI_CODING_AGENT_DIR'] = path.join(dir, 'sub', 'file')
  const host = pi()
  expect(await host.fire('context', { messages: [user('Hello')] })).toBeUndefined()
  expect(host.told).toHaveLength(1)
})
