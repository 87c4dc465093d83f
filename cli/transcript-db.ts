// OpenClaw keeps its transcripts in a SQLite database. Its rows are written to a temporary JSONL file, which the package
// reads like any other transcript. The database is opened read-only.
import { open } from 'node:fs/promises'
import path from 'node:path'
import zlib from 'node:zlib'
import { withTemporary } from './files.js'
import { CliError, notFound } from './output.js'

const MAGIC = 'SQLite format 3\0'
const NEEDED = '22.15'

/** Whether a file is a SQLite database. One that cannot be read is not: whoever opens it next says why. */
export async function isDatabase(file: string): Promise<boolean> {
  const handle = await open(file, 'r').catch(() => null)
  if (handle === null) return false
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0)
    return bytesRead === MAGIC.length && buffer.toString('latin1') === MAGIC
  } catch {
    return false
  } finally {
    await handle.close()
  }
}

interface Row { event_json: string | null; event_zstd: Uint8Array | null }
interface Statement { get(...values: unknown[]): unknown; iterate(...values: unknown[]): Iterable<unknown> }
interface Database { prepare(sql: string): Statement; close(): void }

async function openDatabase(file: string): Promise<Database> {
  // Typings of Node 20 know neither module; both are asked for by what they can do.
  const sqlite = (await import('node:sqlite' as string).catch(() => null)) as { DatabaseSync: new (file: string, options: object) => Database } | null
  if (sqlite === null || typeof (zlib as { zstdDecompressSync?: unknown }).zstdDecompressSync !== 'function') {
    throw new CliError('Unsupported', `${file} is a SQLite database: reading it needs Node ${NEEDED} or newer (this is ${process.versions.node}); or export the session as JSONL`)
  }
  return new sqlite.DatabaseSync(file, { readOnly: true })
}

const text = (row: Row, unpack: (bytes: Uint8Array) => Buffer): string => (row.event_zstd === null ? (row.event_json ?? '') : unpack(row.event_zstd).toString('utf8'))

/** The session asked for, else the one with the newest event. */
function sessionOf(database: Database, file: string, wanted: string | undefined): string {
  const found = wanted === undefined
    ? database.prepare('SELECT session_id FROM transcript_events ORDER BY created_at DESC, seq DESC LIMIT 1').get()
    : database.prepare('SELECT session_id FROM transcript_events WHERE session_id = ? LIMIT 1').get(wanted)
  if (found === undefined) throw notFound(wanted === undefined ? `no transcript in ${file}` : `no session ${JSON.stringify(wanted)} in ${file}`)
  return String((found as { session_id: unknown }).session_id)
}

/** Runs `use` with a JSONL file of the session; the file is removed whatever happens. */
export async function withTranscript<T>(file: string, wanted: string | undefined, tempDir: string | undefined, use: (jsonl: string, sessionId: string) => Promise<T>): Promise<T> {
  return withTemporary('clawback-transcript-', tempDir, async (directory) => {
    const database = await openDatabase(file)
    let sessionId: string
    const jsonl = path.join(directory, 'transcript.jsonl')
    try {
      try {
        sessionId = sessionOf(database, file, wanted)
      } catch (error) {
        if (error instanceof CliError) throw error
        throw new CliError('Corrupt', `${file} is no transcript database of OpenClaw: ${(error as Error).message}`)
      }
      await writeRows(database, sessionId, jsonl)
    } finally {
      database.close()
    }
    return use(jsonl, sessionId)
  })
}

async function writeRows(database: Database, sessionId: string, jsonl: string): Promise<void> {
  const unpack = (zlib as unknown as { zstdDecompressSync: (bytes: Uint8Array) => Buffer }).zstdDecompressSync
  const handle = await open(jsonl, 'wx', 0o600)
  try {
    const rows = database.prepare('SELECT event_json, event_zstd FROM transcript_events WHERE session_id = ? ORDER BY seq').iterate(sessionId)
    let lines: string[] = []
    let size = 0
    for (const row of rows as Iterable<Row>) {
      // A row that cannot be read stays a line, so that it is counted as damaged like any other.
      let line: string
      try {
        line = text(row, unpack)
      } catch {
        line = '{"damaged"'
      }
      lines.push(line.replace(/\n/g, ' '))
      size += line.length
      if (size < 1 << 20) continue
      await handle.write(`${lines.join('\n')}\n`)
      lines = []
      size = 0
    }
    if (lines.length > 0) await handle.write(`${lines.join('\n')}\n`)
  } finally {
    await handle.close()
  }
}
