// How full a session's context is, told from outside: by the newest of what its host has left on disk.
import { open } from 'node:fs/promises'
import path from 'node:path'
import type { Api, Checkpoint } from './api.js'

/** Bytes at the end of a log that are looked at. */
const TAIL_BYTES = 256 * 1024
/** A checkpoint with one of these triggers tells the fill before room was made. */
const BEFORE_ROOM_WAS_MADE = ['epoch', 'compaction']

export interface Fill {
  tokens: number
  limit: number
  /** When that was so. */
  asOf: string
  from: 'log' | 'checkpoint'
  /** The checkpoint that says so. */
  checkpoint?: string
  /** Since then room was made; how much is not on record. */
  outdated: boolean
}

/** The newest figure that is on disk; undefined where there is none. */
export async function fillOnDisk(api: Api, where: { stateDir: string; sessionKey: string }): Promise<Fill | undefined> {
  const latest = await api.readLatestCheckpoint(where.stateDir, where.sessionKey)
  const logs = await logPath(api, where.stateDir)
  const [health, compactions] = await Promise.all(['context-health.jsonl', 'compaction.jsonl'].map((file) => newestLine(path.join(logs, file), where.sessionKey)))
  const found = [healthFill(health), compactionFill(compactions, latest), checkpointFill(latest)].filter((fill) => fill !== undefined)
  // Of two from one moment the log's is the one from after the epoch: it comes first and stays first.
  return found.sort((a, b) => Date.parse(b.asOf) - Date.parse(a.asOf))[0]
}

function checkpointFill(latest: Checkpoint | null): Fill | undefined {
  if (latest === null || latest.meta.token_usage.context_window <= 0) return undefined
  const { token_usage: usage, checkpoint_id: checkpoint, created_at: asOf, trigger } = latest.meta
  return { tokens: usage.input_tokens, limit: usage.context_window, asOf, from: 'checkpoint', checkpoint, outdated: BEFORE_ROOM_WAS_MADE.includes(trigger) }
}

function healthFill(line: Line | undefined): Fill | undefined {
  if (line === undefined || !isCount(line.current_tokens) || !isCount(line.limit) || line.limit === 0) return undefined
  return { tokens: line.current_tokens, limit: line.limit, asOf: line.timestamp, from: 'log', outdated: false }
}

/** The log of compactions does not name the window; the checkpoint that each of them writes does. */
function compactionFill(line: Line | undefined, latest: Checkpoint | null): Fill | undefined {
  const limit = latest?.meta.token_usage.context_window ?? 0
  if (line === undefined || !isCount(line.tokens_after) || limit <= 0) return undefined
  return { tokens: line.tokens_after, limit, asOf: line.timestamp, from: 'log', outdated: false }
}

type Line = Record<string, unknown> & { timestamp: string }
const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0

/** The newest line of a session in a log; a log may be missing, be cut off, or hold other sessions. */
async function newestLine(file: string, sessionKey: string): Promise<Line | undefined> {
  for (const text of (await tailOf(file)).split('\n').reverse()) {
    try {
      const line = JSON.parse(text) as Partial<Line> | null
      if (line?.session_id === sessionKey && typeof line.timestamp === 'string' && !Number.isNaN(Date.parse(line.timestamp))) return line as Line
    } catch {
      // The first line of the tail, or one that was cut off.
    }
  }
  return undefined
}

async function tailOf(file: string): Promise<string> {
  try {
    const handle = await open(file)
    try {
      const { size } = await handle.stat()
      const from = Math.max(0, size - TAIL_BYTES)
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch {
    return ''
  }
}

async function logPath(api: Api, stateDir: string): Promise<string> {
  const usual = path.join(stateDir, 'context', 'logs')
  try {
    const { config } = await api.readConfig(undefined, { stateDir })
    return typeof config.logPath === 'string' && path.isAbsolute(config.logPath) ? config.logPath : usual
  } catch {
    return usual
  }
}
