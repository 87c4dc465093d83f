// One call of every export, at three sizes. `blocking` and `memory` go through this list; an export that is in the package
// and not in here is reported, so that none is forgotten.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { conversation, prose, sentences } from './words.mjs'

/** Bytes of text and number of items: what a call usually gets, what `blocking` holds it to, and the caps of sync exports. */
export const SIZES = {
  tiny: { bytes: 200, items: 5 },
  usual: { bytes: 4096, items: 50 },
  caps: { bytes: 256 * 1024, items: 1000 },
}
const TOKENS = { inputTokens: 90_000, contextWindow: 200_000 }
/** Things that are not calls. */
const NOT_CALLS = new Set(['STOP_WORDS', 'version', 'default', 'ContextSession', 'ContextManager'])

/**
 * The calls, as `{ name, sync, call }`; `call(n)` is the n-th. `dir` holds the sessions; a checkpoint of the given size is
 * built first, for the functions that take one.
 */
export async function calls(clawback, dir, { bytes, items }) {
  const key = 'bench'
  const text = prose(bytes)
  const halves = [prose(bytes / 2, 1), prose(bytes / 2, 2)]
  const lists = [sentences(items, 1), sentences(items, 2)]
  const reply = { role: 'assistant', content: [{ type: 'text', text }], timestamp: 1_770_000_000_000 }
  const asked = { role: 'user', content: text, timestamp: 1_770_000_000_000 }
  const messages = conversation(items, Math.max(100, Math.floor(bytes / items)))
  const checkpoint = await swollen(clawback, dir, lists)
  const yaml = clawback.formatCheckpointYaml?.(checkpoint).slice(0, 256 * 1024)
  const usage = { usage: { tokens: 150_000 }, contextWindow: 200_000 }
  const transcript = path.join(dir, 'transcript.jsonl')
  writeFileSync(transcript, messages.map((message, index) => `${JSON.stringify({ type: 'message', id: `${index}`, message })}\n`).join(''))
  const input = { trigger: 'manual', tokenUsage: TOKENS, messages }
  const fresh = sentences(20_000, 3)
  /** The n-th thing to remember: with a subject of its own, padded to the size with the same text. */
  const said = (n) => (bytes > SIZES.tiny.bytes ? `${fresh[n % fresh.length]}. ${text}` : fresh[n % fresh.length])
  /** As sessions come and go in a gateway: what one remembers is no growth of the process. */
  const session = (n) => `${key} ${Math.floor(n / 100)}`

  const sync = {
    normalize: () => clawback.normalize(text),
    extractKeywords: () => clawback.extractKeywords(text),
    compareItems: () => clawback.compareItems(...halves),
    isSemanticDuplicate: () => clawback.isSemanticDuplicate(...halves),
    mergeItems: () => clawback.mergeItems(...lists),
    extractDecisionFromResponse: () => clawback.extractDecisionFromResponse(text, 'yes'),
    isRealUserMessage: () => clawback.isRealUserMessage(asked),
    userText: () => clawback.userText(asked),
    allocateBudget: () => clawback.allocateBudget({ contextWindow: 200_000, actual: { systemPrompt: 8_500, bootstrap: 3_200 } }),
    truncateBootstrapFiles: () => clawback.truncateBootstrapFiles([{ path: 'A.md', content: halves[0] }, { path: 'B.md', content: halves[1] }], Math.ceil(bytes / 10)),
    estimateTokens: () => clawback.estimateTokens(text),
    estimateMessageTokens: () => clawback.estimateMessageTokens(reply),
    sanitizeSessionKeyForPath: () => clawback.sanitizeSessionKeyForPath(text),
    redactSecrets: () => clawback.redactSecrets(text),
    diffCheckpoints: () => clawback.diffCheckpoints(checkpoint, checkpoint),
    formatCheckpointYaml: () => clawback.formatCheckpointYaml(checkpoint),
    parseCheckpointYaml: () => clawback.parseCheckpointYaml(yaml),
    renderCheckpoint: () => clawback.renderCheckpoint(checkpoint),
    measureUsage: () => clawback.measureUsage({ ...usage, usage: undefined, messages }),
    drainLogs: () => clawback.drainLogs(),
    applyPlan: () => clawback.applyPlan({ packet: 'x', tail: null, keep: messages.keys(), replace: [] }, messages),
    gaugeLine: () => clawback.gaugeLine(clawback.measureUsage(usage)),
    buildEnrichmentPrompt: () => clawback.buildEnrichmentPrompt(checkpoint, messages),
    parseEnrichment: () => clawback.parseEnrichment(text),
  }
  const async = {
    mergeItemsAsync: () => clawback.mergeItemsAsync(...lists),
    redactSecretsAsync: () => clawback.redactSecretsAsync(text),
    parseCheckpointYamlAsync: () => clawback.parseCheckpointYamlAsync(yaml),
    appendDecisionToState: (n) => clawback.appendDecisionToState(dir, session(n), { what: said(n) }),
    appendOpenItemToState: (n) => clawback.appendOpenItemToState(dir, session(n), said(n)),
    resolveOpenItemInState: (n) => clawback.resolveOpenItemInState(dir, session(n), said(n)),
    appendLearningToState: (n) => clawback.appendLearningToState(dir, session(n), said(n)),
    recordToolUseInState: (n) => clawback.recordToolUseInState(dir, session(n), { name: 'read', params: { path: `src/${n % 100}.rs`, note: text } }),
    writeLastToolCallToState: () => clawback.writeLastToolCallToState(dir, key, { name: 'read', paramsSummary: text }),
    readLastToolCallFromState: () => clawback.readLastToolCallFromState(dir, key),
    readState: () => clawback.readState(dir, key),
    readConfig: () => clawback.readConfig(undefined, { stateDir: dir }),
    loadConfig: () => clawback.loadConfig(),
    listSessions: () => clawback.listSessions(dir),
    listDrops: () => clawback.listDrops(dir, key),
    readColdChunk: () => clawback.readColdChunk(dir, key, 'c0-1-0000000000000001').catch(() => null),
    inspectSession: () => clawback.inspectSession(dir, key),
    repairSession: () => clawback.repairSession(dir, key),
    requestCompaction: () => clawback.requestCompaction(dir, key),
    tuningReport: () => clawback.tuningReport(dir),
    agentEndedByKey: () => clawback.agentEndedByKey(dir, 'agent:main:subagent:none'),
    buildCheckpointFromState: () => clawback.buildCheckpointFromState(dir, key, input),
    writeCheckpoint: () => clawback.writeCheckpoint(dir, key, input),
    readLatestCheckpoint: () => clawback.readLatestCheckpoint(dir, key),
    readCheckpoint: async () => clawback.readCheckpoint(dir, key, (await clawback.listCheckpoints(dir, key)).at(-1).id),
    listCheckpoints: () => clawback.listCheckpoints(dir, key),
    readCheckpointForInjection: () => clawback.readCheckpointForInjection(dir, key),
    summarizeMessages: () => clawback.summarizeMessages(messages),
    enrichCheckpoint: () => clawback.enrichCheckpoint(dir, key, async () => '{"decisions":[]}', { messages }),
    openTranscript: async () => (await clawback.openTranscript(transcript)).next(),
  }
  if (clawback.writeCheckpoint) await clawback.writeCheckpoint(dir, key, input)
  const list = (table, isSync) => Object.entries(table).map(([name, call]) => ({ name, sync: isSync, call }))
  return [...list(sync, true), ...list(async, false)].filter(({ name }) => typeof clawback[name] === 'function')
}

/** Exports of the package for which there is no call above. */
export const uncovered = (clawback, known) =>
  Object.keys(clawback).filter((name) => clawback[name] !== undefined && !NOT_CALLS.has(name) && !known.some((one) => one.name === name))

/** A checkpoint whose lists hold the given items. */
async function swollen(clawback, dir, [decisions, items]) {
  const checkpoint = await clawback.buildCheckpointFromState(dir, 'empty', { trigger: 'manual', tokenUsage: TOKENS })
  const when = '2026-01-02T03:04:05.000Z'
  return { ...checkpoint, decisions: decisions.map((what, index) => ({ id: `d${index + 1}`, what, when })), open_items: items }
}
