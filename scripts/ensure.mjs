// Makes the checkout ready to run: packages, addon, compiled TypeScript, each only when it is missing or stale.
// Plain Node, no packages: it runs before any are there. `CLAWBACK_PROFILE=release` builds the addon optimised.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const profile = process.env.CLAWBACK_PROFILE === 'release' ? 'release' : 'debug'

/** All files under the given paths, sorted, as paths relative to the root. */
function filesUnder(...starts) {
  const found = []
  const walk = (relative) => {
    const full = path.join(root, relative)
    if (!existsSync(full)) return
    if (!statSync(full).isDirectory()) return void found.push(relative)
    for (const name of readdirSync(full).sort()) walk(path.join(relative, name))
  }
  starts.forEach(walk)
  return found
}

/** One hash over names and contents; times say nothing after a checkout. */
function fingerprint(files, ...extra) {
  const hash = createHash('sha256').update(extra.join('\0'))
  for (const file of files) hash.update(file).update('\0').update(readFileSync(path.join(root, file))).update('\0')
  return hash.digest('hex')
}

const stampFile = (name) => path.join(root, 'node_modules', '.clawback', name)
const stampOf = (name) => (existsSync(stampFile(name)) ? readFileSync(stampFile(name), 'utf8') : '')
function writeStamp(name, value) {
  mkdirSync(path.dirname(stampFile(name)), { recursive: true })
  writeFileSync(stampFile(name), value)
}

function fail(message) {
  console.error(`\nclawback: ${message}`)
  process.exit(1)
}

/** Runs a step with its output shown; stops everything when it fails. */
function step(title, command, args, env = {}) {
  const started = Date.now()
  console.log(`clawback: ${title} ...`)
  const windows = process.platform === 'win32'
  const run = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], shell: windows, env: { ...process.env, ...env } })
  if (run.error) fail(`${title} failed: ${run.error.message}`)
  if (run.status !== 0) fail(`${title} failed: ${command} ${args.join(' ')} ended with ${run.status ?? run.signal}`)
  console.log(`clawback: ${title} done in ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

const works = (command) => spawnSync(command, ['--version'], { stdio: 'ignore', shell: process.platform === 'win32' }).status === 0

function ensurePackages() {
  const want = fingerprint(['package-lock.json'])
  if (existsSync(path.join(root, 'node_modules', 'vitest')) && stampOf('packages') === want) return
  step('installing npm packages', 'npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'])
  writeStamp('packages', want)
}

function ensureAddon() {
  const sources = filesUnder('Cargo.toml', 'Cargo.lock', 'build.rs', 'src', 'crates/core/Cargo.toml', 'crates/core/src', 'scripts/ensure.mjs')
  const want = `${profile} ${process.platform}-${process.arch} ${fingerprint(sources)}`
  const built = readdirSync(root).some((name) => name.endsWith('.node')) && existsSync(path.join(root, 'binding.js'))
  if (built && stampOf('addon') === want) return
  if (!works('cargo')) fail('Rust is needed to build the addon and `cargo` is not in PATH. Install the stable toolchain with rustup, then try again.')
  const napi = path.join('node_modules', '@napi-rs', 'cli', 'dist', 'cli.js')
  const args = [napi, 'build', '--platform', '--js', 'binding.js', '--dts', 'binding.d.ts', ...(profile === 'release' ? ['--release'] : [])]
  step(`building the addon (${profile}; the first time takes minutes)`, process.execPath, args)
  writeStamp('addon', want)
}

function ensureTypeScript() {
  const sources = filesUnder('cli', 'demo', 'hosts/openclaw').filter((file) => file.endsWith('.ts'))
  if (sources.length === 0) return
  const want = fingerprint([...sources, 'tsconfig.json', 'tsconfig.build.json', 'index.d.ts', 'package-lock.json'])
  if (existsSync(path.join(root, 'dist')) && stampOf('typescript') === want) return
  step('compiling TypeScript', process.execPath, [path.join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json'])
  writeStamp('typescript', want)
}

const [major] = process.versions.node.split('.').map(Number)
if (major < 20) fail(`Node 20 or newer is needed; this is ${process.version}.`)
ensurePackages()
ensureAddon()
ensureTypeScript()
