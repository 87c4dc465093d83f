// Figures about the requests of a session.
const size = (request) => JSON.stringify(request.messages).length

/** How much of each request was the beginning of the one before it, and how much could have been: shares, 0..1. */
export function prefixShares(requests) {
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

export function percentile(values, share) {
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
