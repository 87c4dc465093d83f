// `clawback tune`: what the activity logs say, and what to try with each knob.
import type { Api, Percentiles, TuningReport } from '../api.js'
import { colorsFor, json, number, oneLine, percent, plural, table } from '../output.js'
import { findSession, findStateDir, type Flags } from '../session.js'

const write = (text: string): void => void process.stdout.write(text)
const BAR = 40

export async function tune(api: Api, flags: Flags): Promise<void> {
  const stateDir = findStateDir(flags.stateDir)
  const sessionKey = flags.session === undefined ? undefined : (await findSession(api, stateDir, flags.session)).sessionKey
  const report = await api.tuningReport(stateDir, sessionKey, (await knobs(api)) as object)
  const { suggestions, ...figures } = report
  const isChange = (one: TuningReport['suggestions'][number]): boolean => one.suggested !== one.current
  if (flags.json) return write(json({ stateDir, sessionKey: sessionKey ?? null, ...figures, suggestions: suggestions.filter(isChange), kept: suggestions.filter((one) => !isChange(one)) }))
  const colors = colorsFor(process.stdout)
  write(`${colors.bold(sessionKey === undefined ? `all sessions in ${stateDir}` : oneLine(sessionKey, 200))}\n\n`)
  write(table([
    ['dropped', counts(report.drops)],
    ['recovered', `${counts(report.recoveries)}, ${percent(report.recoveredShare)} of what was dropped`],
    ['compactions', counts(report.compactions)],
    ['tokens saved', `${number(report.tokensSaved)}${ranks(report.savings, ' each')}`],
    ['relevance passes', `${number(report.curations)}${ranks(report.curationSavings, ' tokens each')}`],
    ['back after', hours(report.recoveredAfterHours)],
    ['health samples', number(report.healthSamples)],
    ...(report.damagedLines > 0 ? [['damaged lines', number(report.damagedLines)]] : []),
  ]))
  write(`\n${colors.bold('scores of what was dropped')}\n${histogram(report)}`)
  write(`\n${colors.bold('knobs')}\n`)
  for (const one of suggestions) {
    const value = isChange(one) ? colors.yellow(`${one.current} -> ${one.suggested}`) : `${one.current}`
    write(`  ${one.knob} ${value}\n      ${one.why}\n`)
  }
}

/** The knobs in force, where a configuration can be read; else the defaults. */
async function knobs(api: Api): Promise<unknown> {
  return typeof api.loadConfig === 'function' ? api.loadConfig() : {}
}

function counts(of: Record<string, number>): string {
  const entries = Object.entries(of).sort((a, b) => b[1] - a[1])
  const total = entries.reduce((sum, [, count]) => sum + count, 0)
  return entries.length === 0 ? '0' : `${number(total)} (${entries.map(([name, count]) => `${oneLine(name, 40)} ${number(count)}`).join(', ')})`
}

const ranks = (of: Percentiles | null, unit: string): string => (of === null ? '' : `; ${number(of.p50)}${unit} in the middle, ${number(of.p90)} at p90`)

function hours(of: Percentiles | null): string {
  if (of === null) return 'nothing came back yet'
  return `${of.p50.toFixed(1)} h in the middle, ${of.p90.toFixed(1)} h at p90`
}

function histogram(report: TuningReport): string {
  const most = Math.max(...report.scoreHistogram)
  if (most === 0) return '  no score decided a drop yet\n'
  const rows = report.scoreHistogram.map((count, index) => [`${(index / 10).toFixed(1)}-${((index + 1) / 10).toFixed(1)}`, number(count), '#'.repeat(Math.ceil((count / most) * BAR))])
  const p = report.scores
  const line = p === null ? '' : `  p10 ${p.p10.toFixed(2)}  p25 ${p.p25.toFixed(2)}  p50 ${p.p50.toFixed(2)}  p75 ${p.p75.toFixed(2)}  p90 ${p.p90.toFixed(2)}  of ${plural(report.scoreHistogram.reduce((sum, count) => sum + count, 0), 'drop')}\n`
  return `${table(rows)}${line}`
}
