// Temporary directories on a real disk: a sync on tmpfs costs nothing and would flatter everybody.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const base = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'target', 'bench-tmp')
const made = new Set()
process.on('exit', () => made.forEach(removeDir))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

/** A new directory that is removed when the process ends. */
export function tempDir(name) {
  mkdirSync(base, { recursive: true })
  const dir = mkdtempSync(path.join(base, `${name}-`))
  made.add(dir)
  return dir
}

/** Removes a directory of `tempDir`; threads of ours may still be writing what nobody waits for, so it is tried again. */
export function removeDir(dir) {
  made.delete(dir)
  try {
    rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  } catch (error) {
    console.error(`left behind: ${dir} (${error.code})`)
  }
}
