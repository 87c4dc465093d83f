// Cold storage as files, written the way the store writes them: sealed lines of JSON, the checksum last.
import { appendFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import * as clawback from '../../index.js'
import { sessionDir } from './sandbox.js'

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value >>> 0
})
const crc32 = (bytes: Uint8Array): number => (bytes.reduce((crc, byte) => TABLE[(crc ^ byte) & 0xff]! ^ (crc >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0

/** One line: the checksum is over the bytes before it. */
export function seal(value: object): string {
  const open = JSON.stringify(value).slice(0, -1)
  return `${open},"crc":"${crc32(Buffer.from(open)).toString(16).padStart(8, '0')}"}\n`
}

export const chunkId = (ordinal: number): string => `c0-${ordinal}-${(0xfeed0000 + ordinal).toString(16).padStart(16, '0')}`

export interface Stored { ordinal: number; text: string; reason?: string; score?: number | null; role?: string; prompt?: string }

/** Stores messages in a session and lets them leave its view. */
export async function storeAndDrop(stateDir: string, sessionKey: string, messages: Stored[]): Promise<string> {
  await clawback.writeLastToolCallToState(stateDir, sessionKey, { name: 'read', paramsSummary: 'notes.md' })
  const dir = await sessionDir(stateDir, sessionKey)
  for (const folder of ['messages', 'cold']) mkdirSync(path.join(dir, folder), { recursive: true, mode: 0o700 })
  for (const { ordinal, text, reason = 'epoch', score = null, role = 'user', prompt = 'next step' } of messages) {
    const chunk_id = chunkId(ordinal)
    appendFileSync(path.join(dir, 'messages', '1.jsonl'), seal({ chunk_id, gen: 0, ordinal, at: '2026-02-02T22:00:00Z', role, text }), { mode: 0o600 })
    appendFileSync(path.join(dir, 'cold', '2026-02.jsonl'), seal({
      chunk_id, epoch: 1, session_id: sessionKey, timestamp: `2026-02-02T22:55:${String(ordinal % 60).padStart(2, '0')}Z`, role, tokens: 10 + ordinal,
      drop_reason: reason, relevance_score: score, prompt_at_drop: prompt, recoverable_until: '2126-03-02T22:55:00Z',
    }), { mode: 0o600 })
  }
  return dir
}
