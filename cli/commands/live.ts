// `clawback search`, `health`, `reset` and `compact`: what goes through a session as a host would open it.
import type { Api, LiveSession } from '../api.js'
import { bytes, CliError, colorsFor, harmless, json, notFound, number, oneLine, percent, plural, table, wrongUsage } from '../output.js'
import { choose, findStateDir, sessionsOf, type Flags } from '../session.js'
import { fillOnDisk, type Fill } from '../fill.js'
import { positive } from './replay.js'
import { timeOf } from './cold.js'

const write = (text: string): void => void process.stdout.write(text)

/** Opens the session, hands it over and closes it whatever happens. */
async function withSession<T>(api: Api, flags: Flags, use: (session: LiveSession, where: { stateDir: string; sessionKey: string }) => Promise<T>): Promise<T> {
  const { stateDir, session } = await choose(api, flags)
  if (api.ContextSession === undefined) throw new CliError('Unsupported', 'this build of clawback has no live sessions')
  const where = { stateDir, sessionKey: session.sessionKey }
  const live = await api.ContextSession.open({ ...where, contextWindow: 0 })
  try {
    return await use(live, where)
  } finally {
    await live.close()
  }
}

/** Tokens of messages that are looked through for the passages. */
const READ_TOKENS = 40_000

/** Roles under which hosts store messages. One that a host has invented is found too. */
const ROLES = ['user', 'assistant', 'toolResult', 'system', 'custom', 'bashExecution', 'compactionSummary', 'branchSummary']

export interface SearchFlags extends Flags {
  limit?: string
  maxTokens?: string
  all?: boolean
  role?: string
  tool?: string
  since?: string
  until?: string
}

/** To look into all sessions, one goes through the newest. */
async function anyOf(api: Api, flags: SearchFlags): Promise<SearchFlags> {
  if (!flags.all || flags.session !== undefined) return flags
  const [newest] = await sessionsOf(api, findStateDir(flags.stateDir))
  return newest === undefined ? flags : { ...flags, session: newest.sessionKey }
}

/** Any text is a query. */
export async function search(api: Api, words: string[], flags: SearchFlags): Promise<void> {
  const query = words.join(' ')
  if (query.trim() === '') throw wrongUsage('search needs words to look for')
  const options = {
    limit: flags.limit === undefined ? 10 : positive('--limit', flags.limit),
    // Of a long message a person is shown a passage: it need not push out the others.
    ...(flags.maxTokens !== undefined ? { maxTokens: positive('--max-tokens', flags.maxTokens) } : flags.json ? {} : { maxTokens: READ_TOKENS }),
    ...(flags.all ? { scope: 'all' as const } : {}),
    ...(flags.role === undefined ? {} : { role: flags.role }),
    ...(flags.tool === undefined ? {} : { tool: flags.tool }),
    ...(flags.since === undefined ? {} : { since: timeOf('--since', flags.since) }),
    ...(flags.until === undefined ? {} : { until: timeOf('--until', flags.until) }),
  }
  const { hits, where } = await withSession(api, await anyOf(api, flags), async (session, where) => ({ hits: await session.recall(query, options), where }))
  if (hits.length === 0 && flags.role !== undefined && !ROLES.includes(flags.role)) throw wrongUsage(`--role ${JSON.stringify(oneLine(flags.role, 40))} is no role of a stored message; there are ${ROLES.join(', ')}`)
  if (hits.length === 0) process.exitCode = 1
  if (flags.json) return write(json({ ...where, query, hits }))
  if (hits.length === 0) {
    write(flags.all ? 'nothing found in any session\n' : `nothing found in ${oneLine(where.sessionKey, 200)}; --all also looks before a reset and into other sessions\n`)
    return
  }
  const colors = colorsFor(process.stdout)
  for (const hit of hits) {
    const other = hit.sessionKey === where.sessionKey ? '' : `  ${oneLine(hit.sessionKey, 60)}`
    write(`${colors.cyan(hit.chunkId)}  ${hit.score.toFixed(2)}  ${hit.role}  ${hit.timestamp}${hit.dropReason === null ? '' : `  dropped: ${hit.dropReason}`}${other}\n`)
    write(`${harmless(hit.passage ?? hit.text).trim().split('\n').slice(0, 8).map((line) => `    ${oneLine(line, 160)}`).join('\n')}\n\n`)
  }
}

/** What became of a remembered text. */
export async function explain(api: Api, words: string[], flags: Flags): Promise<void> {
  const text = words.join(' ')
  if (text.trim() === '') throw wrongUsage('explain needs the text, or some words of it')
  const { found, where } = await withSession(api, flags, async (session, where) => ({ found: await session.explain(text), where }))
  if (flags.json) write(json({ ...where, text, ...found }))
  else if (found.found) {
    write(table([
      ['said by', found.source ?? ''],
      ['status', `${found.status ?? ''}${found.by === undefined ? '' : `, by: ${oneLine(found.by, 200)}`}`],
      ['packet', found.whyNotInPacket === undefined ? 'shows it' : `does not show it: ${found.whyNotInPacket}`],
    ]))
  }
  if (!found.found) throw notFound(`nothing remembered in ${oneLine(where.sessionKey, 200)} says this; clawback search looks into the messages`)
}

export interface HealthFlags extends Flags {
  notifyIfPct?: string
}

