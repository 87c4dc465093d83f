// The two pi that are supported, from npm, in a cache folder that outlives the checkout. pi 1.x needs Node 22.19 or
// newer; where this one is older, a newer one comes from npm too.
import { chmodSync } from 'node:fs'
import path from 'node:path'
import { installed } from '../openclaw/install.mjs'

const [major, minor] = process.versions.node.split('.').map(Number)
function newNode() {
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const dir = installed('node26', `node-${platform}`, '26.12.1')
  if (dir === null) return null
  const node = path.join(dir, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  chmodSync(node, 0o755)
  return node
}

/** The versions that can be run here, `{ name, node, cli, boundaries }`, and why others cannot. */
export function piVersions() {
  const wanted = [
    { name: '0.73.1', folder: 'pi073', npm: '@mariozechner/pi-coding-agent', cli: 'dist/cli.js', node: () => process.execPath, boundaries: false },
    { name: '1.6.0', folder: 'pi16', npm: '@earendil-works/pi-coding-agent', cli: 'dist/bundle/cli.js', node: newNode, boundaries: true },
  ].filter(({ name }) => !process.env.CLAWBACK_PI || process.env.CLAWBACK_PI === name)
  const found = []
  const missing = []
  for (const { name, folder, npm, cli, node, boundaries } of wanted) {
    const dir = installed(folder, npm, name)
    const runtime = dir && node()
    if (runtime) found.push({ name, node: runtime, cli: path.join(dir, cli), boundaries })
    else missing.push(`pi ${name} cannot be installed: the npm registry does not answer`)
  }
  return { found, missing }
}
