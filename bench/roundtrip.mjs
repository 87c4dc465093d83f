// There and back: 10,000 messages of real sessions leave the view, each is recovered by its id and compared with what was
// stored, and looked for by four of its own rarer words. The sessions lie beside the repository and never in it; without
// them there is nothing to measure.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from './lib/clawback.mjs'
import { atLeast, fact, skipped } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'

export const title = 'There and back'

const MESSAGES = 10_000
const WORDS = 4
const WORD = /[\p{L}\d_]{3,40}/gu
const data = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'shared', 'data')

/** The files with this ending, in order; none where the folder is not there. */
const files = (folder, ending) => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(ending)).sort().map((name) => path.join(folder, name)) : [])
const wordsOf = (text) => [...new Set(text.toLowerCase().match(WORD) ?? [])]
const lines = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))
const said = (role, text) => ({ role, content: [{ type: 'text', text }] })
const textOf = ({ content }) => (typeof content === 'string' ? content : (content ?? []).map((block) => block.text ?? '').join('\n'))

/** Each session as a list of messages that hold text. */
function* sessions() {
  for (const file of files(path.join(data, 'pi_mono_sessions'), '.jsonl')) {
    const entries = lines(file).filter(({ message }) => message && textOf(message).trim())
    yield entries.map(({ message }) => said(message.role === 'assistant' ? 'assistant' : 'user', textOf(message)))
  }
  for (const file of files(path.join(data, 'sweagent_traj'), '.traj')) {
    const { history } = JSON.parse(readFileSync(file, 'utf8'))
    yield (history ?? []).filter(({ content }) => typeof content === 'string' && content.trim()).map(({ role, content }) => said(role === 'assistant' ? 'assistant' : 'user', content))
  }
  const talks = files(path.join(data, 'locomo'), 'locomo10.json')
  for (const { conversation } of talks.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')))) {
    const parts = Object.values(conversation).filter(Array.isArray).flat()
    yield parts.filter(({ text }) => text?.trim()).map(({ speaker, text }) => said(speaker === conversation.speaker_a ? 'user' : 'assistant', text))
  }
  const meetings = ['val.jsonl', 'test.jsonl'].flatMap((name) => files(path.join(data, 'qmsum'), name))
  for (const meeting of meetings.flatMap(lines)) {
    const turns = meeting.meeting_transcripts ?? []
    yield turns.filter(({ content }) => content?.trim()).map(({ content }, index) => said(index % 2 ? 'assistant' : 'user', content))
  }
}

/** Its words that the fewest messages of the session have. */
function rarer(text, common) {
  return wordsOf(text).sort((a, b) => (common.get(a) ?? 0) - (common.get(b) ?? 0) || (a < b ? -1 : 1)).slice(0, WORDS)
}

export async function run({ quick }) {
  const clawback = load()
  if (typeof clawback.ContextSession?.open !== 'function') return [skipped(title, 'no ContextSession')]
  const wanted = quick ? 1_000 : MESSAGES
  const stateDir = tempDir('roundtrip')
  let [taken, same, asked, found, number] = [0, 0, 0, 0, 0]
  for (const all of sessions()) {
    const messages = all.slice(0, wanted - taken).map((message, index) => ({ ...message, timestamp: 1_770_000_000_000 + index * 1000 }))
    if (messages.length === 0) continue
    taken += messages.length
    const sessionKey = `roundtrip:${number++}`
    const session = await clawback.ContextSession.open({ stateDir, sessionKey, contextWindow: 200_000 })
    session.sync(messages)
    await session.plan()
    await session.end({ reason: 'shutdown' })
    const { drops } = await clawback.listDrops(stateDir, sessionKey, { limit: messages.length })
    const reopened = await clawback.ContextSession.open({ stateDir, sessionKey, contextWindow: 200_000 })
    const stored = messages.map((message) => clawback.redactSecrets(textOf(message)))
    const common = new Map()
    for (const text of stored) for (const word of wordsOf(text)) common.set(word, (common.get(word) ?? 0) + 1)
    for (const { chunk_id: chunk } of drops) {
      const ordinal = Number(chunk.split('-')[1])
      const whole = await recovered(reopened, chunk)
      const text = stored[ordinal - 1]
      if (whole === text) same++
      const query = rarer(text ?? '', common)
      if (query.length < WORDS) continue
      asked++
      const hits = await reopened.recall(query.join(' '), { limit: 10, maxTokens: 1_000_000 })
      const again = (hit) => hit.chunkId === chunk || stored[Number(hit.chunkId.split('-')[1]) - 1] === text
      if (hits.some(again)) found++
      else if (process.env.CLAWBACK_BENCH_MISSES) console.error(JSON.stringify({ query, text: text.slice(0, 200), length: text.length, hits: hits.slice(0, 3).map((hit) => hit.text.slice(0, 80)) }))
    }
    await reopened.close()
    if (taken >= wanted) break
  }
  if (taken === 0) return [skipped(title, 'the sessions are not beside the repository')]
  return [
    atLeast({ what: `messages of ${number} real sessions that came back byte for byte`, unit: 'of ' + taken, value: same, goal: taken }),
    atLeast({ what: `among the first 10 hits of ${WORDS} of their own words`, unit: '%', value: (100 * found) / asked, goal: 95 }),
    fact({ what: 'messages that have so many words', unit: '', value: asked }),
  ]
}

/** A message whole, however many pages it has. */
async function recovered(session, chunk) {
  let text = ''
  for (let offset = 0; offset !== undefined; ) {
    const page = await session.recover(chunk, { offset })
    text += page.text
    offset = page.nextOffset
  }
  return text
}
