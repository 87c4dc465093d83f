// Budgets of seed 004.
import { describe, expect, test } from 'vitest'
import { allocateBudget, estimateTokens, truncateBootstrapFiles } from '../index.js'

const code = (run: () => unknown) => {
  try {
    run()
    return 'none'
  } catch (error) {
    return (error as { code?: string }).code
  }
}

describe('allocateBudget', () => {
  test("the seed's example", () => {
    expect(allocateBudget({ contextWindow: 200_000, actual: { systemPrompt: 8_500, bootstrap: 3_200 } })).toEqual({
      systemPrompt: 30_000, bootstrap: 20_000, history: 148_300, response: 40_000, reserve: 20_000, reclaimed: 38_300,
    })
  })

  test('some ratios of one\'s own, and the least room for the answer', () => {
    const got = allocateBudget({ contextWindow: 16_000, ratios: { historyRatio: 0.5 } })
    expect(got).toEqual({ systemPrompt: 2_400, bootstrap: 1_600, history: 7_904, response: 4_096, reserve: 0, reclaimed: 0 })
  })

  test.each([
    [{ contextWindow: 0 }], [{ contextWindow: Number.NaN }], [{ contextWindow: -1 }], [{ contextWindow: 200_000, ratios: { historyRatio: 0.9 } }],
    [{ contextWindow: 200_000, ratios: { responseRatio: -1 } }], [{}],
  ])('%j is refused', (input) => {
    expect(code(() => allocateBudget(input as never))).toBe('InvalidInput')
  })
})

describe('truncateBootstrapFiles', () => {
  const rules = (count: number) => Array.from({ length: count }, (_, n) => `Rule ${n}: ask before you change ferry ${n}.\n`).join('')

  test('all files together fit, small ones stay whole, order is kept', () => {
    const files = [{ path: 'MEMORY.md', content: rules(3_000) }, { path: 'SOUL.md', content: rules(5) }, { path: 'TOOLS.md', content: rules(2_000) }]
    const got = truncateBootstrapFiles(files, 4_000)
    const tokens = got.reduce((sum, { content }) => sum + estimateTokens(content), 0)
    expect(tokens).toBeLessThanOrEqual(4_000)
    expect(tokens).toBeGreaterThan(3_600)
    expect(got.map(({ path, truncated }) => [path, truncated])).toEqual([['MEMORY.md', true], ['SOUL.md', false], ['TOOLS.md', true]])
    expect(got[1]!.content).toBe(files[1]!.content)
    expect(got[0]!.content).toMatch(/^Rule 0: [^]*\n\[\.\.\. \d+ of \d+ tokens of MEMORY\.md cut here \.\.\.\]\n[^]*ferry 2999\.\n$/)
  })

  test('nonsense is refused, no files are none', () => {
    expect(truncateBootstrapFiles([], 100)).toEqual([])
    expect(code(() => truncateBootstrapFiles([{ path: 'a', content: 'x' }], Number.NaN))).toBe('InvalidInput')
    expect(code(() => truncateBootstrapFiles([{ path: 'a', content: 'x'.repeat(300 * 1024) }], 10))).toBe('InvalidInput')
  })
})
