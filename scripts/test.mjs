// The whole check of this repository: formatting, lints, Rust tests, types, Node tests. Runs every part even when one
// failed, prints minutes per part, and ends with one line of totals. `npm test -- rust` or `-- node` runs one half.
import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const windows = process.platform === 'win32'
const only = process.argv[2]

/** The addon is built with an explicit target; the same target here means that dependencies compile once. */
const hostTriple = /host: (\S+)/.exec(spawnSync('rustc', ['-vV'], { encoding: 'utf8' }).stdout ?? '')?.[1]
const env = { ...process.env, CARGO_BUILD_TARGET: hostTriple, CARGO_TERM_COLOR: process.env.CARGO_TERM_COLOR ?? 'auto' }

/** Runs a command, keeps its output for counting, and shows it as it comes if it is `live`. */
function run(command, args, live) {
  return new Promise((resolve) => {
    let output = ''
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], shell: windows })
    const show = (stream) => (data) => {
      output += data
      if (live) stream.write(data)
    }
    child.stdout.on('data', show(process.stdout))
    child.stderr.on('data', show(process.stderr))
    child.on('error', (error) => resolve({ ok: false, output: String(error) }))
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  })
}

const plain = (text) => text.replace(/\u001b\[[0-9;]*m/g, '')
const sum = (text, pattern) => [...plain(text).matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0)
const counters = {
  nextest: (text) => [sum(text, /tests? run:.*?(\d+) passed/g), sum(text, /tests? run:.*?(\d+) (?:failed|timed out)/g)],
  cargo: (text) => [sum(text, /test result:.*?(\d+) passed/g), sum(text, /test result:.*?(\d+) failed/g)],
  nodeTest: (text) => [sum(text, /^ℹ pass (\d+)/gm), sum(text, /^ℹ fail (\d+)/gm), sum(text, /^ℹ skipped (\d+)/gm)],
  vitest: (text) => [sum(text, /^\s*Tests\s.*?(\d+) passed/gm), sum(text, /^\s*Tests\s.*?(\d+) failed/gm)],
}

const bin = (...parts) => [process.execPath, path.join(root, 'node_modules', ...parts)]
const nextest = spawnSync('cargo', ['nextest', '--version'], { stdio: 'ignore', shell: windows }).status === 0
const steps = [
  { half: 'rust', title: 'rustfmt', command: ['cargo', 'fmt', '--all', '--check'] },
  { half: 'rust', title: 'clippy', command: ['cargo', 'clippy', '--workspace', '--all-targets', '--', '-D', 'warnings'] },
  nextest
    ? { half: 'rust', title: 'Rust tests', command: ['cargo', 'nextest', 'run', '--workspace', '--no-fail-fast'], count: counters.nextest }
    : { half: 'rust', title: 'Rust tests', command: ['cargo', 'test', '--workspace', '--no-fail-fast'], count: counters.cargo },
  { half: 'node', title: 'types', command: [...bin('typescript', 'bin', 'tsc'), '--noEmit'] },
  { half: 'node', title: 'Node tests', command: [...bin('vitest', 'vitest.mjs'), 'run'], count: counters.vitest },
  // These wait for disks more than for processors: they run beside the step before.
  { half: 'rust', title: 'crash tests', command: [process.execPath, path.join(root, 'scripts', 'crash', 'run.mjs')], count: counters.nodeTest, beside: true },
].filter((step) => !only || step.half === only)

/** A part of a command as a person would type it. */
const shown = (part) => (path.isAbsolute(part) ? (part.startsWith(root) ? path.relative(root, part) : path.basename(part)) : part)

let passed = 0
let failed = 0
const report = []

/** One step. What runs beside another shows its output when it has ended. */
async function take({ title, command, count, beside }) {
  const head = `\n== ${title}: ${command.map(shown).join(' ')}`
  if (!beside) console.log(head)
  const started = Date.now()
  const { ok, output } = await run(command[0], command.slice(1), !beside)
  const [good, bad, skipped = 0] = count ? count(output) : [ok ? 1 : 0, 0]
  passed += good
  failed += ok ? 0 : Math.max(bad, 1)
  report.push(`${ok ? 'ok  ' : 'FAIL'} ${title.padEnd(12)} ${((Date.now() - started) / 60_000).toFixed(2)} min${skipped ? `, ${skipped} skipped: why stands above` : ''}`)
  return () => beside && console.log(`${head}\n${output}`)
}

for (let at = 0; at < steps.length; at++) {
  const together = [steps[at]]
  while (steps[at + 1]?.beside) together.push(steps[++at])
  for (const show of await Promise.all(together.map(take))) show()
}
console.log(`\n${report.join('\n')}\n\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
