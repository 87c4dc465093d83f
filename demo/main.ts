// `npm run demo`: plays a recorded day of a developer with an agent (fixtures/demo-session.jsonl) through the public
// functions, in a temporary store that is removed again, and shows what clawback would have done for that agent.
import path from 'node:path'
import * as clawback from 'clawback'
import { colorsFor, harmless } from '../cli/output.js'
import { progressBar } from '../cli/progress.js'
import { replayView } from '../cli/replay-view.js'
import { replayTranscript } from '../cli/replay.js'

/** The window of the model that the session was recorded with. */
const CONTEXT_WINDOW = 15_500
const fixture = path.join(__dirname, '..', '..', 'fixtures', 'demo-session.jsonl')

async function main(): Promise<void> {
  const colors = colorsFor(process.stdout)
  const { bold, dim, yellow } = colors
  const view = replayView(colors)
  const progress = progressBar('replaying')
  const print = (text: string): void => {
    if (text === '') return
    progress.clear()
    process.stdout.write(text)
  }

  print(`${bold('clawback demo')}: a session of a coding agent, played back entry by entry\n`)
  for await (const event of replayTranscript(clawback, fixture, { contextWindow: CONTEXT_WINDOW })) {
    if (event.type === 'progress') progress.update(event.bytesRead, event.bytesTotal)
    print(view(event))
    if (event.type === 'gauge' && event.text !== null) print(`          ${dim('the agent sees')} ${yellow(event.text)}\n`)
    if (event.type === 'packet' && event.when === 'compaction') print(indented(harmless(event.text), '          │ '))
  }
  progress.clear()
}

const indented = (text: string, margin: string): string => text.trimEnd().split('\n').map((line) => `${margin}${line}\n`).join('')

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
