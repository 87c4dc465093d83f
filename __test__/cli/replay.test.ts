import type { Message } from '../../index.js'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { replayTranscript, type ReplayEvent, type ReplayOptions } from '../../cli/replay.js'
import { fakeApi, script, type FakeApi } from './fake.js'

let tempDir: string
beforeEach(() => void (tempDir = mkdtempSync(path.join(tmpdir(), 'replay-test-'))))
afterEach(() => rmSync(tempDir, { recursive: true, force: true }))

async function play(api: FakeApi, options: ReplayOptions = {}): Promise<ReplayEvent[]> {
  const events: ReplayEvent[] = []
  for await (const event of replayTranscript(api, 'x.jsonl', { tempDir, contextWindow: 1000, ...options })) {
    if (event.type !== 'progress') events.push(event)
  }
  return events
}
const outline = (events: ReplayEvent[]): string[] =>
  events.map((event) => {
    if (event.type === 'gauge') return `gauge ${Math.round(event.measure.utilization * 100)}`
    if (event.type === 'checkpoint') return `checkpoint ${event.trigger}`
    if (event.type === 'captured' || event.type === 'settled') return `${event.type} ${event.text}`
    if (event.type === 'packet') return `packet ${event.when}`
    return event.type
  })
const summary = (events: ReplayEvent[]) => {
  const end = events.at(-1)
  if (end?.type !== 'end') throw new Error('no end')
  return end.summary
}

