// npm run bench [-- --json] [-- --quick] [-- NAME ...]: every case in a process of its own, then one table. Builds the addon
// optimised first, unless given --no-build. Exit code 1 only when a case breaks; a missed goal is printed, never a failure.
import { spawn, spawnSync } from 'node:child_process'
import { cpus, loadavg } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { table } from './lib/rows.mjs'

const CASES = ['append', 'checkpoint', 'blocking', 'eventloop', 'sessions', 'memory', 'workers', 'capture', 'merge', 'search', 'opening', 'roundtrip', 'session']
const here = path.dirname(fileURLToPath(import.meta.url))
const flags = process.argv.slice(2).filter((arg) => arg.startsWith('--'))
const names = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
const json = flags.includes('--json')
const unknown = names.filter((name) => !CASES.includes(name))
if (unknown.length) {
  console.error(`no such case: ${unknown.join(', ')}; there are ${CASES.join(', ')}`)
  process.exit(2)
}

/** Rows of one case; a case that breaks gives its error instead. */
function runCase(name) {
  return new Promise((resolve) => {
    const args = ['--expose-gc', path.join(here, 'lib', 'one.mjs'), name, ...flags.filter((flag) => flag === '--quick')]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (data) => (output += data))
    child.on('error', (error) => resolve({ name, error: error.message }))
    child.on('close', (code, signal) => {
      try {
        resolve(code === 0 ? { name, rows: JSON.parse(output) } : { name, error: `ended with ${code ?? signal}` })
      } catch (error) {
        resolve({ name, error: `printed no rows: ${error.message}` })
      }
    })
  })
}

// Figures of an unoptimised addon would be about the compiler.
const root = path.resolve(here, '..')
if (!flags.includes('--no-build')) {
  const env = { ...process.env, CLAWBACK_PROFILE: 'release' }
  const build = spawnSync(process.execPath, [path.join(root, 'scripts', 'ensure.mjs')], { cwd: root, env, stdio: ['ignore', 2, 2] })
  if (build.status !== 0) process.exit(1)
}

const machine = { node: process.version, platform: `${process.platform}-${process.arch}`, cpus: cpus().length, load: loadavg()[0] }
if (!json) console.log(`Node ${machine.node}, ${machine.platform}, ${machine.cpus} processors, load ${machine.load.toFixed(1)}`)
const results = []
for (const name of names.length ? names : CASES) {
  const { title } = await import(`./${name}.mjs`)
  if (!json) console.log(`\n${title}`)
  const started = Date.now()
  const result = { title, ...(await runCase(name)), seconds: (Date.now() - started) / 1000 }
  results.push(result)
  if (!json) console.log(result.error ? `  BROKEN: ${result.error}` : table(result.rows))
}

const rows = results.flatMap((result) => result.rows ?? [])
const broken = results.filter((result) => result.error)
if (json) console.log(JSON.stringify({ machine, results }, null, 2))
else {
  const count = (test) => rows.filter(test).length
  console.log(`\n${count((row) => row.met)} goals met, ${count((row) => row.met === false)} missed, ${count((row) => row.skipped)} skipped, ${broken.length} cases broken`)
}
process.exitCode = broken.length ? 1 : 0
