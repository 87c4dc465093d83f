// `clawback drops`, `cold-storage list|show` and `recover`: what left the view, and how it comes back.
import type { Api, ColdChunk, Drop } from '../api.js'
import { colorsFor, escaped, harmless, json, notFound, number, oneLine, plural, table, wrongUsage, type Colors } from '../output.js'
import { progressBar } from '../progress.js'
import { choose, type Flags } from '../session.js'
import { positive } from './replay.js'

export interface DropFlags extends Flags {
  reason?: string
  since?: string
  limit?: string
}

/** Rows that a person is shown without asking for more. */
const SHOWN = 50

const write = (text: string): void => void process.stdout.write(text)

/** The time that a flag such as `--since` names: a date, a time, or an age such as `2h` and `7d`. */
export function timeOf(flag: string, value: string, now = Date.now()): string {
  const age = /^(\d+)([mhd])$/.exec(value)
  const ms = age ? now - Number(age[1]) * { m: 60_000, h: 3_600_000, d: 86_400_000 }[age[2] as 'm' | 'h' | 'd'] : Date.parse(value)
  if (Number.isNaN(ms)) throw wrongUsage(`${flag} needs a time such as 2026-02-02, 2026-02-02T22:55:00Z, 30m, 2h or 7d; got ${JSON.stringify(value)}`)
  return new Date(ms).toISOString()
}

function query(flags: DropFlags): { reason?: string; since?: string; limit?: number } {
  return {
    ...(flags.reason === undefined ? {} : { reason: flags.reason }),
    ...(flags.since === undefined ? {} : { since: timeOf('--since', flags.since) }),
    ...(flags.limit !== undefined ? { limit: positive('--limit', flags.limit) } : flags.json ? {} : { limit: SHOWN }),
  }
}

/** Why messages leave. Another version may know more: what it wrote is found too. */
const REASONS = ['epoch', 'low_relevance', 'host_compaction', 'hard_limit', 'distilled', 'cap', 'spill', 'session_end']

/** A slip of the keyboard is not "nothing". */
function checkReason(flags: DropFlags, found: number): void {
  if (found > 0 || flags.reason === undefined || REASONS.includes(flags.reason)) return
  throw wrongUsage(`--reason ${JSON.stringify(oneLine(flags.reason, 40))} is not known; there are ${REASONS.join(', ')}`)
}

const score = (drop: Drop): string => (drop.relevance_score === null ? '' : drop.relevance_score.toFixed(2))

/** What left the view, the newest last. */
export async function drops(api: Api, flags: DropFlags): Promise<void> {
  const asked = query(flags)
  const { stateDir, session } = await choose(api, flags)
  const found = await api.listDrops(stateDir, session.sessionKey, asked)
  checkReason(flags, found.total)
  if (flags.json) return write(json({ stateDir, sessionKey: session.sessionKey, ...found }))
  if (found.total === 0) return write(`nothing was dropped${filtered(flags)} in ${oneLine(session.sessionKey, 200)}\n`)
  const { bold, dim } = colorsFor(process.stdout)
  const rows = found.drops.map((drop) => [drop.timestamp, drop.chunk_id, drop.role, `${number(drop.tokens)} tokens`, drop.drop_reason, score(drop), oneLine(drop.prompt_at_drop ?? '', 60)])
  write(heading(['time', 'chunk', 'role', 'size', 'reason', 'score', 'prompt at drop'], rows, bold))
  if (found.total > found.drops.length) write(dim(`\nthe newest ${number(found.drops.length)} of ${number(found.total)}; --limit shows more\n`))
  damaged(found.damaged, dim)
}

const filtered = (flags: DropFlags): string => (flags.reason !== undefined || flags.since !== undefined ? ' that fits' : '')

/** A table with a first line that says what is in it. */
function heading(titles: string[], rows: string[][], bold: Colors['bold']): string {
  const [first = '', ...rest] = table([titles, ...rows], '').split('\n')
  return [bold(first), ...rest].join('\n')
}

function damaged(lines: number, dim: Colors['dim']): void {
  if (lines > 0) process.stderr.write(dim(`${plural(lines, 'damaged line')} skipped; \`clawback doctor\` says more\n`))
}

