// What OpenClaw says of its limits, and when.
import type { Session } from './api.js'
import type { Message } from 'clawback'
import type { Live } from './shared.js'

/** `{[name]: value}`, or nothing where the value is missing. */
export const maybe = <K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } =>
  (value === undefined ? {} : { [name]: value }) as { [P in K]?: V }

/** Tokens: the whole window, the room for history, what is set aside for the answer. */
export interface Said {
  window?: number | undefined
  budget?: number | undefined
  reserve?: number | undefined
}

/**
 * Before the prompt the host gives the room for history and its reserve, but not the window: until the window is known, what
 * it has said adds up to the least that the window can be. With all three, the rest is system prompt and tools.
 */
export function learnLimits(session: Session, live: Live, { window, budget, reserve }: Said): void {
  if (window !== undefined && window > 0) live.window = window
  const whole = live.window ?? (budget === undefined ? undefined : budget + (reserve ?? 0))
  if (whole === undefined) return
  const known = live.window !== undefined && budget !== undefined && reserve !== undefined
  session.setLimits({
    contextWindow: whole,
    ...maybe('reserveTokens', reserve),
    ...maybe('overheadTokens', known ? Math.max(0, whole - reserve - budget) : undefined),
  })
}

/**
 * The room for history between model calls. There the host's figure is the window less what is pending, so what has come
 * since the first call is taken off the room at the start of the turn: pressure grows with the turn and does not jump.
 */
export const roomInTurn = (atStart: number | undefined, first: number | undefined, now: number | undefined): number | undefined =>
  atStart === undefined || first === undefined || now === undefined ? atStart : Math.max(1, atStart - Math.max(0, first - now))

/** Tokens that are left of the room for history. */
export const leftOf = (room: number | undefined, taken: number): number | undefined => (room === undefined ? undefined : Math.max(0, room - taken))

/** Tokens of a result that always stay. */
const LEAST_RESULT = 500

/** The running turn cannot be shortened later: no result takes more than half of the room that is left, in tokens. */
export const resultLimit = (setting: number, left: number | undefined): number =>
  left === undefined ? setting : Math.min(setting, Math.max(LEAST_RESULT, Math.floor(left / 2)))

/** The last answer of a turn says how full the context really was. */
export function gauge(session: Session, live: Live, messages: readonly Message[]): void {
  const usage = messages.findLast(({ role }) => role === 'assistant')?.usage as Record<string, unknown> | undefined
  if (!usage) return
  const figure = (name: string) => (typeof usage[name] === 'number' ? (usage[name] as number) : 0)
  const tokens = figure('input') + figure('cacheRead') + figure('cacheWrite') + figure('output')
  if (tokens > 0) session.gauge({ tokens, ...maybe('contextWindow', live.window) })
}
