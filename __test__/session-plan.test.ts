// What the model sees, over random conversations through `sync` and `plan`: rewinds, host compactions, restarts, parallel
// calls with late, lost and doubled results, injected text, unknown blocks and roles (FAULTS B1-B10).
import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as clawback from '../index.js'
import { freshDir } from './support/sandbox.js'

type Host = { role: string; content?: unknown; timestamp: number; toolCallId?: string; [more: string]: unknown }
type Plan = Awaited<ReturnType<clawback.ContextSession['plan']>>

/** One thing that happens in a conversation. */
type Step =
  | { kind: 'person' | 'reply' | 'injected' | 'shell' | 'custom' | 'unknown' | 'branch' | 'restart' }
  | { kind: 'tools'; calls: number; order: 'given' | 'reversed'; lose: boolean; twice: boolean; between: boolean; size: number; failed: boolean }
  | { kind: 'call' | 'settle' }
  | { kind: 'rewind' | 'compacted'; part: number; told: boolean }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>({ kind: 'person' }) },
  { weight: 5, arbitrary: fc.constant<Step>({ kind: 'reply' }) },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant('tools' as const), calls: fc.integer({ min: 1, max: 4 }), order: fc.constantFrom('given' as const, 'reversed' as const),
      lose: fc.integer({ min: 0, max: 9 }).map((n) => n === 0), twice: fc.boolean(), between: fc.boolean(),
      size: fc.constantFrom(20, 400, 4_000, 19_000), failed: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step[]>(...(['injected', 'shell', 'custom', 'unknown', 'branch', 'call', 'settle', 'restart'] as const).map((kind) => ({ kind }))) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('rewind' as const, 'compacted' as const), part: fc.double({ min: 0, max: 1, noNaN: true }), told: fc.boolean() }) },
)

/** A host that keeps an array of messages. */
class Conversation {
  messages: Host[] = []
  #clock = Date.UTC(2026, 1, 1)
  #ids = 0
  #open: string[] = []

