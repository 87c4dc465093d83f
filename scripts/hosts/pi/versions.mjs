// The two pi that are supported, from npm, in a cache folder that outlives the checkout. pi 1.x needs Node 22.19 or
// newer; where this one is older, a newer one comes from npm too.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

const cache = process.env.CLAWBACK_HOSTS_DIR ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'clawback-hosts')

/** A package in a folder of its own; null when the registry cannot be reached. */
function installed(folder, spec) {
  const dir = path.join(cache, folder)
  const name = spec.slice(0, spec.lastIndexOf('@'))
  const done = path.join(dir, 'node_modules', name, 'package.json')
  if (existsSync(done)) return path.dirname(done)
  mkdirSync(dir, { recursive: true })
  if (!existsSync(path.join(dir, 'package.json'))) writeFileSync(path.join(dir, 'package.json'), '{ "private": true }\n')
  const run = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', spec], { cwd: dir, stdio: ['ignore', 'inherit', 'inherit'] })
  if (run.status === 0) return path.dirname(done)
  rmSync(path.join(dir, 'node_modules'), { recursive: true, force: true })
  return null
}

const [major, minor] = process.versions.node.split('.').map(Number)
function newNode() {
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const dir = installed('node26', `node-${platform}@26.12.1`)
  if (dir === null) return null
  const node = path.join(dir, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  chmodSync(node, 0o755)
  return node
}

/** The versions that can be run here, `{ name, node, cli, boundaries }`, and why others cannot. */
export function piVersions() {
  const wanted = [
    { name: '0.73.1', folder: 'pi073', spec: '@mariozechner/pi-coding-agent@0.73.1', cli: 'dist/cli.js', node: () => process.execPath, boundaries: false },
    { name: '1.6.0', folder: 'pi16', spec: '@earendil-works/pi-coding-agent@1.6.0', cli: 'dist/bundle/cli.js', node: newNode, boundaries: true },
  ].filter(({ name }) => !process.env.CLAWBACK_PI || process.env.CLAWBACK_PI === name)
  const found = []
  const missing = []
  for (const { name, folder, spec, cli, node, boundaries } of wanted) {
    const dir = installed(folder, spec)
    const runtime = dir && node()
    if (runtime) found.push({ name, node: runtime, cli: path.join(dir, cli), boundaries })
    else missing.push(`pi ${name} cannot be installed: the npm registry does not answer`)
  }
  return { found, missing }
}
