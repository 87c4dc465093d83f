// What a person can ask in pi: the state of the context, a checkpoint now.
import type { Live } from './live.js'
import type { Context, ExtensionAPI } from './pi-api.js'

export function registerCommands(pi: ExtensionAPI, current: (ctx: Context) => Promise<Live>): void {
  const command = (name: string, description: string, run: (live: Live, ctx: Context) => Promise<string>) =>
    pi.registerCommand(name, {
      description,
      handler: async (_args, ctx) => {
        try {
          ctx.ui.notify(await run(await current(ctx), ctx), 'info')
        } catch (error) {
          ctx.ui.notify(`/${name}: ${String((error as Error)?.message ?? error)}`, 'error')
        }
      },
    })

  command('ctx-status', 'How full the context is and what clawback has of it', (live, ctx) => live.status(ctx))
  command('ctx-checkpoint', 'Write a checkpoint now', async (live, ctx) => {
    const outcome = await live.checkpoint('manual', ctx)
    return outcome.written ? `checkpoint ${outcome.id} written` : `no checkpoint written: ${outcome.reason}`
  })
}
