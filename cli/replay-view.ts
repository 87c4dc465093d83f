// A replay for people: one line for each thing that happened, then what is remembered and the packet.
import type { Item, SessionState } from './api.js'
import { harmless, number, oneLine, percent, plural, table, type Colors } from './output.js'
import type { ReplayEvent, ReplaySummary, WindowSource } from './replay.js'

const NAMES: Record<string, string> = { pi: 'Pi', openclaw: 'OpenClaw', claude: 'Claude Code', codex: 'Codex' }
const KINDS = { goal: 'goal', constraint: 'constraint', decision: 'decision', task: 'task', openItem: 'open item', learning: 'learning' } as const
const WINDOWS: Record<WindowSource, string> = {
  option: 'given', transcript: 'from the transcript', model: "the model's", usage: 'raised: the session used more', default: 'assumed; --window sets it',
}
/** Graphemes of a text in a line. */
const GIST = 140
/** Lines of one list; `--json` has all. */
const LIST = 20
/** Of what no longer counts, enough to see that it is known. */
const SETTLED = 5
/** Problems that are printed one by one. */
const PROBLEMS = 20
const BAR = 20

/** Lines for an event, ending in a newline; empty where there is nothing to say. */
export function replayView(colors: Colors): (event: ReplayEvent) => string {
  const { bold, dim, cyan, green, yellow, red } = colors
  const at = (line: number, rest: string): string => `${dim(`line ${line}`.padEnd(10))}${rest}\n`
  let problems = 0
  return (event) => {
    switch (event.type) {
      case 'start': {
        const version = event.version === null ? '' : ` v${event.version}`
        const from = [event.sessionId && `session ${event.sessionId}`, event.cwd && `in ${event.cwd}`].filter(Boolean).join(' ')
        return `${bold(oneLine(event.file, 200))}\n${NAMES[event.format] ?? event.format}${version}${from ? `, ${oneLine(from, 200)}` : ''}\n\n`
      }
      case 'window':
        return at(event.line, dim(`window ${number(event.contextWindow)} tokens (${WINDOWS[event.source]}${event.modelId ? `: ${oneLine(event.modelId, 60)}` : ''})`))
      case 'gauge': {
        const { utilization, tokens, source } = event.measure
        const paint = utilization >= 0.9 ? red : utilization >= 0.7 ? yellow : green
        const filled = Math.min(BAR, Math.round(utilization * BAR))
        return at(event.line, `gauge ${paint('█'.repeat(filled))}${dim('░'.repeat(BAR - filled))} ${percent(utilization)} ${dim(`${number(tokens)} tokens${source === 'estimate' ? ', estimated' : ''}`)}`)
      }
      case 'checkpoint':
        return at(event.line, green(`checkpoint ${event.id} written (${event.trigger}, ${percent(event.measure.utilization)})`))
      case 'captured':
        return at(event.line, `  ${cyan('+')} ${KINDS[event.kind]}${event.source && event.source !== 'user' ? dim(` (${event.source})`) : ''}: ${oneLine(event.text, GIST)}`)
      case 'settled': {
        const sign = event.status === 'resolved' ? green('✓') : dim('x')
        const by = event.by === null ? '' : ` ${dim('by')} ${oneLine(event.by, 80)}`
        return at(event.line, `  ${sign} ${KINDS[event.kind]} ${event.status}: ${dim(oneLine(event.text, GIST))}${by}`)
      }
      case 'compaction': {
        const before = event.tokensBefore === null ? plural(event.messagesBefore, 'message') : `${number(event.tokensBefore)} tokens`
        const dropped = event.messagesBefore - event.messagesKept
        return at(event.line, yellow(`host compaction ${event.count}: ${before} -> about ${number(event.tokensAfter)} tokens; ${plural(dropped, 'message')} dropped, ${number(event.messagesKept)} kept`))
      }
      case 'packet':
        return event.when === 'compaction' ? at(event.line, `packet given back (${number(event.tokens)} tokens)`) : ''
      case 'reset':
        return at(event.line, yellow('conversation reset by the host: a clean start, nothing is given back'))
      case 'problem':
        problems++
        if (problems > PROBLEMS) return problems === PROBLEMS + 1 ? dim('more damaged lines: --json lists them\n') : ''
        return at(event.line, red(`damaged: ${oneLine(event.why, 200)}`))
      case 'end':
        return summaryView(event.summary, colors)
      case 'progress':
        return ''
    }
  }
}