  #say(message: Omit<Host, 'timestamp'> & { role: string }) {
    this.messages.push({ ...message, timestamp: (this.#clock += 1_000) })
  }

  #text = (about: string, size: number) => `${about} ${this.#clock}: `.padEnd(size, `the importer reads row ${this.#ids} and goes on\n`)

  #result = (id: string, size: number, isError = false) =>
    this.#say({ role: 'toolResult', toolCallId: id, toolName: 'read', isError, content: [{ type: 'text', text: this.#text('output', size) }] })

  #call(count: number) {
    const ids = Array.from({ length: count }, () => `call_${++this.#ids}`)
    const calls = ids.map((id) => ({ type: 'toolCall', id, name: 'read', arguments: { path: `src/${id}.ts` } }))
    this.#say({ role: 'assistant', stopReason: 'toolUse', content: [{ type: 'thinking', thinking: 'Now read.', thinkingSignature: 'c2ln' }, { type: 'serverTool', payload: { deep: [1] } }, ...calls] })
    return ids
  }

  take(step: Step): void {
    switch (step.kind) {
      case 'person': return this.#say({ role: 'user', content: this.#text('Now please change the importer, part', 60) })
      case 'reply': return this.#say({ role: 'assistant', stopReason: 'stop', content: [{ type: 'text', text: this.#text('I changed the file', 200) }] })
      case 'injected': return this.#say({ role: 'user', content: '[Context: 82% | 164k/200k tokens | Checkpoint saved]' })
      case 'shell': return this.#say({ role: 'bashExecution', command: 'ls', output: this.#text('files', 300), exitCode: 0 })
      case 'custom': return this.#say({ role: 'custom', customType: 'note', content: 'A note of an extension', display: false })
      case 'unknown': return this.#say({ role: 'observer', content: null })
      case 'branch': return this.#say({ role: 'branchSummary', summary: 'The other branch tried Redis.', fromId: 'x' })
      case 'call': return void this.#open.push(...this.#call(2))
      case 'settle': return this.#open.splice(0).forEach((id) => this.#result(id, 400))
      case 'tools': {
        const ids = this.#call(step.calls)
        if (step.order === 'reversed') ids.reverse()
        if (step.between) this.#say({ role: 'compactionSummary', summary: 'Earlier the importer was read.', tokensBefore: 9_000 })
        if (step.lose) ids.pop()
        for (const id of ids) this.#result(id, step.size, step.failed)
        if (step.twice && ids.length > 0) this.#result(ids[0]!, step.size, step.failed)
        return
      }
      case 'rewind':
        this.messages = this.messages.slice(0, Math.floor(step.part * this.messages.length))
        this.#open = []
        return this.take({ kind: 'person' })
      case 'compacted': {
        const rest = this.messages.slice(Math.floor(step.part * this.messages.length))
        this.messages = []
        this.#say({ role: 'compactionSummary', summary: '## Goal\nShip the importer.', tokensBefore: 50_000 })
        this.messages.push(...rest)
        return
      }
      case 'restart':
    }
  }
}

const callsOf = (message: Host): string[] =>
  Array.isArray(message.content) ? message.content.flatMap((block: { type?: string; id?: string }) => (block?.type === 'toolCall' ? [block.id!] : [])) : []
const isPerson = (message: Host) => clawback.isRealUserMessage(message as never)

/** What is wrong with a plan for an array, in words. What was planned with a prompt of its own ended the turn with its message `ended`. */
function faults(messages: Host[], plan: Plan, running: boolean, ended?: Host): string[] {
  const wrong: string[] = []
  const keep = [...plan.keep]
  if (keep.some((index, at) => index >= messages.length || (at > 0 && index <= keep[at - 1]!))) wrong.push('keep is not ascending')
  const newest = messages.findLastIndex(isPerson)
  // Messages of persons that nobody has answered belong to the newest turn.
  let turn = newest
  for (let at = newest - 1; at >= 0 && !['assistant', 'toolResult'].includes(messages[at]!.role); at--) if (isPerson(messages[at]!)) turn = at
  const open = new Map<string, number>()
  for (const index of keep) {
    const message = messages[index]!
    if (/Summary$/.test(message.role)) wrong.push(`a raw summary: ${index}`)
    if (message.role === 'toolResult' && !open.delete(message.toolCallId!)) wrong.push(`a result without its call: ${index}`)
    for (const id of callsOf(message)) open.set(id, index)
  }
  for (const [id, index] of open) if (!running || index < turn) wrong.push(`a call without its result: ${id} in ${index}`)
  const kept = new Set(keep)
  if (newest >= 0) {
    if (!kept.has(newest)) wrong.push('the newest message of the person is gone')
    if (plan.packet === null && !isPerson(messages[keep[0]!]!)) wrong.push(`message ${keep[0]} stands first`)
    for (let at = turn; at < newest; at++) if (isPerson(messages[at]!) && !kept.has(at)) wrong.push(`an unanswered message is gone: ${at}`)
    const answered = new Set<string>()
    const made = new Set(messages.slice(newest).flatMap(callsOf))
    for (let at = newest; running && at < messages.length; at++) {
      const message = messages[at]!
      if (/Summary$/.test(message.role)) continue
      if (message.role === 'toolResult' && (!made.has(message.toolCallId!) || answered.has(message.toolCallId!))) continue
      if (message.role === 'toolResult') answered.add(message.toolCallId!)
      if (message.role !== 'user' && !kept.has(at)) wrong.push(`the newest turn is not whole: ${at} ${message.role}`)
    }
  }
  const last = messages.findLastIndex((message, at) => message.role === 'toolResult' && kept.has(at))
  const begun = Math.max(newest, ended === undefined ? -1 : messages.indexOf(ended))
  for (const { index, text } of plan.replace) {
    if (!kept.has(index)) wrong.push(`a replaced message that is not kept: ${index}`)
    if (messages[index]?.role !== 'toolResult') wrong.push(`a replaced message that is no result: ${index}`)
    if (running && index === last && last > begun) wrong.push('the newest result is shortened')
    if (!text.startsWith('[Tool result shortened')) wrong.push(`an odd text: ${text.slice(0, 40)}`)
  }
  return wrong
}

/** More conversations than every run can afford: `CLAWBACK_RUNS=500`. */
const runs = Number(process.env.CLAWBACK_RUNS ?? 12)
const seed = Number(process.env.CLAWBACK_SEED ?? 1)

const seen = ({ keep, replace, packet, epoch }: Plan) => ({ keep: [...keep], replace, packet, epoch })

describe('a random conversation', () => {
  const zones = new Set<string>()

  test.each([8_000, 32_000, 200_000])('in a window of %i tokens obeys every rule', { timeout: 120_000 + runs * 5_000 }, async (contextWindow) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40 }), fc.boolean(), async (steps, separate) => {
        const stateDir = freshDir()
        const open = () => clawback.ContextSession.open({ stateDir, sessionKey: 'k', contextWindow, reserveTokens: contextWindow / 4, hostCompactsAt: contextWindow / 2 })
        let session = await open()
        const host = new Conversation()
        let before: { plan: Plan; separate: boolean } | null = null
        let ended: Host | undefined
        try {
          for (const [at, step] of steps.entries()) {
            host.take(step)
            if (!['reply', 'tools', 'call', 'shell', 'custom', 'unknown', 'injected'].includes(step.kind)) before = null
            if (step.kind === 'restart') {
              await session.close()
              session = await open()
            }
            session.sync(host.messages, step.kind === 'rewind' && step.told ? { rewind: true } : undefined)
            if (at % 3 !== 0 && step.kind !== 'restart' && at + 1 < steps.length) continue
            const prompt = separate && step.kind === 'reply' ? { prompt: 'And now the next part.' } : {}
            const plan = await session.plan(prompt)
            zones.add(plan.zone)
            if (prompt.prompt !== undefined) ended = host.messages.at(-1)
            expect(faults(host.messages, plan, prompt.prompt === undefined, ended)).toEqual([])
            expect(seen(await session.plan(prompt)), 'planned twice').toEqual(seen(plan))
            const alone = prompt.prompt !== undefined
            if (before !== null && before.plan.epoch === plan.epoch && !before.separate && !alone) {
              expect([...plan.keep].slice(0, before.plan.keep.length), 'the view only grows').toEqual([...before.plan.keep])
              expect([plan.packet, plan.replace]).toEqual([before.plan.packet, before.plan.replace])
            }
            before = { plan, separate: alone }
            if (step.kind !== 'restart' && at + 1 < steps.length) continue
            await session.close()
            session = await open()
            session.sync(structuredClone(host.messages))
            expect(seen(await session.plan(prompt)), 'after a restart').toEqual(seen(plan))
          }
        } finally {
          await session.close()
          await rm(stateDir, { recursive: true, force: true })
        }
      }),
      { numRuns: runs, seed: contextWindow + seed },
    )
  })

  test('has been in every zone', () => {
    expect([...zones].sort()).toEqual(['compact', 'green', 'red', 'yellow'])
  })
})

