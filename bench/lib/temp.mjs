// Temporary directories on a real disk: a sync on tmpfs costs nothing and would flatter everybody.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const base = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', 'target', 'bench-tmp')
const made = new Set()
process.on('exit', () => made.forEach((dir) => rmSync(dir, { recursive: true, force: true })))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

/** A new directory that is removed when the process ends. */
export function tempDir(name) {
  mkdirSync(base, { recursive: true })
  const dir = mkdtempSync(path.join(base, `${name}-`))
  made.add(dir)
  return dir
}

/** Removes a directory of `tempDir` early. */
export function removeDir(dir) {
  rmSync(dir, { recursive: true, force: true })
  made.delete(dir)
}
