// Plays a transcript through clawback as a host would have: a temporary store, the public functions, nothing else. The
// transcript is only read, and the temporary store is removed whatever happens.
import path from 'node:path'
import type { ReplayApi, CheckpointInfo, Measure, Message, SessionState, TranscriptEvent, TranscriptStats, Trigger } from './api.js'
import { removeTemporary, temporary } from './files.js'
import { ReplayContext } from './replay-context.js'
import { StateWatch, type Captured, type Settled } from './replay-state.js'
import { DEFAULT_WINDOW, windowOfModel, windowThatHolds } from './windows.js'

export type { Captured, Settled } from './replay-state.js'

export interface ReplayOptions {
  /** The context window in tokens; else the transcript's own, the model's, or 200,000. */
  contextWindow?: number
  /** The key under which the temporary session is kept; else the transcript's session id. */
  sessionKey?: string
  /** Where the temporary store is made; else the system's place for temporary files. */
  tempDir?: string
  /** The packet's limit in tokens; else the package's default. */
  maxTokens?: number
  /** The file to be named where `file` is only a copy. */
  sourceFile?: string
  /** Ends the replay early; the temporary store is removed all the same. */
  signal?: AbortSignal
}

export type WindowSource = 'option' | 'transcript' | 'model' | 'usage' | 'default'

/** `line` is the line of the transcript at which something happened. */
export type ReplayEvent =
  | { type: 'start'; file: string; format: string; version: number | null; sessionId: string | null; cwd: string | null; sessionKey: string; contextWindow: number }
  | { type: 'progress'; bytesRead: number; bytesTotal: number; line: number }
  | { type: 'window'; line: number; contextWindow: number; source: WindowSource; modelId: string | null }
  | { type: 'gauge'; line: number; measure: Measure; text: string | null }
  | { type: 'checkpoint'; line: number; id: string; trigger: Trigger; measure: Measure }
  | ({ type: 'captured'; line: number } & Captured)
  | ({ type: 'settled'; line: number } & Settled)
  | { type: 'compaction'; line: number; count: number; tokensBefore: number | null; tokensAfter: number; summaryTokens: number; messagesBefore: number; messagesKept: number; fromHook: boolean }
  | { type: 'packet'; line: number; when: 'compaction' | 'end'; text: string; tokens: number }
  | { type: 'reset'; line: number }
  | { type: 'problem'; line: number; why: string }
  | { type: 'end'; summary: ReplaySummary }

export interface ReplaySummary {
  state: SessionState
  checkpoints: CheckpointInfo[]
  written: number
  skipped: number
  compactions: number
  contextWindow: number
  windowSource: WindowSource
  peak: Measure | null
  last: Measure | null
  packet: { text: string; tokens: number } | null
  stats: TranscriptStats
  durationMs: number
}

/** The share of the window from which a host would ask for checkpoints. */
const CHECKPOINT_FROM = 0.8
/** The gauge is worth a line when it moved by this share of the window. */
const GAUGE_STEP = 0.05
/** Messages that were not handed over yet are bounded, whatever the transcript. */
const MAX_PENDING_TOKENS = 1_000_000

/** Plays a transcript; yields what happened in its order and ends with `end`. */
export async function* replayTranscript(api: ReplayApi, file: string, options: ReplayOptions = {}): AsyncGenerator<ReplayEvent, void, void> {
  // Opened first: a file that cannot be read must leave no trace.
  const reader = await api.openTranscript(file)
  const stateDir = await temporary('clawback-replay-', options.tempDir)
  try {
    const replay = new Replay(api, options.sourceFile ?? file, stateDir, options)
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
      options.signal?.throwIfAborted()
      const { events, problems } = batch
      let reported = 0
      for (const event of events) {
        const line = event.type === 'end' ? Infinity : event.line
        for (; reported < problems.length && problems[reported]!.line <= line; reported++) {
          // The header says what the file is; it stays the first thing said.
          if (event.type === 'header') break
          yield { type: 'problem', ...problems[reported]! }
        }
        yield* replay.take(event)
        options.signal?.throwIfAborted()
      }
      for (const problem of problems.slice(reported)) yield { type: 'problem', ...problem }
      if (batch.bytesTotal) yield { type: 'progress', bytesRead: batch.bytesRead ?? 0, bytesTotal: batch.bytesTotal, line: replay.line }
    }
  } finally {
    await removeTemporary(stateDir)
  }
}

