// The context engine: OpenClaw asks it what the model sees. A new instance is made for every turn; sessions outlive it in
// `shared.ts`. What fails here is left to the host: `assemble` hands back what it was given, `compact` asks the host's own
// compaction, and nothing but `commitTurn` throws, because the host keeps a turn that was not stored and offers it again.
import type { Message } from 'clawback'
import type { Complete } from './api.js'
import type { AssembleParams, AssembleResult, CompactParams, CompactResult, ContextEngine, RuntimeContext, SessionRef } from './host.js'
import { withCallNames } from './ids.js'
import { gauge, learnLimits, leftOf, maybe, roomInTurn } from './limits.js'
import { reasonOf, resultOf } from './outcome.js'
import { leaveToHost, liveSession, warn, withSession, type Plugin } from './plugin.js'
import { compactByHost, memoryGuidance } from './sdk.js'
import { PLUGIN_ID } from './settings.js'
import { codeOf, messageOf, type Live } from './shared.js'
import { endSubagent, noteSubagent } from './subagents.js'
import { appendedTo, batchKey, ofConversation, viewOf } from './view.js'

/** What a turn was given before its prompt, for the calls between its model calls. */
interface Turn {
  history: Message[]
  view: Message[]
  prompt: string | undefined
  /** What the view holds, in tokens. */
  tokens: number
  /** Room for history, in tokens, and the host's figure at the first model call. */
  room: number | undefined
  first?: number | undefined
}

/** Share of the room above which a view makes way within a turn (DESIGN section 3). */
const HARD_LIMIT = 0.9

const UNCHANGED = { changed: false, bytesFreed: 0, rewrittenEntries: 0 }

