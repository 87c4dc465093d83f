'use strict'
// What an error says: short, without the value that was wrong (it may be a whole conversation, or hold a secret), and with
// the name of what has to be given instead.

const { loadBinding } = require('./loader.js')

/** No message of an error is longer, in UTF-16 units. */
const MESSAGE_CHARS = 300
/** A path of more is shown by its two ends. */
const WORD_CHARS = 120

const STATE = { stateDir: 'string', sessionKey: 'string' }
/**
 * The parameters of the exports by name, each with its kind; `?` may be left out. Only looked at when a call has failed.
 * `__test__/errors.test.ts` holds the names against index.d.ts.
 */
const PARAMETERS = {
  normalize: { text: 'string' },
  extractKeywords: { text: 'string' },
  compareItems: { older: 'string', newer: 'string' },
  isSemanticDuplicate: { a: 'string', b: 'string' },
  mergeItems: { primary: 'string[]', secondary: 'string[]' },
  mergeItemsAsync: { primary: 'string[]', secondary: 'string[]' },
  extractDecisionFromResponse: { reply: 'string', userReply: 'string?' },
  isRealUserMessage: { message: 'object' },
  userText: { message: 'object' },
  estimateTokens: { text: 'string' },
  estimateMessageTokens: { message: 'object' },
  sanitizeSessionKeyForPath: { sessionKey: 'string' },
  redactSecrets: { text: 'string' },
  redactSecretsAsync: { text: 'string' },
  appendDecisionToState: { ...STATE, decision: 'object', options: 'object?' },
  appendOpenItemToState: { ...STATE, item: 'string', options: 'object?' },
  resolveOpenItemInState: { ...STATE, item: 'string', options: 'object?' },
  appendLearningToState: { ...STATE, learning: 'string', options: 'object?' },
  recordToolUseInState: { ...STATE, tool: 'object', options: 'object?' },
  writeLastToolCallToState: { ...STATE, call: 'object', options: 'object?' },
  readLastToolCallFromState: STATE,
  readState: STATE,
  listSessions: { stateDir: 'string' },
  agentEndedByKey: { stateDir: 'string', childSessionKey: 'string' },
  buildCheckpointFromState: { ...STATE, input: 'object' },
  writeCheckpoint: { ...STATE, input: 'object' },
  readLatestCheckpoint: STATE,
  readCheckpoint: { ...STATE, id: 'string' },
  listCheckpoints: STATE,
  diffCheckpoints: { older: 'object', newer: 'object' },
  formatCheckpointYaml: { checkpoint: 'object' },
  parseCheckpointYaml: { text: 'string' },
  parseCheckpointYamlAsync: { text: 'string' },
  renderCheckpoint: { checkpoint: 'object', options: 'object?' },
  readCheckpointForInjection: { ...STATE, options: 'object?' },
  buildEnrichmentPrompt: { checkpoint: 'object', messages: 'object[]' },
  parseEnrichment: { text: 'string' },
  enrichCheckpoint: { ...STATE, complete: 'function', options: 'object?' },
  summarizeMessages: { messages: 'object[]', options: 'object?' },
  listDrops: { ...STATE, query: 'object?' },
  readColdChunk: { ...STATE, chunkId: 'string' },
  inspectSession: STATE,
  repairSession: STATE,
  requestCompaction: STATE,
  tuningReport: { stateDir: 'string', sessionKey: 'string?', knobs: 'object?' },
  measureUsage: { input: 'object' },
  gaugeLine: { measure: 'object', options: 'object?' },
  allocateBudget: { input: 'object' },
  truncateBootstrapFiles: { files: 'object[]', maxTokens: 'number' },
  readConfig: { path: 'string?', options: 'object?' },
  loadConfig: { path: 'string?' },
  openTranscript: { path: 'string' },
  applyPlan: { plan: 'object', messages: 'array' },
}

/** What kinds are called, and how one is recognised. */
const KINDS = {
  string: ['a string', (value) => typeof value === 'string'],
  number: ['a number', (value) => typeof value === 'number'],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  object: ['an object', (value) => value !== null && typeof value === 'object'],
  function: ['a function', (value) => typeof value === 'function'],
  'string[]': ['an array of strings', (value) => Array.isArray(value) && value.every((item) => typeof item === 'string')],
  'object[]': ['an array of objects', (value) => Array.isArray(value) && value.every((item) => item !== null && typeof item === 'object')],
  array: ['an array', (value) => Array.isArray(value)],
}
/** The same by what the native part calls them. */
const NATIVE_KINDS = { String: 'string', f64: 'number', u32: 'number', i64: 'number', bool: 'boolean' }

/** What a value is, in words that hold nothing of it; a number is shown. */
function describe(value) {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'undefined': return 'missing'
    case 'string': return value === '' ? 'an empty string' : `a string of ${value.length} characters`
    case 'number': return `the number ${value}`
    case 'bigint': return 'a BigInt'
    case 'boolean': return String(value)
    case 'object': return isArray(value) ? 'an array' : 'an object'
    default: return `a ${typeof value}`
  }
}

/** A revoked proxy refuses even this question. */
function isArray(value) {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}

/** A message within its length; paths keep their two ends. */
function short(message) {
  const words = message.replace(/\S{121,}/g, (word) => `${word.slice(0, WORD_CHARS / 2)}…${word.slice(-WORD_CHARS / 2)}`.toWellFormed())
  return words.length <= MESSAGE_CHARS ? words : `${words.slice(0, MESSAGE_CHARS - 1).toWellFormed()}…`
}

