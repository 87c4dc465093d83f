import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SessionInfo } from '../../cli/api.js'
import { colorsFor, harmless, oneLine, table } from '../../cli/output.js'
import { findSession, findStateDir } from '../../cli/session.js'
import { fakeApi } from './fake.js'

describe('what is printed', () => {
  test('has colours on a terminal only, and never with NO_COLOR', () => {
    const red = (stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv) => colorsFor(stream, env).red('x')
    expect(red({ isTTY: true }, {})).toBe('\u001b[31mx\u001b[39m')
    expect(red({}, {})).toBe('x')
    expect(red({}, { CI: '1' })).toBe('x')
    expect(red({ isTTY: true }, { NO_COLOR: '1' })).toBe('x')
    expect(red({ isTTY: true }, { TERM: 'dumb' })).toBe('x')
    expect(red({}, { FORCE_COLOR: '1' })).toBe('\u001b[31mx\u001b[39m')
  })

  test('cannot control the terminal', () => {
    expect(harmless('a\u001b[2Jb\u0007\u202ec\r\nd\rd\te\u001b]0;title\u0007f')).toBe('abc\nd\nd\tef')
  })

  test('is cut between graphemes', () => {
    expect(oneLine('a\n  b', 10)).toBe('a b')
    expect(oneLine('👩‍👩‍👧‍👦'.repeat(5), 3)).toBe('👩‍👩‍👧‍👦👩‍👩‍👧‍👦…')
  })

  test('stands in columns', () => {
    expect(table([['a', 'bb'], ['ccc', 'd']], '')).toBe('a    bb\nccc  d\n')
  })
})

describe('which state is meant', () => {
  let home: string
  beforeEach(() => void (home = mkdtempSync(path.join(tmpdir(), 'home-'))))
  afterEach(() => rmSync(home, { recursive: true, force: true }))
  const withState = (...parts: string[]): string => {
    mkdirSync(path.join(home, ...parts, 'context'), { recursive: true })
    return path.join(home, ...parts)
  }

  test("OpenClaw's directory, else pi's, else an error that names both", () => {
    expect(() => findStateDir(undefined, {}, home)).toThrow(/\.openclaw.*\.pi.*--state-dir/)
    const pi = withState('.pi', 'agent')
    expect(findStateDir(undefined, {}, home)).toBe(pi)
    const openclaw = withState('.openclaw')
    expect(findStateDir(undefined, {}, home)).toBe(openclaw)
    const elsewhere = withState('elsewhere')
    expect(findStateDir(undefined, { OPENCLAW_STATE_DIR: elsewhere }, home)).toBe(elsewhere)
    expect(findStateDir(undefined, { OPENCLAW_STATE_DIR: path.join(home, 'nowhere'), PI_CODING_AGENT_DIR: elsewhere }, home)).toBe(elsewhere)
    expect(findStateDir(elsewhere, {}, home)).toBe(elsewhere)
    expect(() => findStateDir(path.join(home, 'typo'), {}, home)).toThrow(expect.objectContaining({ code: 'NotFound', exitCode: 1 }))
  })

  test('the only session, else the one that is named', async () => {
    const info = (sessionKey: string): SessionInfo => ({ sessionKey, name: `${sessionKey}-1`, updatedAt: '', checkpoints: 0, bytes: 0 })
    const find = (keys: string[], given?: string) => findSession(fakeApi([], { listSessions: async () => keys.map(info) }), '/s', given)
    await expect(find(['a'])).resolves.toMatchObject({ sessionKey: 'a' })
    await expect(find(['a', 'b'], 'b')).resolves.toMatchObject({ sessionKey: 'b' })
    await expect(find(['a', 'b'], 'b-1')).resolves.toMatchObject({ sessionKey: 'b' })
    await expect(find([])).rejects.toMatchObject({ exitCode: 1 })
    await expect(find(['a'], 'c')).rejects.toMatchObject({ exitCode: 1 })
    await expect(find(['a', 'b'])).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('  b') })
  })
})
