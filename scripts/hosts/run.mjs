// npm run test:hosts [PART ...]: clawback inside the real hosts, headless, against a stub model on loopback. Each part is a
// folder here with tests `PART.test.mjs`, and `long.test.mjs` where it has sessions that take minutes (`--long`). The hosts
// come from npm into a cache folder (CLAWBACK_HOSTS_DIR, else ~/.cache/clawback-hosts); `--install` only puts them there.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { openclaw } from './openclaw/install.mjs'
import { piVersions } from './pi/versions.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const named = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
const long = process.argv.includes('--long')
const parts = named.length ? named : ['openclaw', 'pi']

if (process.argv.includes('--install')) {
  const missing = [openclaw().missing, ...piVersions().missing].filter(Boolean)
  console.log(missing.length ? missing.join('\n') : 'the hosts are installed')
  process.exit(missing.length ? 1 : 0)
}

for (const part of parts) {
  const file = path.join(here, part, long ? 'long.test.mjs' : `${part}.test.mjs`)
  if (!existsSync(file)) continue
  const started = Date.now()
  await new Promise((resolve) => {
    const output = run({ files: [file], concurrency: false })
      .on('test:fail', () => (process.exitCode = 1))
      .compose(spec)
    output.pipe(process.stdout, { end: false })
    output.on('end', resolve)
  })
  console.log(`== ${part}: ${((Date.now() - started) / 60_000).toFixed(1)} min`)
}
