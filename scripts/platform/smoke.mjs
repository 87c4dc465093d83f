// A prebuilt addon on the platform that it is for, without Rust: loads it, writes and reads through it, also in workers,
// and runs the Node tests where npm packages are installed.
//
//     node scripts/platform/smoke.mjs prebuilt/clawback.linux-x64-musl.node
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { root } from './targets.mjs'

const addon = process.argv[2]
if (!addon) {
  console.error('usage: node scripts/platform/smoke.mjs FILE.node')
  process.exit(2)
}
copyFileSync(addon, path.join(root, path.basename(addon)))

const clawback = createRequire(import.meta.url)('../../index.js')
const stateDir = mkdtempSync(path.join(tmpdir(), 'clawback-smoke-'))
try {
  const messages = [{ role: 'user', content: 'Set the request timeout to 60 s, and never touch migrations/.', timestamp: Date.now() }]
  const tokenUsage = { inputTokens: 164_000, contextWindow: 200_000 }
  const outcome = await clawback.writeCheckpoint(stateDir, 'agent:main:smoke', { trigger: 'manual', tokenUsage, messages })
  assert.equal(outcome.written, true)
  assert.match(await clawback.readCheckpointForInjection(stateDir, 'agent:main:smoke'), /migrations/)
  for (let round = 0; round < 5; round++) {
    const code = `require(${JSON.stringify(path.join(root, 'index.js'))}).readLatestCheckpoint(${JSON.stringify(stateDir)}, 'agent:main:smoke').then((found) => require('node:worker_threads').parentPort.postMessage(found.meta.checkpoint_id))`
    const worker = new Worker(code, { eval: true })
    assert.equal(await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject)), 'cp_001')
    await worker.terminate()
  }
  console.log(`clawback ${clawback.version} works here: ${process.platform} ${process.arch}, Node ${process.version}`)
} finally {
  rmSync(stateDir, { recursive: true, force: true })
}

const bin = (...parts) => path.join(root, 'node_modules', ...parts)
if (existsSync(bin('vitest', 'vitest.mjs'))) {
  for (const args of [[bin('typescript', 'bin', 'tsc'), '-p', path.join(root, 'tsconfig.build.json')], [bin('vitest', 'vitest.mjs'), 'run']]) {
    const run = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
    if (run.status !== 0) process.exit(run.status ?? 1)
  }
}
