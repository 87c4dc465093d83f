// Makes a recording independent of the machine and the minute it was made on: paths, ids, times and durations.
import { createHash } from 'node:crypto'

const HOME = '/home/dev/shop'
const START = Date.parse('2026-03-12T07:58:00Z')
const SECONDS_PER_ENTRY = 7

/** The recorded lines with every trace of the machine replaced; `minutes` is the pause before each user message. */
export function scrub(text, { workDir, minutes }) {
  const entries = text.split('\n').filter(Boolean).map((line) => JSON.parse(line))
  const ids = new Map()
  const stable = (id, index) => createHash('sha256').update(`demo ${index}`).digest('hex').slice(0, id.length)
  entries.forEach((entry, index) => entry.id && !ids.has(entry.id) && ids.set(entry.id, entry.type === 'session' ? '019cdf3a-0000-7000-8000-000000000001' : stable(entry.id, index)))
  let clock = START
  let turn = 0
  const lines = entries.map((entry) => {
    const user = entry.type === 'message' && entry.message.role === 'user'
    clock += user ? (minutes[turn++] ?? 5) * 60_000 : SECONDS_PER_ENTRY * 1000
    for (const key of ['id', 'parentId', 'firstKeptEntryId']) if (ids.has(entry[key])) entry[key] = ids.get(entry[key])
    entry.timestamp = new Date(clock).toISOString()
    if (entry.message?.timestamp) entry.message.timestamp = clock
    return JSON.stringify(entry)
  })
  return (
    lines
      .join('\n')
      .replaceAll(workDir, HOME)
      .replace(/duration_ms(:?) [\d.]+/g, 'duration_ms$1 41.5')
      .replace(/after \d+ ms: Couldn't connect/g, "after 1 ms: Couldn't connect")
      .replace(/"responseId":"[^"]*"/g, '"responseId":"answer"') + '\n'
  )
}
