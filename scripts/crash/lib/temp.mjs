// Directories of a test; removed when the process ends, however it ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const made = new Set()
process.on('exit', () => made.forEach((dir) => rmSync(dir, { recursive: true, force: true })))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))

/** A new empty directory. */
export function tempDir() {
  const dir = mkdtempSync(path.join(tmpdir(), 'clawback-crash-'))
  made.add(dir)
  return dir
}

/** Removes it early. */
export function removeDir(dir) {
  rmSync(dir, { recursive: true, force: true })
  made.delete(dir)
}
