// npm run test:crash [NAME ...]: builds the worker and runs the crash tests (crowd, steps, sweep, power) one after the other.
// CRASH_LONG=1 or --long: every error at every call, and 40 power cuts. A test that cannot run here says so as skipped.
import path from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { buildWorker } from './lib/worker.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const names = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
if (process.argv.includes('--long')) process.env.CRASH_LONG = '1'
buildWorker()
const files = (names.length ? names : ['crowd', 'steps', 'sweep', 'power']).map((name) => path.join(here, `${name}.test.mjs`))
run({ files, concurrency: false })
  .on('test:fail', () => (process.exitCode = 1))
  .compose(spec)
  .pipe(process.stdout)
