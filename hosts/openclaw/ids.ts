// OpenClaw rewrites the ids of tool calls in the history that it hands over, by rules of the provider at hand, while a turn
// that it commits, and a result that it offers for shortening, carry the provider's own. So that one message stays one,
// calls get names of our own before they reach clawback: the time of the answer that made them, and their place in it.
import type { Message } from 'clawback'

type Block = { type?: unknown; id?: unknown } & Record<string, unknown>

const isCall = (block: unknown): block is Block & { id: string } => {
  const { type, id } = (typeof block === 'object' && block !== null ? block : {}) as Block
  return typeof id === 'string' && (type === 'toolCall' || type === 'toolUse' || type === 'functionCall')
}

/** The names of the calls that an answer makes, by the ids that they have in this array. */
export function callNames(message: Message): [id: string, name: string][] {
  if (message.role !== 'assistant' || !Array.isArray(message.content) || typeof message.timestamp !== 'number') return []
  return message.content.filter(isCall).map((block, index) => [block.id, `t${message.timestamp}-${index}`])
}

/** Copies, made once for each of the host's objects: the same history comes many times in one turn. */
const renamed = new WeakMap<Message, { name: string; copy: Message }>()

function rename(message: Message, name: string, make: () => Message): Message {
  const known = renamed.get(message)
  if (known?.name === name) return known.copy
  const copy = make()
  renamed.set(message, { name, copy })
  return copy
}

/** The messages with calls and results renamed; everything else is the host's own object. The order is kept. */
export function withCallNames(messages: readonly Message[]): Message[] {
  const names = new Map<string, string>()
  return messages.map((message) => {
    const calls = callNames(message)
    if (calls.length > 0) {
      for (const [id, name] of calls) names.set(id, name)
      return rename(message, calls.map(([, name]) => name).join(), () => {
        const left = calls.map(([, name]) => name)
        const content = (message.content as unknown[]).map((block) => (isCall(block) ? { ...block, id: left.shift() } : block))
        return { ...message, content }
      })
    }
    const id = message.role === 'toolResult' ? message.toolCallId : undefined
    const name = typeof id === 'string' ? names.get(id) : undefined
    return name === undefined ? message : rename(message, name, () => ({ ...message, toolCallId: name }))
  })
}
