// Records fixtures/demo-session.jsonl by driving a real Pi session against the stub model. It is not part of the test
// run; to record again, install the agent anywhere and pass its cli.js:
//
//     npm install --prefix /tmp/pi @mariozechner/pi-coding-agent@0.73.1
//     node demo/record/record.mjs /tmp/pi/node_modules/@mariozechner/pi-coding-agent/dist/cli.js
//
// Needs the sqlite3 command and nothing on port 18081. The recording is scrubbed of paths, ids and times (scrub.mjs).
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startModel } from './model.mjs'
import { project } from './project.mjs'
import { scrub } from './scrub.mjs'
import { story, summaries } from './story.mjs'

// Small enough that the host compacts twice in this story.
const CONTEXT_WINDOW = Number(process.env.CONTEXT_WINDOW ?? 15_500)
const RESERVE = 2_500
const KEEP_RECENT = 3_000

const cli = process.argv[2]
if (!cli) {
  console.error('usage: node demo/record/record.mjs PATH_TO_PI_CLI_JS')
  process.exit(2)
}
const fixture = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../fixtures/demo-session.jsonl')
const base = mkdtempSync(path.join(tmpdir(), 'clawback-record-'))
const [workDir, agentDir, sessionDir] = ['shop', 'agent', 'sessions'].map((name) => path.join(base, name))
mkdirSync(agentDir)
for (const [file, content] of Object.entries(project)) {
  mkdirSync(path.dirname(path.join(workDir, file)), { recursive: true })
  writeFileSync(path.join(workDir, file), content)
}

const model = await startModel(story, summaries)
const json = (value) => JSON.stringify(value, null, 2)
writeFileSync(path.join(agentDir, 'models.json'), json({
  providers: {
    stub: {
      baseUrl: `http://127.0.0.1:${model.port}/v1`, api: 'openai-completions', apiKey: 'none',
      compat: { supportsDeveloperRole: false, supportsStore: false, maxTokensField: 'max_tokens' },
      models: [{ id: 'story', name: 'Story', reasoning: false, input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: CONTEXT_WINDOW, maxTokens: 2048 }],
    },
  },
}))
writeFileSync(path.join(agentDir, 'settings.json'), json({
  defaultProvider: 'stub', defaultModel: 'story', quietStartup: true, retry: { enabled: false },
  compaction: { enabled: true, reserveTokens: RESERVE, keepRecentTokens: KEEP_RECENT },
}))

const pi = spawn(process.execPath, [cli, '--mode', 'rpc', '--model', 'stub/story', '--session-dir', sessionDir], {
  cwd: workDir,
  stdio: ['pipe', 'pipe', 'inherit'],
  env: { PATH: process.env.PATH, HOME: base, LANG: 'C.UTF-8', TZ: 'UTC', PI_CODING_AGENT_DIR: agentDir, PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
})
const waiting = new Set()
let buffered = ''
pi.stdout.on('data', (data) => {
  buffered += data
  for (let end; (end = buffered.indexOf('\n')) >= 0; ) {
    const line = buffered.slice(0, end)
    buffered = buffered.slice(end + 1)
    if (!line.trim()) continue
    const event = JSON.parse(line)
    for (const waiter of waiting) if (waiter.wants(event)) waiting.delete(waiter) && waiter.resolve(event)
  }
})
function next(wants, what) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`waited too long for ${what}`)), 60_000)
    waiting.add({ wants, resolve: (event) => (clearTimeout(timer), resolve(event)) })
  })
}
async function ask(type, rest = {}) {
  const id = `${type}-${Math.random()}`
  const answer = next((event) => event.type === 'response' && event.id === id, type)
  pi.stdin.write(JSON.stringify({ id, type, ...rest }) + '\n')
  return answer
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
for (const [index, { user }] of story.entries()) {
  const idle = next((event) => event.type === 'agent_end', `the end of turn ${index + 1}`)
  await ask('prompt', { message: user })
  await idle
  // A compaction starts right after the turn; the host says while it runs.
  do await pause(120)
  while ((await ask('get_state')).data?.isCompacting)
  process.stdout.write(`\rturn ${index + 1}/${story.length}`)
}
pi.stdin.end()
await new Promise((resolve) => pi.on('exit', resolve))
model.close()

const [file] = readdirSync(sessionDir, { recursive: true }).filter((name) => name.endsWith('.jsonl'))
const recorded = scrub(readFileSync(path.join(sessionDir, file), 'utf8'), { workDir, minutes: [2, ...story.map((turn) => turn.minutes)] })
mkdirSync(path.dirname(fixture), { recursive: true })
writeFileSync(fixture, recorded)
rmSync(base, { recursive: true })
const entries = recorded.split('\n').filter(Boolean).map((line) => JSON.parse(line))
const count = (test) => entries.filter(test).length
console.log(`\n${entries.length} entries, ${count((e) => e.type === 'compaction')} compactions, ${count((e) => e.message?.isError)} failed tools, ${recorded.length} bytes`)
