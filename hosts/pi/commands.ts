// What a person can ask in pi: the state of the context, a checkpoint now, a search in what was said.
import type { Live } from './live.js'
import type { Context, ExtensionAPI } from './pi-api.js'

const HITS = 5
const EXCERPT = 160
/** Tokens of messages that are looked through for the excerpts. */
const READ_TOKENS = 40_000

/** One line, cut at a grapheme-safe place. */
function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const graphemes = [...new Intl.Segmenter().segment(line.slice(0, EXCERPT * 4))]
  return graphemes.length > EXCERPT ? `${graphemes.slice(0, EXCERPT).map(({ segment }) => segment).join('')}...` : line
}

export function registerCommands(pi: ExtensionAPI, current: (ctx: Context) => Promise<Live>): void {
  const command = (name: string, description: string, run: (live: Live, args: string, ctx: Context) => Promise<string>) =>
    pi.registerCommand(name, {
      description,
      handler: async (args, ctx) => {
        try {
          ctx.ui.notify(await run(await current(ctx), args.trim(), ctx), 'info')
        } catch (error) {
          ctx.ui.notify(`/${name}: ${String((error as Error)?.message ?? error)}`, 'error')
        }
      },
    })

  command('ctx-status', 'How full the context is and what clawback has of it', (live, _args, ctx) => live.status(ctx))
  command('ctx-checkpoint', 'Write a checkpoint now', async (live, _args, ctx) => {
    const outcome = await live.checkpoint('manual', ctx)
    return outcome.written ? `checkpoint ${outcome.id} written` : `no checkpoint written: ${outcome.reason}`
  })
  command('ctx-search', 'Find what was said in this session, also what has left the context', async (live, query) => {
    if (query === '') return 'usage: /ctx-search WORDS'
    const hits = await live.session.recall(query, { limit: HITS, maxTokens: READ_TOKENS })
    if (hits.length === 0) return `nothing found for "${query}"`
    return hits.map((hit) => `${hit.chunkId} ${hit.role} ${hit.timestamp.slice(0, 16)}${hit.dropReason === null ? '' : ' (left the context)'}\n  ${excerpt(hit.passage ?? hit.text)}`).join('\n')
  })
}
