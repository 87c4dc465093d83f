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

/** A JSON file, or null when there is none. Throws when it is damaged. */
async function readJson(file: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch {
    return null
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`)
  }
}

const isMode = (value: unknown): value is Mode => value === 'prune' || value === 'compact' || value === 'complement'

/** `<agentDir>/clawback.json`; what it does not say has its default. `problem` says what could not be used. */
export async function readSettings(dir: string): Promise<{ settings: Settings; problem?: string }> {
  try {
    const found = (await readJson(path.join(dir, 'clawback.json'))) as { mode?: unknown; spillTokens?: unknown; config?: object } | null
    const { mode = 'prune', spillTokens, config } = found ?? {}
    if (!isMode(mode)) return { settings: { mode: 'prune', config }, problem: `clawback.json: mode must be prune, compact or complement, not ${JSON.stringify(mode)}` }
    return { settings: { mode, config, ...(typeof spillTokens === 'number' && spillTokens > 0 ? { spillTokens } : {}) } }
  } catch (error) {
    return { settings: { mode: 'prune' }, problem: (error as Error).message }
  }
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
