// From a plan to the messages of a request. Pure: pi's own message objects are handed through or copied, never changed.
import type { ContextPlan } from '../../index.js'
import type { AgentMessage } from './pi-api.js'

/** What clawback puts into a request. It is never stored in the session: `context` builds it anew for every call. */
const injected = (kind: 'packet' | 'tail', text: string): AgentMessage => ({ role: 'custom', customType: `clawback-${kind}`, content: text, display: false, timestamp: 0 })

/** A copy with other text; ids stay, so that calls and results still find each other. */
function shortened(message: AgentMessage, text: string): AgentMessage {
  const { details: _, ...rest } = message
  return { ...rest, content: [{ type: 'text', text }] }
}

/** Packet first, the kept messages in their order, the tail last. */
export function applyPlan(messages: readonly AgentMessage[], plan: Pick<ContextPlan, 'packet' | 'tail' | 'keep' | 'replace'>): AgentMessage[] {
  const replaced = new Map(plan.replace.map(({ index, text }) => [index, text]))
  const view: AgentMessage[] = []
  if (plan.packet !== null) view.push(injected('packet', plan.packet))
  for (const index of plan.keep) {
    const message = messages[index]
    const text = replaced.get(index)
    if (message) view.push(text === undefined ? message : shortened(message, text))
  }
  if (plan.tail !== null) view.push(injected('tail', plan.tail))
  return view
}