/** Words before and after the value of an option that takes one of a few words, or a time: such a value is no secret. */
const CLOSED_BEFORE = /(?:^|[ :])(?:(?:unknown )?(?:mode|reason|trigger|scope|role|durability(?: \(\w+\))?)(?: is)?|not an ISO 8601 time:) $/i
const CLOSED_AFTER = /^ is no(?:t an?)? (?:ISO 8601 )?time\b/
/** A short word, or the signs of a time. */
const PLAIN = /^(?:[A-Za-z][A-Za-z_-]{0,23}|(?=[\d: TZ.+-]*\d)[\dTZ][\d: TZ.+-]{0,29})$/

/** Whether redaction takes something out of a value. */
function isSecret(value) {
  try {
    return loadBinding().redactSecrets(value) !== value
  } catch {
    return true
  }
}

/** Words of the native part, without the values that they quote and without names that only Rust has. */
function withoutValues(text) {
  return text
    .replace(/"((?:[^"\\]|\\[^])*)"/g, (quoted, value, at) => {
      const isClosed = CLOSED_BEFORE.test(text.slice(Math.max(0, at - 60), at)) || CLOSED_AFTER.test(text.slice(at + quoted.length))
      return isClosed && PLAIN.test(value) && !isSecret(value) ? quoted : '"…"'
    })
    .replace(/\b(variant|field|string|character|floating point|integer) `[^`]*`(?=,)/g, '$1')
    .replace(/\bexpected struct \w+/g, 'expected an object')
    .replace(/\bexpected [iu](?:8|16|32|64)\b/g, 'expected a whole number of at least 0')
    .replace(/\bexpected f64\b/g, 'expected a number')
    .replace(/\bexpected a sequence\b/g, 'expected an array')
}

/** Longer texts of a caller are no names or ids that a reader would look for. */
const NAME_CHARS = 40
/** Errors about files name them. */
const PATHS = new Set(['stateDir', 'path', 'sessionFile'])

/** Takes out what the native part repeats of the arguments' texts. */
function withoutArguments(text, name, args) {
  const parameters = Object.keys(PARAMETERS[name] ?? {})
  const values = args.flatMap((arg, index) => (PATHS.has(parameters[index]) ? [] : [arg, ...fieldsOf(arg)]))
  return values.reduce((kept, value) => (typeof value === 'string' && value.length > NAME_CHARS ? kept.replaceAll(value, '"…"') : kept), text)
}

function fieldsOf(value) {
  try {
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value).flatMap(([key, field]) => (PATHS.has(key) ? [] : [field])) : []
  } catch {
    return []
  }
}

/** The first argument that is not what its parameter takes; undefined when all are. */
function wrongArgument(name, args) {
  for (const [index, [parameter, written]] of Object.entries(PARAMETERS[name] ?? {}).entries()) {
    const value = args[index]
    const optional = written.endsWith('?')
    if (optional && (value === undefined || value === null)) continue
    const [needed, fits] = KINDS[optional ? written.slice(0, -1) : written]
    try {
      if (fits(value)) continue
    } catch {
      return `${parameter} cannot be read; give ${needed}`
    }
    const element = wrongElement(optional ? written.slice(0, -1) : written, value)
    if (element !== undefined) return `${parameter}${element}`
    return `${parameter} is ${describe(value)}; give ${needed}`
  }
  return undefined
}

/** Which element of an array is the wrong one, and what it is. */
function wrongElement(kind, value) {
  const [needed, fits] = KINDS[kind.endsWith('[]') ? kind.slice(0, -2) : ''] ?? []
  if (fits === undefined || !isArray(value)) return undefined
  const at = value.findIndex((item) => !fits(item))
  return at === -1 ? undefined : `[${at}] is ${describe(value[at])}; give ${needed}`
}

/** Why a value could not cross, from napi's own words: they end with what was needed and where. */
function wrongField(said, args) {
  const missing = /^Missing field `(\w+)`/.exec(said)
  const places = [...said.slice(-400).matchAll(/ on \w+\.(\w+)(?=$| on \w+\.)/g)].map((match) => match[1])
  const path = missing ? [missing[1], ...places] : places
  if (path.length === 0) return undefined
  path.reverse()
  const type = /into rust type `(\w+)`(?: on [\w.]+)*$/.exec(said.slice(-400))
  const kind = /^Failed to get Array length/.test(said) ? 'array' : type ? NATIVE_KINDS[type[1]] : undefined
  const needed = KINDS[kind]?.[0] ?? 'what the types say'
  if (missing) return `${path.join('.')} is missing`
  const value = valueAt(path, args)
  return value === undefined ? `${path.join('.')} must be ${needed}` : `${path.join('.')} is ${describe(value)}; give ${needed}`
}

function valueAt(path, args) {
  for (const arg of args) {
    try {
      const value = path.reduce((at, key) => (at === null || typeof at !== 'object' ? undefined : at[key]), arg)
      if (value !== undefined) return value
    } catch {
      // An argument that fails when it is looked at tells nothing.
    }
  }
  return undefined
}

/** The name of a parameter, or its place where the name is not known. */
const parameterName = (name, index) => Object.keys(PARAMETERS[name] ?? {})[index] ?? `argument ${index + 1}`

module.exports = { PARAMETERS, describe, parameterName, short, withoutArguments, withoutValues, wrongArgument, wrongField }
