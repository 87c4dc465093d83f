// Keys and paths: FAULTS A1-A7, and what lies planted where our files should be (G5, G6).
import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import * as clawback from '../index.js'
import { codeOf, filesOf, freshDir, manual, sessionDir, treeOf, user } from './support/sandbox.js'

const windows = process.platform === 'win32'

test('every key has one directory of its own inside sessions/, and listSessions gives the key back', async () => {
  const dir = freshDir()
  const long = 'k'.repeat(299)
  const keys = ['telegram:a:b', 'telegram:a_b', 'telegram/a:b', 'a/b', '日本語', '中文話', '🔥', '..', '.', '../../x', '~', '~/x', `${long}1`, `${long}2`,
    'Foo', 'foo', 'CON', 'NUL', 'aux.x', 'name.', 'name', 'a b', 'a\nb', 'a\0b', '-rf', '0123', 'İ', 'i']
  await Promise.all(keys.map((key) => clawback.appendDecisionToState(dir, key, { what: `Decided for number ${keys.indexOf(key)}` })))
  const listed = await clawback.listSessions(dir)
  expect(listed.map((session) => session.sessionKey).toSorted()).toEqual(keys.toSorted())
  const names = readdirSync(path.join(dir, 'context', 'sessions'))
  expect(names.toSorted()).toEqual(listed.map((session) => session.name).toSorted())
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(keys.length)
  for (const name of names) {
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(100)
    expect(name).toMatch(/^[a-z0-9][a-z0-9-]*$/)
    expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/)
  }
  expect(readdirSync(dir)).toEqual(['context'])
  for (const key of keys) expect((await clawback.readState(dir, key)).decisions.map((item) => item.text)).toEqual([`Decided for number ${keys.indexOf(key)}`])
})

test('keys and directories that would lose something are refused', async () => {
  const dir = freshDir()
  for (const key of ['', 1161888007138312192, 'a\ud83d', '\udc00', null, undefined, {}, []]) {
    expect(await codeOf(clawback.readState(dir, key as string)), String(key)).toBe('InvalidInput')
    expect(await codeOf(clawback.writeCheckpoint(dir, key as string, manual)), String(key)).toBe('InvalidInput')
  }
  for (const stateDir of ['', '~', '~/x', 'a\0b', 7, null]) expect(await codeOf(clawback.appendLearningToState(stateDir as string, 'k', 'x')), String(stateDir)).toBe('InvalidInput')
  expect(treeOf(dir)).toEqual([])
})

test('a checkpoint is named by an id, never by a path', async () => {
  const dir = freshDir()
  await clawback.writeCheckpoint(dir, 'k', manual)
  for (const id of ['../../x', '../checkpoints/cp_001', 'cp_001.yaml', 'cp_1', '', '_latest', 'cp_001\0']) expect(await codeOf(clawback.readCheckpoint(dir, 'k', id)), id).toBe('InvalidInput')
  expect(await codeOf(clawback.readCheckpoint(dir, 'k', 'cp_999'))).toBe('NotFound')
})

test("seed 002's name of a key is kept for those who know it", () => {
  expect(clawback.sanitizeSessionKeyForPath('agent:main/x.y_z-1')).toBe('agent_main_x.y_z-1')
  expect(clawback.sanitizeSessionKeyForPath('日本語')).toBe('___')
})