describe('a replay', () => {
  test('says what happened in the order of the transcript', async () => {
    const api = fakeApi([
      script.header(), script.message('user', 'decide A'), script.answer(300), script.answer(320), script.answer(600),
      script.compaction(null, 640), script.message('user', 'decide anew B'), script.answer(200), script.end(),
    ])
    expect(outline(await play(api))).toEqual([
      'start', 'gauge 30', 'gauge 60', 'checkpoint compaction', 'captured decide A', 'compaction', 'packet compaction',
      'gauge 20', 'checkpoint session-end', 'settled decide A', 'captured decide anew B', 'packet end', 'end',
    ])
  })

  test('hands every message over exactly once, the summary of a compaction too', async () => {
    const api = fakeApi([
      script.header(), script.message('user', 'one'), script.answer(850), script.message('user', 'two'), script.answer(860),
      script.compaction(4, 870), script.message('user', 'three'), script.end(),
    ])
    await play(api)
    const given = api.calls.map(({ input }) => ((input.messages ?? []) as Message[]).map((message) => message.content ?? message.summary))
    expect(given.flat()).toEqual(['one', 'ok', 'two', 'ok', 'what was', 'three'])
    expect(api.calls.map(({ input }) => input.trigger)).toEqual(['auto-80pct', 'compaction', 'session-end'])
    expect(api.calls.map(({ input }) => input.compactionCount)).toEqual([0, 0, 1])
  })

  test('ends with a checkpoint of its end, also where one had to be written for want of room', async () => {
    const api = fakeApi([script.header(), script.message('user', 'x'.repeat(4_400_000)), script.answer(20), script.end()])
    await play(api)
    expect(api.calls.map(({ input }) => input.trigger)).toEqual(['manual', 'session-end'])
    const whole = fakeApi([script.header(), script.message('user', 'x'.repeat(4_400_000)), script.end()])
    await play(whole)
    expect(whole.calls.map(({ input }) => input.trigger)).toEqual(['manual', 'session-end'])
  })

  test('asks for a checkpoint from 80 percent on: at once, on growth, and when a turn ends', async () => {
    const api = fakeApi([
      script.header(), script.message('user', 'go'), script.answer(790), script.answer(800), script.answer(810), script.answer(860),
      script.answer(870), script.message('user', 'next'), script.end(),
    ])
    await play(api)
    const asked = api.calls.map(({ input }) => `${input.trigger} ${input.tokenUsage.inputTokens}`)
    expect(asked.slice(0, 3)).toEqual(['auto-80pct 800', 'auto-80pct 860', 'auto-80pct 870'])
    expect(asked).toHaveLength(4)
  })

  test('counts a skipped checkpoint and does not show it', async () => {
    const api = fakeApi([script.header(), script.message('user', 'go'), script.answer(900), script.end()], {
      writeCheckpoint: async () => ({ written: false, reason: 'unchanged' }),
    })
    const events = await play(api)
    expect(outline(events)).not.toContain('checkpoint auto-80pct')
    expect(summary(events)).toMatchObject({ written: 0, skipped: 1 })
  })

  test('does not trust usage from before a compaction, nor of calls that failed', async () => {
    const api = fakeApi([
      script.header(), script.message('user', 'x'.repeat(400)), script.answer(700), script.compaction(3, 700),
      script.answer(999, { stopReason: 'error' }), script.end(),
    ])
    const compaction = (await play(api)).find((event) => event.type === 'compaction')
    expect(compaction).toMatchObject({ tokensBefore: 700, messagesBefore: 2, messagesKept: 1, tokensAfter: 3 })
  })

  test('tells a compaction that cuts a turn in two', async () => {
    const turns = () => [script.header(), script.message('user', 'a'), script.answer(1), script.message('user', 'b'), script.answer(1)]
    const split = async (firstKept: number | null) => {
      const api = fakeApi([...turns(), script.compaction(firstKept, 5), script.end()])
      await play(api)
      return api.calls[0]?.input.isSplitTurn
    }
    expect([await split(3), await split(4), await split(null)]).toEqual([true, false, false])
  })

  test('takes the window from the option, the transcript, the model, or what the session used', async () => {
    const model = { type: 'modelChange' as const, line: 2, provider: null, modelId: 'claude-opus-4' }
    const window = async (events: Parameters<typeof fakeApi>[0], options: ReplayOptions = {}) => {
      const { contextWindow, windowSource } = summary(await play(fakeApi([script.header(), ...events, script.end()]), { contextWindow: undefined, ...options }))
      return `${contextWindow} ${windowSource}`
    }
    expect(await window([])).toBe('200000 default')
    expect(await window([{ ...model, modelId: 'gpt-4o-mini' }])).toBe('128000 model')
    expect(await window([model, { type: 'usage', line: 3, tokens: 5, contextWindow: 90_000 }, model])).toBe('90000 transcript')
    expect(await window([model, script.answer(250_000)])).toBe('400000 usage')
    expect(await window([model, script.answer(250_000)], { contextWindow: 32_000 })).toBe('32000 option')
  })

  test('reports damaged lines where they stand, the start first', async () => {
    const events = await play(fakeApi([script.damaged('torn'), script.header(), script.message('user', 'a'), script.damaged('cut'), script.end()]))
    expect(outline(events).slice(0, 3)).toEqual(['start', 'problem', 'problem'])
    expect(events.filter((event) => event.type === 'problem')).toMatchObject([{ why: 'torn' }, { why: 'cut' }])
  })

  test('starts a session of its own behind a reset', async () => {
    const api = fakeApi([script.header(), script.message('user', 'a'), { type: 'reset', line: 3 }, script.message('user', 'b'), script.end()])
    await play(api)
    expect(api.calls.map(({ sessionKey }) => sessionKey)).toEqual(['pi:s', 'pi:s#2'])
  })

  test('removes its temporary store: at the end, on an error, and when left early', async () => {
    const events = () => [script.header(), script.message('user', 'a'), script.answer(900), script.end()]
    let stateDir = ''
    const watched = (fail: boolean) =>
      fakeApi(events(), {
        async writeCheckpoint(dir) {
          stateDir = dir
          expect(existsSync(dir)).toBe(true)
          if (fail) throw new Error('disk')
          return { written: true, id: 'cp_001', path: '' }
        },
      })
    await play(watched(false))
    expect(stateDir.startsWith(tempDir)).toBe(true)
    await expect(play(watched(true))).rejects.toThrow('disk')
    for await (const event of replayTranscript(watched(false), 'x.jsonl', { tempDir })) if (event.type === 'gauge') break
    const stopped = AbortSignal.abort()
    await expect(play(watched(false), { signal: stopped })).rejects.toThrow(/abort/i)
    expect(readdirSync(tempDir)).toEqual([])
  })

  test('leaves nothing when the transcript cannot be opened', async () => {
    const api = fakeApi([], { openTranscript: () => Promise.reject(Object.assign(new Error('no'), { code: 'Unsupported' })) })
    await expect(play(api)).rejects.toMatchObject({ code: 'Unsupported' })
    expect(readdirSync(tempDir)).toEqual([])
  })
})
