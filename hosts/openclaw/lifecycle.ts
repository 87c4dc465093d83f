// Sessions begin, end and are reset. `new`, `reset` and `deleted` start a clean generation; every other reason resumes.
// OpenClaw keeps the session's id across a reset, and it does not wait for these hooks: what comes next waits for us.
import type { PluginApi, SessionRef } from './host.js'
import { leaveToHost, liveSession, withSession, type Plugin } from './plugin.js'
import { endSubagent } from './subagents.js'

const CLEAN = new Set(['new', 'reset', 'deleted'])

export function followSessions(api: PluginApi, plugin: Plugin): void {
  api.on('session_end', ({ reason, sessionKey, sessionId }, context) => {
    const ref: SessionRef = { ...context, ...(sessionKey === undefined ? {} : { sessionKey }), ...(sessionId === undefined ? {} : { sessionId }) }
    return CLEAN.has(reason ?? '') ? reset(plugin, ref, reason as 'new' | 'reset' | 'deleted') : undefined
  })

  api.on('subagent_ended', async ({ targetSessionKey }) => {
    if (!targetSessionKey) return
    try {
      await endSubagent(plugin, targetSessionKey)
    } catch (error) {
      leaveToHost(plugin, 'noting the end of a subagent', error)
    }
  })
}

/** Starts the reset at once, so that a prompt that comes before it is done waits for it. */
function reset(plugin: Plugin, ref: SessionRef, reason: 'new' | 'reset' | 'deleted'): Promise<void> {
  const live = liveSession(plugin, ref)
  if (live === undefined) return Promise.resolve()
  live.resets = (live.resets ?? 0) + 1
  live.tail = undefined
  live.owesPacket = false
  live.met = true
  const done = withSession(plugin, ref, async (session) => {
    await session.reset(reason)
    await session.close()
  })
    .catch((error: unknown) => leaveToHost(plugin, 'starting a clean session', error))
    .then(() => {
      // A handle is on one generation.
      live.session = undefined
      if (live.resetting === done) live.resetting = undefined
    })
  live.resetting = done
  return done
}