class Replay {
  line = 0
  private readonly started = performance.now()
  private readonly context: ReplayContext
  private readonly watch = new StateWatch()
  private sessionKey = 'replay'
  private windowSource: WindowSource = 'default'
  private pending: Message[] = []
  private pendingTokens = 0
  /** Of the session, and of the whole file: a reset starts another session. */
  private compactions = 0
  private allCompactions = 0
  private written = 0
  private skipped = 0
  private peak: Measure | null = null
  private last: Measure | null = null
  private shown: number | null = null
  private asked: number | null = null
  private generation = 1
  /** Of the last checkpoint that was written. */
  private trigger: Trigger | null = null

  constructor(
    private readonly api: ReplayApi,
    private readonly file: string,
    private readonly stateDir: string,
    private readonly options: ReplayOptions,
  ) {
    this.context = new ReplayContext(api, options.contextWindow ?? DEFAULT_WINDOW)
    if (options.contextWindow !== undefined) this.windowSource = 'option'
  }

  /** Everything that one event of the transcript causes. */
  async *take(event: TranscriptEvent): AsyncGenerator<ReplayEvent> {
    if (event.type !== 'end') this.line = event.line
    switch (event.type) {
      case 'header': {
        const { format, version, sessionId, cwd } = event
        this.sessionKey = this.options.sessionKey ?? (sessionId ? `${format}:${sessionId}` : 'replay')
        yield { type: 'start', file: this.file, format, version, sessionId, cwd, sessionKey: this.sessionKey, contextWindow: this.context.window }
        return
      }
      case 'message':
        return yield* this.message(event.value, event.id)
      case 'branchSummary':
        return yield* this.message({ role: 'branchSummary', summary: event.summary, fromId: event.fromId, ...dated(event) }, event.id)
      case 'contextEdit':
        return this.context.edit(event.targetId, event.replacement)
      case 'modelChange': {
        const known = event.modelId === null ? undefined : windowOfModel(event.modelId)
        if (known !== undefined && (this.windowSource === 'default' || this.windowSource === 'model')) yield* this.setWindow(known, 'model', event.modelId)
        return
      }
      case 'usage':
        if (event.contextWindow && this.windowSource !== 'option') yield* this.setWindow(event.contextWindow, 'transcript')
        if (event.tokens) {
          this.context.reported(event.tokens)
          yield* this.measured()
        }
        return
      case 'compaction':
        return yield* this.compaction(event)
      case 'reset':
        return yield* this.reset()
      case 'end':
        return yield* this.end(event)
      case 'other':
        return
    }
  }

  private async *message(message: Message, id: string | null): AsyncGenerator<ReplayEvent> {
    // A turn is over when the next request comes: the moment at which hosts look at the gauge.
    if (message.role === 'user') yield* this.checkpointIfFull(true)
    const tokens = this.context.add(message, id, this.line)
    this.pending.push(message)
    this.pendingTokens += tokens
    const used = this.context.usedTokens()
    if (used > this.context.window && this.windowSource !== 'option') yield* this.setWindow(windowThatHolds(used), 'usage')
    if (message.role === 'assistant') yield* this.measured()
    else if (this.pendingTokens > MAX_PENDING_TOKENS) yield* this.checkpoint('manual')
  }

  private async *setWindow(contextWindow: number, source: WindowSource, modelId: string | null = null): AsyncGenerator<ReplayEvent> {
    const changed = contextWindow !== this.context.window
    this.context.window = contextWindow
    this.windowSource = source
    if (changed) yield { type: 'window', line: this.line, contextWindow, source, modelId }
  }

  private async *measured(): AsyncGenerator<ReplayEvent> {
    yield* this.gauge()
    yield* this.checkpointIfFull(false)
  }

  /** Reads the gauge; says so when it moved. */
  private *gauge(): Generator<ReplayEvent> {
    const measure = this.context.measure()
    if (measure.source === 'unknown') return
    this.last = measure
    if (this.peak === null || measure.utilization > this.peak.utilization) this.peak = measure
    if (this.shown !== null && Math.abs(measure.utilization - this.shown) < GAUGE_STEP) return
    this.shown = measure.utilization
    yield { type: 'gauge', line: this.line, measure, text: this.api.gaugeLine(measure, { checkpointSaved: this.asked !== null }) }
  }

  /** Within a turn only when the context grew notably; at its end always. The skip rule of the package does the rest. */
  private async *checkpointIfFull(turnEnded: boolean): AsyncGenerator<ReplayEvent> {
    const share = this.last?.utilization ?? 0
    if (share < CHECKPOINT_FROM || this.pending.length === 0) return
    if (!turnEnded && this.asked !== null && share - this.asked < GAUGE_STEP) return
    this.asked = share
    yield* this.checkpoint('auto-80pct')
  }

