'use strict'
// The host's model is called here, never from Rust: the native part words the question and checks the answer. Whatever the
// model does (fail, answer too late or never, be called off), the checkpoint made without it stays.

const { asyncExport, fault, guarded, syncExport } = require('./boundary.js')
const { newest, slices, toJson } = require('./input.js')
const { describe } = require('./wording.js')

/** Milliseconds that a model has, unless told otherwise. */
const TIMEOUT_MS = 30_000
/** Longest time that a timer of Node can wait. */
const LONGEST_MS = 2 ** 31 - 1
/** Characters of an answer that are looked at: it was asked for 500 tokens. */
const ANSWER_CHARS = 128 * 1024
/** So many messages from the end may be in a prompt; most of them are results of tools, which are not shown. */
const RECENT = 400

/** A failure in a few words. */
const wordsOf = (error) => String(error instanceof Error ? error.message : error).slice(0, 300)

/** The answer's text; models' libraries also hand over an object with the text in it. */
function textOf(answer) {
  if (typeof answer === 'string') return answer
  const text = answer?.text ?? answer?.content
  return typeof text === 'string' ? text : undefined
}

/**
 * Asks the model, within its time. Never rejects: `{ text }`, or `{ reason }` why there is none. The model's own signal is
 * aborted when nobody waits for it any more.
 */
async function ask(complete, prompt, { timeoutMs, signal } = {}) {
  if (signal?.aborted) return { reason: 'aborted before the model was asked' }
  const time = Number.isFinite(timeoutMs) && timeoutMs > 0 ? Math.min(timeoutMs, LONGEST_MS) : TIMEOUT_MS
  const stop = new AbortController()
  let timer
  let onAbort
  const given = new Promise((resolve) => {
    timer = setTimeout(resolve, time, { reason: `the model did not answer within ${time} ms` })
    onAbort = () => resolve({ reason: 'aborted while the model was asked' })
    signal?.addEventListener?.('abort', onAbort, { once: true })
  })
  // What a model does after its time, also a failure, is taken in here: it is nobody's unhandled rejection.
  const asked = Promise.resolve()
    .then(() => complete(prompt, stop.signal))
    .then(
      (answer) => {
        const text = textOf(answer)
        return text === undefined ? { reason: 'the model gave no text' } : { text: text.slice(0, ANSWER_CHARS) }
      },
      (error) => ({ reason: `the model failed: ${wordsOf(error)}` }),
    )
  const outcome = await Promise.race([asked, given])
  clearTimeout(timer)
  signal?.removeEventListener?.('abort', onAbort)
  if (outcome.reason !== undefined) stop.abort(new Error(outcome.reason))
  return outcome
}

/** `enrichCheckpoint` of the native part's two halves. */
function enrichExport(native) {
  const start = asyncExport(native, 'startEnrichment', 2, undefined, undefined, 'enrichCheckpoint')
  const merge = asyncExport(native, 'mergeEnrichment', 2, undefined, undefined, 'enrichCheckpoint')
  if (!start || !merge) return undefined
  async function enrichCheckpoint(stateDir, sessionKey, complete, options) {
    if (typeof complete !== 'function') throw fault('InvalidInput', `enrichCheckpoint: complete is ${describe(complete)}; give the function that asks the model`, enrichCheckpoint)
    const { messages, timeoutMs, signal } = options ?? {}
    const begun = await start(stateDir, sessionKey, await slices(messages ?? [], 'enrichCheckpoint'))
    const none = (reason) => ({ written: false, rejected: [], reason })
    if (!begun.prompt) return none(begun.reason)
    const answer = await ask(complete, begun.prompt, { timeoutMs, signal })
    if (answer.reason !== undefined) return none(answer.reason)
    if (signal?.aborted) return none('aborted while the model was asked')
    return merge(stateDir, sessionKey, answer.text, begun.basis)
  }
  return guarded(enrichCheckpoint, 'enrichCheckpoint')
}

/** `buildEnrichmentPrompt`: of a long conversation only its end crosses. */
function promptExport(native) {
  return syncExport(native, 'buildEnrichmentPrompt', 0, (checkpoint, messages) => [toJson(checkpoint), newest(messages ?? [], RECENT, 'buildEnrichmentPrompt')])
}

/** `parseEnrichment`: of a huge text only its start crosses. */
function parseExport(native) {
  const parse = syncExport(native, 'parseEnrichment')
  return parse && function parseEnrichment(text) {
    return parse(typeof text === 'string' ? text.slice(0, ANSWER_CHARS) : text)
  }
}

/** `summarizeMessages` with its messages in slices. */
const summarizeExport = (native) =>
  asyncExport(native, 'summarizeMessages', 0, async (messages, options) => [await slices(messages ?? [], 'summarizeMessages'), options ?? undefined])

/** Gives the session handle its `maintain`. `doors.later` calls the native part after everything that was synced. */
function addMaintain(prototype, doors) {
  prototype.maintain = async function maintain(options) {
    const { complete, signal, timeoutMs } = options ?? {}
    const done = { summarized: false, enriched: false, expired: await doors.later(this, 'expire') }
    if (typeof complete !== 'function' || signal?.aborted) return done
    const { summary, condensed, enrichment } = await doors.later(this, 'questions')
    const answered = async (question) => {
      if (!question) return undefined
      const { text } = await ask(complete, question.prompt, { timeoutMs, signal })
      return signal?.aborted ? undefined : text
    }
    const written = await answered(summary)
    if (written !== undefined) done.summarized = await doors.later(this, 'mergeSummary', written, summary.basis)
    const shorter = await answered(condensed)
    if (shorter !== undefined) done.summarized = (await doors.later(this, 'mergeSummary', shorter, condensed.basis)) || done.summarized
    const listed = await answered(enrichment)
    if (listed !== undefined) done.enriched = (await doors.later(this, 'mergeEnrichment', listed, enrichment.basis)).written
    return done
  }
}

module.exports = { addMaintain, ask, enrichExport, parseExport, promptExport, summarizeExport }
