// A disk that takes small things and no large ones, then all again: nothing comes twice, nothing comes out of its order.
import { execFileSync, spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { freshDir } from './support/sandbox.js'

const index = JSON.stringify(path.resolve(__dirname, '../index.js'))
/** The limit on the size of files stands in for a full disk: both are `NoSpace`. */
const host = `
  const { ContextSession } = require(${index})
  const { execFileSync } = require('node:child_process')
  const { readdirSync, statSync } = require('node:fs')
  const path = require('node:path')
  const [stateDir] = process.argv.slice(1)
  const limit = (bytes) => execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=' + bytes + ':'])
  let clock = Date.UTC(2026, 6, 6)
  const user = (content) => ({ role: 'user', content, timestamp: (clock += 1000) })
  const reply = (text) => ({ role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop', timestamp: (clock += 1000) })
  void (async () => {
    const session = await ContextSession.open({ stateDir, sessionKey: 'test:full', contextWindow: 32000 })
    const messages = [user('Alpha: build it.'), reply('Bravo: built.')]
    session.sync(structuredClone(messages))
    await session.plan()
    const sessions = path.join(stateDir, 'context', 'sessions')
    const journal = path.join(sessions, readdirSync(sessions)[0], 'journal.jsonl')
    limit(statSync(journal).size + 1000)
    messages.push(user('Charlie: ' + 'use JWT for every request of the service. '.repeat(60)))
    session.sync(structuredClone(messages))
    const { warnings } = await session.plan()
    messages.push(reply('Delta: done.'))
    const refused = await session.commit(structuredClone(messages.slice(-1)), { key: 'run' }).then(() => 'taken', (error) => error.code)
    const { problems } = await session.health()
    limit('unlimited')
    messages.push(user('Echo: go on.'))
    session.sync(structuredClone(messages))
    const after = await session.plan()
    const hits = await session.recall('alpha bravo charlie delta echo', { maxTokens: 100000 })
    const health = await session.health()
    await session.close()
    hits.sort((a, b) => Number(a.chunkId.split('-')[1]) - Number(b.chunkId.split('-')[1]))
    console.log(JSON.stringify({ warnings, refused, problems, after: after.warnings, found: hits.map((hit) => hit.text.split(':')[0]), still: health.problems }))
  })()
`
const canLimit = (() => {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

test.skipIf(!canLimit)('a full disk is told once in plain words, and what was said meanwhile is stored in its order', () => {
  const child = spawnSync(process.execPath, ['-e', host, freshDir()], { encoding: 'utf8' })
  expect(child.stderr).toBe('')
  const told = expect.stringMatching(/^the disk of .*context is full: what is said now is kept in memory and stored as soon as that is possible/)
  expect(JSON.parse(child.stdout)).toEqual({
    warnings: [told], refused: 'NoSpace', problems: [told], after: [], found: ['Alpha', 'Bravo', 'Charlie', 'Delta', 'Echo'], still: [],
  })
})