  private async *checkpoint(trigger: Trigger, more: { inputTokens?: number | null; isSplitTurn?: boolean } = {}): AsyncGenerator<ReplayEvent> {
    const measure = this.context.measure(more.inputTokens ?? undefined)
    const messages = this.pending
    this.pending = []
    this.pendingTokens = 0
    const answer = await this.api.writeCheckpoint(this.stateDir, this.sessionKey, {
      trigger,
      sessionFile: path.resolve(this.file),
      compactionCount: this.compactions,
      tokenUsage: { inputTokens: measure.tokens, contextWindow: measure.contextWindow, utilization: measure.utilization },
      messages,
      ...(more.isSplitTurn === undefined ? {} : { isSplitTurn: more.isSplitTurn }),
    })
    if (answer.written) {
      this.written++
      this.trigger = trigger
      yield { type: 'checkpoint', line: this.line, id: answer.id, trigger, measure }
    } else {
      this.skipped++
    }
    for (const change of this.watch.changes(await this.api.readState(this.stateDir, this.sessionKey))) yield { ...change, line: this.line }
  }

  private async *compaction(event: Extract<TranscriptEvent, { type: 'compaction' }>): AsyncGenerator<ReplayEvent> {
    const kept = this.context.keptFrom(event.firstKeptLine)
    yield* this.checkpoint('compaction', { inputTokens: event.tokensBefore, isSplitTurn: kept.splitsTurn })
    this.compactions++
    this.allCompactions++
    const summary: Message = { role: 'compactionSummary', summary: event.summary, tokensBefore: event.tokensBefore, ...dated(event) }
    const messagesBefore = this.context.length
    this.context.compact(kept.count, summary, this.line)
    this.pending.push(summary)
    const after = this.context.measure()
    this.last = null
    this.shown = null
    this.asked = null
    yield {
      type: 'compaction', line: this.line, count: this.compactions, tokensBefore: event.tokensBefore, tokensAfter: after.tokens,
      summaryTokens: this.api.estimateTokens(event.summary), messagesBefore, messagesKept: kept.count, fromHook: event.fromHook,
    }
    yield* this.packet('compaction')
  }

  /** A new conversation in the same file: nothing of the old one is given back, so it gets a session of its own. */
  private async *reset(): AsyncGenerator<ReplayEvent> {
    if (this.pending.length > 0) yield* this.checkpoint('session-end')
    this.context.compact(0)
    this.watch.forget()
    this.generation++
    this.sessionKey = `${this.sessionKey.replace(/#\d+$/, '')}#${this.generation}`
    this.compactions = 0
    this.last = null
    this.shown = null
    this.asked = null
    yield { type: 'reset', line: this.line }
  }

  private async *packet(when: 'compaction' | 'end'): AsyncGenerator<ReplayEvent, { text: string; tokens: number } | null> {
    const limit = this.options.maxTokens === undefined ? {} : { maxTokens: this.options.maxTokens }
    const text = await this.api.readCheckpointForInjection(this.stateDir, this.sessionKey, limit)
    if (text === null) return null
    const tokens = this.api.estimateTokens(text)
    yield { type: 'packet', line: this.line, when, text, tokens }
    return { text, tokens }
  }

  private async *end(stats: TranscriptStats): AsyncGenerator<ReplayEvent> {
    yield* this.gauge()
    // What had to be written on the way for want of room is no end.
    if (this.pending.length > 0 || this.trigger === 'manual') yield* this.checkpoint('session-end')
    const packet = yield* this.packet('end')
    const state = await this.api.readState(this.stateDir, this.sessionKey)
    const checkpoints = await this.api.listCheckpoints(this.stateDir, this.sessionKey)
    const { lines, entries, messages, offPath, relinked, problems } = stats
    yield {
      type: 'end',
      summary: {
        state, checkpoints, packet, written: this.written, skipped: this.skipped, compactions: this.allCompactions,
        contextWindow: this.context.window, windowSource: this.windowSource, peak: this.peak, last: this.last,
        stats: { lines, entries, messages, offPath, relinked, problems }, durationMs: Math.round(performance.now() - this.started),
      },
    }
  }
}

/** The time of an entry for a message that stands for it. */
const dated = ({ timestamp }: { timestamp: number | null }): { timestamp?: number } => (timestamp === null ? {} : { timestamp })
