// The packed tarballs, installed the way users will: by `pi install`, by `openclaw plugins install`, and run by `npx`, each
// in a clean home. A registry on loopback serves what is not published yet and passes everything else on.
//
//     node scripts/platform/install.mjs        # needs npm/<platform>/*.node (build.mjs) and an npm registry
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeHome, says, startGateway } from '../hosts/openclaw/gateway.mjs'
import { openclaw } from '../hosts/openclaw/install.mjs'
import { piVersions } from '../hosts/pi/versions.mjs'
import { packAll } from './pack.mjs'
import { readJson } from './targets.mjs'

const { version } = readJson('package.json')
const upstream = (process.env.npm_config_registry ?? 'https://registry.npmjs.org/').replace(/\/$/, '')

/** Serves the tarballs as packages of this version. */
async function serve(tarballs) {
  const packages = new Map(tarballs.map((file) => [path.basename(file).replace(`-${version}.tgz`, ''), readFileSync(file)]))
  const manifests = new Map()
  const server = http.createServer(async (request, response) => {
    const name = decodeURIComponent(request.url.slice(1).split('?')[0])
    const tarball = packages.get(name.replace(/^-\//, '').replace(/\.tgz$/, ''))
    if (tarball && name.endsWith('.tgz')) return response.end(tarball)
    if (tarball) {
      const dist = { tarball: `http://127.0.0.1:${server.address().port}/-/${name}.tgz`, integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}` }
      const packument = { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifests.get(name), dist } } }
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(packument))
    }
    try {
      const answer = await fetch(`${upstream}${request.url}`, { headers: { accept: request.headers.accept ?? '*/*' } })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' }).end(Buffer.from(await answer.arrayBuffer()))
    } catch (error) {
      response.writeHead(502).end(String(error))
    }
  })
  for (const [name, tarball] of packages) manifests.set(name, await manifestOf(tarball))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }
}

async function manifestOf(tarball) {
  const dir = mkdtempSync(path.join(tmpdir(), 'clawback-manifest-'))
  writeFileSync(path.join(dir, 'package.tgz'), tarball)
  await run('tar', ['-xzf', 'package.tgz', 'package/package.json'], { cwd: dir })
  const manifest = JSON.parse(readFileSync(path.join(dir, 'package', 'package.json'), 'utf8'))
  rmSync(dir, { recursive: true })
  return manifest
}

function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let output = ''
    child.stdout.on('data', (data) => (output += data))
    child.stderr.on('data', (data) => (output += data))
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${path.basename(command)} ${args.join(' ')} ended with ${code}:\n${output}`))))
  })
}

/** Installs the tarball as docs/openclaw.md says, sets what it says, and plays a turn: the native part came along when the turn is stored. */
async function inOpenClaw(host, tarball) {
  const home = await makeHome(host, { enabled: false })
  try {
    Object.assign(home.env, { npm_config_registry: registry.url, npm_config_cache: path.join(base, 'npm-cache') })
    await run(host.node, [path.join(host.dir, 'openclaw.mjs'), 'plugins', 'install', `npm-pack:${tarball}`, '--force', '--accept-capabilities'], { cwd: home.dir, env: home.env })
    const config = JSON.parse(readFileSync(home.env.OPENCLAW_CONFIG_PATH, 'utf8'))
    config.plugins.allow = ['clawback']
    config.plugins.slots.contextEngine = 'clawback'
    config.plugins.entries = { ...config.plugins.entries, clawback: { enabled: true, hooks: { allowConversationAccess: true }, config: {} } }
    writeFileSync(home.env.OPENCLAW_CONFIG_PATH, JSON.stringify(config, null, 2))
    const gateway = await startGateway(home)
    try {
      assert.deepEqual(await gateway.turn('Use port 6543.', [says('Port 6543.')]), { status: 'ok', text: 'Port 6543.' })
      assert.doesNotMatch(gateway.log(), /clawback: not active|degraded to "legacy"/)
    } finally {
      await gateway.stop()
    }
    const sessions = path.join(home.state, 'context', 'sessions')
    assert.equal(readdirSync(sessions).filter((name) => name.startsWith('agent-main-main-')).length, 1, 'the turn is stored')
    console.log('openclaw plugins install npm-pack, and a turn: works')
  } finally {
    await home.remove()
  }
}

const base = mkdtempSync(path.join(tmpdir(), 'clawback-install-'))
const tarballs = packAll(path.join(base, 'pack')).map(({ file }) => file)
assert.equal(tarballs.length >= 2, true, 'no binary in npm/: run scripts/platform/build.mjs first')
const registry = await serve(tarballs)
const home = (name) => {
  const dir = path.join(base, name)
  mkdirSync(dir, { recursive: true })
  return { dir, env: { PATH: process.env.PATH, HOME: dir, LANG: 'C.UTF-8', npm_config_registry: registry.url, npm_config_cache: path.join(base, 'npm-cache'), npm_config_update_notifier: 'false', npm_config_prefix: path.join(dir, '.npm-global') } }
}
try {
  const clean = home('npx')
  const printed = await run('npx', ['--yes', `clawback@${version}`, 'replay', path.join(import.meta.dirname, '../../fixtures/demo-session.jsonl'), '--json'], { cwd: clean.dir, env: clean.env })
  assert.match(printed, /checkpoint/)
  console.log(`npx clawback@${version}: works`)

  for (const pi of piVersions().found) {
    const { dir, env } = home(`pi-${pi.name}`)
    const agent = path.join(dir, 'agent')
    mkdirSync(agent)
    const own = { ...env, PATH: `${path.dirname(pi.node)}${path.delimiter}${env.PATH}`, PI_CODING_AGENT_DIR: agent, PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' }
    await run(pi.node, [pi.cli, 'install', `npm:clawback@${version}`], { cwd: dir, env: own })
    assert.match(await run(pi.node, [pi.cli, 'list'], { cwd: dir, env: own }), /clawback/)
    // RPC mode without a model: enough to load the extension and its native part, and to ask it something.
    const talk = spawn(pi.node, [pi.cli, '--mode', 'rpc'], { cwd: dir, env: { ...own, PI_OFFLINE: '1' }, stdio: ['pipe', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [talk.stdout, talk.stderr]) stream.on('data', (data) => (output += data))
    talk.stdin.write(`${JSON.stringify({ id: '1', type: 'prompt', message: '/ctx-status' })}\n`)
    for (let waited = 0; !/mode: prune|clawback is off/.test(output) && waited < 300; waited++) await new Promise((resolve) => setTimeout(resolve, 100))
    talk.stdin.end()
    await new Promise((resolve) => talk.on('close', resolve))
    assert.match(output, /mode: prune/, output)
    console.log(`pi ${pi.name} install npm:clawback@${version}: works`)
  }

  const host = openclaw()
  if (host.missing) console.log(`openclaw: skipped, ${host.missing}`)
  else await inOpenClaw(host, tarballs[0])
} finally {
  registry.close()
  rmSync(base, { recursive: true, force: true })
}
