// `clawback doctor [--fix]`: damaged files, permissions, left-over files, key collisions, versions, older layouts. Looking
// changes nothing; `--fix` copies everything aside first.
import { chmod, cp, lstat, mkdir, readFile, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Api } from '../api.js'
import { colorsFor, json, oneLine, plural, CliError } from '../output.js'
import { progressBar } from '../progress.js'
import { findStateDir, type Flags } from '../session.js'

export interface DoctorFlags extends Flags {
  fix?: boolean
}

export interface Finding {
  /** `damage`, `permissions`, `leftover`, `collision`, `version`, `older-layout`, `unreadable` */
  kind: string
  /** Relative to the state directory. */
  where: string
  what: string
  /** What `--fix` does about it; null: nothing can be done. */
  fix: string | null
  fixed?: boolean
}

const write = (text: string): void => void process.stdout.write(text)
const POSIX = process.platform !== 'win32'
/** The newest format of session.json that this version reads. */
const FORMAT = 1

export async function doctor(api: Api, flags: DoctorFlags): Promise<void> {
  const stateDir = findStateDir(flags.stateDir)
  const before = await examine(api, stateDir, flags.session)
  let backup: string | null = null
  let left = before
  if (flags.fix && before.some((finding) => finding.fix !== null)) {
    backup = await backUp(stateDir)
    await repair(api, stateDir, before)
    const after = await examine(api, stateDir, flags.session)
    const same = (a: Finding) => (b: Finding) => a.kind === b.kind && a.where === b.where && a.what === b.what
    left = after
    for (const finding of before) finding.fixed = !after.some(same(finding))
  }
  if (flags.json) write(json({ stateDir, backup, findings: flags.fix ? [...before, ...left.filter((one) => !before.some((old) => old.where === one.where && old.what === one.what))] : before }))
  else print(stateDir, before, backup, flags.fix === true)
  if (left.length > 0) throw new CliError('Findings', flags.fix ? `${plural(left.length, 'finding')} could not be fixed` : `${plural(left.length, 'finding')}${left.some((one) => one.fix !== null) ? '; --fix repairs what can be repaired, after a backup' : ''}`)
}

function print(stateDir: string, findings: readonly Finding[], backup: string | null, fixing: boolean): void {
  const colors = colorsFor(process.stdout)
  if (findings.length === 0) return write(`${colors.green('all is well')} in ${stateDir}\n`)
  if (backup !== null) write(`copied to ${backup} first\n\n`)
  for (const { kind, where, what, fix, fixed } of findings) {
    write(`${fixed ? colors.green('fixed') : colors.yellow(kind)}  ${oneLine(where, 200)}\n    ${oneLine(what, 300)}\n`)
    if (!fixing) write(colors.dim(`    ${fix === null ? 'nothing can be done about it' : `--fix: ${fix}`}\n`))
  }
}

/** Everything that is wrong. */
export async function examine(api: Api, stateDir: string, only?: string): Promise<Finding[]> {
  const findings: Finding[] = []
  const context = path.join(stateDir, 'context')
  await permissions(stateDir, context, findings)
  const keys = new Map<string, string>()
  const folders = (await readdir(path.join(context, 'sessions'), { withFileTypes: true }).catch(() => [])).filter((entry) => entry.isDirectory())
  const bar = progressBar('looking', process.stderr.isTTY === true && folders.length > 5, (count) => plural(count, 'session'))
  let done = 0
  for (const { name } of folders) {
    const where = path.join('context', 'sessions', name)
    const key = await sessionKey(stateDir, where, findings)
    if (key !== null) {
      const twin = keys.get(key)
      if (twin !== undefined) findings.push({ kind: 'collision', where, what: `${twin} says that it is session ${JSON.stringify(key)} as well; only the directory that belongs to the key is used`, fix: null })
      keys.set(key, where)
      if (only === undefined || only === key || only === name) await session(api, stateDir, where, key, findings)
    }
    bar.update(++done, folders.length)
  }
  bar.clear()
  await olderLayouts(context, new Set(keys.keys()), api, findings)
  return findings
}

/** Only the owner may read what was said (FAULTS G5). */
async function permissions(stateDir: string, directory: string, findings: Finding[]): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') findings.push({ kind: 'unreadable', where: path.relative(stateDir, directory), what: error.message, fix: null })
    return []
  })
  for (const entry of entries) {
    const file = path.join(directory, entry.name)
    const where = path.relative(stateDir, file)
    if (entry.isSymbolicLink()) {
      findings.push({ kind: 'permissions', where, what: 'a link where a file or directory of ours should be; it is never followed', fix: null })
      continue
    }
    const mode = POSIX ? ((await lstat(file).catch(() => null))?.mode ?? 0) & 0o777 : 0
    if ((mode & 0o077) !== 0) findings.push({ kind: 'permissions', where, what: `others may read or change it (mode ${mode.toString(8)})`, fix: `mode ${entry.isDirectory() ? '700' : '600'}` })
    if (entry.name.startsWith('.tmp.')) findings.push({ kind: 'leftover', where, what: 'a temporary file that a process left behind', fix: 'removed' })
    if (entry.isDirectory()) await permissions(stateDir, file, findings)
  }
}

