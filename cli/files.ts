// What the operating system says about a path, in words that tell what to do.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CliError } from './output.js'

const WORDS: Record<string, string> = {
  ENOENT: 'there is no such file or directory; check the path',
  ENOTDIR: 'a part of the path is a file where a directory should be; check the path',
  EISDIR: 'it is a directory; a file is needed',
  EACCES: 'permission denied; change its permissions, or run as its owner',
  EPERM: 'permission denied; change its permissions, or run as its owner',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no room is left on the disk; free some and try again',
  EDQUOT: 'the quota of the disk is used up; free some and try again',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
}
/** The same by number, as the native part names them; only where the numbers are those of POSIX. */
const NUMBERS: Record<string, string> = process.platform === 'win32' ? {} : { 1: 'EPERM', 2: 'ENOENT', 13: 'EACCES', 20: 'ENOTDIR', 21: 'EISDIR', 28: 'ENOSPC', 30: 'EROFS', 36: 'ENAMETOOLONG' }

/** Words for an error of the system; undefined for any other error. */
export function inWords(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? WORDS[error.code] : undefined
}

/** A message without the raw words of the system. */
export function readable(error: Error): string {
  const { path: where } = error as NodeJS.ErrnoException
  const words = inWords(error)
  if (words !== undefined && where !== undefined) return `${where}: ${words}`
  return withoutCall(error).replace(/: [^:]*\(os error (\d+)\)$/, (raw, digits: string) => {
    const known = WORDS[NUMBERS[digits] ?? '']
    return known === undefined ? raw : `: ${known}`
  })
}

/** The native part's errors begin with the function that was called, which whoever sits at a terminal has never heard of. */
function withoutCall(error: Error): string {
  return error instanceof CliError || inWords(error) !== undefined ? error.message : error.message.replace(/^(?:ContextSession\.)?[a-z]+(?:[A-Z][a-z]*)*: /, '')
}

/** Runs `use` with a directory of its own, made in `place` or where the system keeps such; it is removed whatever happens. */
export async function withTemporary<T>(prefix: string, place: string | undefined, use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await temporary(prefix, place)
  try {
    return await use(directory)
  } finally {
    await removeTemporary(directory)
  }
}

/** The same for those who cannot wait for one call: it is theirs to remove. */
export async function temporary(prefix: string, place = tmpdir()): Promise<string> {
  try {
    return await mkdtemp(path.join(place, prefix))
  } catch (error) {
    throw new CliError('Io', `no temporary directory can be made in ${place}: ${inWords(error) ?? (error as Error).message}; --state-dir names another place`)
  }
}

export const removeTemporary = (directory: string): Promise<void> => rm(directory, { recursive: true, force: true, maxRetries: 5 })
