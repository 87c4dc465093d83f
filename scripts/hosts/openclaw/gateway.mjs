// A real gateway in a home of its own, and a connection to it as its own helpers make one.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startModel } from './model.mjs'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
const TOKEN = 'only-on-loopback'

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

function merge(base, more) {
  for (const [name, value] of Object.entries(more ?? {})) {
    const both = value && base[name] && typeof value === 'object' && typeof base[name] === 'object' && !Array.isArray(value)
    base[name] = both ? merge(base[name], value) : value
  }
  return base
}

/**
 * A home with a stub model and a configuration. `slot`: which context engine; `plugin`: settings of the plugin; `access`:
 * whether it may read conversations; `config`: anything else of openclaw.json; `native`: whether the addon file is there. The plugin is a copy of what the package holds: OpenClaw looks through
 * the whole folder that it loads a plugin from, and a checkout holds much more.
 */
export async function makeHome(host, { slot = 'clawback', plugin = {}, access = true, window = 32_000, config = {}, native = true, enabled = true } = {}) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'clawback-openclaw-'))
  const state = path.join(dir, 'state')
  const workspace = path.join(dir, 'workspace')
  for (const name of [state, workspace, path.join(dir, 'home')]) mkdirSync(name)
  const model = await startModel()
  const port = await freePort()
  const packed = path.join(dir, 'plugin')
  const addons = native ? readdirSync(root).filter((name) => name.endsWith('.node')) : []
  for (const name of ['package.json', 'openclaw.plugin.json', 'index.js', 'lib', 'dist/hosts/openclaw', 'binding.js', ...addons]) {
    cpSync(path.join(root, name), path.join(packed, name), { recursive: true })
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(packed, 'node_modules'), 'junction')
  const settings = {
    gateway: { mode: 'local', bind: 'loopback', port, auth: { mode: 'token', token: TOKEN } },
    agents: {
      defaults: {
        model: { primary: 'stub/stub-model' },
        workspace,
        skipBootstrap: true,
        heartbeat: { every: '0m' },
        compaction: { mode: 'safeguard', keepRecentTokens: 2_000, memoryFlush: { enabled: false } },
      },
    },
    models: {
      mode: 'replace',
      providers: {
        stub: {
          baseUrl: `http://127.0.0.1:${model.port}/v1`,
          apiKey: 'none',
          api: 'openai-completions',
          models: [{ id: 'stub-model', name: 'Stub', reasoning: false, input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: window, maxTokens: 2_048 }],
        },
      },
    },
    plugins: enabled
      ? { allow: ['clawback'], load: { paths: [packed] }, slots: { contextEngine: slot, memory: 'none' }, entries: { clawback: { enabled: true, hooks: { allowConversationAccess: access }, config: plugin } } }
      : { allow: ['none'], slots: { memory: 'none' } },
  }
  const configFile = path.join(state, 'openclaw.json')
  writeFileSync(configFile, JSON.stringify(merge(settings, config), null, 2))
  const env = {
    ...process.env,
    HOME: path.join(dir, 'home'),
    OPENCLAW_STATE_DIR: state,
    OPENCLAW_CONFIG_PATH: configFile,
    OPENCLAW_SKIP_CHANNELS: '1',
    OPENCLAW_NO_RESPAWN: '1',
    OPENCLAW_DISABLE_BONJOUR: '1',
    NO_COLOR: '1',
    CI: '1',
    PATH: `${path.dirname(host.node)}${path.delimiter}${process.env.PATH}`,
  }
  return {
    dir, state, workspace, model, port, env, host, plugin: packed,
    async remove() {
      await model.close()
      if (process.env.CLAWBACK_KEEP) console.log(`kept: ${dir}`)
      else rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/**
 * Starts the gateway of a home and waits until it answers. OpenClaw gives up when its own helper threads take more than a few
 * seconds to start, as they do on a machine that is busy with other things: then it is started again.
 */
export async function startGateway(home, { tries = 4 } = {}) {
  for (let left = tries - 1; ; left--) {
    try {
      return await startOnce(home)
    } catch (error) {
      if (left === 0 || !/did not become ready/.test(error.message)) throw error
    }
  }
}

async function startOnce(home, timeoutMs = 240_000) {
  const child = spawn(home.host.node, [path.join(home.host.dir, 'openclaw.mjs'), 'gateway', 'run'], { env: home.env, cwd: home.dir, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  const keep = (data) => void (log += data)
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ended = new Promise((resolve) => child.on('close', resolve))
  let alive = true
  ended.then(() => (alive = false))
  const deadline = Date.now() + timeoutMs
  let client
  for (;;) {
    if (!alive) throw new Error(`the gateway ended:\n${log}`)
    try {
      client = await connect(home)
      break
    } catch (error) {
      if (Date.now() > deadline) {
        child.kill('SIGKILL')
        throw new Error(`the gateway does not answer (${error.message}):\n${log}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
  }
  const stop = async (signal) => {
    client.close()
    if (alive) child.kill(signal)
    const forced = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await ended
    clearTimeout(forced)
  }
  return {
    ...client,
    log: () => log,
    stop: () => stop('SIGTERM'),
    kill: () => stop('SIGKILL'),
  }
}

async function connect(home) {
  const { WebSocket } = createRequire(path.join(home.host.dir, 'package.json'))('ws')
  const socket = new WebSocket(`ws://127.0.0.1:${home.port}`)
  const waiting = new Map()
  const opened = new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => {
      const closed = new Error('the gateway closed the connection')
      reject(closed)
      for (const { reject: refuse } of waiting.values()) refuse(closed)
      waiting.clear()
    })
    socket.on('message', (data) => {
      const frame = JSON.parse(data)
      if (frame.type === 'event' && frame.event === 'connect.challenge') resolve()
      if (frame.type !== 'res') return
      const waiter = waiting.get(frame.id)
      // An agent run answers twice: accepted, then done.
      if (waiter === undefined || (waiter.final && frame.ok && frame.payload?.status === 'accepted')) return
      waiting.delete(frame.id)
      if (frame.ok) waiter.resolve(frame.payload)
      else waiter.reject(Object.assign(new Error(frame.error?.message ?? 'refused'), { details: frame.error }))
    })
  })
  const call = (method, params, { final = false, timeoutMs = 240_000 } = {}) =>
    new Promise((resolve, reject) => {
      const id = randomUUID()
      const timer = setTimeout(() => (waiting.delete(id), reject(new Error(`${method} did not answer`))), timeoutMs)
      const settle = (then) => (value) => (clearTimeout(timer), then(value))
      waiting.set(id, { resolve: settle(resolve), reject: settle(reject), final })
      socket.send(JSON.stringify({ type: 'req', id, method, params }))
    })
  try {
    await opened
    await call('connect', {
      minProtocol: 3,
      maxProtocol: 4,
      client: { id: 'gateway-client', version: '1.0.0', platform: process.platform, mode: 'backend' },
      role: 'operator',
      scopes: ['operator.admin', 'operator.read', 'operator.write'],
      caps: [],
      auth: { token: TOKEN },
    })
  } catch (error) {
    socket.terminate()
    throw error
  }
  return {
    call,
    close: () => socket.terminate(),
    /** One turn of a person: the text goes in, the steps are what the model plays, the answer's text comes back. */
    async turn(text, steps = [], { sessionKey = 'agent:main:main' } = {}) {
      home.model.plays(steps)
      const answer = await call('agent', { message: text, agentId: 'main', sessionKey, idempotencyKey: randomUUID(), deliver: false }, { final: true })
      return { status: answer.status, text: (answer.result?.payloads ?? []).map((payload) => payload.text ?? '').join('\n') }
    },
  }
}

/** A step of the model that reads a file of the workspace. */
export const reads = (file) => ({ tools: [{ name: 'read', arguments: { path: file } }] })
export const says = (text) => ({ text })

/** A text file of about so many bytes in the workspace, each with lines of its own. */
export function fileOf(home, name, bytes) {
  const lines = []
  for (let size = 0, line = 0; size < bytes; line++) {
    const text = `${name} line ${line}: value ${(line * 7919) % 10_007}`
    lines.push(text)
    size += text.length + 1
  }
  writeFileSync(path.join(home.workspace, name), lines.join('\n'))
  return name
}

export const readJsonLines = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))
