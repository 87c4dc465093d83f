'use strict'
// How conversations cross to the native part: as JSON text, in slices, so that a long one never holds the event loop.

const { fault } = require('./boundary.js')

/** A slice ends at so many messages or characters, whichever comes first; then other work may run. */
const SLICE_MESSAGES = 256
const SLICE_CHARS = 256 * 1024
/** So many messages from the end decide how full a context is; older ones only add to an estimate. */
const MEASURED_MESSAGES = 256

/** Half a surrogate pair, as JSON.stringify writes it; readers of strict JSON refuse it. */
const HALF_PAIR = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g
const nextTick = () => new Promise((resolve) => setImmediate(resolve))

function toJson(message, name) {
  try {
    return (JSON.stringify(message) ?? 'null').replace(HALF_PAIR, '$1\ufffd')
  } catch (error) {
    throw fault('InvalidInput', `${name}: a message cannot be written as JSON: ${error.message}`, toJson, error)
  }
}

/** JSON arrays of the messages, in order. */
async function slices(messages, name) {
  if (!Array.isArray(messages)) throw fault('InvalidInput', `${name}: messages must be an array`, slices)
  const done = []
  let slice = []
  let chars = 0
  for (const message of messages) {
    const text = toJson(message, name)
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

/** What a caller gives to a checkpoint call, as the native part takes it. */
async function checkpointInput(input, name) {
  if (input === null || typeof input !== 'object') throw fault('InvalidInput', `${name}: an object with trigger and tokenUsage is needed`, checkpointInput)
  const native = { ...input }
  if (input.messages !== undefined) native.messages = await slices(input.messages, name)
  // Hosts keep their file lists as Sets.
  if (input.fileOps !== undefined) {
    native.fileOps = Object.fromEntries(['read', 'written', 'edited'].map((kind) => [kind, [...(input.fileOps?.[kind] ?? [])]]))
  }
  return native
}

/** Usage is in the newest messages. Older ones are counted only when nobody has said how full the context is. */
function measureUsage(measure, estimate, input) {
  const messages = input?.messages
  if (!Array.isArray(messages) || messages.length <= MEASURED_MESSAGES) return measure(input)
  const recent = { ...input, messages: messages.slice(-MEASURED_MESSAGES) }
  const first = measure(recent)
  if (first.source === 'host' || first.source === 'usage') return first
  const older = messages.slice(0, -MEASURED_MESSAGES)
  const counted = older.slice(0, 1_000 - MEASURED_MESSAGES)
  const tokens = counted.reduce((sum, message) => sum + estimate(message), 0)
  return measure({ ...recent, earlierTokens: (tokens * older.length) / counted.length })
}

module.exports = { checkpointInput, measureUsage, slices }