const user = (content: string, timestamp: number) => ({ role: 'user', content, timestamp })
const reads = (id: string, timestamp: number) => ({ role: 'assistant', stopReason: 'toolUse', content: [{ type: 'toolCall', id, name: 'read', arguments: { path: 'a.ts' } }], timestamp })
const output = (id: string, text: string, timestamp: number) => ({ role: 'toolResult', toolCallId: id, toolName: 'read', content: [{ type: 'text', text }], timestamp })
const says = (text: string, timestamp: number) => ({ role: 'assistant', stopReason: 'stop', content: [{ type: 'text', text }], timestamp })

test('a host that uses ids of calls again keeps its newest turn, with its own result', async () => {
  const session = await clawback.ContextSession.open({ stateDir: freshDir(), sessionKey: 'k', contextWindow: 32_000, reserveTokens: 8_000 })
  const messages: Host[] = []
  const epochs = new Set<number>()
  for (let turn = 0; turn < 12; turn++) {
    const at = Date.UTC(2026, 1, 1) + turn * 60_000
    messages.push(user(`Please change part ${turn} of the importer`, at), reads('call_0', at + 1), output('call_0', `row ${turn} `.repeat(1_500), at + 2))
    session.sync(messages)
    const plan = await session.plan()
    epochs.add(plan.epoch)
    expect([...plan.keep].slice(-3)).toEqual([messages.length - 3, messages.length - 2, messages.length - 1])
    expect(plan.replace.map(({ index }) => index)).not.toContain(messages.length - 1)
    for (const { text } of plan.replace) expect(text).not.toMatch(/row 0 /)
    messages.push(says(`Part ${turn} is done`, at + 3))
  }
  expect(epochs.size).toBeGreaterThan(1)
  await session.close()
})

