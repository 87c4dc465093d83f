// What a handle does when the ground moves under it: its files vanish, another handle resets the session, a host says
// twice what it asks.
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ContextSession } from '../index.js'
import { freshDir } from './support/sandbox.js'

type Message = Record<string, unknown> & { role: string }
const limits = { contextWindow: 32_000, reserveTokens: 8_000 }
let at = 1_700_000_000_000
const said = (role: string, content: unknown, more = {}): Message => ({ role, content, timestamp: (at += 1_000), ...more })
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index % 97}`).join(' ')
/** A turn with one tool call; its result has about four tokens a word. */
const turn = (ask: string, id: string, result: string): Message[] => [
  said('user', ask),
  said('assistant', [{ type: 'toolCall', id, name: 'read', arguments: { path: `${id}.md` } }], { stopReason: 'toolUse' }),
  said('toolResult', [{ type: 'text', text: result }], { toolCallId: id, toolName: 'read', isError: false }),
]
const answered = (ask: string, id: string, result: string) => [...turn(ask, id, result), said('assistant', [{ type: 'text', text: 'That is read.' }], { stopReason: 'stop' })]
const open = (stateDir: string) => ContextSession.open({ stateDir, sessionKey: 'test:ground', ...limits })

test('messages count for the gauge while they are taken in', async () => {
  const session = await open(freshDir())
  session.sync(Array.from({ length: 24 }, (_, index) => answered(`Please read part ${index}.`, `call-${index}`, words(400))).flat())
  const { tokens } = session.gauge()
  expect(tokens).toBeGreaterThan(20_000)
  const taken = session.flush().then(() => 'taken')
  const turns = () => new Promise<string>((resolve) => setImmediate(() => resolve('still taken in')))
  while ((await Promise.race([taken, turns()])) !== 'taken') expect(session.gauge().tokens).toBeGreaterThan(tokens / 2)
  await session.close()
})

test('files that vanish under an open handle are told, nothing leaves the view, and the next sync brings all back', async () => {
  const stateDir = freshDir()
  const session = await open(stateDir)
  const messages = Array.from({ length: 24 }, (_, index) => answered(`Please read part ${index}.`, `call-${index}`, words(400))).flat()
  session.sync(messages)
  const before = await session.plan()
  expect(before.keep.length).toBeLessThan(20)
  rmSync(stateDir, { recursive: true })
  messages.push(...turn('Please read the last part.', 'call-last', words(40)))
  session.sync(messages)
  const blind = await session.plan()
  expect(blind.warnings.join()).toContain('gone from the disk')
  expect([...blind.keep]).toEqual(messages.map((_, index) => index))
  expect(blind.tokensAfter).toBeGreaterThan(20_000)
  expect(blind.zone).toBe('compact')
  expect(session.gauge().zone).toBe('compact')
  messages.push(said('assistant', [{ type: 'text', text: 'Read as well.' }], { stopReason: 'stop' }), said('user', 'And now?'))
  session.sync(messages)
  const after = await session.plan()
  expect(after.epoch).toBe(1)
  expect(after.keep.at(-1)).toBe(messages.length - 1)
  expect(after.tokensAfter).toBeLessThan(8_000)
  expect((await session.recall('Please read part 3.')).length).toBeGreaterThan(0)
  await session.close()
})

test('after a reset the other handles of the session are refused, and what they know changes nothing', async () => {
  const stateDir = freshDir()
  const [one, other] = [await open(stateDir), await open(stateDir)]
  const messages = answered('Use SQLite for the ledger.', 'call-1', words(50))
  other.sync(messages)
  await other.plan()
  await one.reset('new')
  const refused = { code: 'Closed', message: expect.stringContaining('was reset after this handle was opened') }
  other.sync([...messages, said('user', 'Go on.')])
  await expect(other.plan()).rejects.toMatchObject(refused)
  await expect(other.plan({ force: true })).rejects.toMatchObject(refused)
  await expect(other.compact({ reason: 'manual' })).rejects.toMatchObject(refused)
  await expect(other.checkpoint({ trigger: 'manual' })).rejects.toMatchObject(refused)
  await expect(other.packet()).rejects.toMatchObject(refused)
  await expect(other.fork('test:child')).rejects.toMatchObject(refused)
  await expect(other.commit(messages, { key: 'late' })).rejects.toMatchObject({ ...refused, code: 'InvalidInput' })
  await expect(other.end({ reason: 'shutdown' })).resolves.toBeUndefined()
  expect(await one.packet()).toBeNull()
  const again = await open(stateDir)
  again.sync([said('user', 'A new start.')])
  expect((await again.plan()).keep.length).toBe(1)
  await again.close()
  await one.close()
})

test('a prompt that the running turn holds already is no new turn: what the model has not seen stays whole', async () => {
  const session = await open(freshDir())
  const messages = [...answered('Say hello.', 'call-0', words(50)), ...turn('Show me the audit table.', 'call-1', words(5_500))]
  session.sync(messages)
  const plain = await session.plan()
  expect(plain.tokensAfter).toBeGreaterThan(12_000)
  const prompted = await session.plan({ prompt: 'Show me  the audit table.' })
  expect([prompted.epoch, prompted.replace, [...prompted.keep]]).toEqual([plain.epoch, plain.replace, [...plain.keep]])
  messages.push(said('assistant', [{ type: 'text', text: 'Here it is.' }], { stopReason: 'stop' }))
  session.sync(messages)
  // Said once more after its answer, it is a new turn.
  expect((await session.plan({ prompt: 'Show me the audit table.' })).epoch).toBe(plain.epoch + 1)
  await session.close()
})
