// The worked example of docs/attempt-flow.md runs: budgets, bootstrap files, the plan, the summary, and the ways back.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ContextSession, estimateMessageTokens, estimateTokens } from '../../index.js'
import { afterAttempt, prepareAttempt, type Attempt } from '../../examples/attempt-flow/attempt.js'
import type { AgentMessage } from '../../examples/compaction-safeguard/host.js'
import { freshDir } from '../support/sandbox.js'

const WINDOW = 32_000
let clock = Date.UTC(2026, 10, 2, 9)
const at = () => (clock += 60_000)
const turn = (said: string, answer: string): AgentMessage[] => [
  { role: 'user', content: [{ type: 'text', text: said }], timestamp: at() },
  { role: 'assistant', content: [{ type: 'text', text: answer }], stopReason: 'stop', timestamp: at() },
]
const long = (turns: number) => Array.from({ length: turns }, (_, n) => turn(`Describe exporter ${n}.`, `Exporter ${n} writes a file of its own, one line per row. ${'The columns are checked before anything is sent. '.repeat(40)}`)).flat()
const history = (turns = 40): AgentMessage[] => [...turn('Make the exporters reliable. Never touch the migrations folder.', 'Shall I set the request timeout to 30 s?'), ...turn('yes', 'Set.'), ...long(turns)]
const tokensOf = (messages: AgentMessage[]) => messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0)

let session: ContextSession
let logged: string[]
beforeEach(async () => {
  logged = []
  session = await ContextSession.open({ stateDir: freshDir(), sessionKey: 'agent:main:main', contextWindow: WINDOW })
})
afterEach(() => session.close())

const attempt = (over: Partial<Attempt> = {}): Attempt => ({
  contextManagement: { enabled: true, rollingSummary: { enabled: true } },
  contextWindow: WINDOW,
  prompt: 'And now the importer.',
  messages: history(),
  bootstrapFiles: [{ path: 'SOUL.md', content: 'You are careful.' }, { path: 'MEMORY.md', content: 'A note about the shop.\n'.repeat(3_000) }],
  buildSystemPrompt: (files) => ['You are an agent.', ...files.map(({ path, content }) => `# ${path}\n${content}`)].join('\n\n'),
  session,
  log: (line) => logged.push(line),
  ...over,
})

test('a long history fits its budget, its turns are whole, and what was decided comes first', async () => {
  const asked = attempt()
  const prepared = await prepareAttempt(asked)
  expect(tokensOf(prepared.messages)).toBeLessThan(tokensOf(asked.messages) / 2)
  expect(tokensOf(prepared.messages) + estimateTokens(prepared.systemPrompt)).toBeLessThan(WINDOW * 0.8)
  expect(String(prepared.messages[0]?.role === 'user' && prepared.messages[0].content)).toMatch(/migrations/)
  expect(prepared.messages[1]?.role).toBe('user')
  expect(prepared.messages.at(-1)).toBe(asked.messages.at(-1))
  expect(prepared.prompt.startsWith('And now the importer.')).toBe(true)
  expect(logged.join('\n')).toMatch(/historyBudget=\d+ messagesIn=84 messagesOut=\d+/)
})

test('bootstrap files share one budget', async () => {
  const { systemPrompt } = await prepareAttempt(attempt())
  expect(systemPrompt).toContain('You are careful.')
  expect(estimateTokens(systemPrompt)).toBeLessThan(WINDOW * 0.1 + 200)
})

test('no part of the history is in the system prompt', async () => {
  const { systemPrompt } = await prepareAttempt(attempt({ prompt: 'What was the request timeout?' }))
  expect(systemPrompt).not.toMatch(/timeout|migrations|Exporter/)
})

test('between two epochs a request begins with the one before it', async () => {
  const asked = attempt()
  const first = await prepareAttempt(asked)
  const second = await prepareAttempt(attempt({ messages: [...asked.messages, ...turn('And now the importer.', 'Done.')], prompt: 'Thanks. Next?' }))
  expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages)
})

test('switched off, or without a session, the last five turns stay', async () => {
  for (const over of [{ contextManagement: { enabled: false } }, { session: null }]) {
    const { messages } = await prepareAttempt(attempt(over))
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(5)
  }
})

test('what cannot be planned falls back and says why', async () => {
  await session.close()
  const { messages } = await prepareAttempt(attempt())
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(5)
  expect(logged.at(-1)).toMatch(/limiting by turns/)
})

test('a model that fails costs the summary and nothing else', async () => {
  const asked = attempt()
  await prepareAttempt(asked)
  await afterAttempt(asked, async () => { throw new Error('overloaded') })
  expect((await prepareAttempt(asked)).messages.length).toBeGreaterThan(1)
})
