// The unit tests that seed 000 requires for comparing remembered items, under the names it lists.
import { describe, expect, test } from 'vitest'
import { compareItems, extractKeywords, isSemanticDuplicate, normalize, STOP_WORDS } from '../index.js'

describe('isSemanticDuplicate', () => {
  test('normalized exact match (formatting diffs)', () => {
    expect(isSemanticDuplicate('- **Write the `backlog` file**', 'write the backlog   file')).toBe(true)
    expect(isSemanticDuplicate('1. Keep the runbook short', '* keep the runbook short')).toBe(true)
    expect(normalize('-  **Write the `backlog` file**')).toBe(normalize('write the backlog file'))
  })

  test('keyword overlap above/below 0.5 threshold', () => {
    expect(isSemanticDuplicate('Write release notes for the importer', 'We should write the release notes for the importer')).toBe(true)
    expect(isSemanticDuplicate('Send Milica the rollout plan for the warehouse', 'Order new label printers for the warehouse')).toBe(false)
  })

  test('substring containment (>= 10 chars)', () => {
    expect(isSemanticDuplicate('update the changelog', 'We should update the changelog')).toBe(true)
    expect(isSemanticDuplicate('the log', 'rotate the logarithmic table weekly')).toBe(false)
  })

  test('cardinality guard (< 3 keywords → skip Jaccard, fall through)', () => {
    expect(isSemanticDuplicate('fix login', 'fix logout')).toBe(false)
    expect(isSemanticDuplicate('fix login', '- **fix login**')).toBe(true)
  })

  test('Serbian stop words filtered correctly', () => {
    for (const word of ['treba', 'da', 'za', 'smo', 'koji']) if (STOP_WORDS.has(word)) expect(extractKeywords(`${word} magacin`)).not.toContain(word)
    expect(STOP_WORDS.has('treba')).toBe(true)
    expect(isSemanticDuplicate('treba da pošaljemo izveštaj magacinu sutra', 'pošaljemo izveštaj magacinu sutra')).toBe(true)
    // A negation is no stop word, whatever seed 000's list says (DESIGN 6.4).
    expect(STOP_WORDS.has('ne')).toBe(false)
    expect(STOP_WORDS.has('not')).toBe(false)
    expect(isSemanticDuplicate('koristi Redis za sesije korisnika', 'ne koristi Redis za sesije korisnika')).toBe(false)
  })

  test('false negative: genuinely different items with shared vocabulary survive', () => {
    expect(isSemanticDuplicate('Add a retry to the invoice importer', 'Add a rate limit to the order exporter')).toBe(false)
    expect(isSemanticDuplicate('Set the importer timeout to 30 s', 'Set the importer timeout to 60 s')).toBe(false)
    expect(compareItems('Set the importer timeout to 30 s', 'Set the importer timeout to 60 s')).toBe('conflict')
  })

  test('is symmetric', () => {
    const items = ['use SQLite for sessions', 'do not use SQLite for sessions', 'sessions are kept in SQLite', 'listen on port 80', 'listen on port 8080']
    for (const a of items) for (const b of items) expect(isSemanticDuplicate(a, b)).toBe(isSemanticDuplicate(b, a))
  })
})

test('the stop words cannot be changed by an importer', () => {
  expect(() => (STOP_WORDS as Set<string>).add('x')).toThrow(TypeError)
  expect(STOP_WORDS.has('x')).toBe(false)
})
