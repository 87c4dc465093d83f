// The surface is what other people's code depends on: names, codes, both module systems.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import * as clawback from '../index.js'

const root = path.join(__dirname, '..')
const exportsOf = (loaded: object) => Object.keys(loaded).filter((name) => name !== 'default' && name !== 'module.exports').sort()

test('the exports', () => {
  const list = exportsOf(require('../index.js'))
  expect(list.filter((name) => (clawback as Record<string, unknown>)[name] === undefined)).toEqual([])
  expect(list).toMatchSnapshot()
})

test('nothing native is left out', () => {
  const internal = ['stopWords', 'estimateMessages', '__napiBindingTarget', 'startEnrichment', 'mergeEnrichment', 'openSession']
  const native = Object.keys(require('../binding.js')).filter((name) => !name.startsWith('__panic') && /^[a-z_]/.test(name) && !internal.includes(name))
  expect(native.filter((name) => !(name in clawback))).toEqual([])
})

test('require and import give the same names', () => {
  const script = "import * as m from './index.js'; console.log(JSON.stringify(Object.keys(m)))"
  const imported = JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' }))
  expect(imported.filter((name: string) => name !== 'default' && name !== 'module.exports').sort()).toEqual(exportsOf(require('../index.js')))
})

test('the version is that of the package', () => {
  expect(clawback.version).toBe(require('../package.json').version)
})

test('the package runs nothing when it is installed', () => {
  const { scripts } = require('../package.json')
  expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([])
})

describe('error codes', () => {
  const dir = path.join(root, 'no', 'such', 'dir')
  const code = (run: () => unknown) => {
    try {
      run()
      return 'none'
    } catch (error) {
      return (error as { code?: string }).code
    }
  }
  const codeOf = (promise: Promise<unknown>) => promise.then(() => 'none', (error: { code?: string }) => error.code)

  test('are those of the core and one of the loader, and the types name each', () => {
    const source = readFileSync(path.join(root, 'crates/core/src/error.rs'), 'utf8')
    const codes = [...source.matchAll(/=> "([A-Za-z]+)"/g)].map((match) => match[1]!)
    const types = /type ErrorCode =([^]*?)\n\n/.exec(readFileSync(path.join(root, 'index.d.ts'), 'utf8'))![1]!
    const typed = [...types.matchAll(/'([A-Za-z]+)'/g)].map((match) => match[1]!)
    expect(typed.toSorted()).toEqual([...codes, 'LoadFailed'].toSorted())
    expect(typed.toSorted()).toMatchSnapshot()
  })

  test('of wrong arguments', async () => {
    expect(code(() => clawback.normalize(7 as never))).toBe('InvalidInput')
    expect(code(() => clawback.normalize('x'.repeat(300 * 1024)))).toBe('InvalidInput')
    expect(code(() => clawback.sanitizeSessionKeyForPath('\ud83d'))).toBe('InvalidInput')
    expect(await codeOf(clawback.readState(dir, ''))).toBe('InvalidInput')
    expect(await codeOf(clawback.readState(dir, 1161888007138312 as never))).toBe('InvalidInput')
    expect(await codeOf(clawback.appendDecisionToState(dir, 'a\udc00', { what: 'x' }))).toBe('InvalidInput')
    expect(await codeOf(clawback.writeCheckpoint(dir, 'a', { trigger: 'sometimes' as never, tokenUsage: { inputTokens: 1, contextWindow: 2 } }))).toBe('InvalidInput')
  })

  test('of things that are not there or damaged', async () => {
    expect(await codeOf(clawback.readCheckpoint(dir, 'a', 'cp_001'))).toBe('NotFound')
    expect(await codeOf(clawback.openTranscript(path.join(dir, 'x.jsonl')))).toBe('NotFound')
    expect(code(() => clawback.parseCheckpointYaml('schema: [unclosed'))).toBe('Corrupt')
  })
})
