// Which glibc a Linux binary asks for: fails above the floor, and where the image could be unmapped under its own threads.
//
//     node scripts/platform/symbols.mjs npm/linux-x64-gnu/clawback.linux-x64-gnu.node
import { spawnSync } from 'node:child_process'
import { GLIBC_FLOOR } from './targets.mjs'

/** The versions of glibc in `objdump -T`, newest first, each with a symbol that asks for it. */
export function glibcVersions(table) {
  const found = new Map()
  for (const [, version, symbol] of table.matchAll(/\(?GLIBC_([\d.]+)\)?\s+(\S+)/g)) if (!found.has(version)) found.set(version, symbol)
  return [...found].map(([version, symbol]) => ({ version, symbol })).sort((a, b) => compare(b.version, a.version))
}

/** Versions are lists of numbers: 2.9 is older than 2.17. */
export function compare(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

if (process.argv[1]?.endsWith('symbols.mjs')) {
  const files = process.argv.slice(2)
  if (files.length === 0) {
    console.error('usage: node scripts/platform/symbols.mjs FILE...')
    process.exit(2)
  }
  for (const file of files) {
    const dump = spawnSync('objdump', ['-T', file], { encoding: 'utf8', maxBuffer: 2 ** 26 })
    if (dump.error || dump.status !== 0) {
      console.error(`${file}: objdump failed: ${dump.error?.message ?? dump.stderr}`)
      process.exit(1)
    }
    const versions = glibcVersions(dump.stdout)
    const floor = GLIBC_FLOOR.join('.')
    const newest = versions[0]
    if (!newest) {
      console.error(`${file}: no symbol of glibc at all; is it a musl binary, or no binary?`)
      process.exit(1)
    }
    if (compare(newest.version, floor) > 0) {
      const above = versions.filter(({ version }) => compare(version, floor) > 0)
      console.error(`${file}: asks for glibc above ${floor}: ${above.map(({ version, symbol }) => `${symbol} (${version})`).join(', ')}`)
      process.exit(1)
    }
    // build.rs asks for it: worker threads of ours may outlive the last Node worker that loaded the addon.
    if (!/NODELETE/.test(spawnSync('readelf', ['-d', file], { encoding: 'utf8' }).stdout ?? '')) {
      console.error(`${file}: is not marked NODELETE`)
      process.exit(1)
    }
    console.log(`${file}: newest glibc symbol ${newest.symbol} (${newest.version}), floor ${floor}`)
  }
}
