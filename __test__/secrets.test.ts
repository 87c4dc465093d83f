// Nothing secret reaches the disk, whatever call brings it (FAULTS G3, G4); the host's own objects stay as they are.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as clawback from '../index.js'
import { assistant, filesOf, freshDir, manual, toolCall, toolResult, user } from './support/sandbox.js'

// Put together at run time, so that no scanner takes this file for a leak.
const secrets = {
  openai: ['sk', 'proj', 'Zk3vT9qLmN8bX2cV5wRt7yUiOpAsDfGhJkLz'].join('-'),
  github: `ghp_${'16C7e42F292c6912E7710c838347Ae178B4a'}`,
  aws: `AKIA${'IOSFODNN7EXAMPLQ'}`,
  password: 'hunter2-Tr0ub4dor',
  bearer: ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'].join('.'),
  key: 'MIIEpAIBAAKCAQEAn5mQbZq1cN0a',
}
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${secrets.key}\nabcdefghijklmnop\n-----END RSA PRIVATE KEY-----`
const told =
  `OPENAI_API_KEY=${secrets.openai} GITHUB_TOKEN=${secrets.github} aws_access_key_id = ${secrets.aws}; ` +
  `curl -H 'Authorization: Bearer ${secrets.bearer}' https://bob:${secrets.password}@db.example.com/x\n${pem}`

const leaksOf = (text: string) => Object.entries(secrets).filter(([, value]) => text.includes(value)).map(([kind]) => kind)

test('no call leaves a secret below the state directory or gives one back', async () => {
  const dir = freshDir()
  const key = 'secrets'
  const messages = [
    user(`Deploy with ${told}`),
    assistant([{ type: 'thinking', thinking: told }, { type: 'text', text: `I'll use this for the deployment: ${told}` }]),
    toolCall('c1', 'bash', { command: told, path: `/srv/app?token=${secrets.github}`, password: secrets.password, headers: { Authorization: `Bearer ${secrets.bearer}` } }),
    toolResult('c1', `failed: ${told}`, true),
    { role: 'compactionSummary', summary: `## Goal\nDeploy with ${told}`, timestamp: 11 },
    { role: 'branchSummary', summary: told, timestamp: 12 },
    { role: 'bashExecution', command: told, output: told, exitCode: 1, timestamp: 13 },
    { role: 'custom', customType: 'extension', content: told, timestamp: 14 },
    { role: 'alien', content: [{ type: 'hologram', data: told }, { type: 'text', text: told }], timestamp: 15 },
    user(`Now use ${told}`),
  ]
  const before = structuredClone(messages)
  await clawback.appendDecisionToState(dir, key, { what: `Use ${told}` })
  await clawback.appendOpenItemToState(dir, key, `Rotate ${told}`)
  await clawback.resolveOpenItemInState(dir, key, `Rotate ${told}`)
  await clawback.appendOpenItemToState(dir, key, `Revoke ${told}`)
  await clawback.appendLearningToState(dir, key, `Learned that ${told}`)
  await clawback.recordToolUseInState(dir, key, { name: 'bash', params: { command: told, env: { DB_PASSWORD: secrets.password } }, isError: true, errorText: told })
  await clawback.recordToolUseInState(dir, key, { name: 'read', params: { path: `https://bob:${secrets.password}@db.example.com/a.txt` } })
  await clawback.writeLastToolCallToState(dir, key, { name: 'bash', paramsSummary: told })
  const outcome = await clawback.writeCheckpoint(dir, key, {
    ...manual, messages, channel: `telegram ${secrets.openai}`, agentId: `agent ${secrets.github}`, sessionFile: `/tmp/${secrets.github}.jsonl`,
    fileOps: { read: new Set([`https://bob:${secrets.password}@db.example.com/x`]), written: [`a?token=${secrets.github}`], edited: [`b?api_key=${secrets.openai}`] },
    agents: [{ id: 'job-1', task: told }],
  })
  expect(outcome.written).toBe(true)
  expect(messages).toEqual(before)
  const files = filesOf(dir)
  expect(files.length).toBeGreaterThan(4)
  expect(files.map((file) => [file, leaksOf(readFileSync(file, 'utf8'))]).filter(([, leaks]) => leaks!.length > 0)).toEqual([])
  const given = [await clawback.readState(dir, key), await clawback.readLatestCheckpoint(dir, key), await clawback.readCheckpointForInjection(dir, key), await clawback.readLastToolCallFromState(dir, key),
    await clawback.buildCheckpointFromState(dir, key, { ...manual, messages, agents: [{ id: 'job-2', task: told }] })]
  expect(leaksOf(JSON.stringify(given))).toEqual([])
})

test('a mark that comes back is no secret and no value, and stays as it is', async () => {
  const dir = freshDir()
  const once = clawback.redactSecrets(told)
  expect(once).toMatch(/\[redacted:[a-z-]+\]/)
  expect(clawback.redactSecrets(once)).toBe(once)
  await clawback.appendDecisionToState(dir, 'k', { what: `Use ${once.split('\n')[0]}` })
  expect((await clawback.readState(dir, 'k')).decisions[0]!.text).toBe(`Use ${once.split('\n')[0]}`)
})

test.each([
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixes it',
  'session 123e4567-e89b-42d3-a456-426614174000 is open',
  'sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'see /usr/lib/x86_64-linux-gnu/libcrypto.so.3 and src/tokens/password-reset.ts',
  'the task takes 30 tokens, the password field is required',
])('what is no secret stays: %s', (text) => {
  expect(clawback.redactSecrets(text)).toBe(text)
})
