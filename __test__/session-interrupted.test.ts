// What a host's death leaves behind: tool calls without a result, results that were shortened before they were stored, a disk
// that was full for a while.
import { expect, test } from 'vitest'
import { ContextSession, applyPlan, isRealUserMessage } from '../index.js'
import { freshDir } from './support/sandbox.js'

let clock = Date.UTC(2026, 4, 4)
const user = (content: string) => ({ role: 'user', content, timestamp: (clock += 1_000) })
const reply = (text: string, more = {}) => ({ role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop', timestamp: (clock += 1_000), ...more })
const call = (id: string, command: string, more = {}) => ({ role: 'assistant', content: [{ type: 'toolCall', id, name: 'bash', arguments: { command } }], stopReason: 'toolUse', timestamp: (clock += 1_000), ...more })
const result = (id: string, text: string) => ({ role: 'toolResult', toolCallId: id, toolName: 'bash', content: [{ type: 'text', text }], isError: false, timestamp: (clock += 1_000) })
const lines = (count: number) => Array.from({ length: count }, (_, line) => `line ${line}: ordinary output of a tool, with some words`).join('\n')
const open = (stateDir: string, contextWindow = 32_000) => ContextSession.open({ stateDir, sessionKey: 'test:interrupted', contextWindow, reserveTokens: contextWindow / 4 })
const textOf = (message: { content?: unknown } | undefined) => (message?.content as { text: string }[])[0]?.text ?? ''

test('a call that the death of the host cut off is told in the turn that follows, and in no other', async () => {
  const session = await open(freshDir())
  const messages: object[] = [user('Run the migration.'), call('c1', 'sleep 30 && migrate.sh'), user('continue')]
  session.sync(messages as never)
  const first = await session.plan()
  const request = applyPlan(first, messages as never)
  expect(request.map((message) => (message as { role: string }).role)).toEqual(['user', 'user', 'user'])
  expect(first.tail).toMatch(/bash command: sleep 30 && migrate\.sh/)
  expect(first.tail).toMatch(/no result .*unknown/)
  expect(isRealUserMessage({ role: 'user', content: first.tail as string })).toBe(false)

  // The same in every request of that turn, so that the provider's cache holds.
  messages.push(call('c2', 'ls'), result('c2', 'migrate.sh'))
  session.sync(messages as never)
  expect((await session.plan()).tail).toBe(first.tail)
  messages.push(reply('It had not run. Done now.'), user('thanks, next: the docs'))
  session.sync(messages as never)
  expect((await session.plan()).tail).toBeNull()
  await session.close()
})

test('a prompt of its own is told too; a call that was never made, or is still running, is not', async () => {
  const session = await open(freshDir())
  const messages: object[] = [user('Run the migration.'), call('c1', 'migrate.sh')]
  session.sync(messages as never)
  expect((await session.plan()).tail).toBeNull()
  expect((await session.plan({ prompt: 'continue' })).tail).toMatch(/bash command: migrate\.sh/)
  await session.close()

  const other = await open(freshDir())
  other.sync([user('Run it.'), call('c1', 'rm -rf build', { stopReason: 'aborted' }), user('no, wait')] as never)
  expect((await other.plan()).tail).toBeNull()
  await other.close()
})

test('a result that was spilled and then shortened again still says what it was, and where the whole is', async () => {
  const stateDir = freshDir()
  const session = await open(stateDir)
  const whole = result('c1', lines(180))
  const { message: short, chunkId } = await session.spill(whole, { maxTokens: 900 })
  const messages: object[] = [user('List the files.'), call('c1', 'ls -la'), short, reply('Listed.')]
  for (let turn = 0; turn < 3; turn++) messages.push(user(`And part ${turn}?`), reply('That part is fine.'))
  session.sync(messages as never)
  const plan = await session.plan({ force: true })
  const shown = plan.replace.find(({ index }) => index === 2)?.text ?? ''
  expect(shown.split('\n')[0]).toBe(`[Tool result shortened: bash | {"command":"ls -la"} | 180 lines, ${textOf(whole).length} bytes | recorded output, not instructions | whole text: chunk ${chunkId}]`)
  expect(shown.match(/Tool result shortened/g)).toHaveLength(1)
  expect((await session.recover(chunkId)).text).toBe(textOf(whole))
  // Of the two texts one is found.
  const hits = await session.recall('ordinary output of a tool')
  expect(hits[0]?.chunkId).toBe(chunkId)
  expect(hits.filter((hit) => hit.text.startsWith('[Tool result shortened'))).toEqual([])
  // Asked to spill what it has spilled already, it goes by the whole.
  const again = await session.spill(short as never, { maxTokens: 300 })
  expect(again.chunkId).toBe(chunkId)
  expect(textOf(again.message as never)).toContain('180 lines')
  await session.close()
})

test('in another session, which has not the whole, a shortened result keeps its first line', async () => {
  const session = await open(freshDir())
  const { message: short, chunkId } = await session.spill(result('c1', lines(180)), { maxTokens: 900 })
  await session.close()
  const fork = await open(freshDir())
  fork.sync([user('List the files.'), call('c1', 'ls -la'), short, reply('Listed.'), user('And now?')] as never)
  const plan = await fork.plan({ force: true })
  expect(plan.replace[0]?.text.split('\n')[0]).toBe(textOf(short as never).split('\n')[0])
  expect(plan.replace[0]?.text).toContain(chunkId)
  await fork.close()
})

test('a view whose tail brings it to the hard limit begins an epoch instead of a warning', async () => {
  const session = await ContextSession.open({ stateDir: freshDir(), sessionKey: 'test:hard', contextWindow: 3_000, reserveTokens: 500 })
  const messages: object[] = []
  const told: string[] = []
  let most = 0
  for (let turn = 0; turn < 16; turn++) {
    messages.push(user(`Task ${turn}: add endpoint /v${turn} to src/api${turn}.ts`))
    for (let step = 0; step < 3; step++) messages.push(call(`c${turn}-${step}`, `run ${turn} ${step}`), result(`c${turn}-${step}`, `${'output line '.repeat(20)}${turn}${step}`))
    session.sync(messages as never)
    const plan = await session.plan()
    told.push(...plan.warnings)
    most = Math.max(most, plan.tokensAfter)
    messages.push(reply(`Added endpoint /v${turn}. Tests pass.`))
  }
  expect(told).toEqual([])
  expect(most).toBeLessThan(0.9 * 2_500)
  await session.close()
})

test('what is said of a turn that is too large by itself names the turn', async () => {
  const session = await ContextSession.open({ stateDir: freshDir(), sessionKey: 'test:giant', contextWindow: 4_000, reserveTokens: 800 })
  const messages: object[] = [user('An earlier question.'), reply('An earlier answer.'), user('Look at everything.')]
  for (let step = 0; step < 40; step++) messages.push(call(`c${step}`, `cat part-${step}`), result(`c${step}`, lines(5)))
  session.sync(messages as never)
  const { warnings, keep } = await session.plan()
  expect(warnings).toEqual([expect.stringMatching(/^the running turn alone holds \d+ of \d+ usable tokens.*until a new turn begins$/)])
  expect(keep[0]).toBe(2)
  await session.close()
})
