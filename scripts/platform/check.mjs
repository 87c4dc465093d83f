// One version and one list of platforms, wherever they are written down. Run before every release and by the tests.
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileOf, packageOf, readJson, root, targets } from './targets.mjs'

const { platformTags } = createRequire(import.meta.url)('../../lib/loader.js')

/** What disagrees; empty when all is in step. */
export function disagreements() {
  const wrong = []
  const same = (what, found, wanted) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push(`${what} is ${JSON.stringify(found)}, should be ${JSON.stringify(wanted)}`)
  }
  const main = readJson('package.json')
  const { version } = main
  const cargo = readFileSync(path.join(root, 'Cargo.toml'), 'utf8')
  same('the version in Cargo.toml', /\[workspace\.package\]\s*version = "([^"]+)"/.exec(cargo)?.[1], version)
  same('the version in package-lock.json', readJson('package-lock.json').packages[''].version, version)
  same('napi.targets in package.json', [...main.napi.targets].sort(), targets.map(({ triple }) => triple).sort())
  // npm writes what it cannot find into no lock file, and `npm ci` refuses a lock file that lacks something: on a fresh
  // clone of a version that is not published yet the platform packages would break the install. pack.mjs adds them.
  same('optionalDependencies in package.json', main.optionalDependencies, undefined)
  same('the folders in npm/', readdirSync(path.join(root, 'npm')).sort(), targets.map(({ tag }) => tag).sort())
  for (const target of targets) {
    const found = readJson('npm', target.tag, 'package.json')
    const where = `npm/${target.tag}:`
    same(`${where} name`, found.name, packageOf(target))
    same(`${where} version`, found.version, version)
    same(`${where} os`, found.os, [target.os])
    same(`${where} cpu`, found.cpu, [target.cpu])
    same(`${where} libc`, found.libc, target.libc && [target.libc])
    same(`${where} main`, found.main, fileOf(target))
    same(`${where} files`, found.files, [fileOf(target)])
    same(`${where} engines`, found.engines, main.engines)
    same(`${where} scripts`, found.scripts, undefined)
    if (!platformTags(target.os, target.cpu).includes(target.tag)) wrong.push(`lib/loader.js does not try ${target.tag} on ${target.os} ${target.cpu}`)
  }
  return wrong
}

if (process.argv[1]?.endsWith('check.mjs')) {
  const wrong = disagreements()
  for (const line of wrong) console.error(line)
  if (wrong.length > 0) process.exit(1)
  console.log(`clawback ${readJson('package.json').version}: ${targets.length} platforms in step`)
}
