// A session of 60 turns in a window of 32,000 tokens. On the way: a compaction by hand, a subagent, a restart, a provider
// that refuses a request, a crash of the gateway, and a reset at the end. Then the host alone on the same script, for what
// it costs. `CLAWBACK_TURNS` shortens it.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, readdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { openclaw } from './install.mjs'
import { fileOf, makeHome, readJsonLines, reads, root, says, startGateway } from './gateway.mjs'
import { textOf } from './model.mjs'
import { figuresOf, packetIn, packetsIn, textsOf } from './requests.mjs'

const host = openclaw()
const TURNS = Number(process.env.CLAWBACK_TURNS ?? 60)
const WINDOW = 32_000
const RESERVE = 8_000
const at = (share) => Math.max(4, Math.round(TURNS * share))
/** The schemas of all of OpenClaw's tools leave nothing of a window of this size. */
const ONLY_TOOLS = { tools: { toolSearch: false, allow: ['read', 'sessions_spawn'] } }
const KEY = 'agent:main:main'
/** What the subagent is asked for. */
const TASK = 'count the shelves'

/** What the person says and the model does in a turn, the same in every run. */
function script(home, turn) {
  if (turn === 3) return ['Use PostgreSQL for the order store, port 6543. The worker times out after 30 seconds. Never touch docs/legal.', [says('PostgreSQL on port 6543; the worker times out after 30 seconds.')]]
  if (turn === at(0.5)) return ['Change of plan: the worker times out after 75 seconds instead of 30 seconds.', [says('The worker now times out after 75 seconds.')]]
  const sizes = turn === TURNS ? Array(8).fill(19_000) : turn % 10 === 0 ? [19_000] : Array.from({ length: 1 + (turn % 3) }, (_, index) => 1_000 + ((turn + index) % 4) * 1_000)
  const files = sizes.map((bytes, index) => fileOf(home, `turn-${turn}-${index}.txt`, bytes))
  return [`Look at part ${turn} of the shop.`, [...files.map(reads), says(`Part ${turn} is fine.`)]]
}

/** A session that is played from its first turn on; what goes wrong for the person is kept. */
class Course {
  failed = []
  #logs = []

  static async start(home) {
    const course = new Course()
    course.home = home
    course.gateway = await startGateway(home)
    return course
  }

  async turn(text, steps) {
    const answer = await this.gateway.turn(text, steps, { sessionKey: KEY }).catch((error) => ({ status: 'refused', text: error.message }))
    if (answer.status !== 'ok' || answer.text !== steps.at(-1).text) this.failed.push({ said: text, ...answer })
  }

  async scripted(from, to) {
    for (let turn = from; turn <= to; turn++) await this.turn(...script(this.home, turn))
  }

  async again(how) {
    this.#logs.push(this.gateway.log())
    await this.gateway[how]()
    this.gateway = await startGateway(this.home)
  }

  async end() {
    this.#logs.push(this.gateway.log())
    await this.gateway.stop()
  }

