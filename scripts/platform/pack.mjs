// Packs what would be published: the main package and every platform package whose binary is there.
//
//     node scripts/platform/pack.mjs [OUT]        # OUT: a folder, `pack` if missing
//
// The main package gets its optionalDependencies here, at exactly its own version, and not in the repository: a lock file
// cannot name packages that are not published yet, and `npm ci` on a fresh clone would refuse to run.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { disagreements } from './check.mjs'
import { fileOf, packageOf, readJson, root, targets } from './targets.mjs'

/** package.json of the main package as it is published. */
export function published(main) {
  const { devDependencies: _development, scripts: _scripts, ...rest } = main
  return { ...rest, optionalDependencies: Object.fromEntries(targets.map((target) => [packageOf(target), main.version])) }
}

const npm = (args, cwd) => {
  const run = spawnSync('npm', args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' })
  if (run.error || run.status !== 0) throw new Error(`npm ${args.join(' ')}: ${run.error?.message ?? run.stderr}`)
  return run.stdout
}
/** Packs a folder without running its scripts; resolves to the tarball's name and its files. */
function pack(folder, out) {
  const [made] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', out], folder))
  return { file: path.join(out, made.filename), files: made.files.map((file) => file.path).sort(), bytes: made.size }
}

/** Files that must be in the main tarball, whatever else is. */
const NEEDED = ['binding.js', 'dist/cli/main.js', 'index.d.ts', 'index.js', 'lib/loader.js', 'package.json', 'hosts/pi/index.ts', 'README.md', 'LICENSE']
/** What has no business in it. */
const FOREIGN = /(^|\/)(__test__|fixtures|crates|src|target|bench|scripts|node_modules)\/|\.node$|\.tgz$|\.test\.|(^|\/)\.(?!npmignore)/

export function packAll(out) {
  const wrong = disagreements()
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  mkdirSync(out, { recursive: true })
  const stage = mkdtempSync(path.join(tmpdir(), 'clawback-pack-'))
  try {
    const main = readJson('package.json')
    for (const name of main.files) {
      if (!existsSync(path.join(root, name))) throw new Error(`${name} is in package.json's files and not here; run \`npm run build\` first`)
      cpSync(path.join(root, name), path.join(stage, name), { recursive: true })
    }
    writeFileSync(path.join(stage, 'package.json'), JSON.stringify(published(main), null, 2) + '\n')
    const made = [pack(stage, out)]
    const { files } = made[0]
    const missing = NEEDED.filter((file) => !files.includes(file))
    const foreign = files.filter((file) => FOREIGN.test(file))
    if (missing.length + foreign.length > 0) throw new Error(`the main package lacks ${missing.join(', ') || 'nothing'} and holds ${foreign.join(', ') || 'nothing foreign'}`)
    for (const target of targets) {
      const folder = path.join(root, 'npm', target.tag)
      if (!existsSync(path.join(folder, fileOf(target)))) continue
      const platform = pack(folder, out)
      const wanted = ['LICENSE', 'README.md', fileOf(target), 'package.json'].filter((file) => file !== 'LICENSE' || existsSync(path.join(folder, file))).sort()
      if (JSON.stringify(platform.files) !== JSON.stringify(wanted)) throw new Error(`${packageOf(target)} holds ${platform.files.join(', ')}`)
      made.push(platform)
    }
    return made
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

if (process.argv[1]?.endsWith('pack.mjs')) {
  for (const { file, files, bytes } of packAll(path.resolve(process.argv[2] ?? path.join(root, 'pack')))) {
    console.log(`${path.basename(file)}: ${files.length} files, ${(bytes / 1024).toFixed(0)} kB`)
  }
}