describe.skipIf(windows)('links planted where our files should be', () => {
  const names = ['.lock', 'journal.jsonl', 'session.json', 'view.json', 'decisions.json', 'checkpoints', 'messages', 'checkpoints/_latest.json', 'checkpoints/cp_001.yaml']
  test.each(names)('%s: refused, and what it points to is untouched', async (name) => {
    const [dir, elsewhere] = [freshDir(), freshDir()]
    const victim = path.join(elsewhere, 'victim')
    writeFileSync(victim, 'original')
    const planted = path.join(dir, 'context', 'sessions', await nameOf('k'))
    mkdirSync(path.dirname(path.join(planted, name)), { recursive: true })
    symlinkSync(['checkpoints', 'messages'].includes(name) ? elsewhere : victim, path.join(planted, name))
    expect(await codeOf(clawback.writeCheckpoint(dir, 'k', { ...manual, messages: [user('Never touch the migrations folder.')] }))).toBe('Refused')
    await clawback.readLatestCheckpoint(dir, 'k').catch((error) => expect(error.code).toBe('Refused'))
    expect(readFileSync(victim, 'utf8')).toBe('original')
    expect(readdirSync(elsewhere)).toEqual(['victim'])
  })

  /** The directory name of a key, learned from the outside. */
  const nameOf = async (key: string) => {
    const dir = freshDir()
    await clawback.appendLearningToState(dir, key, 'x y z')
    return path.basename(await sessionDir(dir, key))
  }

  test('a session directory, or the directory above all, that is a link', async () => {
    const [dir, other, elsewhere] = [freshDir(), freshDir(), freshDir()]
    mkdirSync(path.join(dir, 'context', 'sessions'), { recursive: true })
    symlinkSync(elsewhere, path.join(dir, 'context', 'sessions', await nameOf('k')))
    expect(await codeOf(clawback.appendOpenItemToState(dir, 'k', 'x y z'))).toBe('Refused')
    expect(await codeOf(clawback.readState(dir, 'k'))).toBe('Refused')
    expect(await clawback.listSessions(dir)).toEqual([])
    symlinkSync(elsewhere, path.join(other, 'context'))
    expect(await codeOf(clawback.appendOpenItemToState(other, 'k', 'x y z'))).toBe('Refused')
    expect(readdirSync(elsewhere)).toEqual([])
  })

  test('temporary names', async () => {
    const [dir, elsewhere] = [freshDir(), freshDir()]
    const victim = path.join(elsewhere, 'victim')
    writeFileSync(victim, 'original')
    await clawback.writeCheckpoint(dir, 'k', manual)
    const folder = path.join(await sessionDir(dir, 'k'), 'checkpoints')
    for (let number = 0; number < 100; number++) symlinkSync(victim, path.join(folder, `.tmp.${process.pid}.${number}`))
    symlinkSync(victim, path.join(folder, `cp_002.yaml.tmp.${process.pid}`))
    expect(await clawback.writeCheckpoint(dir, 'k', manual)).toMatchObject({ written: true, id: 'cp_002' })
    expect(readFileSync(victim, 'utf8')).toBe('original')
    expect(lstatSync(path.join(folder, 'cp_002.yaml')).isFile()).toBe(true)
  })
})

test.skipIf(windows)('only the owner may read what is stored, whatever the umask, and a wider mode is tightened', async () => {
  const dir = freshDir()
  const write = (text: string) => {
    const input = { ...manual, messages: [user(text)] }
    const script = `process.umask(0); require('./index.js').writeCheckpoint(${JSON.stringify(dir)}, 'k', ${JSON.stringify(input)}).then(() => setTimeout(() => {}, 300))`
    execFileSync(process.execPath, ['-e', script], { cwd: path.join(__dirname, '..') })
  }
  const modes = () => Object.fromEntries(treeOf(dir).map((name) => [name, lstatSync(path.join(dir, name)).mode & 0o777]))
  const expected = () => Object.fromEntries(treeOf(dir).map((name) => [name, lstatSync(path.join(dir, name)).isDirectory() ? 0o700 : 0o600]))
  write('Never touch the migrations folder.')
  expect(filesOf(dir).length).toBeGreaterThan(4)
  expect(modes()).toEqual(expected())
  for (const name of treeOf(dir)) chmodSync(path.join(dir, name), lstatSync(path.join(dir, name)).isDirectory() ? 0o755 : 0o644)
  write('Never touch the fixtures folder either.')
  expect(modes()).toEqual(expected())
})
