import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

interface Figure { value: number; interval: [number, number]; hits?: number; of?: number }
interface Result { rows: number; figures: Record<string, Figure>; misses: string[] }
interface Report { measured: Record<string, Record<string, Result>>; outside: string[][] | null }

const root = path.resolve(__dirname, '..', '..')
const run = (...args: string[]) => spawnSync(process.execPath, ['scripts/eval.mjs', ...args], { cwd: root, encoding: 'utf8' })
const report = (...args: string[]): Report => JSON.parse(run('--json', ...args).stdout)
const tuning = report('--sets=tuning')

function figure(kind: string, name: string): Figure {
  const found = tuning.measured[kind]?.tuning?.figures[name]
  if (!found) throw new Error(`no figure ${kind}: ${name}`)
  return found
}

describe('npm run eval', () => {
  test('judges every row of every kind and keeps to the sets asked for', () => {
    const rows = Object.fromEntries(Object.entries(tuning.measured).map(([kind, sets]) => [kind, [Object.keys(sets), sets.tuning?.rows]]))
    expect(rows).toEqual({ pairs: [['tuning'], 84], replies: [['tuning'], 42], confirmed: [['tuning'], 16], users: [['tuning'], 22] })
    expect(tuning.outside).toBeNull()
  })

  test('gives each figure an interval around it, and each share what it was counted from', () => {
    const figures = Object.values(tuning.measured).flatMap((sets) => Object.values(sets).flatMap((one) => Object.entries(one.figures)))
    expect(figures.length).toBeGreaterThan(15)
    for (const [name, { value, interval: [low, high], hits, of }] of figures) {
      expect(low >= 0 && low <= value + 1e-9 && value <= high + 1e-9 && high <= 1, `${name}: ${low} ${value} ${high}`).toBe(true)
      if (!name.startsWith('F1')) expect(value).toBeCloseTo((hits ?? NaN) / (of ?? NaN), 12)
    }
  })

  test('prints the same twice', () => {
    expect(run('--sets=tuning', '--kinds').stdout).toBe(run('--sets=tuning', '--kinds').stdout)
  })

  test('refuses a set that it does not know', () => {
    const wrong = run('--sets=nowhere')
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toContain('no such set: nowhere')
  })

  test('never prints a row of the blind set', () => {
    const { stdout } = run('--sets=third', '--misses', '--kinds')
    // Compared as truths, so that a failing test does not print them either.
    expect({ measured: stdout.includes('third ('), ids: /third-[a-z]\d/.test(stdout), texts: stdout.includes('"') })
      .toEqual({ measured: true, ids: false, texts: false })
  })
})

// Well below what the rules reach, above what a broken rule would: a fall under one of these is a regression to look into,
// never a floor to lower.
describe('judgement on the tuning rows stays above its floor', () => {
  test.each([
    ['pairs', 'F1 (duplicate or not)', 0.85],
    ['pairs', 'conflicts seen', 0.82],
    ['replies', 'F1', 0.92],
    ['confirmed', 'F1', 0.85],
    ['users', 'F1', 0.92],
    ['users', 'text exactly as typed', 0.9],
  ])('%s: %s is at least %d', (kind, name, floor) => {
    expect(figure(kind, name).value).toBeGreaterThanOrEqual(floor)
  })

  test.each([
    ['pairs', 'conflicts merged as duplicates', 0],
    ['pairs', 'distinct merged as duplicates', 1],
    ['pairs', 'other answer the other way round', 0],
    ['replies', 'taken where nothing was decided', 1],
    ['confirmed', 'taken where nothing was decided', 1],
    ['users', 'persons dropped', 1],
  ])('%s: %s at most %d times', (kind, name, most) => {
    expect(figure(kind, name).hits).toBeLessThanOrEqual(most)
  })
})
