// The package under test, as a user loads it, and the questions that every case asks of it.
import { createRequire } from 'node:module'

/** The addon; throws the loader's own clear error when it is not built. */
export const load = () => createRequire(import.meta.url)('../../index.js')

/** Which of the named exports are missing; a case that needs them is then skipped, by name. */
export const missing = (clawback, ...names) => names.filter((name) => typeof clawback[name] !== 'function')