/** The key that a session's directory names; findings where it does not. */
async function sessionKey(stateDir: string, where: string, findings: Finding[]): Promise<string | null> {
  const file = path.join(where, 'session.json')
  const raw = await readFile(path.join(stateDir, file), 'utf8').catch((error: NodeJS.ErrnoException) => error)
  if (typeof raw !== 'string') {
    if (raw.code === 'ENOENT') findings.push({ kind: 'damage', where: file, what: 'missing: the directory belongs to no session that can be named', fix: null })
    else findings.push({ kind: 'unreadable', where: file, what: raw.message, fix: null })
    return null
  }
  try {
    const value = JSON.parse(raw) as { format?: unknown; session_key?: unknown }
    if (typeof value.format === 'number' && value.format > FORMAT) {
      findings.push({ kind: 'version', where: file, what: `written by a newer version (format ${value.format}, this one reads ${FORMAT})`, fix: null })
      return null
    }
    if (typeof value.session_key === 'string') return value.session_key
  } catch {
    // said below
  }
  findings.push({ kind: 'damage', where: file, what: 'it cannot be read as what it should be', fix: null })
  return null
}

async function session(api: Api, stateDir: string, where: string, key: string, findings: Finding[]): Promise<void> {
  const listed = (await api.listSessions(stateDir)).find((one) => one.sessionKey === key)
  if (listed !== undefined && path.basename(where) !== listed.name) {
    findings.push({ kind: 'collision', where, what: `it names session ${JSON.stringify(key)}, which lives in ${listed.name}`, fix: null })
    return
  }
  try {
    const found = await api.inspectSession(stateDir, key)
    const lines = (count: number, what: string): void => {
      if (count > 0) findings.push({ kind: 'damage', where, what: `${plural(count, what)}: skipped when reading`, fix: null })
    }
    lines(found.badLines, 'journal line is damaged or missing'.replace('line is', found.badLines === 1 ? 'line is' : 'lines are'))
    lines(found.damagedBodies, 'damaged line of message bodies')
    lines(found.damagedDrops, 'damaged line of drop records')
    if (found.dropsWithoutBody > 0) findings.push({ kind: 'damage', where, what: `${plural(found.dropsWithoutBody, 'drop record')} without the message that belongs to it`, fix: null })
    if (found.quarantined > 0) findings.push({ kind: 'damage', where: path.join(where, 'quarantine'), what: `${plural(found.quarantined, 'damaged file')} set aside earlier; remove the folder when you have looked through it`, fix: null })
    for (const problem of found.problems.filter((problem) => !problem.includes('journal lines'))) findings.push({ kind: 'damage', where, what: problem, fix: 'set aside and rebuilt' })
    for (const info of await api.listCheckpoints(stateDir, key)) {
      if (!info.valid) findings.push({ kind: 'damage', where: path.join(where, 'checkpoints', `${info.id}.yaml`), what: 'a checkpoint that does not match its hash; the newest valid one is used', fix: null })
    }
  } catch (error) {
    findings.push({ kind: 'unreadable', where, what: error instanceof Error ? error.message : String(error), fix: null })
  }
}

/** The TypeScript version's folders: imported once, for the session key that their newest checkpoint names. */
async function olderLayouts(context: string, keys: ReadonlySet<string>, api: Api, findings: Finding[]): Promise<void> {
  const imported = new Set([...keys].map((key) => api.sanitizeSessionKeyForPath(key)))
  for (const folder of ['state', 'checkpoints']) {
    for (const entry of await readdir(path.join(context, folder), { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory() || imported.has(entry.name)) continue
      findings.push({ kind: 'older-layout', where: path.join('context', folder, entry.name), what: 'an older layout that no session has taken in; it is imported when the session that its newest checkpoint names is opened', fix: null })
    }
  }
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
  // Opening under the lock repairs torn ends, damaged snapshots and pointers, and sweeps what was left behind.
  for (const { sessionKey } of await api.listSessions(stateDir)) await api.repairSession(stateDir, sessionKey).catch(() => undefined)
  // Outside sessions nobody sweeps. A file this fresh may be under way.
  for (const finding of findings.filter((one) => one.kind === 'leftover')) {
    const file = path.join(stateDir, finding.where)
    const found = await lstat(file).catch(() => null)
    if (found !== null && Date.now() - found.mtimeMs > 60_000) await rm(file, { force: true })
  }
}
