// What a model received in a session: what is in a request, and figures about all of them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { textOf } from './model.mjs'

const PACKET = /\[Post-compaction checkpoint restore\]\s*<checkpoint-data schema="openclaw\/checkpoint"[\s\S]*?<\/checkpoint-data>/g
export const bodyOf = (request) => request.messages.map((message) => textOf(message.content)).join('\n')
export const packets = (request) => (bodyOf(request).match(PACKET) ?? []).length
export const packetOf = (request) => bodyOf(request).match(PACKET)?.[0] ?? null
/** Requests are long: a failure names what was looked for and shows no more than the packet. */
export const holds = (request, pattern) => assert.equal(pattern.test(bodyOf(request)), true, `${pattern} is missing; ${packetOf(request)}`)
export const lacks = (request, pattern) => assert.equal(pattern.test(bodyOf(request)), false, `${pattern} is there; ${packetOf(request)}`)

const size = (request) => JSON.stringify(request.messages).length

/** How much of each request was the beginning of the one before it, and how much could have been: shares, 0..1. */
function prefixShares(requests) {
  let same = 0
  let possible = 0
  let all = 0
  for (let index = 1; index < requests.length; index++) {
    const [before, now] = [requests[index - 1].messages, requests[index].messages]
    const kept = now.findIndex((message, at) => JSON.stringify(message) !== JSON.stringify(before[at]))
    same += JSON.stringify(now.slice(0, kept < 0 ? now.length : kept)).length
    possible += Math.min(size(requests[index - 1]), size(requests[index]))
    all += size(requests[index])
  }
  return { unchanged: same / all, ceiling: possible / all }
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Sums over a session's requests. */
export function totals(model) {
  const chats = model.chats()
  return {
    requests: chats.length,
    bytes: chats.reduce((sum, { bytes }) => sum + bytes, 0),
    tokens: chats.reduce((sum, { tokens }) => sum + tokens, 0),
    largest: Math.max(...chats.map(({ tokens }) => tokens)),
    summaries: model.summaries().length,
    ...prefixShares(chats),
  }
}

/** One line per session, side by side. */
export function table(rows) {
  const percent = (share) => `${(share * 100).toFixed(0)} %`
  return rows.map(([name, t]) => `${name.padEnd(16)} ${String(t.requests).padStart(4)} requests  ${String(Math.round(t.tokens / 1000)).padStart(5)} k tokens (largest ${t.largest})  ${(t.bytes / 2 ** 20).toFixed(2)} MB  ${t.summaries} model calls for compaction  prefix unchanged ${percent(t.unchanged)} of at most ${percent(t.ceiling)}`).join('\n')
}

/** What timed.mjs wrote, one event after the other. */
export function hookTimes(file) {
  const spent = readFileSync(file, 'utf8').split('\n').map((line) => JSON.parse(line))
  const events = [...new Set(spent.map(({ name }) => name))].map((name) => {
    const ms = spent.filter((line) => line.name === name).map((line) => line.ms)
    return `${name} ${percentile(ms, 0.5).toFixed(1)}/${percentile(ms, 0.99).toFixed(1)}`
  })
  return `ms per hook, p50/p99: ${events.join(', ')}`
}