/** `0.5`, `50` and `50%` are the same: up to 1 it is a share. */
export function share(value: string): number {
  const amount = Number(value.replace(/%$/, ''))
  if (value.trim() === '' || !Number.isFinite(amount) || amount < 0 || amount > 100) throw wrongUsage(`--notify-if-pct needs a share such as 0.5 or a percentage such as 50; got ${JSON.stringify(value)}`)
  return value.endsWith('%') || amount > 1 ? amount / 100 : amount
}

/** Exit code 1 above the limit, for cron. */
export async function health(api: Api, flags: HealthFlags): Promise<void> {
  const limit = flags.notifyIfPct === undefined ? null : share(flags.notifyIfPct)
  const { found, where } = await withSession(api, flags, async (session, where) => ({ found: await session.health(), where }))
  const { known, fill } = await withUsage(api, where, found)
  // What was so before room was made is no reason for an alarm.
  const above = limit !== null && known.pctUsed > limit && fill?.outdated !== true
  if (above) process.exitCode = 1
  if (flags.json) return write(json({ ...where, ...known, ...(fill === undefined ? {} : { asOf: fill.asOf, outdated: fill.outdated, ...(fill.checkpoint === undefined ? {} : { fromCheckpoint: fill.checkpoint }) }), ...(limit === null ? {} : { notifyIfPct: limit, above }) }))
  // A cron job that finds nothing says nothing.
  if (limit !== null && !above) return
  const colors = colorsFor(process.stdout)
  write(`${colors.bold(oneLine(where.sessionKey, 200))}\n`)
  write(table([
    ['context', known.limit === 0 ? 'unknown: no host has reported it yet' : `${percent(known.pctUsed)} (${number(known.currentTokens)} of ${number(known.limit)} tokens)${above ? `, above ${percent(limit)}` : ''}${asOf(fill)}`],
    ['zone', known.zone],
    ['epoch', number(known.epoch)],
    ['checkpoints', number(known.checkpoints)],
    ['cold storage', plural(known.coldChunks, 'message')],
    ['on disk', `${bytes(known.bytesOnDisk)}, ${plural(known.journalLines, 'event')} in the journal${known.readOnly ? ', READ-ONLY' : ''}`],
    ...known.problems.map((problem) => ['problem', oneLine(problem, 200)]),
  ]))
  if (known.problems.length > 0) write('`clawback doctor` says more, and `clawback doctor --fix` repairs what it can\n')
}

/** What is known of the fill: by the session itself, else, from outside, by what its host has left on disk. */
async function withUsage(api: Api, where: { stateDir: string; sessionKey: string }, found: Awaited<ReturnType<LiveSession['health']>>): Promise<{ known: typeof found; fill: Fill | undefined }> {
  if (found.limit > 0) return { known: found, fill: undefined }
  const fill = await fillOnDisk(api, where)
  if (fill === undefined) return { known: found, fill }
  const { tokens, contextWindow, utilization, zone } = api.measureUsage({ usage: { tokens: fill.tokens }, contextWindow: fill.limit })
  return { known: { ...found, currentTokens: tokens, limit: contextWindow, pctUsed: utilization, zone }, fill }
}

/** Since when the figure is known, and that it no longer holds where room was made since. */
function asOf(fill: Fill | undefined): string {
  if (fill === undefined) return ''
  const place = fill.checkpoint === undefined ? '' : ` checkpoint ${fill.checkpoint} at`
  return `, as of${place} ${fill.asOf}${fill.outdated ? ', before room was made; how full it is since is not on record' : ''}`
}

export interface ResetFlags extends Flags {
  force?: boolean
}

/** What is remembered starts anew; nothing is deleted. Without `--force` it only says what would happen. */
export async function reset(api: Api, flags: ResetFlags): Promise<void> {
  const { stateDir, session } = await choose(api, flags)
  const { sessionKey } = session
  const state = await api.readState(stateDir, sessionKey)
  const forgets = {
    decisions: state.decisions.length, constraints: state.constraints.length, tasks: state.tasks.length,
    openItems: state.openItems.length, learnings: state.learnings.length,
  }
  if (flags.force) await withSession(api, { ...flags, stateDir, session: sessionKey }, (live) => live.reset('reset'))
  if (flags.json) return write(json({ stateDir, sessionKey, done: flags.force === true, forgets, checkpointsKept: session.checkpoints }))
  const what = Object.entries({ decision: forgets.decisions, constraint: forgets.constraints, task: forgets.tasks, 'open item': forgets.openItems, learning: forgets.learnings })
    .filter(([, count]) => count > 0).map(([word, count]) => plural(count, word)).join(', ')
  const forgotten = what === '' ? `${flags.force ? 'starts anew; it remembered' : 'remembers'} nothing` : `${flags.force ? 'no longer remembers' : 'would no longer remember'} ${what}`
  write(`${oneLine(sessionKey, 200)}: ${forgotten}\n`)
  write(`stored messages and ${plural(session.checkpoints, 'checkpoint')} stay on disk; of the messages only clawback search --all finds them\n`)
  if (!flags.force) write('nothing was changed: --force does it\n')
}

export interface CompactFlags extends Flags {
  now?: boolean
}

/** The host obeys at its next plan: nobody else can change what its model sees. */
export async function compact(api: Api, flags: CompactFlags): Promise<void> {
  if (!flags.now) throw wrongUsage('compact needs --now')
  const { stateDir, session } = await choose(api, flags)
  await api.requestCompaction(stateDir, session.sessionKey)
  if (flags.json) return write(json({ stateDir, sessionKey: session.sessionKey, requested: true }))
  write(`asked: the host of ${oneLine(session.sessionKey, 200)} compacts before its next model call\n`)
}