test('what a host that compacts within a turn has left of it stays behind the packet when the person goes on', async () => {
  const session = await clawback.ContextSession.open({ stateDir: freshDir(), sessionKey: 'k', contextWindow: 200_000 })
  const at = Date.UTC(2026, 1, 1)
  const turn = [user('Please make the importer faster. Always use two spaces.', at), reads('c1', at + 1), output('c1', 'old code', at + 2), reads('c2', at + 3), output('c2', 'new code', at + 4), says('Option 1 is a cache, option 2 an index.', at + 5)]
  session.sync(turn)
  await session.plan()
  const left = [{ role: 'compactionSummary', summary: '## Goal\nA faster importer', tokensBefore: 90_000, timestamp: at + 6 }, ...turn.slice(3)]
  session.sync(left)
  const compacted = await session.plan()
  expect(compacted.packet).not.toBeNull()
  expect([...compacted.keep]).toEqual([1, 2, 3])
  session.sync([...left, user('Take option 2', at + 7)])
  const later = await session.plan()
  expect([...later.keep]).toEqual([1, 2, 3, 4])
  expect(later.packet).toBe(compacted.packet)
  await session.close()
})

test('an epoch that would have freed too little for one request is begun for the next, as after a restart', async () => {
  const stateDir = freshDir()
  const open = () => clawback.ContextSession.open({ stateDir, sessionKey: 'k', contextWindow: 32_000, reserveTokens: 8_000, hostCompactsAt: 16_000 })
  let session = await open()
  const host = new Conversation()
  const tools = { kind: 'tools', order: 'given', lose: false, twice: false, between: false, failed: false } as const
  host.take({ ...tools, calls: 2, size: 19_000 })
  host.take({ ...tools, calls: 1, size: 20, lose: true })
  host.take({ kind: 'reply' })
  host.take({ kind: 'injected' })
  session.sync(host.messages)
  const running = await session.plan()
  expect([running.epoch, running.zone]).toEqual([0, 'yellow'])
  host.take({ kind: 'reply' })
  session.sync(host.messages)
  const next = await session.plan({ prompt: 'And now the next part.' })
  expect(next.epoch).toBe(1)
  await session.close()
  session = await open()
  session.sync(host.messages)
  expect(seen(await session.plan({ prompt: 'And now the next part.' }))).toEqual(seen(next))
  await session.close()
})

test('a host that cut between a result and its double has not compacted again after a restart', async () => {
  const stateDir = freshDir()
  const open = () => clawback.ContextSession.open({ stateDir, sessionKey: 'k', contextWindow: 200_000 })
  let session = await open()
  const at = Date.UTC(2026, 1, 1)
  const whole = [reads('a', at), output('a', 'old code', at + 1), reads('b', at + 2), output('a', 'old code', at + 3), reads('c', at + 4), output('c', 'new code', at + 5), says('Both are read.', at + 6)]
  session.sync(whole)
  await session.plan()
  const left = [{ role: 'compactionSummary', summary: '## Goal\nA faster importer', tokensBefore: 90_000, timestamp: at + 7 }, ...whole.slice(3)]
  expect(session.sync(left).hostCompacted).toBe(true)
  const compacted = await session.plan()
  await session.close()
  session = await open()
  expect(session.sync(structuredClone(left)).hostCompacted).toBe(false)
  expect(seen(await session.plan())).toEqual(seen(compacted))
  await session.close()
})

test('where no bodies are kept, a turn that does not fit is not checkpointed again for every call', async () => {
  const session = await clawback.ContextSession.open({ stateDir: freshDir(), sessionKey: 'k', contextWindow: 8_000, config: { coldStorageEnabled: false } })
  const at = Date.UTC(2026, 1, 1)
  const messages: Host[] = [user('Read everything', at)]
  for (let call = 0; call < 6; call++) messages.push(reads(`c${call}`, at + 2 * call + 1), output(`c${call}`, `row ${call} `.repeat(1_500), at + 2 * call + 2))
  session.sync(messages)
  const first = await session.plan()
  expect((await session.plan()).epoch).toBe(first.epoch)
  expect([...first.keep]).toHaveLength(messages.length)
  await session.close()
})
