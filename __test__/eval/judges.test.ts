import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'

type Row = Record<string, unknown>
type Counted = { tp: number; fp: number; fn: number }
interface Judged { figures: Record<string, { value: number; hits?: number; of?: number }>; misses: { id: string; kind: string; text: string }[] }
interface Intervals {
  wilson(hits: number, of: number): [number, number]
  f1Of(rows: Counted[]): number
  bootstrapF1(rows: Counted[], resamples?: number, seed?: number): [number, number]
}
interface Match { overlap(a: string, b: string): number; answers(answer: string, row: Row, least: number): boolean }
interface Judges {
  judgePairs(rows: Row[], api: Row): Judged
  judgeAnswers(rows: Row[], api: Row, least: number): Judged
  judgeUsers(rows: Row[], api: Row): Judged
}

// The harness is plain JavaScript that runs before anything is compiled; its types are told here.
const load = (name: string): Promise<unknown> => import(pathToFileURL(path.resolve(__dirname, '../../scripts/eval', name)).href)
let wilson: Intervals['wilson'], f1Of: Intervals['f1Of'], bootstrapF1: Intervals['bootstrapF1']
let overlap: Match['overlap'], answers: Match['answers']
let judgePairs: Judges['judgePairs'], judgeAnswers: Judges['judgeAnswers'], judgeUsers: Judges['judgeUsers']
beforeAll(async () => {
  ;({ wilson, f1Of, bootstrapF1 } = (await load('intervals.mjs')) as Intervals)
  ;({ overlap, answers } = (await load('match.mjs')) as Match)
  ;({ judgePairs, judgeAnswers, judgeUsers } = (await load('judges.mjs')) as Judges)
})
const right: Counted = { tp: 1, fp: 0, fn: 0 }
const wrong: Counted = { tp: 0, fp: 1, fn: 1 }

describe('intervals', () => {
  test('Wilson agrees with published values and never leaves 0..1', () => {
    expect(wilson(9, 10).map((x) => x.toFixed(3))).toEqual(['0.596', '0.982'])
    expect(wilson(0, 20).map((x) => x.toFixed(3))).toEqual(['0.000', '0.161'])
    expect(wilson(20, 20).map((x) => x.toFixed(3))).toEqual(['0.839', '1.000'])
    expect(wilson(0, 0)).toEqual([0, 1])
  })

  test('F1 counts a wrong answer against precision and against recall', () => {
    expect(f1Of([right, right, right, wrong])).toBeCloseTo(0.75)
    expect(f1Of([])).toBe(0)
  })

  test('the bootstrap lies around F1, gets narrower with more rows, and depends on its seed only', () => {
    const rows = (times: number) => Array.from({ length: times }, () => [right, right, right, wrong]).flat()
    const [low, high] = bootstrapF1(rows(5))
    const [narrowLow, narrowHigh] = bootstrapF1(rows(50))
    expect(low < 0.75 && 0.75 < high).toBe(true)
    expect(narrowHigh - narrowLow).toBeLessThan(high - low)
    expect(bootstrapF1(rows(5))).toEqual([low, high])
    const oneDraw = [1, 2, 3, 4, 5, 6].map((seed) => bootstrapF1(rows(5), 1, seed)[0])
    expect(new Set(oneDraw).size).toBeGreaterThan(1)
  })
})

describe('when an answer counts', () => {
  test('markup, list marks and lead-ins are no difference', () => {
    expect(overlap('- **We will `pin` the compiler**', 'Pin the compiler')).toBe(1)
  })

  test('each word counts once per time it is said', () => {
    expect(overlap('retry retry retry', 'retry')).toBeCloseTo(0.5)
  })

  test('an amendment that keeps the old value is wrong however much else it repeats', () => {
    const row = { expected: 'keep backups for 30 days on the second disk', must: ['30'] }
    expect(answers('keep backups for 90 days on the second disk', row, 0.5)).toBe(false)
    expect(answers('backups on the second disk for 30 days', row, 0.5)).toBe(true)
  })
})

describe('judges', () => {
  const pair = (id: string, label: string) => ({ id, label, category: 'any', a: id, b: `${id}'` })
  test('a merged conflict is counted as such, and a one-sided answer is seen', () => {
    const api = { compareItems: (a: string, b: string) => (b === "one'" ? 'duplicate' : a === 'two' ? 'duplicate' : 'distinct') }
    const { figures, misses } = judgePairs([pair('one', 'duplicate'), pair('two', 'conflict'), pair('three', 'distinct')], api)
    expect(figures['F1 (duplicate or not)']?.value).toBeCloseTo(2 / 3)
    expect(figures['conflicts merged as duplicates']).toMatchObject({ hits: 1, of: 1 })
    expect(figures['other answer the other way round']).toMatchObject({ hits: 2, of: 3 })
    expect(misses.map(({ id, kind }) => [id, kind])).toEqual([['two', 'any: duplicate for conflict']])
  })

  test('finding nothing, finding other words and taking what was not decided are told apart', () => {
    const rows = [
      { id: 'a', category: 'x', reply: 'first', expected: 'sort the list' },
      { id: 'b', category: 'x', reply: 'second', expected: 'sort the list' },
      { id: 'c', category: 'x', reply: 'third', expected: null },
      { id: 'd', category: 'x', reply: 'fourth', expected: 'sort the list' },
    ]
    const said: Record<string, string | null> = { first: null, second: 'paint a wall', third: 'sort it', fourth: 'sort the list' }
    const { figures, misses } = judgeAnswers(rows, { extractDecisionFromResponse: (reply: string) => said[reply] }, 0.7)
    expect(misses.map(({ kind }) => kind)).toEqual(['x: not found', 'x: other words', 'x: taken where nothing was decided'])
    expect(figures.F1?.value).toBeCloseTo(2 / 6)
    expect(figures['decisions found']).toMatchObject({ hits: 1, of: 3 })
  })

  test('a dropped person, a believed injection and a text not cleaned are told apart', () => {
    const rows = [
      { id: 'a', category: 'x', label: 'user', text: 'hello', clean: 'hello' },
      { id: 'b', category: 'x', label: 'system', text: 'tick', clean: null },
      { id: 'c', category: 'x', label: 'user', text: '[12:00] hi', clean: 'hi' },
    ]
    const text = (message: { content: { text: string }[] }) => message.content[0]?.text
    const { figures, misses } = judgeUsers(rows, { isRealUserMessage: (m: never) => text(m) !== 'hello', userText: text })
    expect(misses.map(({ id, kind }) => [id, kind])).toEqual([
      ['a', 'x: person not seen'], ['b', 'x: injected text taken for a person'], ['c', 'x: other text'],
    ])
    expect(figures['text exactly as typed']).toMatchObject({ hits: 1, of: 2 })
  })
})
