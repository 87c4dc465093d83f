// Search in what was stored: latency beside SQLite's FTS5 (better-sqlite3, where it is installed) on the same messages and
// the same questions, and opening a state directory that holds many messages.
import { createRequire } from 'node:module'
import { load } from './lib/clawback.mjs'
import { median, percentile, timed } from './lib/measure.mjs'
import { atMost, fact, skipped, versus } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'
import { prose, random } from './lib/words.mjs'

export const title = 'Search'

const BYTES = 500
const BATCH = 5_000

function sqlite() {
  try {
    const Database = createRequire(import.meta.url)(process.env.CLAWBACK_BENCH_SQLITE ?? 'better-sqlite3')
    const db = new Database(':memory:')
    db.exec("CREATE VIRTUAL TABLE messages USING fts5(text, tokenize = 'porter unicode61')")
    return db
  } catch {
    return null
  }
}

/** What a tool printed, as most of what is stored: nothing in it is to be remembered, so that filling is storing alone. */
const message = (index) => ({
  role: 'toolResult',
  toolCallId: `call ${index}`,
  toolName: 'bash',
  content: [{ type: 'text', text: prose(BYTES, index + 1) }],
  timestamp: 1_770_000_000_000 + index * 1000,
})

/** Four words of a message that is there: what somebody remembers of it. */
function questions(count, size) {
  const next = random(7)
  return Array.from({ length: count }, () => {
    const words = prose(BYTES, 1 + Math.floor(next() * size)).match(/\b[a-z]{4,}\b/g)
    return Array.from({ length: 4 }, () => words[Math.floor(next() * words.length)]).join(' ')
  })
}

async function one(clawback, size, goal, asked) {
  const stateDir = tempDir('search')
  const options = { stateDir, sessionKey: 'bench:search', contextWindow: 200_000 }
  let session = await clawback.ContextSession.open(options)
  const db = sqlite()
  const insert = db?.prepare('INSERT INTO messages(rowid, text) VALUES (?, ?)')
  for (let from = 0; from < size; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, size - from) }, (_, index) => message(from + index))
    session.sync(batch, { from })
    await session.flush()
    db?.transaction(() => batch.forEach((one, index) => insert.run(from + index, one.content[0].text)))()
  }
  const closing = await timed(() => session.close())
  const opening = await timed(async () => (session = await clawback.ContextSession.open(options)))
  const first = await timed(() => session.recall('first question of all'))
  const find = db?.prepare('SELECT rowid, text FROM messages WHERE messages MATCH ? ORDER BY bm25(messages) LIMIT 10')
  const ours = []
  const theirs = []
  for (const question of questions(asked, size)) {
    ours.push(await timed(() => session.recall(question, { limit: 10 })))
    if (find) theirs.push(await timed(() => find.all(question.split(' ').map((word) => `"${word}"`).join(' OR '))))
  }
  await session.close()
  const name = `${size.toLocaleString('en')} messages of ${BYTES} bytes`
  return [
    atMost({ what: `${name}: p50`, unit: 'ms', value: median(ours), goal }),
    fact({ what: `${name}: p99`, unit: 'ms', value: percentile(ours, 0.99) }),
    theirs.length ? versus({ what: `${name}: beside FTS5`, unit: 'ms', ours: median(ours), theirs: median(theirs), peer: 'FTS5', goal: size >= 100_000 ? 1 : 0.2 }) : skipped(`${name}: beside FTS5`, 'better-sqlite3 is not installed'),
    atMost({ what: `${name}: opening`, unit: 'ms', value: opening, goal: 200 }),
    fact({ what: `${name}: first question`, unit: 'ms', value: first }),
    fact({ what: `${name}: closing, with the rest of the index`, unit: 'ms', value: closing }),
  ]
}

export async function run({ quick }) {
  const clawback = load()
  if (typeof clawback.ContextSession?.prototype.recall !== 'function') return [skipped(title, 'no ContextSession.recall')]
  const rows = await one(clawback, 10_000, 5, 200)
  return quick ? rows : [...rows, ...(await one(clawback, 100_000, 20, 100))]
}
