// What a careful TypeScript author would write without clawback: npm `proper-lockfile` and `write-file-atomic` doing the
// same job. Same guarantees where they can give them; where they cannot (a synced directory), they do less work.
import { readFile, readdir, unlink } from 'node:fs/promises'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const lockfile = require('proper-lockfile')
const writeFileAtomic = require('write-file-atomic')

/** Tuned for throughput: the package's own default is not to retry at all, its usual back-off starts at one second. */
const LOCKING = { realpath: false, retries: { retries: 10_000, factor: 1.2, minTimeout: 1, maxTimeout: 8 } }

async function locked(file, work) {
  const release = await lockfile.lock(file, LOCKING)
  try {
    return await work()
  } finally {
    await release()
  }
}

/** A JSON array in a file: lock, read, push, write atomically, unlock. `fsync` as write-file-atomic understands it. */
export function jsonState(file, { fsync = false } = {}) {
  writeFileSync(file, '[]')
  return {
    append: (item) =>
      locked(file, async () => {
        const items = JSON.parse(await readFile(file, 'utf8'))
        items.push({ id: `d${items.length + 1}`, what: item, when: new Date().toISOString() })
        await writeFileAtomic(file, JSON.stringify(items), { fsync })
      }),
    count: async () => JSON.parse(await readFile(file, 'utf8')).length,
  }
}

/** Numbered checkpoints with a pointer and the newest five kept; nothing is synced. */
export function checkpointDir(dir) {
  const pointer = path.join(dir, '_latest.json')
  return {
    write: (text) =>
      locked(dir, async () => {
        const names = (await readdir(dir)).filter((name) => /^cp_\d+\.yaml$/.test(name)).sort((a, b) => numberOf(a) - numberOf(b))
        const id = `cp_${String(numberOf(names.at(-1) ?? 'cp_0') + 1).padStart(3, '0')}`
        await writeFileAtomic(path.join(dir, `${id}.yaml`), text, { fsync: false })
        await writeFileAtomic(pointer, JSON.stringify({ checkpoint_id: id }), { fsync: false })
        await Promise.all(names.slice(0, -4).map((name) => unlink(path.join(dir, name))))
      }),
  }
}

const numberOf = (name) => Number(/\d+/.exec(name)[0])