function summaryView(summary: ReplaySummary, colors: Colors): string {
  const { bold, dim } = colors
  const { state, stats, packet } = summary
  let text = `\n${bold('What is remembered')}\n${stateView(state, colors)}`
  text += `\n${bold('Checkpoints')} ${dim(`${summary.written} written, ${summary.checkpoints.length} kept, ${summary.skipped} skipped because nothing changed`)}\n`
  text += table(summary.checkpoints.map((info) => [info.id, info.trigger ?? '', `${number(info.bytes)} B`, info.valid ? '' : 'DAMAGED']))
  text += `\n${bold('What the agent wakes up with')}`
  const nothing = summary.checkpoints.length === 0 ? 'no checkpoint was written' : 'the limit does not hold even the frame of a packet, which takes about 60 tokens'
  text += packet === null ? `\n${dim(`  nothing: ${nothing}`)}\n` : ` ${dim(`${number(packet.tokens)} tokens`)}\n${harmless(packet.text).trimEnd()}\n`
  text += `\n${bold('Read')} ${plural(stats.lines, 'line')}, ${plural(stats.messages, 'message')}, ${plural(summary.compactions, 'compaction')} in ${(summary.durationMs / 1000).toFixed(1)} s\n`
  const notes = [`window ${number(summary.contextWindow)} tokens (${WINDOWS[summary.windowSource]})`]
  if (summary.peak) notes.push(`fullest ${percent(summary.peak.utilization)} (${number(summary.peak.tokens)} tokens)`)
  if (stats.offPath > 0) notes.push(`${plural(stats.offPath, 'entry').replace('entrys', 'entries')} on branches that were left`)
  if (stats.relinked > 0) notes.push(`${plural(stats.relinked, 'broken link')} between entries, read in file order`)
  if (stats.problems > 0) notes.push(`${plural(stats.problems, 'damaged line')}`)
  return text + notes.map((note) => `  ${dim(note)}\n`).join('')
}

/** What a session remembers, by kind. */
export function stateView(state: SessionState, colors: Colors): string {
  const { bold, dim } = colors
  const items = (title: string, list: readonly Item[]): string => {
    if (list.length === 0) return ''
    const live = list.filter((item) => item.status === 'active')
    const settled = list.filter((item) => item.status !== 'active')
    const count = settled.length === 0 ? number(live.length) : `${number(live.length)} live, ${number(settled.length)} settled`
    const older = (hidden: number, what: string): string => (hidden > 0 ? dim(`    ... ${number(hidden)} older ${what}\n`) : '')
    return (
      `  ${bold(title)} ${dim(count)}\n${older(live.length - LIST, 'ones')}` +
      live.slice(-LIST).map((item) => `      ${oneLine(item.text, GIST)}\n`).join('') +
      older(settled.length - SETTLED, 'settled ones') +
      settled.slice(-SETTLED).map((item) => `    ${dim(`${item.status === 'resolved' ? '✓' : 'x'} ${oneLine(item.text, GIST)} (${item.status})`)}\n`).join('')
    )
  }
  const names = (title: string, list: readonly string[]): string => {
    if (list.length === 0) return ''
    const shown = list.slice(-LIST).map((name) => `    ${oneLine(name, GIST)}\n`)
    const hidden = list.length - shown.length
    return `  ${bold(title)} ${dim(number(list.length))}\n${hidden > 0 ? dim(`    ... ${hidden} older\n`) : ''}${shown.join('')}`
  }
  const text =
    (state.goal === null ? '' : `  ${bold('Goal')}\n    ${oneLine(state.goal, 300)}\n`) +
    items('Constraints', state.constraints) + items('Decisions', state.decisions) + items('Tasks', state.tasks) +
    items('Open items', state.openItems) + items('Learnings', state.learnings) +
    names('Files modified', state.resources.filesModified) + names('Files read', state.resources.filesRead) +
    (state.resources.toolsUsed.length === 0 ? '' : `  ${bold('Tools')}\n    ${oneLine(state.resources.toolsUsed.join(', '), 300)}\n`) +
    names('Failures', state.thread.errors)
  return text || dim('  nothing yet\n')
}
