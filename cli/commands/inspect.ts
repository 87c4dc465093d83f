// `clawback status`, `checkpoints list|show` and `packet`: what is stored, read without changing it.
import type { Api, Checkpoint, SessionInfo } from '../api.js'
import { bytes, colorsFor, harmless, json, notFound, number, oneLine, percent, plural, shownKey, table, wrongUsage } from '../output.js'
import { stateView } from '../replay-view.js'
import { checkpointId, choose, findSession, findStateDir, sessionsOf, type Flags } from '../session.js'
import { positive } from './replay.js'

const write = (text: string): void => void process.stdout.write(text)

/** One session in full, or the list of all when none is chosen. */
export async function status(api: Api, flags: Flags): Promise<void> {
  const stateDir = findStateDir(flags.stateDir)
  const sessions = await sessionsOf(api, stateDir)
  if (flags.session === undefined && sessions.length > 1) {
    if (flags.json) return write(json({ stateDir, sessions }))
    write(`${plural(sessions.length, 'session')} in ${stateDir}; --session shows one\n\n`)
    const rows = sessions.map((one) => [oneLine(shownKey(one.sessionKey), 60), one.updatedAt, plural(one.checkpoints, 'checkpoint'), bytes(one.bytes)])
    return write(table(rows))
  }
  const session = await findSession(api, stateDir, flags.session)
  const { sessionKey } = session
  const [state, latest] = await Promise.all([api.readState(stateDir, sessionKey), api.readLatestCheckpoint(stateDir, sessionKey)])
  if (flags.json) return write(json({ stateDir, session, latest, state }))
  const colors = colorsFor(process.stdout)
  write(`${colors.bold(oneLine(sessionKey, 200))}\n`)
  write(table([
    ['state', stateDir],
    ['changed', session.updatedAt],
    ['on disk', `${bytes(session.bytes)}, ${plural(session.checkpoints, 'checkpoint')}, journal at ${number(state.journalSeq)}`],
    ['checkpoint', latest ? checkpointLine(latest) : session.checkpoints > 0 ? 'none since the reset; older ones: checkpoints list' : 'none yet'],
    ...(latest ? [['topic', oneLine(latest.working.topic, 120)], ['next', oneLine(latest.working.next_action, 120)], ['', `both ${asOf(latest)}; the lists below are live`]] : []),
  ]))
  write(`\n${stateView(state, colors)}`)
}

const asOf = ({ meta }: Checkpoint): string => `as of checkpoint ${meta.checkpoint_id} at ${meta.created_at}`

function checkpointLine({ meta }: Checkpoint): string {
  const usage = meta.token_usage
  return `${meta.checkpoint_id}, ${meta.created_at}, ${meta.trigger}, ${percent(usage.utilization)} of ${number(usage.context_window)} tokens`
}

export async function listCheckpoints(api: Api, flags: Flags): Promise<void> {
  const { stateDir, session } = await choose(api, flags)
  const checkpoints = await api.listCheckpoints(stateDir, session.sessionKey)
  if (flags.json) return write(json({ stateDir, sessionKey: session.sessionKey, checkpoints }))
  if (checkpoints.length === 0) return write(`no checkpoints yet in ${oneLine(session.sessionKey, 200)}\n`)
  write(table(checkpoints.map((info) => [info.id, info.createdAt, info.trigger ?? '', bytes(info.bytes), info.valid ? '' : 'DAMAGED']), ''))
}

/** The latest one, or the one with the given id. */
export async function showCheckpoint(api: Api, id: string | undefined, flags: Flags): Promise<void> {
  const { stateDir, session } = await choose(api, flags)
  const checkpoint = await theCheckpoint(api, stateDir, session, id)
  write(flags.json ? json(checkpoint) : harmless(api.formatCheckpointYaml(checkpoint)))
}

async function theCheckpoint(api: Api, stateDir: string, session: SessionInfo, id: string | undefined): Promise<Checkpoint> {
  if (id !== undefined) {
    return api.readCheckpoint(stateDir, session.sessionKey, checkpointId(id))
  }
  const latest = await api.readLatestCheckpoint(stateDir, session.sessionKey)
  if (latest !== null) return latest
  const key = JSON.stringify(session.sessionKey)
  const older = (await api.listCheckpoints(stateDir, session.sessionKey)).filter((info) => info.valid).at(-1)
  if (older === undefined) throw notFound(`no checkpoint yet in session ${key}`)
  throw notFound(`no checkpoint yet since session ${key} was reset; those from before stay: checkpoints list names them, and checkpoints show ${older.id} or packet --checkpoint ${older.id} prints one`)
}

/** The text that an agent would be given now: of the live state, or as a checkpoint has it. */
export async function packet(api: Api, flags: Flags & { maxTokens?: string; checkpoint?: string }): Promise<void> {
  const options = flags.maxTokens === undefined ? {} : { maxTokens: positive('--max-tokens', flags.maxTokens) }
  const { stateDir, session } = await choose(api, flags)
  const { rendered, checkpoint } = (flags.checkpoint === undefined ? await packetOfNow(api, stateDir, session, options) : undefined) ?? (await packetOf(api, stateDir, session, flags.checkpoint, options))
  if (rendered.text === '') throw wrongUsage(`--max-tokens ${flags.maxTokens} does not hold even the frame of a packet, which takes about 60 tokens; 150 and more are useful`)
  const at = checkpoint?.meta.created_at ?? new Date().toISOString()
  if (flags.json) return write(json({ stateDir, sessionKey: session.sessionKey, checkpoint: checkpoint?.meta.checkpoint_id ?? null, asOf: at, ...rendered }))
  write(`${harmless(rendered.text).trimEnd()}\n`)
  // What is piped on is the packet alone, which names its checkpoint itself.
  if (process.stdout.isTTY) write(checkpoint === undefined ? '\nas of now; no checkpoint says the same yet\n' : `\n${asOf(checkpoint)}; what was said since is not in it\n`)
}

type PacketText = ReturnType<Api['renderCheckpoint']>

async function packetOf(api: Api, stateDir: string, session: SessionInfo, id: string | undefined, options: { maxTokens?: number }): Promise<{ rendered: PacketText; checkpoint?: Checkpoint }> {
  const checkpoint = await theCheckpoint(api, stateDir, session, id)
  return { rendered: api.renderCheckpoint(checkpoint, options), checkpoint }
}

/** What the session remembers now; undefined where that is nothing. With the checkpoint that says just this, where there is one. */
async function packetOfNow(api: Api, stateDir: string, session: SessionInfo, options: { maxTokens?: number }): Promise<{ rendered: PacketText; checkpoint?: Checkpoint } | undefined> {
  if (api.ContextSession === undefined) return undefined
  const live = await api.ContextSession.open({ stateDir, sessionKey: session.sessionKey, contextWindow: 0 })
  try {
    const rendered = (await live.packet(options)) ?? undefined
    if (rendered === undefined) return (await live.packet()) === null ? undefined : { rendered: { text: '', tokens: 0, omitted: {} } }
    const latest = await api.readLatestCheckpoint(stateDir, session.sessionKey)
    const same = latest !== null && api.renderCheckpoint(latest, options).text === rendered.text
    return { rendered, ...(same ? { checkpoint: latest } : {}) }
  } finally {
    await live.close()
  }
}