export function createEngine(plugin: Plugin): ContextEngine {
  let turn: Turn | undefined
  /** How often the session had been reset when this instance met it: what belongs to an earlier generation is not stored. */
  let resets: number | undefined
  const meet = (live: Live): void => void (resets ??= live.resets ?? 0)
  const leftBehind = (live: Live): boolean => resets !== undefined && resets !== (live.resets ?? 0)

  async function beforePrompt(params: AssembleParams): Promise<AssembleResult | undefined> {
    const history = ofConversation(params.messages)
    return withSession(plugin, params, async (session, live) => {
      meet(live)
      const room = params.tokenBudget
      learnLimits(session, live, { budget: room, reserve: params.runtimeSettings?.limits?.maxOutputTokens ?? undefined })
      session.sync(withCallNames(history))
      const plan = await session.plan({ ...maybe('budgetTokens', room), ...maybe('prompt', params.prompt) })
      warn(plugin, plan.warnings)
      live.tail = plugin.settings.tail ? (plan.tail ?? undefined) : undefined
      const view = viewOf(history, plan)
      turn = { history, view, prompt: params.prompt, tokens: plan.tokensAfter, room }
      live.left = leftOf(room, plan.tokensAfter)
      return { messages: view, estimatedTokens: plan.tokensAfter }
    })
  }

  /**
   * Between model calls the host hands over the view that it got at the start of the turn, and appends by itself what was
   * said since: the view stays as it was, unless what was said leaves no room for it. In a run without a durable turn, which
   * gives no prompt here, what was said since stands in the array.
   */
  async function betweenCalls(params: AssembleParams, current: Turn): Promise<AssembleResult | undefined> {
    const durable = params.prompt !== undefined
    const added = durable ? [] : appendedTo(current.view, params.messages)
    if (added === null) return undefined
    const window = params.runtimeSettings?.limits?.promptTokenBudget ?? undefined
    current.first ??= params.tokenBudget
    const room = roomInTurn(current.room, current.first, params.tokenBudget)
    const live = liveSession(plugin, params)
    if (live) live.left = leftOf(room, current.tokens)
    if (durable && (room === undefined || current.tokens < HARD_LIMIT * room)) {
      if (live && window) live.window = window
      return { messages: current.view, estimatedTokens: current.tokens }
    }
    return withSession(plugin, params, async (session, live) => {
      if (leftBehind(live)) return undefined
      learnLimits(session, live, { window })
      const history = added.length ? [...current.history, ...added] : current.history
      session.sync(withCallNames(history))
      const plan = await session.plan({ ...maybe('budgetTokens', room), ...(durable ? maybe('prompt', current.prompt) : {}) })
      warn(plugin, plan.warnings)
      const view = viewOf(history, plan)
      if (durable) Object.assign(current, { view, tokens: plan.tokensAfter })
      live.left = leftOf(room, plan.tokensAfter)
      return { messages: view, estimatedTokens: plan.tokensAfter }
    })
  }

  async function assemble(params: AssembleParams): Promise<AssembleResult> {
    // Only the call before the prompt names what is set aside for the answer; only there the system prompt can be added to.
    const current = params.runtimeSettings?.limits?.maxOutputTokens == null ? turn : undefined
    const guidance = current === undefined ? await memoryGuidance(params) : undefined
    let assembled: AssembleResult | undefined
    try {
      assembled = await (current === undefined ? beforePrompt(params) : betweenCalls(params, current))
    } catch (error) {
      leaveToHost(plugin, 'assembling the context', error)
    }
    return { ...(assembled ?? { messages: params.messages, estimatedTokens: 0 }), ...maybe('systemPromptAddition', guidance) }
  }

  async function compact(params: CompactParams): Promise<CompactResult> {
    const reason = reasonOf(params)
    try {
      const outcome = await withSession(plugin, params, async (session, live) => {
        learnLimits(session, live, { window: params.tokenBudget })
        return session.compact({ reason, ...maybe('force', params.force), ...maybe('currentTokens', params.currentTokenCount) })
      })
      // Where the provider refuses a request of which nothing more of ours can leave, the host's own way is the last one.
      if (outcome !== undefined && (outcome.compacted || reason !== 'overflow')) return resultOf(outcome)
    } catch (error) {
      leaveToHost(plugin, 'compaction', error)
    }
    try {
      return await compactByHost(params)
    } catch (error) {
      leaveToHost(plugin, "OpenClaw's own compaction", error)
      return { ok: false, compacted: false, reason: messageOf(error) }
    }
  }

  /** Stores the messages of a turn, all or none; the key makes it safe to offer them again. */
  async function store(ref: SessionRef, messages: Message[], key: string): Promise<'committed' | 'duplicate'> {
    try {
      const status = await withSession(plugin, ref, async (session, live) => {
        if (leftBehind(live)) return 'duplicate' as const
        const status = await session.commit(withCallNames(messages), { key })
        gauge(session, live, messages)
        return status
      })
      return status ?? 'committed'
    } catch (error) {
      // The host would offer such a turn for ever: it can not be stored.
      if (codeOf(error) !== 'InvalidInput' && codeOf(error) !== 'Refused') throw error
      leaveToHost(plugin, 'storing a turn', error)
      return 'duplicate'
    }
  }

  async function quietly<T>(what: string, otherwise: T, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      leaveToHost(plugin, what, error)
      return otherwise
    }
  }

  return {
    info: {
      id: PLUGIN_ID,
      name: 'clawback',
      ...maybe('version', plugin.addon()?.version),
      ownsCompaction: plugin.addon() !== undefined,
      turnMaintenanceMode: plugin.settings.useModel ? 'background' : 'foreground',
      transcriptSemantics: { currentTurnFence: 'before-current-turn-entry-v1', turnAdvancementIdempotency: 'atomic-idempotent-v1' },
    },

    bootstrap: ({ runtimeContext, ...ref }) =>
      quietly('opening a session', { bootstrapped: false }, async () => {
        const opened = await withSession(plugin, ref, async (session, live) => {
          meet(live)
          learnLimits(session, live, { window: runtimeContext?.tokenBudget })
          return true
        })
        return { bootstrapped: opened === true }
      }),

    assemble,
    compact,

    async commitTurn({ advancementKey, messages, ...ref }) {
      return { status: await store(ref, messages, advancementKey) }
    },

    // Hosts without durable turns; their messages have no key of their own.
    afterTurn: ({ messages, prePromptMessageCount, ...ref }) =>
      quietly('storing a turn', undefined, async () => {
        const fresh = messages.slice(prePromptMessageCount)
        if (fresh.length) await store(ref, fresh, batchKey(fresh))
      }),
    ingest: ({ message, ...ref }) =>
      quietly('storing a message', { ingested: false }, async () => ({ ingested: (await store(ref, [message], batchKey([message]))) === 'committed' })),
    ingestBatch: ({ messages, ...ref }) =>
      quietly('storing messages', { ingestedCount: 0 }, async () => {
        const stored = messages.length > 0 && (await store(ref, messages, batchKey(messages))) === 'committed'
        return { ingestedCount: stored ? messages.length : 0 }
      }),

    maintain: ({ runtimeContext, abortSignal, ...ref }) =>
      quietly('maintenance', UNCHANGED, async () => {
        // The host also calls before a turn, which must not wait; only afterwards does it say which model was used.
        if (runtimeContext?.modelContextWindow === undefined) return UNCHANGED
        const complete = plugin.settings.useModel ? completeWith(runtimeContext) : undefined
        await withSession(plugin, ref, (session) => session.maintain({ ...maybe('signal', abortSignal), ...maybe('complete', complete) }))
        return UNCHANGED
      }),

    prepareSubagentSpawn: (params) => quietly('noting a subagent', undefined, () => noteSubagent(plugin, params)),
    onSubagentEnded: ({ childSessionKey }) => quietly('noting the end of a subagent', undefined, () => endSubagent(plugin, childSessionKey)),

    async dispose() {
      turn = undefined
    },
  }
}

function completeWith({ llm }: RuntimeContext): Complete | undefined {
  if (llm === undefined) return undefined
  return async ({ system, user, maxTokens }, signal) => {
    const answer = await llm.complete({ messages: [{ role: 'user', content: user }], systemPrompt: system, maxTokens, purpose: 'clawback: rolling summary', ...maybe('signal', signal) })
    return answer.text ?? ''
  }
}
