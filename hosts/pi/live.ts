// One pi session and its context session: what the handlers of `index.ts` do.
import type * as Clawback from '../../index.js'
import type { CheckpointOutcome, ContextPlan, ContextSession } from '../../index.js'
import { chooseCut, interactive } from './compaction.js'
import type { AgentMessage, Context, Draft, Events, ExtensionAPI, Results } from './pi-api.js'
import { agentDir, hostCompactsAt, readSettings, sessionIdOf, SETTINGS_FILE, type Settings } from './settings.js'
import { applyPlan } from './view.js'

type Core = typeof Clawback
/** Where the host keeps its own view, a checkpoint is due here (seed 002, section 6.3); an epoch writes its own. */
const CHECKPOINT_AT = 0.8
/** A compaction must free so much of the window to be worth asking for. */
const WORTH_IT = 0.1
/** A tool result above this share of the window is shortened before pi stores it. */
const SPILL_SHARE = 1 / 8
/** Tokens of a result that always stay. */
const LEAST_SPILL = 500
/** The `customType` of the entries that carry a snapshot in pi's session file. */
const SNAPSHOT = 'clawback'

const keyOf = (sessionId: string) => `pi:${sessionId}`
const nameOf = (message: AgentMessage | undefined) => (message === undefined ? '' : `${message.role} ${message.timestamp}`)
const windowOf = (ctx: Context) => ctx.getContextUsage()?.contextWindow || ctx.model?.contextWindow || 0

export class Live {
  /** Role and time of the newest message of the last request. */
  #newest = ''
  /** The next array may have left a branch: after a move in the tree or a fork. */
  #moved = false
  #contextWindow = 0
  /** Tokens of the whole request at which pi compacts by itself; undefined when it never does. */
  #hostCompactsAt: number | undefined
  #plan: ContextPlan | null = null
  /** Summaries that pi made. In mode `prune` they leave the model's view raw; they stay here for inspection. */
  #summaries: { compaction?: string; branch?: string } = {}
  #saved = ''
  /** A compaction was asked for, and what became of it is not known yet. */
  #asked = false
  /** pi waits at `turn_end` and takes entries from it (0.87 and later). */
  #boundaries = false

  private constructor(
    private readonly core: Core,
    private readonly pi: ExtensionAPI,
    private readonly dir: string,
    private readonly settings: Settings,
    private readonly say: (text: string) => void,
    private readonly key: string,
    readonly session: ContextSession,
  ) {}

  static async open(core: Core, pi: ExtensionAPI, ctx: Context, say: (text: string) => void): Promise<Live> {
    const dir = agentDir()
    const { settings, problem } = await readSettings(dir)
    if (problem !== undefined) say(`clawback: ${problem}`)
    const key = keyOf(ctx.sessionManager.getSessionId())
    const open = (config?: object) =>
      core.ContextSession.open({ stateDir: dir, sessionKey: key, contextWindow: windowOf(ctx), mode: settings.mode, ...(config === undefined ? {} : { config }), channel: 'pi', sessionFile: ctx.sessionManager.getSessionFile() })
    const session = await open(settings.config).catch(async (error: unknown) => {
      if (settings.config === undefined || (error as { code?: unknown }).code !== 'InvalidInput') throw error
      // One wrong knob is no reason to remember nothing.
      const session = await open()
      say(`clawback: ${SETTINGS_FILE}, config: ${(error as Error).message.replace(/^ContextSession\.open: (?:configuration, option config: )?/, '')}; its config is left out, the defaults are used`)
      return session
    })
    const live = new Live(core, pi, dir, settings, say, key, session)
    await live.#followModel(ctx)
    return live
  }

  async close(reason?: string): Promise<void> {
    // A reload comes back at once. All else may be resumed much later, from a checkpoint.
    if (reason === undefined || reason === 'reload') await this.session.close()
    else await this.session.end({ reason: 'shutdown' })
  }

