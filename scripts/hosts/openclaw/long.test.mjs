// A session of 60 turns in a window of 32,000 tokens, with a restart and a crash of the gateway on the way, and what it cost
// beside the host alone on the same script. `CLAWBACK_TURNS` shortens it.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, renameSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { openclaw } from './install.mjs'
import { fileOf, makeHome, readJsonLines, reads, root, says, startGateway } from './gateway.mjs'
import { figuresOf, packetIn, packetsIn, textsOf } from './requests.mjs'

const host = openclaw()
const TURNS = Number(process.env.CLAWBACK_TURNS ?? 60)
const at = (share) => Math.max(4, Math.round(TURNS * share))

/** What the person says and the model does in a turn, the same in every run. */
function script(home, turn) {
  if (turn === 3) return ['Use PostgreSQL for the order store, port 6543. The worker times out after 30 seconds. Never touch docs/legal.', [says('PostgreSQL on port 6543; the worker times out after 30 seconds.')]]
  if (turn === at(0.5)) return ['Change of plan: the worker times out after 75 seconds instead of 30 seconds.', [says('The worker now times out after 75 seconds.')]]
  const sizes = turn === TURNS ? Array(8).fill(19_000) : turn % 10 === 0 ? [19_000] : Array.from({ length: 1 + (turn % 3) }, (_, index) => 1_000 + ((turn + index) % 4) * 1_000)
  const files = sizes.map((bytes, index) => fileOf(home, `turn-${turn}-${index}.txt`, bytes))
  return [`Look at part ${turn} of the shop.`, [...files.map(reads), says(`Part ${turn} is fine.`)]]
}

async function play(home, { between = async (_turn, gateway) => gateway } = {}) {
  let gateway = await startGateway(home)
  const log = []
  const failed = []
  try {
    for (let turn = 1; turn <= TURNS; turn++) {
      gateway = await between(turn, gateway, log)
      const [text, steps] = script(home, turn)
      const answer = await gateway.turn(text, steps)
      if (answer.status !== 'ok' || answer.text !== steps.at(-1).text) failed.push({ turn, ...answer })
    }
  } finally {
    log.push(gateway.log())
    await gateway.stop()
  }
  return { failed, log: log.join('\n') }
}

function hookTimes(file) {
  const byName = new Map()
  for (const { name, ms } of readJsonLines(file)) byName.set(name, [...(byName.get(name) ?? []), ms])
  const lines = [...byName].map(([name, all]) => {
    const sorted = all.sort((a, b) => a - b)
    const rank = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(2)
    return `  ${name.padEnd(20)} ${String(all.length).padStart(5)} calls   p50 ${rank(0.5)} ms   p99 ${rank(0.99)} ms`
  })
  return `hooks:\n${lines.join('\n')}`
}

describe(`a session of ${TURNS} turns in OpenClaw`, { skip: host.missing }, () => {
  test('nothing is lost, nothing comes twice, and no model is asked for a summary', async () => {
    const home = await makeHome(host)
    const times = path.join(home.dir, 'times.jsonl')
    home.env.CLAWBACK_TIMES = times
    const entry = path.join(home.plugin, 'dist', 'hosts', 'openclaw')
    renameSync(path.join(entry, 'index.js'), path.join(entry, 'entry.js'))
    copyFileSync(path.join(root, 'scripts', 'hosts', 'openclaw', 'timed.cjs'), path.join(entry, 'index.js'))
    try {
      const { failed, log } = await play(home, {
        between: async (turn, gateway, logs) => {
          if (turn !== at(0.35) && turn !== at(0.7)) return gateway
          logs.push(gateway.log())
          await (turn === at(0.35) ? gateway.stop() : gateway.kill())
          return startGateway(home)
        },
      })
      assert.deepEqual(failed, [])
      const chats = home.model.chats()
      console.log(figuresOf('with clawback', chats))
      if (existsSync(times)) console.log(hookTimes(times))
      assert.equal(home.model.summaries().length, 0)
      assert.deepEqual(log.split('\n').filter((line) => /degraded to "legacy"|quarantin|assemble failed|clawback: .* failed/.test(line)), [])
      for (const request of chats) {
        assert.ok(packetsIn(request) <= 1)
        for (const [text] of textsOf(request).matchAll(/Look at part \d+ of the shop\./g)) assert.ok(textsOf(request).replace(packetIn(request) ?? '', '').split(text).length <= 2, `${text} twice`)
      }
      const last = textsOf(chats.at(-1))
      assert.match(last, /PostgreSQL/)
      assert.match(last, /6543/)
      assert.match(last, /docs\/legal/)
      assert.match(last, /75 seconds/)
      assert.doesNotMatch(last, /(?<!instead of )30 seconds/)
      const epochs = new Set(chats.map(packetIn).filter(Boolean)).size
      console.log(`epochs: ${epochs}`)
      assert.ok(epochs >= 2 && epochs <= TURNS)
    } finally {
      await home.remove()
    }
  })

  test('the host alone, on the same script', async () => {
    const home = await makeHome(host, { enabled: false })
    try {
      const { failed } = await play(home)
      console.log(figuresOf('the host alone', home.model.chats()))
      console.log(`model calls for compaction: 0 with clawback, ${home.model.summaries().length} by the host alone; turns that failed: ${failed.length}`)
      assert.ok(home.model.chats().length > TURNS)
    } finally {
      await home.remove()
    }
  })
})