/** Each message that can be brought back once, the one that left last at the end. */
export async function listCold(api: Api, flags: DropFlags): Promise<void> {
  const { limit, ...asked } = query(flags)
  const { stateDir, session } = await choose(api, flags)
  const found = await api.listDrops(stateDir, session.sessionKey, asked)
  checkReason(flags, found.drops.length)
  const newest = new Map<string, Drop>()
  for (const drop of found.drops) {
    newest.delete(drop.chunk_id)
    newest.set(drop.chunk_id, drop)
  }
  const chunks = [...newest.values()]
  const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0)
  const shown = limit === undefined ? chunks : chunks.slice(-limit)
  if (flags.json) return write(json({ stateDir, sessionKey: session.sessionKey, total: chunks.length, tokens, damaged: found.damaged, chunks: shown }))
  if (chunks.length === 0) return write(`cold storage${filtered(flags) === '' ? ' is empty' : ' has nothing that fits'} in ${oneLine(session.sessionKey, 200)}\n`)
  const { bold, dim } = colorsFor(process.stdout)
  write(`${plural(chunks.length, 'message')}, ${number(tokens)} tokens\n\n`)
  write(heading(['chunk', 'role', 'size', 'left', 'reason', 'recoverable until'], shown.map((chunk) => [chunk.chunk_id, chunk.role, `${number(chunk.tokens)} tokens`, chunk.timestamp, chunk.drop_reason, chunk.recoverable_until]), bold))
  if (chunks.length > shown.length) write(dim(`\nthe newest ${number(shown.length)}; --limit shows more\n`))
  damaged(found.damaged, dim)
}

/** Ids of chunks look like c0-12-0123456789abcdef: anything else is a slip of the keyboard, or worse. */
function checked(id: string): string {
  if (!/^c\d+-\d+-[0-9a-f]{16}$/.test(id)) throw wrongUsage(`chunk ids look like c0-12-0123456789abcdef; got ${JSON.stringify(oneLine(id, 60))}`)
  return id
}

/** Seed 003's whole object. */
export async function showCold(api: Api, id: string, flags: Flags): Promise<void> {
  const chunkId = checked(id)
  const { stateDir, session } = await choose(api, flags)
  const chunk = await api.readColdChunk(stateDir, session.sessionKey, chunkId)
  write(flags.json ? json(chunk) : `${harmlessJson(chunk)}\n`)
}

/** The same document; what a terminal would obey is escaped instead of sent. */
function harmlessJson(value: unknown): string {
  return escaped(JSON.stringify(value, null, 2))
}

export interface RecoverFlags extends Flags {
  chunkId?: string[]
}

/** Gives stored messages back, as they were stored. */
export async function recover(api: Api, flags: RecoverFlags): Promise<void> {
  const ids = (flags.chunkId ?? []).map(checked)
  if (ids.length === 0) throw wrongUsage('recover needs --chunk-id; `clawback drops` and `clawback search` show ids')
  const { stateDir, session } = await choose(api, flags)
  const { recoverer, close } = await openRecoverer(api, stateDir, session.sessionKey)
  const bar = progressBar('recovering', ids.length > 20, (done) => plural(done, 'message'))
  const recovered: Recovered[] = []
  const failed: { chunkId: string; code: string; message: string }[] = []
  try {
    for (const chunkId of ids) {
      try {
        recovered.push(await recoverer(chunkId))
      } catch (error) {
        if (ids.length === 1) throw error
        failed.push({ chunkId, code: (error as { code?: string }).code ?? 'Error', message: (error as Error).message })
      }
      bar.update(recovered.length + failed.length, ids.length)
    }
  } finally {
    bar.clear()
    await close()
  }
  if (flags.json) write(json(ids.length === 1 ? recovered[0] : { recovered, failed }))
  else if (ids.length === 1) write(`${harmless(recovered[0]!.text).trimEnd()}\n`)
  else for (const one of recovered) write(`--- ${one.chunkId} ${one.role} ${one.timestamp}\n${harmless(one.text).trimEnd()}\n`)
  for (const one of failed) process.stderr.write(`${one.code}: ${oneLine(one.message, 300)}\n`)
  if (failed.length > 0) throw notFound(`${failed.length} of ${ids.length} could not be recovered`)
}

interface Recovered { chunkId: string; role: string; timestamp: string; text: string }

/** Through a session, whose recovery log this belongs to; long messages come in pages. */
async function openRecoverer(api: Api, stateDir: string, sessionKey: string): Promise<{ recoverer: (id: string) => Promise<Recovered>; close: () => Promise<void> }> {
  if (typeof api.ContextSession?.prototype?.recover !== 'function') {
    return { recoverer: async (id) => fromCold(await api.readColdChunk(stateDir, sessionKey, id)), close: async () => undefined }
  }
  const session = await api.ContextSession.open({ stateDir, sessionKey, contextWindow: 0 })
  const recoverer = async (id: string): Promise<Recovered> => {
    const first = await session.recover(id)
    let { text, nextOffset } = first
    while (nextOffset !== undefined) {
      const page = await session.recover(id, { offset: nextOffset })
      text += page.text
      nextOffset = page.nextOffset
    }
    const { nextOffset: _, ...whole } = first
    return { ...whole, text }
  }
  return { recoverer, close: () => session.close() }
}

const fromCold = (chunk: ColdChunk): Recovered & Record<string, unknown> => ({
  chunkId: chunk.chunk_id, sessionKey: chunk.session_id, role: chunk.role, text: chunk.content, tokens: chunk.tokens, timestamp: chunk.timestamp,
  dropReason: chunk.drop_reason, recoverableUntil: chunk.recoverable_until,
})
