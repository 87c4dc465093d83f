'use strict'
// What a model is sent: the messages that a plan keeps, the shortened ones as copies, packet and tail around them. Pure: the
// host's own objects are handed on or copied, never changed.

const { fault } = require('./boundary.js')
const { describe } = require('./wording.js')

const RESULTS = new Set(['tool_result', 'toolResult'])
const CALLS = new Set(['tool_use', 'toolUse', 'toolCall', 'tool_call', 'function_call'])
/** What the further results of a shortened message say: some providers refuse an empty one. */
const TOLD_ABOVE = '(shortened together with the result above)'

const isBlock = (types) => (block) => block !== null && typeof block === 'object' && types.has(block.type)
const textBlock = (text) => ({ type: 'text', text })

/**
 * A copy of a message with a shorter text. Providers refuse a call without its result and a result without its call: blocks
 * that are either stay, with their ids; the first result takes the text.
 */
function shortened(message, text) {
  const { details: _, ...rest } = message
  const blocks = Array.isArray(message.content) ? message.content : []
  const results = blocks.filter(isBlock(RESULTS))
  if (results.length > 0) return { ...rest, content: results.map((block, index) => withText(block, index === 0 ? text : TOLD_ABOVE)) }
  const calls = blocks.filter(isBlock(CALLS))
  if (calls.length > 0) return { ...rest, content: [textBlock(text), ...calls] }
  return { ...rest, content: typeof message.content === 'string' ? text : [textBlock(text)] }
}

/** A block of a result with other content, in the form that it had. */
const withText = (block, text) => ({ ...block, content: Array.isArray(block.content) ? [textBlock(text)] : text })

const asUser = (text) => (typeof text === 'string' && text !== '' ? [{ role: 'user', content: text }] : [])

/** The array to send: packet, kept messages, tail. `messages` is the array that was last synced. */
function applyPlan(plan, messages) {
  const kept = keptBy(plan, messages, applyPlan)
  return [...asUser(plan.packet), ...kept, ...asUser(plan.tail)]
}

/** The kept messages alone. */
function keptBy(plan, messages, below) {
  const wrong = (what) => fault('InvalidInput', `applyPlan: ${what}`, below)
  if (plan === null || typeof plan !== 'object' || typeof plan.keep?.[Symbol.iterator] !== 'function') throw wrong(`plan is ${describe(plan)}; give what plan() resolved to`)
  if (!Array.isArray(messages)) throw wrong(`messages is ${describe(messages)}; give the array last synced`)
  const texts = new Map(Array.from(plan.replace ?? [], ({ index, text }) => [index, text]))
  return Array.from(plan.keep, (index) => {
    if (!(index in messages)) throw wrong(`the plan keeps message ${index}, and messages has ${messages.length}; give the array last synced`)
    return texts.has(index) ? shortened(messages[index], texts.get(index)) : messages[index]
  })
}

module.exports = { applyPlan, keptBy, shortened }
