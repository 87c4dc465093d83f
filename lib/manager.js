'use strict'
// Seed 003's face for any agent: four callbacks in, three calls and four hook points out. Everything behind it is a
// ContextSession; what the model sees is put together here and handed to `setContext`.

const { fault } = require('./boundary.js')
const { describe } = require('./wording.js')
const { keptBy } = require('./view.js')

const CALLBACKS = ['getContext', 'setContext', 'getTokenCount', 'getMessages']
/** Seed 003's CURATION_TRIGGER_PCT, where the configuration names none. */
const CURATION_TRIGGER = 0.4

function makeManagerClass(openSession) {
  class ContextManager {
    #options
    #opened = null
    #ended = false
    #queue = Promise.resolve()
    /** Texts that this manager put into the context: they are not the conversation. */
    #own = new Set()
    #ownMessages = new WeakSet()

    constructor(options) {
      if (options === null || typeof options !== 'object') throw fault('InvalidInput', 'ContextManager: an object with stateDir, sessionKey and the callbacks is needed', ContextManager)
      for (const name of ['stateDir', 'sessionKey']) {
        if (typeof options[name] !== 'string' || options[name] === '') throw fault('InvalidInput', `ContextManager: ${name} must be a string that is not empty`, ContextManager)
      }
      for (const name of CALLBACKS) if (typeof options[name] !== 'function') throw fault('InvalidInput', `ContextManager: ${name} must be a function`, ContextManager)
      this.#options = options
    }

    /** How full the context is before a model call, and whether `compact` is due. */
    beforeResponse(limits) {
      return this.#inTurn(async () => (await this.#look(limits)).status)
    }

    /** Drops what is old, puts the packet in front and hands the new context to `setContext`. */
    compact() {
      return this.#inTurn(() => this.#compact())
    }

    /** Checkpoint, archive, close. A second call does nothing. */
    sessionEnd() {
      return this.#inTurn(async () => {
        if (this.#ended) return
        const session = await this.#session()
        await this.#sync(session)
        this.#ended = true
        await session.end({ reason: 'session-end' })
        await session.close()
      }, true)
    }

    /**
     * The four hook points of seed 003 by their names there. A hook never throws: what goes wrong is given to `onError`, and
     * the agent runs on with the context that it has.
     */
    hooks() {
      const safely = (run) => async (...args) => {
        try {
          return await run(...args)
        } catch (error) {
          try {
            await this.#options.onError?.(error)
          } catch {
            // Whoever takes errors in has failed as well: there is nobody left to tell.
          }
          return undefined
        }
      }
      return {
        'message-received': safely((limits) => this.beforeResponse(limits)),
        'pre-response': safely((limits) => this.#inTurn(async () => {
          const { status } = await this.#look(limits)
          return status.needsCompaction ? { ...status, compaction: await this.#compact() } : status
        })),
        'post-response': safely((limits) => this.#inTurn(async () => {
          const { session, status } = await this.#look(limits)
          if (status.pctUsed < (this.#options.config?.curationTriggerPct ?? CURATION_TRIGGER)) return status
          const { complete } = this.#options
          return { ...status, curation: await session.maintain?.(complete === undefined ? {} : { complete }) }
        })),
        'session-end': safely(() => this.sessionEnd()),
      }
    }

    /** Calls run one after the other, whoever makes them. */
    #inTurn(run, afterEnd = false) {
      const turn = this.#queue.then(() => {
        if (this.#ended && !afterEnd) throw fault('Closed', 'ContextManager: the session has ended', this.#inTurn)
        return run()
      })
      this.#queue = turn.then(() => undefined, () => undefined)
      return turn
    }

    #session() {
      const { stateDir, sessionKey, contextWindow = 0, config, mode, reserveTokens, overheadTokens } = this.#options
      const optional = Object.fromEntries(Object.entries({ config, mode, reserveTokens, overheadTokens }).filter(([, value]) => value !== undefined))
      this.#opened ??= openSession({ stateDir, sessionKey, contextWindow, ...optional })
      // One failure to open must not be the last word.
      this.#opened.catch(() => (this.#opened = null))
      return this.#opened
    }

    /** The conversation as the host has it now, without what this manager put in. Where the context is no list, its messages are asked for. */
    async #sync(session) {
      let context = await this.#options.getContext()
      if (!Array.isArray(context)) context = await this.#options.getMessages(Number.MAX_SAFE_INTEGER)
      if (!Array.isArray(context)) throw fault('InvalidInput', 'ContextManager: neither getContext nor getMessages gives an array of messages', this.#sync)
      const messages = context.filter((message) => !this.#isOwn(message))
      session.sync(messages)
      return messages
    }

    #isOwn(message) {
      if (message === null || typeof message !== 'object') return false
      return this.#ownMessages.has(message) || (message.role === 'user' && typeof message.content === 'string' && this.#own.has(message.content))
    }

    async #look({ maxTokens } = {}) {
      const session = await this.#session()
      if (maxTokens !== undefined) {
        if (!Number.isFinite(maxTokens) || maxTokens <= 0) throw fault('InvalidInput', `ContextManager: maxTokens is ${describe(maxTokens)}; it must be a number above 0`, this.#look)
        session.setLimits({ contextWindow: maxTokens })
      }
      await this.#sync(session)
      const tokens = await this.#options.getTokenCount()
      const gauge = session.gauge(Number.isFinite(tokens) ? { tokens, ...(maxTokens === undefined ? {} : { contextWindow: maxTokens }) } : undefined)
      const status = {
        needsCompaction: gauge.zone !== 'green', currentTokens: gauge.tokens, limit: gauge.contextWindow, pctUsed: gauge.utilization,
        zone: gauge.zone, line: gauge.line,
      }
      return { session, status }
    }

    async #compact() {
      const session = await this.#session()
      const messages = await this.#sync(session)
      const plan = await session.plan({ force: true })
      const view = keptBy(plan, messages)
      // Hosts may keep the context of before for a while; not for ever.
      if (this.#own.size > 16) this.#own.clear()
      const injected = (text) => {
        const message = { role: 'user', content: text }
        this.#own.add(text)
        this.#ownMessages.add(message)
        return message
      }
      if (plan.packet) view.unshift(injected(plan.packet))
      if (plan.tail) view.push(injected(plan.tail))
      await this.#options.setContext(view)
      return {
        compacted: plan.droppedMessages > 0 || plan.replace.length > 0, epoch: plan.epoch, tokensBefore: plan.tokensBefore, tokensAfter: plan.tokensAfter,
        droppedMessages: plan.droppedMessages, checkpointId: plan.checkpointId ?? null, warnings: plan.warnings,
      }
    }
  }
  return ContextManager
}

module.exports = { makeManagerClass }
