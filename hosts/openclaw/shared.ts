// What outlives one engine instance: OpenClaw makes a new one for every turn and may load this file again (hot reload), so it
// lives in one record of the process, keyed by state directory and session key.
import type { Session } from './api.js'
import type { Logger } from './host.js'

/** One session as this process knows it. */
export interface Live {
  session?: Promise<Session>
  /** Context window in tokens, once the host has said it. */
  window?: number
  /** Tokens that are left in the running turn, once the host has said its budget. */
  left?: number | undefined
  /** Text for the end of the prompt that is being built. */
  tail?: string
  /** How often the session was reset while this process ran. */
  resets?: number
  /** A reset that is under way: whatever comes next waits for it. */
  resetting?: Promise<void>
  /** Names of the calls of the running turn, by the provider's ids; see `ids.ts`. */
  calls?: Map<string, string>
  /** Complement mode: the next prompt gets the packet. */
  owesPacket?: boolean
  /** Complement mode: this process has seen a prompt of this session. */
  met?: boolean
}

interface Shared {
  live: Map<string, Live>
  said: Set<string>
}

const place = Symbol.for('clawback.openclaw')
const shared = ((globalThis as Record<symbol, unknown>)[place] ??= { live: new Map(), said: new Set() }) as Shared

/** Most sessions that are kept at hand; the oldest handle is closed first, and opened again when it is needed. */
const MOST_LIVE = 200

export function liveOf(stateDir: string, sessionKey: string): Live {
  const name = `${stateDir}\0${sessionKey}`
  const live = shared.live.get(name) ?? {}
  shared.live.delete(name)
  shared.live.set(name, live)
  if (shared.live.size > MOST_LIVE) {
    const [oldest, left] = shared.live.entries().next().value as [string, Live]
    shared.live.delete(oldest)
    left.session?.then((session) => session.close()).catch(() => {})
  }
  return live
}

/** Says a thing once per process. */
export function sayOnce(logger: Logger, about: string, text: string): void {
  if (shared.said.has(about)) return
  shared.said.add(about)
  logger.warn(`clawback: ${text}`)
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && typeof (error as { code?: unknown }).code === 'string' ? (error as { code?: string }).code : undefined
