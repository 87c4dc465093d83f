'use strict'
// How conversations cross to the native part: as JSON text, in slices, so that a long one never holds the event loop.

const { fault, withoutNulls } = require('./boundary.js')
const { toPlain } = require('./plain.js')
const { describe } = require('./wording.js')

/**
 * A slice ends at so many messages or characters, whichever comes first; then other work may run. Strings of more than
 * 128 kB get pages of their own from the engine, which costs more than to copy them.
 */
const SLICE_MESSAGES = 256
const SLICE_CHARS = 64 * 1024
/** Of the newest messages no more characters cross at once. */
const NEWEST_CHARS = 256 * 1024
/** Of a text in a prompt no more characters are looked at. */
const TEXT_CHARS = 16 * 1024
/** So many messages from the end decide how full a context is; older ones only add to an estimate. */
const MEASURED_MESSAGES = 256

/** Half a surrogate pair, as JSON.stringify writes it; readers of strict JSON refuse it. */
const HALF_PAIR = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g
const nextTick = () => new Promise((resolve) => setImmediate(resolve))

/** A message as JSON text. What JSON cannot hold is carried as far as it can be. */
function toJson(message) {
  let text
  try {
    text = JSON.stringify(message)
  } catch {
    text = JSON.stringify(toPlain(message))
  }
  text ??= 'null'
  return text.includes('\\ud') ? text.replace(HALF_PAIR, '$1\ufffd') : text
}

/** JSON arrays of the messages, in order. */
async function slices(messages, name) {
  if (!Array.isArray(messages)) throw fault('InvalidInput', `${name}: messages is ${describe(messages)}; give an array of messages`, slices)
  const done = []
  let slice = []
  let chars = 0
  for (const message of messages) {
    const text = toJson(message)
    slice.push(text)
    chars += text.length
    if (slice.length < SLICE_MESSAGES && chars < SLICE_CHARS) continue
    done.push(`[${slice.join()}]`)
    slice = []
    chars = 0
    await nextTick()
  }
  if (slice.length > 0) done.push(`[${slice.join()}]`)
  return done
}

/**
 * The newest messages that were said by somebody, as one JSON array, for calls that may not wait: results of tools cross
 * only when they failed, and of long texts the start and the end.
 */
function newest(messages, most, name) {
  if (!Array.isArray(messages)) throw fault('InvalidInput', `${name}: messages is ${describe(messages)}; give an array of messages`, newest)
  const said = []
  let chars = 0
  for (let index = messages.length - 1; index >= Math.max(0, messages.length - most) && chars < NEWEST_CHARS; index--) {
    const message = messages[index]
    if (['toolResult', 'tool', 'function'].includes(message?.role) && !message.isError) continue
    const text = toJson(shortened(message))
    chars += text.length
    said.unshift(text)
  }
  return [`[${said.join()}]`]
}

/** A message of which long texts are their ends, and calls of tools their names. */
function shortened(message) {
  const cut = (text) => (typeof text === 'string' && text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS / 2)}\n[...]\n${text.slice(-TEXT_CHARS / 2)}` : text)
  const block = (part) => (typeof part === 'string' ? cut(part) : typeof part?.text === 'string' ? { type: part.type, text: cut(part.text) } : { type: part?.type })
  const content = message?.content
  return { role: message?.role, isError: message?.isError, customType: message?.customType, content: Array.isArray(content) ? content.map(block) : cut(content) }
}

/** A list of files; a string would fall into its letters. */
function paths(list, name) {
  if (typeof list !== 'string' && typeof list?.[Symbol.iterator] === 'function') return [...list]
  throw fault('InvalidInput', `${name}: fileOps takes lists of paths under read, written and edited`, paths)
}

/** What a caller gives to a checkpoint call, as the native part takes it. */
async function checkpointInput(input, name) {
  if (input === null || typeof input !== 'object') throw fault('InvalidInput', `${name}: input is ${describe(input)}; give an object with trigger and tokenUsage`, checkpointInput)
  const native = { ...input }
  if (Array.isArray(input.agents)) native.agents = input.agents.map((agent) => withoutNulls(agent))
  if (input.messages !== undefined && input.messages !== null) native.messages = await slices(input.messages, name)
  // Hosts keep their file lists as Sets.
  if (input.fileOps !== undefined && input.fileOps !== null) {
    native.fileOps = Object.fromEntries(['read', 'written', 'edited'].map((kind) => [kind, paths(input.fileOps[kind] ?? [], name)]))
  }
  return native
}

/** Usage is in the newest messages. Older ones are counted only when nobody has said how full the context is. */
function measureUsage(measure, estimate, input) {
  const messages = input?.messages
  if (!Array.isArray(messages)) return measure(input)
  const asJson = (list) => [`[${Array.from(list, toJson).join()}]`]
  const recent = { ...input, messages: asJson(messages.slice(-MEASURED_MESSAGES)) }
  const first = measure(recent)
  if (messages.length <= MEASURED_MESSAGES || first.source === 'host' || first.source === 'usage') return first
  const older = messages.slice(0, -MEASURED_MESSAGES)
  const counted = older.slice(0, 1_000 - MEASURED_MESSAGES)
  return measure({ ...recent, earlierTokens: (estimate(asJson(counted)) * older.length) / counted.length })
}

/** A tool call as a host reports it. */
const toolUse = (tool) => (tool && typeof tool === 'object' && 'params' in tool ? { ...tool, params: toPlain(tool.params) } : tool)

module.exports = { checkpointInput, measureUsage, newest, slices, toJson, toolUse }
