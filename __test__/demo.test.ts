// The demo is the first thing that people run: it works piped, ends quickly, and shows what it promises.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(__dirname, '..')

test('the fixture is a session as the issue asks for', () => {
  const entries = readFileSync(path.join(root, 'fixtures/demo-session.jsonl'), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))
  const messages = entries.filter((entry) => entry.type === 'message').map((entry) => entry.message)
  expect(entries.length).toBeGreaterThanOrEqual(300)
  expect(entries.filter((entry) => entry.type === 'compaction').length).toBe(2)
  expect(messages.some((message) => message.role === 'toolResult' && message.isError)).toBe(true)
  expect(messages.some((message) => message.role === 'user' && JSON.stringify(message.content).includes('HEARTBEAT_OK'))).toBe(true)
  expect(JSON.stringify(entries)).not.toMatch(/\/tmp\/clawback|\/root\//)
})

test('npm run demo shows gauge, checkpoints, what was captured and the packet', () => {
  const started = Date.now()
  const run = spawnSync(process.execPath, ['dist/demo/main.js'], { cwd: root, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } })
  expect(run.stderr).toBe('')
  expect(run.status).toBe(0)
  expect(Date.now() - started).toBeLessThan(15_000)
  const shown = run.stdout
  expect(shown).toMatch(/\[Context: \d+% \| /)
  expect(shown.match(/checkpoint cp_\d+ written/g)!.length).toBeGreaterThanOrEqual(2)
  expect(shown.match(/host compaction/g)!.length).toBe(2)
  expect(shown).toMatch(/\+ decision/)
  expect(shown).toContain('[Post-compaction checkpoint restore]')
  // A changed mind wins: the last packet knows the newer timeout and not the older one.
  const packet = shown.slice(shown.lastIndexOf('[Post-compaction checkpoint restore]'))
  expect(packet).toMatch(/60 s for the request timeout/)
  expect(packet.replaceAll('instead of 30 s', '')).not.toMatch(/timeout[^\n]*\b30 ?s/i)
})