  log = () => [...this.#logs, this.gateway.log()].join('\n')
}

/** The stopwatch around the plugin's calls. */
function timed(home) {
  const entry = path.join(home.plugin, 'dist', 'hosts', 'openclaw')
  renameSync(path.join(entry, 'index.js'), path.join(entry, 'entry.js'))
  copyFileSync(path.join(root, 'scripts', 'hosts', 'openclaw', 'timed.cjs'), path.join(entry, 'index.js'))
  home.env.CLAWBACK_TIMES = path.join(home.dir, 'times.jsonl')
  return () => readJsonLines(home.env.CLAWBACK_TIMES)
}

function hookTimes(calls) {
  const byName = Map.groupBy ? Map.groupBy(calls, ({ name }) => name) : calls.reduce((map, call) => map.set(call.name, [...(map.get(call.name) ?? []), call]), new Map())
  const lines = [...byName].map(([name, all]) => {
    const sorted = all.map(({ ms }) => ms).sort((a, b) => a - b)
    const rank = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(2)
    return `  ${name.padEnd(20)} ${String(all.length).padStart(5)} calls   p50 ${rank(0.5)} ms   p99 ${rank(0.99)} ms`
  })
  const asked = calls.filter(({ name }) => name === 'compact').map(({ why, tokens }) => `${why}${tokens ? ` at ${tokens}` : ''}`)
  return `hooks:\n${lines.join('\n')}\ncompactions that the host asked for: ${asked.join(', ') || 'none'}`
}

/** The texts of a role that are stored for the session, as often as they are stored. */
function stored(home, role) {
  const sessions = path.join(home.state, 'context', 'sessions')
  const folder = path.join(sessions, readdirSync(sessions).find((name) => name.startsWith('agent-main-main-')), 'messages')
  return readdirSync(folder).flatMap((file) => readJsonLines(path.join(folder, file))).filter((message) => message.role === role).map(({ text }) => text)
}

/** Tokens that the conversation has brought: each message of the requests once, four characters a token. */
function newTokens(requests) {
  const seen = new Map()
  for (const { messages } of requests) {
    for (const message of messages) {
      if (message.role === 'system' || packetsIn({ messages: [message] }) > 0) continue
      const text = `${textOf(message.content)}${JSON.stringify(message.tool_calls ?? '')}`
      const name = message.role === 'tool' ? message.tool_call_id : text
      seen.set(name, Math.max(seen.get(name) ?? 0, text.length / 4))
    }
  }
  return [...seen.values()].reduce((sum, tokens) => sum + tokens, 0)
}

const troubleIn = (log) => log.split('\n').filter((line) => /degraded to "legacy"|quarantin|assemble failed|clawback: .* failed|not active/.test(line))
const isOfSubagent = ({ messages }) => messages.some(({ role, content }) => role === 'user' && textOf(content).includes('You are running as a subagent'))

describe(`a session of ${TURNS} turns in OpenClaw`, { skip: host.missing }, () => {
  test('nothing is lost, nothing comes twice, and no model is asked for a summary', async () => {
    const home = await makeHome(host, { config: ONLY_TOOLS })
    const calls = timed(home)
    home.model.refusesAbove(WINDOW)
    const course = await Course.start(home)
    try {
      await course.scripted(1, at(0.2))
      assert.equal((await course.gateway.call('sessions.compact', { key: KEY })).ok, true)

      await course.scripted(at(0.2) + 1, at(0.3))
      let release
      home.model.holds(new RegExp(TASK), new Promise((resolve) => (release = resolve)))
      await course.turn('Let somebody else count.', [{ tools: [{ name: 'sessions_spawn', arguments: { task: TASK, context: 'fork' } }] }, says('Spawned.')])
      release()
      // What it found comes back as a turn that nobody typed.
      while (!home.model.requests.some((request) => /A background task completed/.test(textsOf(request)))) await new Promise((resolve) => setTimeout(resolve, 100))
      await home.model.quiet()

      await course.scripted(at(0.3) + 1, at(0.35))
      await course.again('stop')
      await course.scripted(at(0.35) + 1, at(0.6))
      home.model.refusesAbove(home.model.chats().at(-1).tokens - 500)
      await course.turn('Go on.', [says('Going on.')])
      home.model.refusesAbove(WINDOW)
      await course.scripted(at(0.6) + 1, at(0.7))
      await course.again('kill')
      await course.scripted(at(0.7) + 1, TURNS)

      const log = course.log()
      const chats = home.model.chats().filter((request) => !isOfSubagent(request))
      const epochs = new Set(chats.map(packetIn).filter(Boolean)).size
      const usable = WINDOW - RESERVE - chats[0].overhead
      const most = Math.min(TURNS, Math.ceil(newTokens(chats) / (usable / 4)) + 1)
      console.log(figuresOf('with clawback', chats))
      console.log(hookTimes(calls()))
      console.log(`epochs: ${epochs}, at most ${most} (${Math.round(newTokens(chats))} new tokens, ${usable} usable)`)
      assert.deepEqual(course.failed, [], 'no error reaches the person')
      assert.deepEqual(troubleIn(log), [])
      assert.equal(home.model.summaries().length, 0)
      for (const request of chats) {
        assert.ok(packetsIn(request) <= 1)
        const body = textsOf(request).replace(packetIn(request) ?? '', '')
        for (const [text] of body.matchAll(/Look at part \d+ of the shop\./g)) assert.ok(body.split(text).length <= 2, `${text} twice`)
      }
      const last = textsOf(chats.at(-1))
      for (const kept of [/PostgreSQL/, /6543/, /docs\/legal/, /75 seconds/]) assert.match(last, kept)
      assert.doesNotMatch(last, /(?<!instead of )30 seconds/)
      assert.ok(epochs >= 2 && epochs <= most, `${epochs} epochs, at most ${most}`)

      const asked = stored(home, 'user').filter((text) => /^Look at part/.test(text))
      const turns = Array.from({ length: TURNS }, (_, index) => index + 1).filter((turn) => turn !== 3 && turn !== at(0.5))
      assert.deepEqual(asked, turns.map((turn) => `Look at part ${turn} of the shop.`), 'each turn is stored once, in order')
      const results = stored(home, 'toolResult').join('\n')
      for (const name of readdirSync(home.workspace).filter((name) => /^turn-/.test(name))) {
        const line = readFileSync(path.join(home.workspace, name), 'utf8').split('\n')[20]
        assert.ok(results.includes(line), `${name} can be read again`)
      }

      assert.equal((await course.gateway.call('sessions.reset', { key: KEY })).ok, true)
      const before = home.model.chats().length
      await course.turn('What is next?', [says('Nothing yet.')])
      assert.deepEqual(course.failed, [])
      const clean = home.model.chats().slice(before)
      assert.equal(clean.length, 1)
      assert.equal(packetsIn(clean[0]), 0)
      assert.doesNotMatch(textsOf(clean[0]), /PostgreSQL|75 seconds|part \d+ of the shop/)
    } finally {
      await course.end()
      await home.remove()
    }
  })

  test('the host alone, on the same script', async () => {
    // Its check of summaries would refuse those of a stub, and the turn with them.
    const home = await makeHome(host, { enabled: false, config: { ...ONLY_TOOLS, agents: { defaults: { compaction: { qualityGuard: { enabled: false } } } } } })
    home.model.refusesAbove(WINDOW)
    const course = await Course.start(home)
    try {
      await course.scripted(1, TURNS)
      console.log(figuresOf('the host alone', home.model.chats()))
      console.log(`model calls for compaction: 0 with clawback, ${home.model.summaries().length} by the host alone; turns that failed with the host alone: ${course.failed.length}`)
      assert.ok(home.model.chats().length > TURNS)
    } finally {
      await course.end()
      await home.remove()
    }
  })
})
