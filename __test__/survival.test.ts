// The host always lives: panics come back as errors, worker threads come and go.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'

const root = path.join(__dirname, '..')

test('a panic in each kind of export is an error, and the process goes on', () => {
  const script = `
    const native = require('./binding.js'), { syncExport, asyncExport } = require('./lib/boundary.js')
    const seen = []
    try { syncExport(native, '__panicSync')() } catch (error) { seen.push(error.code) }
    const dir = require('node:fs').mkdtempSync(require('node:path').join(require('node:os').tmpdir(), 'clawback-test-'))
    asyncExport(native, '__panicJob')(dir, 'panics')
      .catch((error) => seen.push(error.code))
      .then(() => require('./index.js').readState(dir, 'panics'))
      .then((state) => seen.push(Array.isArray(state.decisions)))
      .finally(() => { require('node:fs').rmSync(dir, { recursive: true }); console.log(JSON.stringify(seen)) })`
  const env = { ...process.env, CLAWBACK_TEST_FAULTS: '1' }
  const output = execFileSync(process.execPath, ['-e', script], { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  expect(JSON.parse(output)).toEqual(['Internal', 'Internal', true])
})

test('the hooks for that test refuse without their switch', () => {
  const script = "try { require('./lib/boundary.js').syncExport(require('./binding.js'), '__panicSync')() } catch (error) { console.log(error.code) }"
  expect(execFileSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' }).trim()).toBe('Unsupported')
})

test('20 worker threads load, use and end', async () => {
  const script = `
    const { parentPort } = require('node:worker_threads'), fs = require('node:fs'), os = require('node:os'), path = require('node:path')
    const clawback = require(${JSON.stringify(path.join(root, 'index.js'))})
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clawback-test-'))
    clawback.appendDecisionToState(dir, 'worker', { what: 'Use worker threads' }).then((outcome) => {
      fs.rmSync(dir, { recursive: true, force: true })
      parentPort.postMessage(outcome)
      setInterval(() => {}, 1000)
    })`
  const once = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(script, { eval: true })
      worker.once('error', reject)
      worker.once('message', (outcome) => worker.terminate().then(() => resolve(outcome), reject))
    })
  const outcomes: unknown[] = []
  for (let round = 0; round < 5; round++) outcomes.push(...(await Promise.all([once(), once(), once(), once()])))
  expect(outcomes).toEqual(Array(20).fill('added'))
})
