// OpenClaw and the Node that it asks for, from npm, in a cache folder that outlives the checkout.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

const cache = process.env.CLAWBACK_HOSTS_DIR ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'clawback-hosts')
const OPENCLAW = '2026.9.6'
const NODE = '26.12.1'

/** A package in a folder of its own; null when the registry cannot be reached. */
export function installed(folder, name, version) {
  const dir = path.join(cache, folder)
  const found = path.join(dir, 'node_modules', name)
  if (existsSync(path.join(found, 'package.json'))) return found
  mkdirSync(dir, { recursive: true })
  if (!existsSync(path.join(dir, 'package.json'))) writeFileSync(path.join(dir, 'package.json'), '{ "private": true }\n')
  const run = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', `${name}@${version}`], { cwd: dir, stdio: ['ignore', 'inherit', 'inherit'] })
  if (run.status === 0) return found
  rmSync(path.join(dir, 'node_modules'), { recursive: true, force: true })
  return null
}

/** `{ dir, node }`, or null with a reason where it cannot be had. */
export function openclaw() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  let node = process.execPath
  if (!(major === 24 ? minor >= 16 : major > 26 || (major === 26 && minor >= 1))) {
    const runtime = installed('node26', `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`, NODE)
    if (runtime === null) return { missing: `Node ${NODE} cannot be installed: the npm registry does not answer` }
    node = path.join(runtime, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    chmodSync(node, 0o755)
  }
  const dir = installed('openclaw', 'openclaw', OPENCLAW)
  return dir === null ? { missing: `OpenClaw ${OPENCLAW} cannot be installed: the npm registry does not answer` } : { dir, node }
}
