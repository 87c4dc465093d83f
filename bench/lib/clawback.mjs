// The package under test, as a user loads it, and the questions that every case asks of it.
import { createRequire } from 'node:module'

/** The addon; throws the loader's own clear error when it is not built. */
export const load = () => createRequire(import.meta.url)('../../index.js')

/** Which of the named exports are missing; a case that needs them is then skipped, by name. */
export const missing = (clawback, ...names) => names.filter((name) => typeof clawback[name] !== 'function')

/** Sentences that share no subject, so that none is taken for a duplicate of another. */
export function sentence(index) {
  const pick = (list, step) => list[Math.floor(index / step) % list.length]
  const areas = ['billing', 'search', 'login', 'export', 'mailer', 'gateway', 'importer', 'dashboard', 'scheduler', 'archive']
  const things = ['timeout', 'cache', 'retry budget', 'schema', 'queue', 'token', 'banner', 'index', 'quota', 'fallback']
  const verbs = ['Measure', 'Document', 'Rework', 'Rename', 'Inspect', 'Simplify', 'Harden', 'Split', 'Trace', 'Cover']
  return `${pick(verbs, 100)} the ${pick(things, 10)} of the ${pick(areas, 1)} module for ticket TK-${index}`
}
