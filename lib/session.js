'use strict'
// The handle on a live session. JavaScript keeps what only it can see (which objects the host gave last time) and hands
// over what is new, in slices; everything else happens in the native part.

const { asyncExport, fault, guarded, notText, translate, withoutNulls } = require('./boundary.js')
const { configSources } = require('./config.js')
const { checkpointInput, slices, toJson } = require('./input.js')
const { packKeys } = require('./keys.js')
const { shortened } = require('./view.js')
const { describe } = require('./wording.js')

/** What crosses in one tick, at most. */
const SLICE_MESSAGES = 256
const SLICE_CHARS = 256 * 1024
/** So many new messages go along with their keys: a turn's. */
const FEW = 8

/** Makes the class around a native part. Other files add methods of their own through `extend`. */
function makeSessionClass(native, extend = []) {
  const openNative = native.openSession?.bind(native)
  const door = Symbol('open')

  class ContextSession {
    #native
    #seen = []
    #length = 0
    #queue = []
    #pump = null
    #closed = false

    constructor(key, handle) {
      if (key !== door) throw fault('InvalidInput', 'ContextSession: use ContextSession.open', ContextSession)
      this.#native = handle
    }

    static async open(options) {
      if (options === null || typeof options !== 'object') throw fault('InvalidInput', 'ContextSession.open: an object with stateDir, sessionKey and contextWindow is needed', ContextSession.open)
      for (const name of ['stateDir', 'sessionKey']) requireText(options[name], `ContextSession.open: ${name}`)
      const { config, ...rest } = withoutNulls(options)
      return new ContextSession(door, await openNative({ contextWindow: 0, ...rest, ...(config === undefined ? {} : { config: JSON.stringify(config) }) }, configSources(options.stateDir)))
    }

    setLimits(limits) {
      return this.#now('setLimits', withoutNulls(limits ?? {}), Date.now())
    }

    /** The host's array, or its end from index `from`. */
    sync(messages, hints) {
      this.#mustBeOpen('sync')
      if (!Array.isArray(messages)) throw fault('InvalidInput', 'sync: messages must be an array', this.sync)
      const from = hints?.from ?? 0
      if (!Number.isInteger(from) || from < 0 || from > this.#length) {
        throw fault('InvalidInput', `sync: from is ${describe(from)}; the array last synced has ${this.#length} messages`, this.sync)
      }
      const total = from + messages.length
      const align = (keep, texts) => {
        const { names, numbers } = packKeys(messages, keep - from)
        return this.#now('sync', keep, names, numbers, hints?.rewind === true, from === 0, texts)
      }
      let keep = sameUntil(this.#seen, messages, from)
      let found = align(keep, this.#queue.length === 0 ? fewTexts(messages, keep - from) : undefined)
      // The native part has lost track of the array: it takes nothing but the whole.
      if (found.wantsAll) found = align((keep = 0))
      this.#remember(messages, from, keep, total)
      if (found.ticket > 0) this.#queue.push({ ticket: found.ticket, wanted: found.wanted, at: 0, messages, shift: keep - from })
      // What fits goes now; the rest goes on later ticks, before the next plan.
      if (this.#pump === null && !this.#handOver()) this.#pump = this.#pumpOn()
      return { added: found.added, rewound: found.rewound, hostCompacted: found.hostCompacted }
    }

    /** Hosts that clone their messages for each call would only be held in memory twice. */
    #remember(messages, from, keep, total) {
      const clones = from === 0 && this.#length > 1 && messages.length > 1 && this.#seen[0] !== messages[0]
      if (clones) this.#seen = [messages[0]]
      else if (from > 0 && this.#seen.length < from) this.#seen = this.#seen.slice(0, 1)
      else {
        this.#seen.length = keep
        for (let index = keep; index < total; index++) this.#seen.push(messages[index - from])
      }
      this.#length = total
    }

    /** One slice. True when nothing is left. */
    #handOver() {
      let room = SLICE_MESSAGES
      let chars = SLICE_CHARS
      while (this.#queue.length > 0) {
        const job = this.#queue[0]
        const indices = []
        const texts = []
        while (job.at < job.wanted.length && room > 0 && chars > 0) {
          const index = job.wanted[job.at++]
          const text = toJson(job.messages[index + job.shift])
          indices.push(index)
          texts.push(text)
          room--
          chars -= text.length
        }
        const last = job.at >= job.wanted.length
        this.#now('handOver', job.ticket, indices, `[${texts.join()}]`, last)
        if (!last) return false
        this.#queue.shift()
      }
      return true
    }

    async #pumpOn() {
      try {
        do await new Promise((resolve) => setImmediate(resolve))
        while (!this.#handOver())
      } finally {
        this.#pump = null
      }
    }

    gauge(usage) {
      return this.#now('gauge', withoutNulls(usage ?? undefined), Date.now())
    }

    async plan(options) {
      return this.#later('plan', withoutNulls(options ?? {}), Date.now())
    }

    async compact(options) {
      if (options === null || typeof options !== 'object') throw fault('InvalidInput', 'compact: an object with a reason is needed', this.compact)
      return this.#later('compact', withoutNulls(options), Date.now())
    }

    async commit(messages, options) {
      requireText(options?.key, 'commit: key')
      return this.#later('commit', await slices(messages, 'commit'), options.key)
    }

    async checkpoint(input) {
      const usage = { inputTokens: 0, contextWindow: 0, ...withoutNulls(input?.tokenUsage ?? {}) }
      return this.#later('checkpoint', withoutNulls(await checkpointInput({ ...input, tokenUsage: usage }, 'checkpoint')))
    }

    async packet(options) {
      const limit = options?.maxTokens ?? undefined
      if (limit !== undefined && typeof limit !== 'number') throw fault('InvalidInput', `packet: maxTokens is ${describe(limit)}; give a number`, this.packet)
      return this.#later('packet', limit)
    }

    shouldCompact() {
      return this.#now('shouldCompact', Date.now())
    }

    compactionStarted() {
      return this.#now('compactionStarted', Date.now())
    }

    compactionSettled(outcome) {
      return this.#now('compactionSettled', withoutNulls(outcome ?? { ok: false }), Date.now())
    }

    async spill(message, options) {
      if (message === null || typeof message !== 'object') throw fault('InvalidInput', `spill: message is ${describe(message)}; give a message`, this.spill)
      const limit = options?.maxTokens
      if (!Number.isFinite(limit) || limit < 1) throw fault('InvalidInput', 'spill: maxTokens must be a number of at least 1', this.spill)
      const { text, chunkId } = await this.#later('spill', `[${toJson(message)}]`, limit)
      // In blocks, whatever form it had.
      const blocks = Array.isArray(message.content) ? message : { ...message, content: [] }
      return { message: shortened(blocks, text), chunkId }
    }

    async pin(target) {
      const isMessage = target !== null && typeof target === 'object'
      if (!isMessage) requireText(target, 'pin: a chunk id or a message')
      return this.#later('pin', isMessage ? `[${toJson(target)}]` : target, isMessage)
    }

    async explain(text) {
      requireText(text, 'explain: text')
      return this.#later('explain', text)
    }

    async agentStarted(agent) {
      requireText(agent?.id, 'agentStarted: id')
      return this.#later('agentStarted', withoutNulls(agent))
    }

    async agentEnded(id) {
      requireText(id, 'agentEnded: id')
      return this.#later('agentEnded', id)
    }

    async fork(childSessionKey) {
      requireText(childSessionKey, 'fork: childSessionKey')
      return this.#later('fork', childSessionKey)
    }

    async reset(reason) {
      if (!['new', 'reset', 'deleted'].includes(reason)) throw fault('InvalidInput', `reset: reason is ${describe(reason)}; there are 'new', 'reset' and 'deleted'`, this.reset)
      await this.#later('reset', reason, Date.now())
      this.#seen = []
      this.#length = 0
    }

    async end(options) {
      requireText(options?.reason, 'end: reason')
      const ended = this.#later('end', options.reason)
      await ended
      this.#closed = true
    }

    async health() {
      return this.#later('health')
    }

    async flush() {
      return this.#later('flush')
    }

    async close() {
      if (this.#closed) return
      await this.#later('close')
      this.#closed = true
      this.#seen = []
    }

    /** A sync method of the native part. */
    #now(name, ...args) {
      this.#mustBeOpen(name)
      try {
        return this.#native[name](...args)
      } catch (error) {
        throw translate(error, name, this[name], args)
      }
    }

    /** An async one, after everything that was synced has been handed over. */
    async #later(name, ...args) {
      this.#mustBeOpen(name)
      while (this.#pump !== null) await this.#pump
      try {
        return await this.#native[name](...args)
      } catch (error) {
        throw translate(error, name, this[name], args)
      }
    }

    #mustBeOpen(name) {
      if (this.#closed) throw fault('Closed', `${name}: the session handle is closed; open the session again`, this[name])
    }

    static {
      // Methods that live in files of their own get the two doors and nothing else.
      for (const add of extend) add(ContextSession.prototype, { now: (session, ...args) => session.#now(...args), later: (session, ...args) => session.#later(...args) })
      // What a caller's own objects throw while a method reads them gets a code as well.
      for (const name of Object.getOwnPropertyNames(ContextSession.prototype)) {
        if (name !== 'constructor') ContextSession.prototype[name] = guarded(ContextSession.prototype[name], name)
      }
      ContextSession.open = guarded(ContextSession.open, 'ContextSession.open')
    }
  }
  return ContextSession
}

/**
 * How far the array, which begins at index `from`, holds the very objects that were seen. Its own function, so that it is
 * compiled early: it looks at the whole history. `Object.is` and not `===`, which looks into each object for its shape.
 */
function sameUntil(seen, messages, from) {
  const end = Math.min(seen.length - from, messages.length)
  let at = 0
  while (at < end && Object.is(seen[at + from], messages[at])) at++
  return from + Math.max(0, at)
}

/** The messages from an index on in JSON, where they are few and fit into a slice. */
function fewTexts(messages, first) {
  if (messages.length - first > FEW) return undefined
  const texts = []
  let chars = 0
  for (let index = first; index < messages.length; index++) {
    if (chars > SLICE_CHARS) return undefined
    texts.push(toJson(messages[index]))
    chars += texts.at(-1).length
  }
  return texts.length > 0 ? `[${texts.join()}]` : undefined
}

function requireText(value, what) {
  const why = value === '' ? 'is empty' : notText(value)
  if (why !== undefined) throw fault('InvalidInput', `${what} ${why}`, requireText)
}

module.exports = { makeSessionClass, requireText }
