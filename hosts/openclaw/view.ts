// From a plan to the messages that the model gets. The host's own objects are handed back as they are; only a message whose
// text is replaced is copied, one level deep.
import type { Message } from 'clawback'
import type { Plan } from './api.js'

/** What the host puts in front of a history that begins with an answer, for providers that do not take one. */
const HOSTS_FIRST = '(session bootstrap)'

/** The messages that belong to the conversation; the host's own objects, in their order. */
export const ofConversation = (messages: readonly Message[]): Message[] =>
  messages.filter(({ role, content }, index) => index > 0 || role !== 'user' || content !== HOSTS_FIRST)

/**
 * The packet first, then what is kept. The host writes a message's time in front of a user's text, so the packet takes the
 * time of the first kept message: it must not change while the view is frozen.
 */
export function viewOf(history: readonly Message[], plan: Pick<Plan, 'packet' | 'keep' | 'replace'>): Message[] {
  const texts = new Map(plan.replace.map(({ index, text }) => [index, text]))
  const view: Message[] = []
  for (const index of plan.keep) {
    const message = history[index]
    if (message === undefined) continue
    const text = texts.get(index)
    view.push(text === undefined ? message : withText(message, text))
  }
  if (plan.packet !== null) {
    const timestamp = view[0]?.timestamp ?? history.at(-1)?.timestamp ?? 0
    view.unshift({ role: 'user', content: plan.packet, timestamp })
  }
  return view
}

function withText(message: Message, text: string): Message {
  const { details: _details, ...rest } = message
  return { ...rest, content: [{ type: 'text', text }] }
}

/** The messages after the view that was handed out, which the host appended since; null when the view is not found. */
export function appendedTo(view: readonly Message[], messages: readonly Message[]): Message[] | null {
  const last = view.at(-1)
  if (last === undefined) return [...messages]
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index]
    if (message !== undefined && isSame(message, last)) return messages.slice(index + 1)
  }
  return null
}

const isSame = (a: Message, b: Message): boolean =>
  a === b || (a.role === b.role && a.timestamp === b.timestamp && a.toolCallId === b.toolCallId)

/** Runs without a durable turn give no key: messages are named by their own marks, whoever hands them over. */
export function batchKey(messages: readonly Message[]): string {
  const mark = (message: Message | undefined) => [message?.role, message?.timestamp, message?.toolCallId ?? message?.responseId].join(':')
  return `batch:${messages.length}:${mark(messages[0])}:${mark(messages.at(-1))}`
}
