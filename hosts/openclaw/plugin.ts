// What every part of the plugin is given, and how each reaches a session.
import type { Clawback, Session } from './api.js'
import type { Logger, SessionRef } from './host.js'
import { PLUGIN_ID, type Role, type Settings } from './settings.js'
import { codeOf, liveOf, messageOf, sayOnce, type Live } from './shared.js'

export interface Plugin {
  addon(): Clawback | undefined
  stateDir: string
  settings: Settings
  role: Role
  logger: Logger
}

/** OpenClaw names sessions by key; only runs outside of its session store have no more than an id. */
export const keyOf = (ref: SessionRef): string | undefined => ref.sessionKey || (ref.sessionId ? `openclaw:${ref.sessionId}` : undefined)

export function liveSession(plugin: Plugin, ref: SessionRef): Live | undefined {
  const key = keyOf(ref)
  return key === undefined ? undefined : liveOf(plugin.stateDir, key)
}

/** Window that is assumed until the host has said it: its own default. */
const USUAL_WINDOW = 200_000

function open(plugin: Plugin, addon: Clawback, ref: SessionRef, live: Live): Promise<Session> {
  const open = (config: Record<string, unknown>) =>
    addon.ContextSession.open({
      stateDir: plugin.stateDir,
      sessionKey: keyOf(ref) as string,
      contextWindow: live.window ?? USUAL_WINDOW,
      mode: plugin.role.engine ? 'prune' : 'complement',
      config,
      ...(ref.agentId === undefined ? {} : { agentId: ref.agentId }),
    })
  const opened = open(plugin.settings.manager).catch(async (error: unknown) => {
    if (Object.keys(plugin.settings.manager).length === 0 || codeOf(error) !== 'InvalidInput') throw error
    // One wrong knob is no reason to remember nothing.
    const session = await open({})
    const why = messageOf(error).replace(/^ContextSession\.open: (?:configuration, option config: )?/, '')
    sayOnce(plugin.logger, 'manager', `plugins.entries.${PLUGIN_ID}.config.manager in openclaw.json: ${why}; it is left out, the defaults are used`)
    return session
  })
  opened.catch(() => {
    if (live.session === opened) live.session = undefined
  })
  return opened
}

/**
 * Does something with the session of `ref`; undefined where there is no session to speak of, or no addon. A handle that was
 * closed in the meantime (the oldest of many, a reset) is opened again once.
 */
export async function withSession<T>(plugin: Plugin, ref: SessionRef, use: (session: Session, live: Live) => Promise<T>): Promise<T | undefined> {
  const addon = plugin.addon()
  const live = liveSession(plugin, ref)
  if (addon === undefined || live === undefined) return undefined
  await live.resetting
  for (let again = false; ; again = true) {
    const session = await (live.session ??= open(plugin, addon, ref, live))
    try {
      return await use(session, live)
    } catch (error) {
      if (codeOf(error) !== 'Closed' || again) throw error
      live.session = undefined
    } finally {
      passLogs(plugin.logger, session)
    }
  }
}

function passLogs(logger: Logger, session: Session): void {
  for (const line of session.drainLogs()) logger[line.level]?.(`clawback: ${line.message}`)
}

/** What a plan had to leave as it is; each kind is said once, whatever its figures. */
export function warn(plugin: Plugin, warnings: readonly string[]): void {
  for (const text of warnings) sayOnce(plugin.logger, `plan:${text.replace(/\d+/g, '#').slice(0, 80)}`, text)
}

/** The host goes on as it would without us; why is said once for each kind of failure. */
export function leaveToHost(plugin: Plugin, what: string, error: unknown): void {
  sayOnce(plugin.logger, `${what}:${codeOf(error) ?? messageOf(error)}`, `${what} failed, OpenClaw goes on by itself. ${messageOf(error)}`)
}
