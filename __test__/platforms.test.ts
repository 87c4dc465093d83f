// What is published for each platform: one version, one list, and no symbol of a newer glibc.
import { describe, expect, test } from 'vitest'
import { disagreements } from '../scripts/platform/check.mjs'
import { published } from '../scripts/platform/pack.mjs'
import { compare, glibcVersions } from '../scripts/platform/symbols.mjs'
import main from '../package.json'

test('versions and platforms agree wherever they are written down', () => {
  expect(disagreements()).toEqual([])
})

test('the published package names every platform package at its own version and brings no scripts', () => {
  const found = published(main) as Record<string, unknown>
  expect(found['optionalDependencies']).toMatchObject({ 'clawback-linux-x64-gnu': main.version, 'clawback-win32-arm64-msvc': main.version })
  expect(Object.keys(found['optionalDependencies'] as object)).toHaveLength(main.napi.targets.length)
  expect(found).not.toHaveProperty('scripts')
  expect(found).not.toHaveProperty('devDependencies')
  expect(found['dependencies']).toEqual(main.dependencies)
})

describe('symbols of glibc', () => {
  test('versions are numbers, not text', () => {
    expect(compare('2.9', '2.17')).toBeLessThan(0)
    expect(compare('2.17', '2.17')).toBe(0)
    expect(compare('2.2.5', '2.2')).toBeGreaterThan(0)
  })

  test('are read from both forms that objdump prints, the newest first', () => {
    const table = `
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.2.5) memcpy
0000000000000000      DF *UND*  0000000000000000  GLIBC_2.38   __isoc23_strtol
0000000000000000  w   D  *UND*  0000000000000000  Base        _ITM_registerTMCloneTable
0000000000000000      DF *UND*  0000000000000000 (GLIBC_2.17) clock_gettime`
    expect(glibcVersions(table)).toEqual([
      { version: '2.38', symbol: '__isoc23_strtol' },
      { version: '2.17', symbol: 'clock_gettime' },
      { version: '2.2.5', symbol: 'memcpy' },
    ])
  })
})
