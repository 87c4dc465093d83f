// The prebuilt platforms: one row each. `package.json` (napi.targets), `npm/` and the loader must agree with it;
// check.mjs holds them against each other.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
export const readJson = (...parts) => JSON.parse(readFileSync(path.join(root, ...parts), 'utf8'))

/** The oldest glibc that a Linux binary may ask for: CentOS 7, and everything that is alive today. */
export const GLIBC_FLOOR = [2, 17]

export const targets = [
  { tag: 'linux-x64-gnu', triple: 'x86_64-unknown-linux-gnu', os: 'linux', cpu: 'x64', libc: 'glibc', zig: true },
  { tag: 'linux-arm64-gnu', triple: 'aarch64-unknown-linux-gnu', os: 'linux', cpu: 'arm64', libc: 'glibc', zig: true },
  { tag: 'linux-arm-gnueabihf', triple: 'armv7-unknown-linux-gnueabihf', os: 'linux', cpu: 'arm', libc: 'glibc', zig: true },
  { tag: 'linux-x64-musl', triple: 'x86_64-unknown-linux-musl', os: 'linux', cpu: 'x64', libc: 'musl', zig: true },
  { tag: 'linux-arm64-musl', triple: 'aarch64-unknown-linux-musl', os: 'linux', cpu: 'arm64', libc: 'musl', zig: true },
  { tag: 'darwin-x64', triple: 'x86_64-apple-darwin', os: 'darwin', cpu: 'x64' },
  { tag: 'darwin-arm64', triple: 'aarch64-apple-darwin', os: 'darwin', cpu: 'arm64' },
  { tag: 'win32-x64-msvc', triple: 'x86_64-pc-windows-msvc', os: 'win32', cpu: 'x64' },
  { tag: 'win32-arm64-msvc', triple: 'aarch64-pc-windows-msvc', os: 'win32', cpu: 'arm64' },
]

export const packageOf = ({ tag }) => `clawback-${tag}`
export const fileOf = ({ tag }) => `clawback.${tag}.node`

/** The row of a tag or a triple. */
export function targetOf(name) {
  const found = targets.find(({ tag, triple }) => tag === name || triple === name)
  if (!found) throw new Error(`no such platform: ${name}; there are ${targets.map(({ tag }) => tag).join(', ')}`)
  return found
}