  async started(event: Events['session_start']): Promise<void> {
    if (event.reason !== 'fork' || !event.previousSessionFile) return
    const parent = await sessionIdOf(event.previousSessionFile)
    if (parent === null) return
    // What has no message of its own (learnings, a model's list) comes along; the rest is in the copied history.
    const before = await this.core.ContextSession.open({ stateDir: this.dir, sessionKey: keyOf(parent), contextWindow: this.#contextWindow, mode: this.settings.mode })
    try {
      await before.fork(this.key)
    } finally {
      await before.close()
    }
    this.#moved = true
  }

  /** The messages of one request. */
  async view(messages: AgentMessage[], ctx: Context): Promise<Results['context']> {
    await this.#followModel(ctx)
    const usage = ctx.getContextUsage()
    this.session.sync(messages, this.#moved ? { rewind: true } : undefined)
    this.#moved = false
    this.#newest = nameOf(messages.at(-1))
    const measure = this.session.gauge(usage)
    if (this.#asked) this.#settle({ ok: true, tokensAfter: measure.tokens })
    if (this.settings.mode !== 'prune' && measure.utilization >= CHECKPOINT_AT) await this.checkpoint('auto-80pct', ctx)
    this.#plan = await this.session.plan()
    for (const warning of this.#plan.warnings) this.say(`clawback: ${warning}`)
    return { messages: applyPlan(messages, this.#plan) }
  }

  /** A result too large for the window: its body is stored, and pi keeps a short copy that says where. */
  async shorten(event: Events['tool_result'], ctx: Context): Promise<Results['tool_result'] | undefined> {
    if (this.settings.mode === 'complement') return undefined
    const maxTokens = this.#spillsAbove(ctx)
    const { toolCallId, toolName, content, isError } = event
    const message = { role: 'toolResult', toolCallId, toolName, content, isError, timestamp: Date.now() }
    if (maxTokens === 0 || content.some(({ type }) => type !== 'text') || this.core.estimateMessageTokens(message) <= maxTokens) return undefined
    const spilled = await this.session.spill(message, { maxTokens })
    return { content: spilled.message.content as Results['tool_result']['content'] }
  }

  #spillsAbove(ctx: Context): number {
    const most = this.settings.spillTokens ?? Math.floor(this.#contextWindow * SPILL_SHARE)
    // Where nothing can be compacted before the run ends, no result takes more than a part of the room that is left.
    if (this.settings.mode !== 'compact' || this.#boundaries) return most
    const left = (this.#hostCompactsAt ?? this.#contextWindow) - (ctx.getContextUsage()?.tokens ?? 0)
    return Math.min(most, Math.max(LEAST_SPILL, Math.floor(left / 4)))
  }

  /** 1.x: a boundary. pi waits here, takes entries, and goes on with the run in what they leave. */
  async turnEnded(event: Events['turn_end'], ctx: Context): Promise<Results['turn_end'] | undefined> {
    this.#boundaries = event.context !== undefined
    this.#save()
    if (!event.context || !interactive(ctx) || event.message['stopReason'] === 'aborted' || event.message['stopReason'] === 'error') return undefined
    this.session.gauge(ctx.getContextUsage())
    if (!this.session.shouldCompact()) return undefined
    const cut = chooseCut(event.context.contextEntries, this.#contextWindow * WORTH_IT, this.core.isRealUserMessage, this.core.estimateMessageTokens)
    if (cut === null) return undefined
    this.session.compactionStarted()
    const summary = await this.#packet('threshold', cut.keepsRequest)
    if (summary === null) {
      this.session.compactionSettled({ ok: false, reason: 'no packet' })
      return undefined
    }
    this.#asked = true
    const draft: Draft = { type: 'compaction', summary, firstKeptEntryId: cut.firstKeptEntryId, details: { by: 'clawback' } }
    // Drafts of other extensions stay in front.
    return { entries: [...(event.entries ?? []), draft] }
  }

  async runEnded(event: Events['agent_end'], ctx: Context): Promise<void> {
    // The last answer comes with no further request: without this it would be unknown until the session goes on.
    const rest = event.messages.slice(event.messages.findLastIndex((message) => nameOf(message) === this.#newest) + 1)
    if (rest.length > 0) await this.session.commit(rest, { key: `run:${nameOf(rest.at(-1))}` })
    if (!this.#boundaries) this.#whenIdle(ctx)
  }

  async settled(ctx: Context): Promise<void> {
    if (!this.#boundaries) this.#whenIdle(ctx)
  }

  /** 0.73: `compact` aborts a running agent, so it waits until none runs and none is about to. */
  #whenIdle(ctx: Context): void {
    if (!interactive(ctx)) return
    setTimeout(() => {
      try {
        if (this.#asked || !ctx.isIdle() || ctx.hasPendingMessages()) return
        this.session.gauge(ctx.getContextUsage())
        if (!this.session.shouldCompact()) return
        this.#asked = true
        this.session.compactionStarted()
        ctx.compact({ onError: (error) => this.#settle({ ok: false, reason: error.message }) })
      } catch {
        // The session was replaced in the meantime: its context throws, and there is nothing left to compact.
      }
    }, 0)
  }

  async answerCompaction(event: Events['session_before_compact'], ctx: Context): Promise<Results['session_before_compact'] | undefined> {
    const { preparation, reason = 'manual' } = event
    const { tokensBefore, firstKeptEntryId, isSplitTurn, fileOps } = preparation
    await this.session.checkpoint({
      trigger: 'compaction',
      messages: [...preparation.messagesToSummarize, ...preparation.turnPrefixMessages],
      isSplitTurn,
      fileOps,
      tokenUsage: { inputTokens: tokensBefore, contextWindow: this.#contextWindow || windowOf(ctx) },
    })
    // Who asks for a focus wants a model's text.
    if (this.settings.mode === 'complement' || event.customInstructions) return undefined
    const summary = await this.#packet(reason, !isSplitTurn, tokensBefore)
    return summary === null ? undefined : { compaction: { summary, firstKeptEntryId, tokensBefore, details: { by: 'clawback' } } }
  }

  /** The packet as a summary; with the running request in it where its message leaves. */
  async #packet(reason: 'threshold' | 'overflow' | 'manual', keepsRequest: boolean, currentTokens?: number): Promise<string | null> {
    const done = await this.session.compact({ reason, force: true, currentTokens })
    if (done.compacted && done.summary !== '' && keepsRequest) return done.summary
    return (await this.session.packet())?.text ?? null
  }

  async compacted(event: Events['session_compact'], ctx: Context): Promise<void> {
    if (this.#asked) this.#settle({ ok: true, tokensAfter: ctx.getContextUsage()?.tokens ?? undefined })
    if (!event.fromExtension) this.#summaries.compaction = event.compactionEntry.summary
    this.#save()
  }

  async compactionFailed(event: Events['session_compact_failed']): Promise<void> {
    if (this.#asked) this.#settle({ ok: false, reason: event.errorMessage ?? (event.aborted ? 'aborted' : 'failed') })
  }

  async moved(event: Events['session_tree']): Promise<void> {
    this.#moved = true
    if (event.summaryEntry) this.#summaries.branch = event.summaryEntry.summary
    this.#save()
  }

  #settle(outcome: { ok: boolean; tokensAfter?: number; reason?: string }): void {
    this.#asked = false
    this.session.compactionSettled(outcome)
  }

  checkpoint(trigger: 'manual' | 'auto-80pct', ctx: Context): Promise<CheckpointOutcome> {
    const usage = ctx.getContextUsage()
    return this.session.checkpoint({ trigger, ...(usage?.tokens ? { tokenUsage: { inputTokens: usage.tokens, contextWindow: usage.contextWindow } } : {}) })
  }

  async status(ctx: Context): Promise<string> {
    const measure = this.session.gauge(ctx.getContextUsage())
    const health = await this.session.health()
    const packet = this.#plan?.packet ?? null
    const percent = (share: number) => `${Math.round(share * 100)}%`
    const summaries = [this.#summaries.compaction && 'compaction', this.#summaries.branch && 'branch'].filter(Boolean).join(' and ')
    return [
      `mode: ${this.settings.mode}`,
      `zone: ${measure.zone} (window ${percent(measure.utilization)} full, pressure ${percent(measure.pressure)})`,
      `epoch: ${health.epoch}; messages out of view: ${this.#plan?.droppedMessages ?? 0}`,
      `packet: ${packet === null ? 'none' : `${this.core.estimateTokens(packet)} tokens`}`,
      `checkpoints: ${health.checkpoints}`,
      `${this.settings.mode === 'prune' ? 'summary of pi kept out of view' : 'summary of pi in the request'}: ${summaries || 'none'}`,
      ...health.problems.map((problem) => `problem: ${problem}`),
    ].join('\n')
  }

  /** An entry in pi's session file, when something has changed: for inspection, never read back. */
  #save(): void {
    const snapshot = { mode: this.settings.mode, zone: this.#plan?.zone ?? null, epoch: this.#plan?.epoch ?? 0, checkpoint: this.#plan?.checkpointId ?? null, ...this.#summaries }
    const text = JSON.stringify(snapshot)
    if (text === this.#saved) return
    this.#saved = text
    this.pi.appendEntry(SNAPSHOT, snapshot)
  }

  async #followModel(ctx: Context): Promise<void> {
    const contextWindow = windowOf(ctx)
    if (contextWindow === this.#contextWindow || contextWindow === 0) return
    this.#contextWindow = contextWindow
    this.#hostCompactsAt = await hostCompactsAt(this.dir, ctx.cwd, ctx.model, contextWindow)
    this.session.setLimits({ contextWindow, hostCompactsAt: this.#hostCompactsAt })
  }
}
