'use strict'
// The door of the package. It loads the native part, gives every error a stable `code`, and lists every export by
// name: the list below is the public surface, and `import { name } from 'clawback'` finds the names by reading it.

const { loadBinding } = require('./lib/loader.js')
const { asyncExport, guarded, messageExport, syncExport } = require('./lib/boundary.js')
const { addMaintain, enrichExport, parseExport, promptExport, summarizeExport } = require('./lib/enrich.js')
const { configReader } = require('./lib/config.js')
const { checkpointInput, measureUsage, toJson, toolUse } = require('./lib/input.js')
const { addRecall } = require('./lib/recall.js')
const { makeSessionClass } = require('./lib/session.js')
const { makeManagerClass } = require('./lib/manager.js')
const { applyPlan } = require('./lib/view.js')
const { withLogs } = require('./lib/logs.js')

const native = loadBinding()
/** `sync(name, n)`: throws; the first n arguments must be well-formed strings. */
const sync = (name, strings, prepare, finish) => syncExport(native, name, strings, prepare, finish)
/** `async(name, n)`: always rejects, never throws; the first n arguments must be well-formed strings. */
const async = (name, strings, prepare, finish) => asyncExport(native, name, strings, prepare, finish)
/** `(stateDir, sessionKey, input)` with the input's messages and file lists in the form that crosses. */
const withCheckpointInput = (name) => async(name, 2, async (dir, key, input) => [dir, key, await checkpointInput(input, name)])

// text
exports.normalize = sync('normalize')
exports.extractKeywords = sync('extractKeywords')
exports.compareItems = sync('compareItems')
exports.isSemanticDuplicate = sync('isSemanticDuplicate')
exports.mergeItems = sync('mergeItems')
exports.mergeItemsAsync = async('mergeItemsAsync')
exports.extractDecisionFromResponse = sync('extractDecisionFromResponse')
exports.isRealUserMessage = messageExport(native, 'isRealUserMessage')
exports.userText = messageExport(native, 'userText')
exports.estimateTokens = sync('estimateTokens')
exports.estimateMessageTokens = messageExport(native, 'estimateMessageTokens')
exports.sanitizeSessionKeyForPath = sync('sanitizeSessionKeyForPath', 1)
exports.redactSecrets = sync('redactSecrets')
exports.redactSecretsAsync = async('redactSecretsAsync')

// state
exports.appendDecisionToState = async('appendDecisionToState', 2)
exports.appendOpenItemToState = async('appendOpenItemToState', 2)
exports.resolveOpenItemInState = async('resolveOpenItemInState', 2)
exports.appendLearningToState = async('appendLearningToState', 2)
exports.recordToolUseInState = async('recordToolUseInState', 2, (dir, key, tool, options) => [dir, key, toolUse(tool), options])
exports.writeLastToolCallToState = async('writeLastToolCallToState', 2)
exports.readLastToolCallFromState = async('readLastToolCallFromState', 2)
exports.readState = async('readState', 2)
exports.listSessions = async('listSessions', 1)

// checkpoints; whole ones cross as JSON text, which engines write and read faster than they walk an object
exports.agentEndedByKey = async('agentEndedByKey', 2)
exports.buildCheckpointFromState = withCheckpointInput('buildCheckpointFromState')
exports.writeCheckpoint = withCheckpointInput('writeCheckpoint')
exports.readLatestCheckpoint = async('readLatestCheckpoint', 2)
exports.readCheckpoint = async('readCheckpoint', 3)
exports.listCheckpoints = async('listCheckpoints', 2)
exports.diffCheckpoints = sync('diffCheckpoints', 0, (older, newer) => [toJson(older), toJson(newer)])
exports.formatCheckpointYaml = sync('formatCheckpointYaml', 0, (checkpoint) => [toJson(checkpoint)])
exports.parseCheckpointYaml = sync('parseCheckpointYaml', 0, undefined, JSON.parse)
exports.parseCheckpointYamlAsync = async('parseCheckpointYamlAsync', 0, undefined, JSON.parse)
exports.renderCheckpoint = sync('renderCheckpoint', 0, (checkpoint, options) => [toJson(checkpoint), options])
exports.readCheckpointForInjection = async('readCheckpointForInjection', 2)

// a model's help
exports.buildEnrichmentPrompt = promptExport(native)
exports.parseEnrichment = parseExport(native)
exports.enrichCheckpoint = enrichExport(native)
exports.summarizeMessages = summarizeExport(native)

// cold storage and repairs
exports.listDrops = async('listDrops', 2)
exports.readColdChunk = async('readColdChunk', 3)
exports.inspectSession = async('inspectSession', 2)
exports.repairSession = async('repairSession', 2)
exports.requestCompaction = async('requestCompaction', 2)
exports.tuningReport = async('tuningReport', 1)

// pressure
const measure = sync('measureUsage')
const estimateMessages = sync('estimateMessages')
exports.measureUsage = measure && guarded((input) => measureUsage(measure, estimateMessages, input), 'measureUsage')
exports.gaugeLine = sync('gaugeLine')
exports.allocateBudget = sync('allocateBudget')
exports.truncateBootstrapFiles = sync('truncateBootstrapFiles')

// configuration
const configuration = configReader(native)
exports.readConfig = configuration.readConfig
exports.loadConfig = configuration.loadConfig

// a live session
exports.drainLogs = sync('drainLogs')
exports.ContextSession = makeSessionClass(native, [addMaintain, addRecall, withLogs(() => exports.drainLogs())])
exports.applyPlan = guarded(applyPlan, 'applyPlan')
exports.ContextManager = makeManagerClass((options) => exports.ContextSession.open(options))

// transcripts
exports.openTranscript = openTranscript

exports.STOP_WORDS = readOnlySet(native.stopWords?.() ?? [])
exports.version = require('./package.json').version

/** A Set that refuses to change: every importer shares it. */
function readOnlySet(values) {
  const set = new Set(values)
  const refuse = () => {
    throw new TypeError('this set is read-only')
  }
  for (const name of ['add', 'delete', 'clear']) Object.defineProperty(set, name, { value: refuse })
  return Object.freeze(set)
}

const open = async('openTranscript', 1)
/** A reader of a host's transcript; `next` gives batches, and null at the end. */
async function openTranscript(path) {
  const reader = await open(path)
  return { next: asyncExport(reader, 'next') }
}
