// `clawback doctor [--fix]`: damaged files, permissions, left-over files, key collisions, versions, older layouts. Looking
// changes nothing; `--fix` copies everything aside first.
import { chmod, cp, lstat, mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Api } from '../api.js'
import { examine, type Finding, type Note } from '../examine.js'
import { colorsFor, json, oneLine, plural, CliError } from '../output.js'
import { findStateDir, type Flags } from '../session.js'

export interface DoctorFlags extends Flags {
  fix?: boolean
}

const ROUNDS = 3

const write = (text: string): void => void process.stdout.write(text)

export async function doctor(api: Api, flags: DoctorFlags): Promise<void> {
  const stateDir = findStateDir(flags.stateDir)
  let { findings, notes } = await examine(api, stateDir, flags.session)
  let backup: string | null = null
  // A session that got its identity back shows what else is wrong with it.
  for (let round = 0; flags.fix && round < ROUNDS && findings.some((finding) => finding.fix !== null && finding.fixed === undefined); round++) {
    backup ??= await backUp(stateDir)
    await repair(api, stateDir, findings)
    const after = await examine(api, stateDir, flags.session)
    findings = judged(findings, after.findings)
    notes = after.notes
  }
  if (flags.json) write(json({ stateDir, backup, findings, notes }))
  else print(stateDir, findings, notes, backup, flags.fix === true)
  const left = findings.filter((finding) => !finding.fixed)
  if (left.length === 0) return
  if (flags.fix) throw new CliError('Findings', `${plural(left.length, 'finding')} could not be fixed`)
  throw new CliError('Findings', `${plural(left.length, 'finding')}${left.some((one) => one.fix !== null) ? '; --fix repairs what can be repaired, after a backup' : ''}`)
}

/** What was found before the repair, each fixed or not, then what is only found now. */
function judged(before: readonly Finding[], after: readonly Finding[]): Finding[] {
  const among = (list: readonly Finding[]) => (one: Finding) => list.some((other) => one.kind === other.kind && one.where === other.where && one.what === other.what)
  return [...before.map((finding) => ({ ...finding, fixed: !among(after)(finding) })), ...after.filter((finding) => !among(before)(finding))]
}

function print(stateDir: string, findings: readonly Finding[], notes: readonly Note[], backup: string | null, fixing: boolean): void {
  const colors = colorsFor(process.stdout)
  if (backup !== null) write(`copied to ${backup} first\n\n`)
  for (const { kind, where, what, fix, fixed } of findings) {
    write(`${fixed ? colors.green('fixed') : colors.yellow(kind)}  ${oneLine(where, 200)}\n    ${oneLine(what, 300)}\n`)
    if (fixed) write(colors.dim(`    done: ${fix ?? 'repaired with the rest'}\n`))
    else write(colors.dim(`    ${fix === null ? 'nothing can be done about it here' : fixing ? `tried, without effect: ${fix}` : `--fix: ${fix}`}\n`))
  }
  const fixed = findings.filter((finding) => finding.fixed).length
  if (fixed > 0) write(`\n${plural(fixed, 'finding')} fixed${fixed === findings.length ? `; ${colors.green('all is well')} now` : ''} in ${stateDir}\n`)
  if (findings.length === 0) write(`${colors.green('all is well')} in ${stateDir}\n`)
  for (const { kind, where, what } of notes) write(`${colors.dim(`note: ${kind}`)}  ${oneLine(where, 200)}\n    ${oneLine(what, 300)}\n`)
}

/** A copy beside the original, readable for its owner only. */
async function backUp(stateDir: string): Promise<string> {
  const backup = path.join(stateDir, `context.backup-${new Date().toISOString().replace(/[:.]/g, '-')}`)
  await mkdir(backup, { mode: 0o700 })
  await cp(path.join(stateDir, 'context'), backup, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, errorOnExist: true, force: false })
  return backup
}

async function repair(api: Api, stateDir: string, findings: readonly Finding[]): Promise<void> {
  for (const finding of findings.filter((one) => one.fix?.startsWith('mode '))) {
    await chmod(path.join(stateDir, finding.where), Number.parseInt(finding.fix!.slice(5), 8)).catch(() => undefined)
  }
  // Under the lock damage is set aside, snapshots and pointers are made anew, and what was left behind is swept.
  const sessions = new Set((await api.listSessions(stateDir)).map((one) => one.sessionKey))
  for (const { sessionKey } of findings) if (sessionKey !== undefined) sessions.add(sessionKey)
  for (const sessionKey of sessions) await api.repairSession(stateDir, sessionKey).catch(() => undefined)
  // Outside sessions nobody sweeps. A file this fresh may be under way.
  for (const finding of findings.filter((one) => one.kind === 'leftover')) {
    const file = path.join(stateDir, finding.where)
    const found = await lstat(file).catch(() => null)
    if (found !== null && Date.now() - found.mtimeMs > 60_000) await rm(file, { force: true })
  }
}
