'use strict'
// Light keys of messages: what tells one from another without its text crossing to the native part. The native part
// computes the same from a message that it has (crates/core/src/message/identity.rs).

/** Units at the start, in the middle and at the end of a text that enter its sample. */
const SAMPLED = 64
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/

const firstString = (...values) => values.find((value) => typeof value === 'string')

/** Epoch milliseconds, or NaN. */
function timeOf(timestamp) {
  if (typeof timestamp === 'number') return Number.isFinite(timestamp) && Math.abs(timestamp) < 9e15 ? Math.trunc(timestamp) : NaN
  return typeof timestamp === 'string' && ISO_TIME.test(timestamp) ? Date.parse(timestamp) : NaN
}

/** FNV-1a over a text, of a long one over its start, middle and end. */
function sample(text) {
  let hash = 2166136261
  const over = (from, to) => {
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at)
      hash = Math.imul(hash ^ (unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit), 16777619)
    }
  }
  if (text.length <= 3 * SAMPLED) over(0, text.length)
  else {
    const middle = Math.floor(text.length / 2)
    over(0, SAMPLED)
    over(middle, middle + SAMPLED)
    over(text.length - SAMPLED, text.length)
  }
  return hash >>> 0
}

/** What a block adds to the text of a message that its host does not name. */
function blockText(block) {
  if (typeof block === 'string') return block
  const call = firstString(block?.id, block?.toolCallId, block?.call_id) ?? ''
  switch (block?.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return typeof block.text === 'string' ? block.text : ''
    case 'toolCall':
    case 'tool_use':
    case 'toolUse':
    case 'tool_call':
    case 'function_call':
      return call + (firstString(block.name, block.toolName) ?? '')
    case 'tool_result':
    case 'toolResult':
      return (firstString(block.tool_use_id, block.toolCallId, block.id) ?? '') + contentTexts(block.content).join('\n')
    default:
      return ''
  }
}

function contentTexts(content) {
  if (typeof content === 'string') return [content]
  if (Array.isArray(content)) return content.filter((block) => block !== null && (typeof block === 'string' || typeof block === 'object')).map(blockText)
  return content !== null && typeof content === 'object' ? [blockText(content)] : []
}

function lightText(message) {
  const texts = contentTexts(message.content)
  if ((message.role === 'compactionSummary' || message.role === 'branchSummary') && typeof message.summary === 'string') texts.push(message.summary)
  if (message.role === 'bashExecution') texts.push(`$ ${firstString(message.command) ?? ''}\n${firstString(message.output) ?? ''}`)
  for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : []) texts.push((firstString(call?.id) ?? '') + (firstString(call?.function?.name, call?.name) ?? ''))
  return texts.map((text) => `${text}\0`).join('')
}

const clean = (name) => (/[\0\x01]/.test(name) ? name.replace(/[\0\x01]/g, '\ufffd') : name).toWellFormed?.() ?? name

/** Role and tool call id of each message in one text, and three numbers each: time, length and sample of the text. */
function packKeys(messages, from) {
  const names = []
  const numbers = new Float64Array(3 * (messages.length - from))
  for (let index = from, at = 0; index < messages.length; index++, at += 3) {
    let message = messages[index]
    if (message === null || typeof message !== 'object') message = {}
    const id = firstString(message.toolCallId, message.tool_call_id, message.tool_use_id) ?? ''
    const role = typeof message.role === 'string' ? message.role : ''
    names.push(`${clean(role)}\x01${clean(id)}`)
    numbers[at] = timeOf(message.timestamp)
    if (id === '' && Number.isNaN(numbers[at])) {
      const text = lightText(message)
      numbers[at + 1] = text.length
      numbers[at + 2] = sample(text)
    }
  }
  return { names: names.join('\0'), numbers }
}

module.exports = { packKeys, sample }
