// Where pi keeps its things, and what is set there: its own compaction threshold, and `clawback.json` beside it.
import { open, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'

export type Mode = 'prune' | 'compact' | 'complement'
export interface Settings {
  mode: Mode
  /** Tool results above so many tokens are shortened before pi stores them; an eighth of the window if missing. */
  spillTokens?: number
  /** The knobs of `clawback config`; the core checks them. */
  config?: object
}
interface PiCompaction { enabled?: boolean; reserveTokens?: number; modelOverrides?: Record<string, { reserveTokens?: number } | undefined> }

/** pi's agent directory, found as pi finds it. */
export function agentDir(env: NodeJS.ProcessEnv = process.env): string {
  const set = env['PI_CODING_AGENT_DIR']
  if (!set) return path.join(homedir(), '.pi', 'agent')
  return set === '~' || set.startsWith('~/') ? path.join(homedir(), set.slice(1)) : set
}

/** A JSON file; undefined when there is none. Throws when it is damaged. */
async function readJson(file: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch {
    return undefined
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`)
  }
}

const isMode = (value: unknown): value is Mode => value === 'prune' || value === 'compact' || value === 'complement'
const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object' && !Array.isArray(value)
export const SETTINGS_FILE = 'clawback.json'
const KNOWN = ['mode', 'spillTokens', 'config']
/** Enough of a value to find it again. */
const shown = (value: unknown) => (JSON.stringify(value) ?? String(value)).slice(0, 60)

/** `<agentDir>/clawback.json`; what it does not say, or says wrongly, has its default. `problem` says what could not be used. */
export async function readSettings(dir: string): Promise<{ settings: Settings; problem?: string }> {
  const settings: Settings = { mode: 'prune' }
  const problems: string[] = []
  try {
    const found = await readJson(path.join(dir, SETTINGS_FILE))
    if (found === undefined) return { settings }
    if (isObject(found)) take(found, settings, problems)
    else problems.push(`an object is needed, not ${shown(found)}; the defaults are used`)
  } catch (error) {
    return { settings, problem: `${(error as Error).message}; the defaults are used` }
  }
  return problems.length === 0 ? { settings } : { settings, problem: `${SETTINGS_FILE}: ${problems.join('; ')}` }
}

function take(found: Record<string, unknown>, settings: Settings, problems: string[]): void {
  const { mode, spillTokens, config } = found
  if (isMode(mode)) settings.mode = mode
  else if (mode !== undefined) problems.push(`mode must be prune, compact or complement, not ${shown(mode)}; prune is used`)
  if (typeof spillTokens === 'number' && Number.isFinite(spillTokens) && spillTokens >= 1) settings.spillTokens = spillTokens
  else if (spillTokens !== undefined) problems.push(`spillTokens must be a number of at least 1, not ${shown(spillTokens)}; an eighth of the window is used`)
  if (isObject(config)) settings.config = config
  else if (config !== undefined) problems.push(`config must be an object, not ${shown(config)}; the defaults are used`)
  const unknown = Object.keys(found).filter((name) => !KNOWN.includes(name))
  if (unknown.length > 0) problems.push(`${unknown.map(shown).join(', ')} ${unknown.length === 1 ? 'has' : 'have'} no effect; there are ${KNOWN.join(', ')}`)
}

/** Tokens of the whole request at which pi compacts by itself; undefined when it never does. Mirrors pi's own order. */
export async function hostCompactsAt(dir: string, cwd: string, model: { id: string; provider?: string } | undefined, contextWindow: number): Promise<number | undefined> {
  const read = async (file: string) => ((await readJson(file).catch(() => null)) as { compaction?: PiCompaction } | null)?.compaction ?? {}
  const compaction = { ...(await read(path.join(dir, 'settings.json'))), ...(await read(path.join(cwd, '.pi', 'settings.json'))) }
  if (compaction.enabled === false) return undefined
  const own = model && compaction.modelOverrides?.[`${model.provider}/${model.id}`]
  const reserve = own?.reserveTokens ?? compaction.reserveTokens ?? 16_384
  return Math.max(0, contextWindow - reserve)
}

/** The id in a session file's first line; null when it cannot be read. */
export async function sessionIdOf(file: string): Promise<string | null> {
  try {
    const handle = await open(file, 'r')
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(4_096), 0, 4_096, 0)
      const header = JSON.parse(buffer.toString('utf8', 0, bytesRead).split('\n', 1)[0] ?? '') as { type?: string; id?: unknown }
      return header.type === 'session' && typeof header.id === 'string' ? header.id : null
    } finally {
      await handle.close()
    }
  } catch {
    return null
  }
}
