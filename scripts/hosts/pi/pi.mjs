// A real pi, headless: its own agent directory, its own session files, a stub model behind it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startModel } from './model.mjs'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')
export const EXTENSION = path.join(root, 'hosts', 'pi', 'index.ts')
/** Beyond this something hangs; no test measures time by it. */
const PATIENCE = 300_000

/** A place for one test: working directory, agent directory, a model. */
export async function makeHome({ contextWindow = 20_000, reserve = 4_000, keepRecent = 2_000, compaction = true, clawback } = {}) {
  const base = mkdtempSync(path.join(tmpdir(), 'clawback-pi-'))
  const dirs = { base, work: path.join(base, 'work'), agent: path.join(base, 'agent'), sessions: path.join(base, 'sessions') }
  for (const dir of [dirs.work, dirs.agent]) mkdirSync(dir)
  const model = await startModel()
  const write = (file, value) => writeFileSync(path.join(dirs.agent, file), JSON.stringify(value, null, 2))
  write('models.json', {
    providers: {
      stub: {
        baseUrl: `http://127.0.0.1:${model.port}/v1`, api: 'openai-completions', apiKey: 'none',
        compat: { supportsDeveloperRole: false, supportsStore: false, maxTokensField: 'max_tokens' },
        models: [{ id: 'model', name: 'Stub', reasoning: false, input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow, maxTokens: 2048 }],
      },
    },
  })
  write('settings.json', {
    defaultProvider: 'stub', defaultModel: 'model', quietStartup: true, retry: { enabled: false },
    compaction: { enabled: compaction, reserveTokens: reserve, keepRecentTokens: keepRecent },
  })
  if (clawback) write('clawback.json', clawback)
  const sessionFiles = () => readdirSync(dirs.sessions, { recursive: true }).filter((name) => name.endsWith('.jsonl')).sort().map((name) => path.join(dirs.sessions, name))
  return {
    ...dirs,
    model,
    sessionFiles,
    entries: (file = sessionFiles().at(-1)) => readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)),
    env: (extra) => ({ PATH: process.env.PATH, HOME: base, LANG: 'C.UTF-8', TZ: 'UTC', PI_CODING_AGENT_DIR: dirs.agent, PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0', ...extra }),
    args: ({ extension = EXTENSION, rest = [] } = {}) => [...(extension ? ['-e', extension] : []), '--model', 'stub/model', '--session-dir', dirs.sessions, ...rest],
    async remove() {
      await model.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

/** pi in print or JSON mode: runs to its end, resolves to its exit code and output. */
export function print(version, home, prompts, { mode = 'text', ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(version.node, [version.cli, '-p', '--mode', mode, ...home.args(options), ...prompts], { cwd: home.work, env: home.env(options.env), stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (data) => (stdout += data))
    child.stderr.on('data', (data) => (stderr += data))
    const timer = setTimeout(() => (child.kill('SIGKILL'), reject(new Error(`pi did not end: ${stderr}`))), PATIENCE)
    child.on('error', reject)
    child.on('close', (code) => (clearTimeout(timer), resolve({ code, stdout, stderr })))
  })
}

/** A session in RPC mode, from start to end; pi must end well, and no handler of an extension may have failed. */
export async function drive(version, home, run, options) {
  const pi = new Rpc(version, home, options)
  let result
  try {
    result = await run(pi)
  } catch (error) {
    await pi.end()
    throw error
  }
  assert.equal(await pi.end(), 0, pi.stderr)
  assert.deepEqual(pi.errors(), [])
  return result
}

/** pi in RPC mode, driven like a user interface would. */
export class Rpc {
  events = []
  stderr = ''
  #waiting = new Set()
  #child
  #ended

  constructor(version, home, options = {}) {
    this.version = version
    this.home = home
    this.#child = spawn(version.node, [version.cli, '--mode', 'rpc', ...home.args(options)], { cwd: home.work, env: home.env(options.env), stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child.stderr.on('data', (data) => (this.stderr += data))
    this.#ended = new Promise((resolve) => this.#child.on('close', resolve))
    let buffered = ''
    this.#child.stdout.on('data', (data) => {
      buffered += data
      for (let end; (end = buffered.indexOf('\n')) >= 0; buffered = buffered.slice(end + 1)) {
        const line = buffered.slice(0, end)
        if (line.startsWith('{')) this.#take(JSON.parse(line))
      }
    })
  }

  #take(event) {
    this.events.push(event)
    for (const waiter of this.#waiting) if (waiter.wants(event)) this.#waiting.delete(waiter) && waiter.resolve(event)
  }

  next(wants, what) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`waited too long for ${what}; stderr: ${this.stderr}`)), PATIENCE)
      this.#waiting.add({ wants, resolve: (event) => (clearTimeout(timer), resolve(event)) })
      this.#ended.then(() => reject(new Error(`pi ended while waiting for ${what}; stderr: ${this.stderr}`)))
    })
  }

  async ask(type, rest = {}) {
    const id = `${type}-${Math.random()}`
    const answer = this.next((event) => event.type === 'response' && event.id === id, type)
    this.#child.stdin.write(JSON.stringify({ id, type, ...rest }) + '\n')
    return answer
  }

  /** Until nothing runs any more: no answer, no compaction, no queued message. */
  async settled() {
    for (let quiet = 0; quiet < 3; ) {
      const { data } = await this.ask('get_state')
      quiet = data?.isStreaming || data?.isCompacting || data?.pendingMessageCount > 0 ? 0 : quiet + 1
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  }

  /** A user's message; the model plays the steps; resolves when all has settled. */
  async turn(message, steps = []) {
    this.home.model.plays(steps)
    const ended = this.next((event) => event.type === 'agent_end', `the end of "${message.slice(0, 40)}"`)
    const accepted = await this.ask('prompt', { message })
    if (accepted.success === false) throw new Error(`prompt refused: ${JSON.stringify(accepted)}`)
    await ended
    await this.settled()
  }

  /** A slash command; resolves to the first notice that it shows. */
  async command(line) {
    const shown = this.next((event) => event.type === 'extension_ui_request' && event.method === 'notify', `an answer to ${line}`)
    await this.ask('prompt', { message: line })
    return (await shown).message
  }

  uiRequests = (method) => this.events.filter((event) => event.type === 'extension_ui_request' && event.method === method)
  errors = () => this.events.filter((event) => event.type === 'extension_error')

  async end() {
    this.#child.stdin.end()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 10_000)
    const code = await this.#ended
    clearTimeout(timer)
    return code
  }
}
