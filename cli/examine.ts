// What is wrong in a state directory, and what is only worth knowing. Looking changes nothing.
import { createHash } from 'node:crypto'
import { lstat, readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Api } from './api.js'
import { readable } from './files.js'
import { plural } from './output.js'
import { progressBar } from './progress.js'

export interface Finding {
  /** `damage`, `permissions`, `leftover`, `collision`, `version`, `unreadable` */
  kind: string
  /** Relative to the state directory. */
  where: string
  what: string
  /** What `--fix` does about it; null: nothing can be done. */
  fix: string | null
  /** The session that a repair of it opens. */
  sessionKey?: string
  fixed?: boolean
}

/** Nothing is wrong and nothing needs to be done: damaged data that was set aside, an older layout. */
export interface Note {
  kind: string
  where: string
  what: string
}

export interface Examined {
  findings: Finding[]
  notes: Note[]
}

const POSIX = process.platform !== 'win32'
/** The newest format of session.json that this version reads. */
const FORMAT = 1

/** Everything that is wrong. */
export async function examine(api: Api, stateDir: string, only?: string): Promise<Examined> {
  const findings: Finding[] = []
  const notes: Note[] = []
  const context = path.join(stateDir, 'context')
  await permissions(stateDir, context, findings)
  const keys = new Map<string, string>()
  const folders = (await readdir(path.join(context, 'sessions'), { withFileTypes: true }).catch(() => [])).filter((entry) => entry.isDirectory())
  const bar = progressBar('looking', folders.length > 5, (count) => plural(count, 'session'))
  let done = 0
  for (const { name } of folders) {
    const where = path.join('context', 'sessions', name)
    const key = await sessionKey(stateDir, where, findings)
    if (key !== null) {
      const twin = keys.get(key)
      if (twin !== undefined) findings.push({ kind: 'collision', where, what: `${twin} says that it is session ${JSON.stringify(key)} as well; only the directory that belongs to the key is used`, fix: null })
      keys.set(key, where)
      if (only === undefined || only === key || only === name) await session(api, stateDir, where, key, findings, notes)
    }
    bar.update(++done, folders.length)
  }
  bar.clear()
  await olderLayouts(context, new Set(keys.keys()), api, notes)
  return { findings, notes }
}

/** Only the owner may read what was said (FAULTS G5). */
async function permissions(stateDir: string, directory: string, findings: Finding[]): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') findings.push({ kind: 'unreadable', where: path.relative(stateDir, directory), what: readable(error), fix: null })
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
  const damaged = async (what: string): Promise<null> => {
    const key = await keyOfSnapshot(path.join(stateDir, where))
    const fix = key === null ? null : `written anew for ${JSON.stringify(key)}, which its snapshot names`
    findings.push({ kind: 'damage', where: file, what, fix, ...(key === null ? {} : { sessionKey: key }) })
    return null
  }
  const raw = await readFile(path.join(stateDir, file), 'utf8').catch((error: NodeJS.ErrnoException) => error)
  if (typeof raw !== 'string') {
    if (raw.code === 'ENOENT') return damaged('missing: the directory does not say which session it belongs to')
    findings.push({ kind: 'unreadable', where: file, what: readable(raw), fix: null })
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
  return damaged('it cannot be read as what it should be')
}

/** The key in the newest snapshot, if the directory is that key's: its name ends in the key's hash. */
async function keyOfSnapshot(directory: string): Promise<string | null> {
  for (const name of ['view.json', 'view.prev.json']) {
    try {
      const { session_key: key } = JSON.parse(await readFile(path.join(directory, name), 'utf8')) as { session_key?: unknown }
      if (typeof key === 'string' && directory.endsWith(createHash('sha256').update(key).digest('hex').slice(0, 32))) return key
    } catch {
      // the next one
    }
  }
  return null
}

async function session(api: Api, stateDir: string, where: string, key: string, findings: Finding[], notes: Note[]): Promise<void> {
  const listed = (await api.listSessions(stateDir)).find((one) => one.sessionKey === key)
  if (listed !== undefined && path.basename(where) !== listed.name) {
    findings.push({ kind: 'collision', where, what: `it names session ${JSON.stringify(key)}, which lives in ${listed.name}`, fix: null })
    return
  }
  const damage = (what: string, fix: string, file = where): void => void findings.push({ kind: 'damage', where: file, what, fix, sessionKey: key })
  try {
    const found = await api.inspectSession(stateDir, key)
    const lines = (count: number, what: string, word = 'damaged line'): void => {
      if (count > 0) damage(`${plural(count, word)} of ${what}: skipped when reading`, 'set aside in quarantine/')
    }
    lines(found.badLines, 'the journal', 'damaged or missing line')
    lines(found.damagedBodies, 'message bodies')
    lines(found.damagedDrops, 'drop records')
    if (found.dropsWithoutBody > 0) damage(`${plural(found.dropsWithoutBody, 'drop record')} without the message that belongs to it`, 'marked as expired: nothing can bring the message back')
    for (const problem of found.problems.filter((problem) => !problem.includes('journal lines'))) damage(problem, 'set aside in quarantine/ and rebuilt')
    for (const info of await api.listCheckpoints(stateDir, key)) {
      if (!info.valid) damage('a checkpoint that does not match its hash; the newest valid one is used', 'set aside in quarantine/', path.join(where, 'checkpoints', `${info.id}.yaml`))
    }
    if (found.quarantined > 0) notes.push({ kind: 'set aside', where: path.join(where, 'quarantine'), what: `${plural(found.quarantined, 'damaged piece')}, kept for you to look at; nothing reads the folder, so you may remove it` })
  } catch (error) {
    findings.push({ kind: 'unreadable', where, what: error instanceof Error ? readable(error) : String(error), fix: null })
  }
}

/** The TypeScript version's folders: imported once, for the session key that their newest checkpoint names. */
async function olderLayouts(context: string, keys: ReadonlySet<string>, api: Api, notes: Note[]): Promise<void> {
  const imported = new Set([...keys].map((key) => api.sanitizeSessionKeyForPath(key)))
  for (const folder of ['state', 'checkpoints']) {
    for (const entry of await readdir(path.join(context, folder), { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory() || imported.has(entry.name)) continue
      notes.push({ kind: 'older-layout', where: path.join('context', folder, entry.name), what: 'an older layout that no session has taken in; it is imported when the session that its newest checkpoint names is opened' })
    }
  }
}
