// Scripted conversations of an agent that calls tools, and what a provider's prompt cache makes of the requests.
import { prose, sentences } from './words.mjs'

const START = 1_770_000_000_000

/** Messages as an agent makes them, each with a time of its own; `next()` gives the whole array so far. */
export class Script {
  messages = []
  #calls = 0

  #push(message) {
    this.messages.push({ ...message, timestamp: START + this.messages.length * 1000 })
  }

  ask(text) {
    this.#push({ role: 'user', content: text })
  }

  answer(text) {
    this.#push({ role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop' })
  }

  /** A tool call and its result of `bytes` bytes. */
  call(bytes) {
    const id = `call-${++this.#calls}`
    this.#push({ role: 'assistant', content: [{ type: 'toolCall', id, name: 'read', arguments: { path: `src/part-${this.#calls}.ts` } }], stopReason: 'toolUse' })
    this.#push({ role: 'toolResult', toolCallId: id, toolName: 'read', isError: false, content: [{ type: 'text', text: prose(bytes, this.#calls) }] })
  }

  /** A turn of four messages, about `bytes` bytes in all: a short request, a call, a long result, a short answer. */
  turn(bytes) {
    const [first, second] = sentences(2, this.messages.length + 1)
    this.ask(`${first}. Then tell me what you found in the log of the last run, please.`)
    this.call(Math.max(50, bytes - 300))
    this.answer(`The log shows three warnings and no error.\n\n## Decisions\n\n- ${second}.\n`)
  }
}

/** The request that a plan makes of the array: what stands where, as texts. */
export function request(messages, plan) {
  const replaced = new Map(plan.replace.map(({ index, text }) => [index, text]))
  const kept = Array.from(plan.keep, (index) => JSON.stringify(replaced.has(index) ? { ...messages[index], content: replaced.get(index) } : messages[index]))
  return [...(plan.packet === null ? [] : [plan.packet]), ...kept, ...(plan.tail === null ? [] : [plan.tail])]
}

const size = (texts) => texts.reduce((sum, text) => sum + text.length, 0)

/** Adds up what a provider would find in its cache: the messages that a request has in common with the one before it. */
export class PrefixCache {
  #before = []
  sent = 0
  cached = 0

  send(texts) {
    let common = 0
    while (common < texts.length && texts[common] === this.#before[common]) common++
    this.sent += size(texts)
    this.cached += size(texts.slice(0, common))
    this.#before = texts
    return size(texts)
  }

  get share() {
    return this.cached / this.sent
  }
}
