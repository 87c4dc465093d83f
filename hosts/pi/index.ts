// clawback as an extension of the pi coding agent, 0.73 and 1.x. Each handler hands its event to the session's `Live` and
// turns the answer into pi's form. None throws: what goes wrong is said once, and pi goes on as if nobody had asked.
import { createRequire } from 'node:module'
import type * as Clawback from '../../index.js'
import { registerCommands } from './commands.js'
import { Live } from './live.js'
import type { Context, EventName, ExtensionAPI, Handler } from './pi-api.js'

const codeOf = (error: unknown) => String((error as { code?: unknown } | null)?.code)
const OF_THE_DISK = new Set(['NoSpace', 'ReadOnly', 'Locked', 'Io'])
const ALSO_IN_PLAN = new Set<EventName>(['tool_result', 'agent_end'])

export default function clawback(pi: ExtensionAPI): void {
  const said = new Set<string>()
  /** Once per cause, whatever its figures and paths: a fault that comes with every call must not fill the screen. */
  const say = (ctx: Context, text: string, why = text) => {
    const cause = why.replace(/(?:[A-Za-z]:)?[\\/]\S+/g, 'a file').replace(/\d+(?:[.,]\d+)*/g, '#')
    if (said.has(cause)) return
    said.add(cause)
    if (ctx.hasUI) ctx.ui.notify(text, 'warning')
    else console.error(text)
  }

  let core: typeof Clawback
  try {
    core = createRequire(import.meta.url)('../../index.js') as typeof Clawback
  } catch (error) {
    const why = String((error as Error)?.message ?? error).split('\n', 1)[0]
    pi.on('session_start', async (_event, ctx) => say(ctx, `clawback is off, pi runs without it: ${why}`))
    return
  }

  let over = false
  const on = <Name extends EventName>(name: Name, handler: Handler<Name>) =>
    pi.on(name, async (event, ctx) => {
      // 0.73 does not wait for all of its events: one that comes late finds its context stale.
      if (over && name !== 'session_start') return undefined
      over = name === 'session_shutdown'
      try {
        return await handler(event, ctx)
      } catch (error) {
        if (codeOf(error) !== 'Closed') return failed(ctx, name, error)
      }
      // Reset from outside, by the command line: the session is opened again, on its clean generation.
      open?.live.then((live) => live.session.close()).catch(() => undefined)
      open = null
      say(ctx, 'clawback: the session was reset from outside; it goes on with nothing remembered')
      try {
        return await handler(event, ctx)
      } catch (error) {
        return failed(ctx, name, error)
      }
    })
  const failed = (ctx: Context, name: EventName, error: unknown): undefined => {
    // A disk that takes nothing: the next request says so, and what it means.
    if (ALSO_IN_PLAN.has(name) && OF_THE_DISK.has(codeOf(error))) return
    const why = String((error as Error)?.message ?? error)
    say(ctx, `clawback: ${name}: ${why}`, why)
  }
  let open: { id: string; live: Promise<Live> } | null = null
  const leave = async (reason?: string) => {
    const leaving = open
    open = null
    await (await leaving?.live.catch(() => null))?.close(reason)
  }
  /** The session in front of us, opened by whichever event comes first. */
  const current = (ctx: Context): Promise<Live> => {
    const id = ctx.sessionManager.getSessionId()
    if (open?.id === id) return open.live
    const before = leave().catch(() => undefined)
    const live = before.then(() => Live.open(core, pi, ctx, (text) => say(ctx, text)))
    open = { id, live }
    // The next event tries again.
    live.catch(() => (open?.live === live ? (open = null) : null))
    return live
  }

  on('session_start', async (event, ctx) => (await current(ctx)).started(event))
  on('context', async (event, ctx) => (await current(ctx)).view(event.messages, ctx))
  on('tool_result', async (event, ctx) => (await current(ctx)).shorten(event, ctx))
  on('turn_end', async (event, ctx) => (await current(ctx)).turnEnded(event, ctx))
  on('agent_end', async (event, ctx) => (await current(ctx)).runEnded(event, ctx))
  on('agent_settled', async (_event, ctx) => (await current(ctx)).settled(ctx))
  on('session_before_compact', async (event, ctx) => (await current(ctx)).answerCompaction(event, ctx))
  on('session_compact', async (event, ctx) => (await current(ctx)).compacted(event, ctx))
  on('session_compact_failed', async (event, ctx) => (await current(ctx)).compactionFailed(event))
  on('session_tree', async (event, ctx) => (await current(ctx)).moved(event))
  on('session_shutdown', async (event) => leave(event.reason))
  registerCommands(pi, current)
}
