// The session handle: what the model sees, and what survives.
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ContextSession, appendDecisionToState, listCheckpoints, readCheckpointForInjection, readState } from '../index.js'
import { freshDir } from './support/sandbox.js'

type Message = Record<string, unknown> & { role: string }
const limits = { contextWindow: 32_000, reserveTokens: 8_000, overheadTokens: 8_000 }

/** A host's conversation: each message has a later time than the one before. */
function conversation() {
  let at = 1_700_000_000_000
  const messages: Message[] = []
  const add = (message: Message) => (messages.push({ ...message, timestamp: (at += 1_000) }), messages)
  return {
    messages,
    user: (content: unknown) => add({ role: 'user', content }),
    reply: (text: string, more = {}) => add({ role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop', ...more }),
    tool(id: string, name: string, args: object, text: string, more = {}) {
      add({ role: 'assistant', content: [{ type: 'toolCall', id, name, arguments: args }], stopReason: 'toolUse' })
      return add({ role: 'toolResult', toolCallId: id, toolName: name, content: [{ type: 'text', text }], isError: false, ...more })
    },
  }
}
const output = (characters: number) => Array.from({ length: Math.ceil(characters / 52) }, (_, line) => `line ${line}: ordinary output of a tool, with some words`).join('\n')

async function open(stateDir: string, more: Partial<Parameters<typeof ContextSession.open>[0]> = {}) {
  return ContextSession.open({ stateDir, sessionKey: 'test:session', ...limits, ...more })
}
type Plan = Awaited<ReturnType<ContextSession['plan']>>
/** A request as a host builds it of a plan. */
function request(messages: Message[], plan: Plan) {
  const replaced = new Map(plan.replace.map(({ index, text }) => [index, text]))
  const kept = [...plan.keep].map((index) => {
    const message = messages[index] as Message
    return replaced.has(index) ? { ...message, content: [{ type: 'text', text: replaced.get(index) }] } : message
  })
  return [...(plan.packet === null ? [] : [{ role: 'user', content: plan.packet }]), ...kept]
}
const view = (plan: Plan) => JSON.stringify([plan.epoch, plan.packet, [...plan.keep], plan.replace])

/** Turns of 6 kB until an epoch has begun. */
async function untilEpoch(session: ContextSession, talk: ReturnType<typeof conversation>, epochs = 1) {
  for (let turn = 0; turn < 40; turn++) {
    talk.user(`Please look at part ${turn}.`)
    session.sync(talk.messages)
    const plan = await session.plan()
    if (plan.epoch >= epochs) return plan
    talk.tool(`call-${turn}`, 'read', { path: `src/part-${turn}.ts` }, output(6_000))
    talk.reply(`Part ${turn} is fine.`)
    session.sync(talk.messages)
  }
  throw new Error('no epoch began')
}

describe('sync', () => {
  test('counts what is new, and the same array again changes nothing', async () => {
    const session = await open(freshDir())
    const talk = conversation()
    talk.user('one')
    talk.reply('two')
    expect(session.sync(talk.messages)).toEqual({ added: 2, rewound: 0, hostCompacted: false })
    expect(session.sync(talk.messages)).toEqual({ added: 0, rewound: 0, hostCompacted: false })
    expect(session.sync(structuredClone(talk.messages))).toEqual({ added: 0, rewound: 0, hostCompacted: false })
    talk.user('three')
    expect(session.sync(talk.messages.slice(2), { from: 2 })).toEqual({ added: 1, rewound: 0, hostCompacted: false })
    expect([...(await session.plan()).keep]).toEqual([0, 1, 2])
    await session.close()
  })

  test('a repeated text is two messages, also where the host gives no times', async () => {
    const session = await open(freshDir())
    const messages = ['continue', 'ok', 'continue', 'ok'].map((content, index) => ({ role: index % 2 ? 'assistant' : 'user', content }))
    expect(session.sync(messages).added).toBe(4)
    expect(session.sync(structuredClone(messages)).added).toBe(0)
    await session.close()
  })

  test('a changed tail is a rewind, and its decisions leave; the branch that comes back brings its own', async () => {
    const stateDir = freshDir()
    const session = await open(stateDir)
    const talk = conversation()
    talk.user('Hello there.')
    talk.reply('Hello.')
    const fork = talk.messages.length
    talk.user('For this branch we will use Redis for the session cache.')
    talk.reply('Fine.')
    session.sync(talk.messages)
    const other = [...talk.messages.slice(0, fork), { role: 'user', content: 'Look at the logs first.', timestamp: 1_800_000_000_000 }]
    expect(session.sync(other)).toEqual({ added: 1, rewound: 2, hostCompacted: false })
    expect(session.sync(talk.messages)).toMatchObject({ added: 0, rewound: 1 })
    await session.flush()
    await session.close()
  })

  test('a long first history is handed over in slices before the next plan', async () => {
    const stateDir = freshDir()
    const session = await open(stateDir, { contextWindow: 2_000_000 })
    const talk = conversation()
    for (let turn = 0; turn < 700; turn++) {
      talk.user(`Question ${turn}`)
      talk.reply(`Answer ${turn}. ${'word '.repeat(40)}`)
    }
    expect(session.sync(talk.messages).added).toBe(1_400)
    expect((await session.plan()).keep).toHaveLength(1_400)
    expect((await session.health()).problems).toEqual([])
    await session.close()
  })

  test('explain tells the cap from the size of the packet', async () => {
    const stateDir = freshDir()
    const session = await open(stateDir)
    for (let n = 1; n <= 60; n++) await appendDecisionToState(stateDir, 'test:session', { what: `Module alpha${n}x is written in dialect beta${n}y` })
    const why = async (n: number): Promise<string | undefined> => (await session.explain(`Module alpha${n}x is written in dialect beta${n}y`)).whyNotInPacket
    expect(await why(3)).toMatch(/holds the newest 50 entries of a kind/)
    expect(await why(60)).toBeUndefined()
    const reasons = await Promise.all(Array.from({ length: 50 }, (_, index) => why(index + 11)))
    expect(reasons.filter((reason) => reason?.includes('700 tokens at most')).length).toBeGreaterThan(0)
    expect(reasons.filter((reason) => reason?.includes('newest 50'))).toEqual([])
    await session.close()
  })

  test('what no host should send is refused or carried, never a crash', async () => {
    const session = await open(freshDir())
    expect(() => session.sync('no' as never)).toThrow(expect.objectContaining({ code: 'InvalidInput' }))
    expect(() => session.sync([], { from: 9 })).toThrow(expect.objectContaining({ code: 'InvalidInput' }))
    const circle: Record<string, unknown> = { role: 'user', content: 'round' }
    circle.self = circle
    session.sync([null, 7, {}, { role: 'alien', content: [{ type: 'hologram' }] }, circle, { role: 'user', content: 'half \ud83d' }] as never)
    const plan = await session.plan()
    expect(plan.warnings).toEqual([])
    expect(plan.keep.length).toBeGreaterThan(0)
    await session.close()
    expect(() => session.sync([])).toThrow(expect.objectContaining({ code: 'Closed' }))
  })
})

describe('plan', () => {
  test('an epoch keeps the newest turns, shortens old results and puts one packet first', async () => {
    const session = await open(freshDir())
    const talk = conversation()
    talk.user('We will use PostgreSQL 16 for the orders table.')
    talk.reply('Noted.')
    const plan = await untilEpoch(session, talk)
    expect(plan.packet).toContain('PostgreSQL 16')
    expect(plan.checkpointId).toBe('cp_001')
    expect(plan.tokensAfter).toBeLessThanOrEqual(4_000 + 300)
    expect(plan.tokensAfter).toBeLessThan(plan.tokensBefore)
    expect(talk.messages[plan.keep[0] as number]?.role).toBe('user')
    expect(plan.keep.at(-1)).toBe(talk.messages.length - 1)
    expect(view(await session.plan())).toBe(view(plan))
    await session.close()
  })

  test('between two epochs each request starts with the whole one before', async () => {
    const session = await open(freshDir())
    const talk = conversation()
    let before: { epoch: number; text: string[] } | undefined
    let compared = 0
    for (let turn = 0; turn < 20; turn++) {
      talk.user(`Please look at part ${turn}.`)
      for (let step = 0; step < 3; step++) {
        session.sync(talk.messages)
        const plan = await session.plan()
        const text = request(talk.messages, plan).map((message) => JSON.stringify(message))
        if (before?.epoch === plan.epoch) {
          expect(text.slice(0, before.text.length)).toEqual(before.text)
          compared++
        }
        before = { epoch: plan.epoch, text }
        talk.tool(`call-${turn}-${step}`, 'read', { path: `src/part-${turn}.ts` }, output(1_500))
      }
      talk.reply('Fine.')
    }
    expect(compared).toBeGreaterThan(40)
    await session.close()
  })

  test('a restart and a second handle give the same view, byte for byte', async () => {
    const stateDir = freshDir()
    const session = await open(stateDir)
    const talk = conversation()
    const plan = await untilEpoch(session, talk, 2)
    const second = await open(stateDir)
    second.sync(structuredClone(talk.messages))
    expect(view(await second.plan())).toBe(view(plan))
    await second.close()
    await session.close()
    const again = await open(stateDir)
    expect(again.sync(structuredClone(talk.messages))).toEqual({ added: 0, rewound: 0, hostCompacted: false })
    expect(view(await again.plan())).toBe(view(plan))
    await again.close()
  })

  test('in one giant turn the oldest results are shortened at the hard limit, never the newest', async () => {
    const session = await open(freshDir())
    const talk = conversation()
    talk.user('Do it all in one go.')
    let plan: Plan | undefined
    for (let step = 0; step < 12; step++) {
      talk.tool(`call-${step}`, 'bash', { command: `step ${step}` }, output(9_000))
      session.sync(talk.messages)
      plan = await session.plan()
      expect(plan.tokensAfter).toBeLessThan(14_400 + 2_500)
      expect(plan.keep[0]).toBe(0)
      expect(plan.replace.map(({ index }) => index)).not.toContain(talk.messages.length - 1)
    }
    expect(plan?.epoch).toBeGreaterThan(0)
    expect(plan?.replace.length).toBeGreaterThan(0)
    await session.close()
  })

  test('a host compaction begins an epoch: the raw summary is out, the packet is in', async () => {
    const session = await open(freshDir())
    const talk = conversation()
    for (let turn = 0; turn < 6; turn++) {
      talk.user(turn === 0 ? 'We will use PostgreSQL 16 for the orders table.' : `Question ${turn}`)
      talk.reply(`Answer ${turn}`)
    }
    session.sync(talk.messages)
    await session.plan()
    const compacted = [{ role: 'compactionSummary', summary: 'What went before.', tokensBefore: 9_000, timestamp: 1_800_000_000_000 }, ...talk.messages.slice(8)]
    expect(session.sync(compacted)).toEqual({ added: 1, rewound: 0, hostCompacted: true })
    const plan = await session.plan()
    expect(plan.epoch).toBe(1)
    expect(plan.packet).toContain('PostgreSQL 16')
    expect([...plan.keep]).toEqual([1, 2, 3, 4])
    expect(view(await session.plan())).toBe(view(plan))
    await session.close()
  })

  test('a host that hands over no more than the end of a long transcript leaves the frozen view as it is', async () => {
    const stateDir = freshDir()
    let session = await open(stateDir)
    const talk = conversation()
    talk.user('We will use PostgreSQL 16 for the orders table.')
    talk.reply('Noted.')
    const plan = await untilEpoch(session, talk, 2)
    const first = plan.keep[0] as number
    const shown = (plan: Plan, head: number) => JSON.stringify([plan.epoch, plan.packet, [...plan.keep].map((index) => index + head)])
    expect(first).toBeGreaterThan(4)
    for (const head of [2, 3, first]) {
      session.sync(talk.messages.slice(head))
      expect(shown(await session.plan(), head)).toBe(shown(plan, 0))
    }
    await session.close()
    session = await open(stateDir)
    session.sync(talk.messages.slice(first))
    expect(shown(await session.plan(), first)).toBe(shown(plan, 0))
    // What the view still showed is gone: that is a compaction.
    session.sync(talk.messages.slice(first + 1))
    expect((await session.plan()).epoch).toBe(plan.epoch + 1)
    await session.close()
  })

  test('force begins an epoch to the target of its budget, and holds until the trigger', async () => {
    const session = await open(freshDir(), { contextWindow: 16_000, reserveTokens: 2_000, overheadTokens: 0 })
    const talk = conversation()
    for (let turn = 0; turn < 30; turn++) {
      talk.user(`Question ${turn}`)
      talk.reply(`Answer ${turn}. ${'word '.repeat(60)}`)
    }
    talk.user('And now?')
    session.sync(talk.messages)
    const plan = await session.plan({ force: true, budgetTokens: 2_000 })
    expect(plan.epoch).toBe(1)
    expect(plan.keep.length).toBeLessThan(10)
    expect(view(await session.plan())).toBe(view(plan))
    await session.close()
  })

  test('with a prompt of its own the running request stays out of the packet', async () => {
    const session = await open(freshDir())
    const talk = conversation()
    await untilEpoch(session, talk)
    talk.reply('Done with that.')
    session.sync(talk.messages)
    const plan = await session.plan({ prompt: 'Please add a retry to the importer.', force: true })
    expect(plan.packet).not.toContain('retry to the importer')
    expect(plan.packet).not.toMatch(/^Active request/m)
    await session.close()
  })

  test('modes compact and complement leave the array as it is', async () => {
    for (const mode of ['compact', 'complement'] as const) {
      const session = await open(freshDir(), { mode })
      const talk = conversation()
      for (let turn = 0; turn < 12; turn++) {
        talk.user(`Please look at part ${turn}.`)
        talk.tool(`call-${turn}`, 'read', {}, output(6_000))
        talk.reply('Fine.')
      }
      session.sync(talk.messages)
      const plan = await session.plan()
      expect(plan.keep).toHaveLength(talk.messages.length)
      expect([plan.epoch, plan.replace]).toEqual([0, []])
      session.gauge()
      expect(session.shouldCompact()).toBe(mode === 'compact')
      await session.close()
    }
  })
})

describe('compaction', () => {
  test('is truthful about what it freed, and the second time says that there is nothing', async () => {
    const session = await open(freshDir())
    expect(await session.compact({ reason: 'manual' })).toMatchObject({ compacted: false, reason: expect.stringContaining('nothing to compact') })
    const talk = conversation()
    for (let turn = 0; turn < 4; turn++) {
      talk.user(`Please look at part ${turn}.`)
      talk.tool(`call-${turn}`, 'read', {}, output(6_000))
      talk.reply('Fine.')
    }
    session.sync(talk.messages)
    const first = await session.compact({ reason: 'overflow', currentTokens: 20_000 })
    expect(first).toMatchObject({ compacted: true, tokensBefore: 20_000 })
    expect(first.tokensAfter).toBeLessThan(18_000)
    expect(first.summary).toContain('<checkpoint-data')
    expect(await session.compact({ reason: 'threshold' })).toMatchObject({ compacted: false, reason: expect.stringMatching(/already under target|nothing to compact/) })
    await session.close()
  })
})

describe('mode compact', () => {
  test('one compaction of the host is one checkpoint and one epoch', async () => {
    const stateDir = freshDir()
    const session = await open(stateDir, { mode: 'compact' })
    const talk = conversation()
    for (let turn = 0; turn < 8; turn++) {
      talk.user(`Please look at part ${turn}.`)
      talk.tool(`call-${turn}`, 'read', { path: `src/part-${turn}.ts` }, output(6_000))
      talk.reply('Fine.')
    }
    session.sync(talk.messages)
    const answer = await session.compact({ reason: 'threshold' })
    expect(answer).toMatchObject({ compacted: true, summary: expect.stringContaining('<checkpoint-data') })
    expect((await session.plan()).epoch).toBe(0)
    const left = [{ role: 'compactionSummary', summary: answer.summary, tokensBefore: answer.tokensBefore, timestamp: 1_800_000_000_000 }, ...talk.messages.slice(-4)]
    expect(session.sync(left).hostCompacted).toBe(true)
    const plan = await session.plan()
    expect([plan.epoch, plan.keep.length]).toEqual([1, left.length])
    const checkpoints = await listCheckpoints(stateDir, 'test:session')
    expect(checkpoints.map(({ id }) => id)).toEqual([plan.checkpointId])
    expect((await session.packet())?.text).toContain('part 7')
    await session.close()
  })
})

describe('commit, generations, agents', () => {
  test('a commit is taken once per key, also after a restart, and the sync after it finds it known', async () => {
    const stateDir = freshDir()
    const session = await open(stateDir)
    const talk = conversation()
    talk.user('We will use PostgreSQL 16 for the orders table.')
    talk.reply('Noted.')
    expect(await session.commit(talk.messages, { key: 'turn-1' })).toBe('committed')
    expect(await session.commit(talk.messages, { key: 'turn-1' })).toBe('duplicate')
    expect(session.sync(talk.messages)).toEqual({ added: 0, rewound: 0, hostCompacted: false })
    await session.close()
    const again = await open(stateDir)
    expect(await again.commit(talk.messages, { key: 'turn-1' })).toBe('duplicate')
    expect((await readState(stateDir, 'test:session')).decisions).toHaveLength(1)
    await again.close()
  })

  test('after a reset there is no packet, no entry, and late writes are refused', async () => {
    const stateDir = freshDir()
    const session = await open(stateDir)
    const late = await open(stateDir)
    const talk = conversation()
    talk.user('We will use PostgreSQL 16 for the orders table.')
    talk.reply('Noted.')
    session.sync(talk.messages)
    await session.checkpoint({ trigger: 'manual' })
    expect(await readCheckpointForInjection(stateDir, 'test:session')).toContain('PostgreSQL')
    await session.reset('new')
    expect(await session.packet()).toBeNull()
    expect(await readCheckpointForInjection(stateDir, 'test:session')).toBeNull()
    expect((await readState(stateDir, 'test:session')).decisions).toEqual([])
    await expect(late.commit(talk.messages, { key: 'late' })).rejects.toMatchObject({ code: 'InvalidInput' })
    const fresh = conversation()
    fresh.user('A fresh start.')
    session.sync(fresh.messages)
    expect(await session.plan()).toMatchObject({ packet: null, epoch: 0 })
    await late.close()
    await session.end({ reason: 'shutdown' })
  })

  test('a fork begins with what its parent knows; running agents show until they end', async () => {
    const stateDir = freshDir()
    const session = await open(stateDir)
    const talk = conversation()
    talk.user('We will use PostgreSQL 16 for the orders table.')
    session.sync(talk.messages)
    await session.fork('test:child')
    expect((await readState(stateDir, 'test:child')).decisions.map(({ text }) => text)).toEqual([expect.stringContaining('PostgreSQL 16')])
    await session.agentStarted({ id: 'test:child', task: 'Count the rows' })
    expect((await session.packet())?.text).toContain('Count the rows')
    await session.agentEnded('test:child')
    expect((await session.packet())?.text).not.toContain('Count the rows')
    await session.close()
  })

  test('spill stores the whole and gives a short copy that says where it is', async () => {
    const session = await open(freshDir())
    const whole = { role: 'toolResult', toolCallId: 'c1', toolName: 'bash', content: [{ type: 'text', text: output(20_000) }], isError: false, details: { raw: 1 }, timestamp: 5 }
    const { message, chunkId } = await session.spill(whole, { maxTokens: 400 })
    expect((message as Message).details).toBeUndefined()
    expect((message as Message).toolCallId).toBe('c1')
    expect(JSON.stringify(message.content)).toContain(chunkId)
    expect((await session.spill(whole, { maxTokens: 400 })).chunkId).toBe(chunkId)
    await session.close()
  })
})

test('the gauge knows what was just synced, and unknown triggers nothing', async () => {
  const session = await open(freshDir())
  expect(session.gauge()).toMatchObject({ source: 'unknown', tokens: 0, line: null, zone: 'green' })
  expect(session.gauge({ tokens: null, percent: null, contextWindow: 32_000 })).toMatchObject({ source: 'unknown' })
  const talk = conversation()
  talk.user('Hello')
  session.sync(talk.messages)
  expect(session.gauge()).toMatchObject({ source: 'estimate' })
  talk.reply('Hi', { usage: { input: 3, cacheRead: 9_000, cacheWrite: 0, output: 10, totalTokens: 9_013 } })
  session.sync(talk.messages)
  expect(session.gauge()).toMatchObject({ source: 'usage', tokens: 9_013 })
  expect(session.gauge({ tokens: 24_000, contextWindow: 32_000 })).toMatchObject({ source: 'host', utilization: 0.75, line: expect.stringContaining('75%') })
  await session.close()
})

test('a session that only looked has written nothing', async () => {
  const stateDir = freshDir()
  const session = await open(stateDir)
  session.gauge({ tokens: 100, contextWindow: 32_000 })
  expect(await session.packet()).toBeNull()
  await session.close()
  expect(existsSync(`${stateDir}/context/sessions`)).toBe(false)
})
