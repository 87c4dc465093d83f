// The process that the crash tests kill: `crates/core/examples/worker.rs`. Everything that depends on its command line and
// on what it prints is here.
import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..')

/** Builds the worker (with failure points, which do nothing until asked) and returns the path of its program. */
export function buildWorker() {
  if (process.env.CLAWBACK_CRASH_WORKER) return process.env.CLAWBACK_CRASH_WORKER
  // The whole workspace's features, as everywhere else: otherwise the dependencies are compiled a second time.
  const args = ['build', '--workspace', '--example', 'worker', '--features', 'clawback-core/failpoints', '--message-format=json-render-diagnostics']
  const build = spawnSync('cargo', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 })
  if (build.status !== 0) throw new Error(`the worker does not build (cargo ended with ${build.status ?? build.signal})`)
  const artifacts = build.stdout.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  const worker = artifacts.find((artifact) => artifact.target?.name === 'worker' && artifact.executable)
  return (process.env.CLAWBACK_CRASH_WORKER = worker.executable)
}

/** Runs a worker to its end, whatever that is; `before` is put in front of it (strace and its arguments); `killAfter`: ms. */
export function runWorker(args, { before = [], input = '', killAfter } = {}) {
  const [program, ...rest] = [...before, buildWorker(), ...args]
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, { stdio: 'pipe' })
    const killer = killAfter && setTimeout(() => child.kill('SIGKILL'), killAfter)
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (data) => (stdout += data))
    child.stderr.on('data', (data) => (stderr += data))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(killer)
      resolve({ code, signal, stdout, stderr: stderr.trim(), acked: whole(stdout) })
    })
    child.stdin.on('error', () => {}).end(input) // it may be dead before it reads
  })
}

/** The lines that were printed to their end; a torn last line acknowledges nothing. */
export const whole = (text) => text.split('\n').slice(0, -1)
