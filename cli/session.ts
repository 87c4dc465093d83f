// Which state directory and which session a command means.
import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import type { ReplayApi, SessionInfo } from './api.js'
import { inWords } from './files.js'
import { notFound, shownKey, wrongUsage } from './output.js'

/** Options that most commands take. */
export interface Flags {
  json?: boolean
  stateDir?: string
  session?: string
}

const holdsState = (directory: string): boolean => statSync(path.join(directory, 'context'), { throwIfNoEntry: false })?.isDirectory() ?? false

/** The same where nobody asked for this directory: one that cannot be looked at is passed over. */
function mayHoldState(directory: string): boolean {
  try {
    return holdsState(directory)
  } catch {
    return false
  }
}

/** The directory given, else OpenClaw's, else pi's, where one of them holds clawback's state. */
export function findStateDir(given: string | undefined, env: NodeJS.ProcessEnv = process.env, home = homedir()): string {
  if (given !== undefined) {
    if (given === '') throw wrongUsage('--state-dir is empty')
    const directory = path.resolve(given)
    try {
      if (holdsState(directory)) return directory
    } catch (error) {
      throw notFound(`no clawback state in ${directory}: ${inWords(error) ?? (error as Error).message}`)
    }
    throw notFound(`no clawback state in ${directory}: ${existsSync(directory) ? 'it has no directory "context"' : 'there is no such directory'}`)
  }
  const places = [env.OPENCLAW_STATE_DIR || path.join(home, '.openclaw'), env.PI_CODING_AGENT_DIR || path.join(home, '.pi', 'agent')]
  const found = places.map((place) => path.resolve(place)).find(mayHoldState)
  if (found === undefined) throw wrongUsage(`no clawback state in ${places.join(' or ')}: name the state directory with --state-dir`)
  return found
}

/** As `findStateDir`; undefined where none was named and none is found. */
export function stateDirIfAny(given: string | undefined): string | undefined {
  if (given !== undefined) return path.resolve(given)
  try {
    return findStateDir(undefined)
  } catch {
    return undefined
  }
}

/** All sessions, the newest first. */
export async function sessionsOf(api: ReplayApi, stateDir: string): Promise<SessionInfo[]> {
  const sessions = await api.listSessions(stateDir)
  return sessions.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))
}

/** The session given by its key or directory name; without one, the only session there is. */
export async function findSession(api: ReplayApi, stateDir: string, given: string | undefined): Promise<SessionInfo> {
  const sessions = await sessionsOf(api, stateDir)
  if (sessions.length === 0) throw notFound(`no sessions in ${stateDir}`)
  if (given === undefined) {
    if (sessions.length === 1) return sessions[0]!
    throw wrongUsage(`${sessions.length} sessions in ${stateDir}: choose one with --session\n${keys(sessions)}`)
  }
  const found = sessions.find((session) => session.sessionKey === given) ?? sessions.find((session) => session.name === given)
  if (!found) throw notFound(`no session ${JSON.stringify(given)} in ${stateDir}; there ${sessions.length === 1 ? 'is' : 'are'}:\n${keys(sessions)}`)
  return found
}

/** The id of a checkpoint, however short it was typed: `cp_007`, `cp_7` and `7` are one. */
export function checkpointId(given: string): string {
  const digits = /^(?:cp_)?0*(\d+)$/.exec(given)?.[1]
  if (digits === undefined) throw wrongUsage(`checkpoints are named cp_001, cp_002, ...; got ${JSON.stringify(given)}`)
  return `cp_${digits.padStart(3, '0')}`
}

/** The state directory and the session that a command means. */
export async function choose(api: ReplayApi, flags: Flags): Promise<{ stateDir: string; session: SessionInfo }> {
  const stateDir = findStateDir(flags.stateDir)
  return { stateDir, session: await findSession(api, stateDir, flags.session) }
}

function keys(sessions: readonly SessionInfo[]): string {
  const shown = sessions.slice(0, 20).map((session) => `  ${shownKey(session.sessionKey)}`)
  if (sessions.length > shown.length) shown.push(`  and ${sessions.length - shown.length} more`)
  return shown.join('\n')
}
