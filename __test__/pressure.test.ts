// How full the context is, from whatever a host says (FAULTS E1-E7).
import { describe, expect, test } from 'vitest'
import { estimateMessageTokens, estimateTokens, gaugeLine, measureUsage } from '../index.js'

const window = 200_000
const usage = (tokens: object) => ({ role: 'assistant', content: [{ type: 'text', text: 'ok' }], stopReason: 'stop', usage: tokens })
const said = { role: 'user', content: 'go on' }

describe('estimates', () => {
  test('scripts with more tokens than letters count more (E1)', () => {
    expect(estimateTokens('今天我们讨论了新的数据库架构和接口设计')).toBeGreaterThanOrEqual(12)
    expect(estimateTokens('🔥🔥🔥🔥')).toBeGreaterThanOrEqual(8)
    const english = 'the quick brown fox jumps over the lazy dog '.repeat(20)
    expect(estimateTokens(english)).toBeGreaterThan(english.length / 6)
    expect(estimateTokens(english)).toBeLessThan(english.length / 3)
    expect(estimateTokens('')).toBe(0)
  })

  test('pictures have a cost of their own, base64 in a text is dense (E2)', () => {
    const picture = { role: 'user', content: [{ type: 'image', data: 'A'.repeat(3_000_000), mimeType: 'image/png' }] }
    expect(estimateMessageTokens(picture)).toBeGreaterThan(300)
    expect(estimateMessageTokens(picture)).toBeLessThan(10_000)
    const encoded = Buffer.from(Array.from({ length: 750_000 }, (_, n) => (n * 7919) % 251)).toString('base64')
    expect(estimateTokens(`data:image/png;base64,${encoded}`)).toBeGreaterThan(encoded.length / 2.5)
  })

  test('thinking, arguments and unknown blocks count, empty ones do not fail (E4)', () => {
    const words = Array.from({ length: 6_000 }, (_, n) => `value ${n}`).join(' ')
    for (const content of [[{ type: 'thinking', thinking: words }], [{ type: 'toolCall', id: 'c', name: 'write', arguments: { text: words } }], [{ type: 'hologram', text: words }]]) {
      expect(estimateMessageTokens({ role: 'assistant', content })).toBeGreaterThan(5_000)
    }
    for (const content of [null, undefined, [], [null], [{}], 7]) expect(estimateMessageTokens({ role: 'user', content })).toBeLessThan(50)
  })
})

describe('usage', () => {
  test('the host comes first, then the last call, then an estimate with overhead (E3)', () => {
    const messages = [said, usage({ input: 50_000, output: 10 })]
    expect(measureUsage({ usage: { tokens: 120_000 }, messages, contextWindow: window })).toMatchObject({ tokens: 120_000, source: 'host', utilization: 0.6 })
    expect(measureUsage({ messages, contextWindow: window })).toMatchObject({ source: 'usage' })
    const estimated = measureUsage({ messages: [said], contextWindow: window, overheadTokens: 15_000 })
    expect(estimated).toMatchObject({ source: 'estimate' })
    expect(estimated.tokens).toBeGreaterThan(15_000)
    expect(measureUsage({ contextWindow: window })).toMatchObject({ source: 'unknown' })
  })

  test('cached tokens count once, and a sum over many calls is not trusted (E5)', () => {
    const measured = (tokens: object, contextWindow = window) => measureUsage({ messages: [said, usage(tokens)], contextWindow })
    expect(measured({ input: 3, cacheRead: 164_000, output: 140 }).utilization).toBeCloseTo(0.82, 2)
    expect(measured({ input: 3, cacheRead: 164_000, cacheWrite: 1_000, output: 140, totalTokens: 165_143 }).utilization).toBeCloseTo(0.826, 2)
    expect(measured({ input: 3, cacheRead: 931_000, output: 140 }).source).not.toBe('usage')
    expect(measured({ input: 3, cacheRead: 305_000, output: 140 }).source).not.toBe('usage')
  })

  test('figures from before a compaction, of aborted calls and of nothing are passed over (E6)', () => {
    const full = usage({ input: 181_000, output: 10 })
    const summary = { role: 'compactionSummary', summary: 'What was done.' }
    expect(measureUsage({ messages: [full, summary, said], contextWindow: window }).utilization).toBeLessThan(0.1)
    expect(measureUsage({ messages: [summary, said, usage({ input: 9_000, output: 5 }), said], contextWindow: window })).toMatchObject({ source: 'usage' })
    expect(measureUsage({ messages: [said, { ...full, stopReason: 'aborted' }], contextWindow: window }).source).not.toBe('usage')
    expect(measureUsage({ messages: [said, usage({ input: 0, output: 0 })], contextWindow: window }).source).not.toBe('usage')
  })

  test('null, percent and an empty window are not numbers to go by (E7)', () => {
    const unknown = measureUsage({ usage: { tokens: null, percent: null, contextWindow: window }, contextWindow: window })
    expect(unknown).toMatchObject({ source: 'unknown', zone: 'green' })
    expect(gaugeLine(unknown)).toBeNull()
    expect(measureUsage({ usage: { percent: 0.9 }, contextWindow: window }).utilization).toBeCloseTo(0.009)
    expect(measureUsage({ usage: { percent: 90 }, contextWindow: window }).utilization).toBeCloseTo(0.9)
    for (const contextWindow of [0, -1, NaN]) {
      const measure = measureUsage({ usage: { tokens: 100 }, contextWindow })
      expect(Number.isFinite(measure.utilization)).toBe(true)
      expect(gaugeLine(measure)).toBeNull()
    }
  })
})

describe('the gauge line', () => {
  const at = (share: number) => measureUsage({ usage: { tokens: Math.round(share * window) }, contextWindow: window })
  test('begins at 70 % and says whether a checkpoint was saved', () => {
    expect(gaugeLine(at(0.699))).toBeNull()
    expect(gaugeLine(at(0.7))).toMatch(/^\[Context: 70% \| 140k\/200k tokens\b.*\]$/)
    expect(gaugeLine(at(0.81), { checkpointSaved: true })).toBe('[Context: 81% | 162k/200k tokens | Checkpoint saved]')
    expect(gaugeLine(at(0.81))).not.toContain('saved')
  })
})
