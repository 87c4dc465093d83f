// Opening in a state directory that holds very many messages: a session of it, and the first question to its index.
import { load } from './lib/clawback.mjs'
import { median, timed } from './lib/measure.mjs'
import { atMost, fact, skipped } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'
import { sentences } from './lib/words.mjs'

export const title = 'Opening a full state directory'

const PER_SESSION = 10_000
const BATCH = 5_000
const said = sentences(5_000, 11)

/** What a tool printed: nothing in it is to be remembered, so that filling takes no longer than storing does. */
const message = (index) => ({ role: 'toolResult', toolCallId: `call ${index}`, toolName: 'bash', content: [{ type: 'text', text: `${index}: ${said[(index * 31) % said.length]}` }], timestamp: 1_770_000_000_000 + index })

export async function run({ quick }) {
  const clawback = load()
  if (typeof clawback.ContextSession?.open !== 'function') return [skipped(title, 'no ContextSession')]
  const stateDir = tempDir('opening')
  const count = (quick ? 5 : 100) * PER_SESSION
  const open = (index) => clawback.ContextSession.open({ stateDir, sessionKey: `full ${index}`, contextWindow: 200_000 })
  const filling = await timed(async () => {
    for (let from = 0; from < count; from += PER_SESSION) {
      const session = await open(from / PER_SESSION)
      for (let at = 0; at < PER_SESSION; at += BATCH) {
        session.sync(Array.from({ length: BATCH }, (_, index) => message(from + at + index)), { from: at })
        await session.flush()
      }
      await session.close()
    }
  })
  const opened = []
  const asked = []
  for (let round = 0; round < 5; round++) {
    let session
    opened.push(await timed(async () => (session = await open(round))))
    asked.push(await timed(() => session.recall(said[round])))
    await session.close()
  }
  const name = `${count.toLocaleString('en')} messages in ${count / PER_SESSION} sessions`
  return [
    atMost({ what: `${name}: opening one of them`, unit: 'ms', value: median(opened), goal: 200 }),
    fact({ what: `${name}: its first question`, unit: 'ms', value: median(asked) }),
    fact({ what: `${name}: storing and indexing them`, unit: 's', value: filling / 1000 }),
  ]
}
