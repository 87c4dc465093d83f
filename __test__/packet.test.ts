// What a packet keeps of a real day's work, at two places where a host might have compacted.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readCheckpointForInjection, writeCheckpoint } from '../index.js'

const dirs: string[] = []
afterEach(() => dirs.splice(0).forEach((dir) => rmSync(dir, { recursive: true, force: true })))

async function packetAt(lines: number): Promise<string> {
  const stateDir = mkdtempSync(path.join(tmpdir(), 'clawback-packet-'))
  dirs.push(stateDir)
  const session = path.join(__dirname, '..', 'fixtures', 'demo-session.jsonl')
  const messages = readFileSync(session, 'utf8').split('\n').filter(Boolean).slice(0, lines)
    .map((line) => JSON.parse(line)).filter((entry) => entry.type === 'message').map((entry) => entry.message)
  const tokenUsage = { inputTokens: 170_000, contextWindow: 200_000 }
  await writeCheckpoint(stateDir, 'agent:main:packet', { trigger: 'compaction', messages, tokenUsage })
  return (await readCheckpointForInjection(stateDir, 'agent:main:packet')) ?? ''
}

const standing = [/reliable[^]{0,60}2\.0/, /migrations\//, /npm dependency/, /Node must stay at 20/, /60 s/, /backlog/]

test.each([
  [200, [...standing, /200 char/, /never log the token/, /sequential/, /placed_at/]],
  [347, [...standing, /200 char/, /failed=/, /sequential/, /lock/, /negative/, /staging/, /notes-2\.0/]],
])('after %i lines the packet holds what the rest of the day needs', async (lines, facts) => {
  const packet = await packetAt(lines)
  expect(packet.length).toBeLessThanOrEqual(2_800)
  expect(facts.filter((fact) => !fact.test(packet))).toEqual([])
})
