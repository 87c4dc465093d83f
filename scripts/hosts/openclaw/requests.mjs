// What the requests say: packets, texts, and how much of each request was already in the one before.
import { textOf } from './model.mjs'

const PACKET = /<checkpoint-data schema="openclaw\/checkpoint"[\s\S]*?<\/checkpoint-data>/g
/** Everything but the system prompt. */
export const textsOf = ({ messages }) => messages.filter(({ role }) => role !== 'system').map(({ content }) => textOf(content)).join('\n')
export const packetsIn = (request) => (textsOf(request).match(PACKET) ?? []).length
export const packetIn = (request) => textsOf(request).match(PACKET)?.[0]

/** The host ends every request with a message of its own, which moves: what stands before it could stay the same. */
const withoutHostsLast = (messages) => (/BEGIN_OPENCLAW_INTERNAL_CONTEXT/.test(textOf(messages.at(-1)?.content)) ? messages.slice(0, -1) : messages)

function common(a, b) {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

const percent = (part, whole) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`

/** One line of figures over the requests of one session. */
export function figuresOf(name, requests) {
  let same = 0
  let could = 0
  let all = 0
  for (let index = 1; index < requests.length; index++) {
    const before = JSON.stringify(requests[index - 1].messages)
    same += common(before, JSON.stringify(requests[index].messages))
    could += JSON.stringify(withoutHostsLast(requests[index - 1].messages)).length
    all += before.length
  }
  const tokens = requests.reduce((sum, request) => sum + request.tokens, 0)
  const bytes = requests.reduce((sum, request) => sum + request.bytes, 0)
  const most = Math.max(...requests.map((request) => request.tokens))
  return `${name}: ${requests.length} requests, ${(bytes / 1e6).toFixed(2)} MB, ${tokens} tokens, largest ${most}; unchanged prefix ${percent(same, all)} (ceiling ${percent(could, all)})`
}
