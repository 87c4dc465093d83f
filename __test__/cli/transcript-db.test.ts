// OpenClaw's database of transcripts, replayed like a file. Needs a Node that reads SQLite and zstd; the others say so.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { freshDir } from '../support/sandbox.js'

const root = path.join(__dirname, '..', '..')
const main = path.join(root, 'dist', 'cli', 'main.js')
const compress = (zlib as unknown as { zstdCompressSync?: (bytes: Uint8Array) => Buffer }).zstdCompressSync
const builtin = (process as unknown as { getBuiltinModule?: (name: string) => unknown }).getBuiltinModule
const sqlite = (builtin?.('node:sqlite') ?? null) as { DatabaseSync: new (file: string) => { exec(sql: string): void; prepare(sql: string): { run(...values: unknown[]): void }; close(): void } } | null
const able = sqlite !== null && compress !== undefined

const run = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => execFile(process.execPath, [main, ...args], { maxBuffer: 1 << 28 }, (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })))

test.skipIf(able)('an older Node says which one is needed', async () => {
  const file = path.join(freshDir(), 'openclaw-agent.sqlite')
  writeFileSync(file, 'SQLite format 3\0 and so on')
  const { code, stderr } = await run('replay', file)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^Unsupported: .*Node 22\.15/)
})

test.skipIf(!able)('plays the newest session, or the one that is named, and leaves the database as it was', async () => {
  const dir = freshDir()
  const file = path.join(dir, 'openclaw-agent.sqlite')
  const database = new sqlite!.DatabaseSync(file)
  database.exec('CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY(session_id, seq)) STRICT')
  const insert = database.prepare('INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?, NULL, NULL)')
  const lines = readFileSync(path.join(root, 'fixtures', 'transcripts', 'openclaw.jsonl'), 'utf8').trim().split('\n')
  lines.forEach((line, seq) => (seq % 2 === 0 ? insert.run('newer', seq, line, 2_000 + seq, null) : insert.run('newer', seq, null, 2_000 + seq, compress!(Buffer.from(line)))))
  insert.run('older', 0, lines[0], 1_000, null)
  insert.run('older', 1, null, 1_001, Buffer.from('no zstd'))
  database.close()
  const hash = (): string => createHash('sha256').update(readFileSync(file)).digest('hex')
  const before = hash()

  const played = JSON.parse((await run('replay', file, '--json')).stdout)
  const plain = JSON.parse((await run('replay', path.join(root, 'fixtures', 'transcripts', 'openclaw.jsonl'), '--json')).stdout)
  expect(played).toMatchObject({ file, sessionKey: 'openclaw:newer', stats: plain.stats, problems: plain.problems })
  const older = JSON.parse((await run('replay', file, '--session', 'older', '--json')).stdout)
  expect(older.problems).toHaveLength(1)
  expect((await run('replay', file, '--session', 'nobody')).code).toBe(1)
  expect(hash()).toBe(before)
  expect(readdirSync(dir)).toEqual(['openclaw-agent.sqlite'])
})
