// clawback in the real OpenClaw: what the model was sent is what counts. One gateway serves several sessions.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openclaw } from './install.mjs'
import { fileOf, makeHome, reads, root, says, startGateway } from './gateway.mjs'
import { figuresOf, packetIn, packetsIn, textsOf } from './requests.mjs'

const host = openclaw()
const skip = host.missing

/** A turn that reads two files of 4 kB. */
async function work(home, gateway, index, options) {
  const files = [fileOf(home, `part-${index}a.txt`, 4_000), fileOf(home, `part-${index}b.txt`, 4_000)]
  const answer = await gateway.turn(`Look at part ${index} of the shop.`, [...files.map(reads), says(`Part ${index} is fine.`)], options)
  assert.equal(answer.status, 'ok')
  assert.equal(answer.text, `Part ${index} is fine.`)
}

/** What OpenClaw's log says when an engine fails or is taken out of service, and what the plugin says when a call failed. */
const troubleIn = (log) => log.split('\n').filter((line) => /degraded to "legacy"|quarantin|assemble failed|clawback: .* failed/.test(line))
const mustBeTrusted = (gateway) => assert.deepEqual(troubleIn(gateway.log()), [])

/** Turns whose prompts fill a window of 32,000 tokens, so that the host compacts. */
async function fill(gateway, turns) {
  for (let index = 0; index < turns; index++) {
    const answer = await gateway.turn(`Note ${index}: ${`the shelf ${index} of the shop holds boxes. `.repeat(330)}`, [says(`Noted ${index}.`)])
    assert.equal(answer.status, 'ok')
  }
}

// A gateway takes long to start, on one core: two homes at a time.
describe('OpenClaw', { skip, concurrency: 2 }, () => {
  describe('OpenClaw with clawback as context engine', { concurrency: 1 }, () => {
    let home
    let gateway
    before(async () => {
      home = await makeHome(host)
      gateway = await startGateway(home)
    })
    after(async () => {
      await gateway?.stop()
      await home?.remove()
    })
    const sent = (from) => home.model.chats().slice(from)

    test('decisions of an early turn are in the last request; one packet; no model call for a compaction', async () => {
      const sessionKey = 'agent:main:work'
      await gateway.turn('Use PostgreSQL for the order store, port 6543. Never touch docs/legal.', [says('I will use PostgreSQL on port 6543.')], { sessionKey })
      await gateway.turn('Should the worker time out after 30 seconds? Use 30 seconds.', [says('The worker times out after 30 seconds.')], { sessionKey })
      for (let index = 0; index < 4; index++) await work(home, gateway, index, { sessionKey })
      await gateway.turn('Change of plan: the worker times out after 75 seconds instead of 30 seconds.', [says('The worker now times out after 75 seconds.')], { sessionKey })
      for (let index = 4; index < 10; index++) await work(home, gateway, index, { sessionKey })
      const requests = sent(0)
      assert.equal(home.model.summaries().length, 0)
      for (const request of requests) assert.ok(packetsIn(request) <= 1, 'at most one packet')
      const packets = new Set(requests.map(packetIn).filter(Boolean))
      assert.ok(packets.size >= 2, `at least two epochs, saw ${packets.size}`)
      const last = textsOf(requests.at(-1))
      assert.match(last, /PostgreSQL/)
      assert.match(last, /6543/)
      assert.match(last, /docs\/legal/)
      assert.match(last, /75 seconds/)
      assert.doesNotMatch(last, /Part 0 is fine/)
      const first = requests.at(-1).messages.find(({ role }) => role === 'user')
      assert.equal(packetsIn({ messages: [first] }), 1, 'the packet is the first message of the user')
      console.log(figuresOf('clawback', requests))
      mustBeTrusted(gateway)
    })

    test('sessions.compact is answered, truthfully, without a model', async () => {
      const answer = await gateway.call('sessions.compact', { key: 'agent:main:work' })
      assert.equal(answer.ok, true)
      assert.equal(home.model.summaries().length, 0)
      const from = home.model.chats().length
      await work(home, gateway, 20, { sessionKey: 'agent:main:work' })
      assert.match(textsOf(sent(from).at(-1)), /PostgreSQL/)
      mustBeTrusted(gateway)
    })

    test('a provider that refuses a request as too long gets a shorter one', async () => {
      const sessionKey = 'agent:main:overflow'
      await gateway.turn('Deploy only from branch release-42.', [says('Only from release-42.')], { sessionKey })
      for (let index = 30; index < 32; index++) await work(home, gateway, index, { sessionKey })
      home.model.refusesAbove(home.model.chats().at(-1).tokens - 500)
      try {
        const answer = await gateway.turn('Go on.', [says('Going on.')], { sessionKey })
        assert.equal(answer.status, 'ok')
        assert.equal(answer.text, 'Going on.')
      } finally {
        home.model.refusesAbove(Infinity)
      }
      const last = sent(0).at(-1)
      assert.equal(packetsIn(last), 1)
      assert.match(textsOf(last), /release-42/)
      assert.equal(home.model.summaries().length, 0)
      mustBeTrusted(gateway)
    })

    test('a large result reaches the model shortened, after its body was stored', async () => {
      const sessionKey = 'agent:main:large'
      const answer = await gateway.turn('Read the big one.', [reads(fileOf(home, 'big.txt', 30_000)), says('Read.')], { sessionKey })
      assert.equal(answer.status, 'ok')
      const result = sent(0).at(-1).messages.find(({ role }) => role === 'tool')
      const text = typeof result.content === 'string' ? result.content : result.content.map((block) => block.text).join('')
      assert.ok(text.length < 20_000, `${text.length} characters`)
      assert.match(text, /big\.txt line 0/)
      mustBeTrusted(gateway)
    })

    test('after a restart the session goes on where it was, and nothing comes twice', async () => {
      await gateway.stop()
      gateway = await startGateway(home)
      const from = home.model.chats().length
      await work(home, gateway, 40, { sessionKey: 'agent:main:work' })
      const last = sent(from).at(-1)
      assert.equal(packetsIn(last), 1)
      assert.match(textsOf(last), /PostgreSQL/)
      assert.match(textsOf(last), /75 seconds/)
      assert.equal(textsOf(last).split('Look at part 40 of the shop.').length - 1, 1)
      mustBeTrusted(gateway)
    })

    test('a reset starts clean', async () => {
      assert.equal((await gateway.call('sessions.reset', { key: 'agent:main:work' })).ok, true)
      const from = home.model.chats().length
      await work(home, gateway, 50, { sessionKey: 'agent:main:work' })
      for (const request of sent(from)) {
        assert.equal(packetsIn(request), 0)
        assert.doesNotMatch(textsOf(request), /PostgreSQL|75 seconds/)
      }
      mustBeTrusted(gateway)
    })
  })

  describe('OpenClaw that lets the plugin read no conversations, prunes by itself and shows all tools', { concurrency: 1 }, () => {
    const { buildCheckpointFromState, readState } = createRequire(path.join(root, 'package.json'))('./index.js')
    let home
    let gateway
    before(async () => {
      home = await makeHome(host, {
        access: false, window: 64_000, plugin: { tools: true },
        config: { tools: { toolSearch: false }, agents: { defaults: { contextPruning: { mode: 'cache-ttl', ttl: '1s' } } } },
      })
      gateway = await startGateway(home)
    })
    after(async () => {
      await gateway?.stop()
      await home?.remove()
    })
    const said = (text) => gateway.log().split(text).length - 1

    test('names the switch once, warns of the pruning once, and works without the tail', async () => {
      await gateway.turn('Use PostgreSQL for the order store, port 6543.', [says('I will use PostgreSQL on port 6543.')])
      for (let index = 60; index < 63; index++) await work(home, gateway, index)
      assert.equal(said('hooks.allowConversationAccess to true'), 1)
      assert.equal(said('contextPruning also rewrites'), 1)
      for (const request of home.model.chats()) assert.doesNotMatch(textsOf(request), /\[Context: /)
      assert.match(textsOf(home.model.chats().at(-1)), /PostgreSQL/)
      mustBeTrusted(gateway)
    })

    test('the agent searches what was said, in its own session only', async () => {
      const find = { tools: [{ name: 'context_search', arguments: { query: 'PostgreSQL order store' } }] }
      const resultOf = async (sessionKey) => {
        await gateway.turn('Which database was it?', [find, says('That one.')], { sessionKey })
        const result = home.model.chats().at(-1).messages.findLast(({ role }) => role === 'tool')
        return textsOf({ messages: [result] })
      }
      assert.match(await resultOf('agent:main:main'), /PostgreSQL for the order store/)
      assert.doesNotMatch(await resultOf('agent:main:other'), /PostgreSQL for the order store, port/)
      mustBeTrusted(gateway)
    })

    test('a subagent is among the running agents until it ends', async () => {
      const agents = async () => (await buildCheckpointFromState(home.state, 'agent:main:main', { trigger: 'manual', tokenUsage: { inputTokens: 0, contextWindow: 64_000 } })).agents
      let release
      home.model.holds(/count the shelves/, new Promise((resolve) => (release = resolve)))
      const turn = gateway.turn('Let somebody else count.', [{ tools: [{ name: 'sessions_spawn', arguments: { task: 'count the shelves', context: 'fork' } }] }, says('Spawned.')])
      const becomes = async (count) => {
        for (let tries = 0; tries < 240 && (await agents()).length !== count; tries++) await new Promise((resolve) => setTimeout(resolve, 250))
        return agents()
      }
      try {
        const running = await becomes(1)
        assert.equal(running.length, 1)
        assert.match(running[0].id, /^agent:main:subagent:/)
      } finally {
        release()
      }
      assert.equal((await turn).status, 'ok')
      assert.deepEqual(await becomes(0), [])
      assert.match(JSON.stringify(await readState(home.state, 'agent:main:main')), /PostgreSQL/)
      mustBeTrusted(gateway)
    })
  })

  describe('OpenClaw with a clawback whose native part is missing', { concurrency: 1 }, () => {
    test('still answers, compacts by itself, and says once why', async () => {
      const home = await makeHome(host, { native: false })
      const gateway = await startGateway(home)
      try {
        for (const word of ['one', 'two']) assert.deepEqual(await gateway.turn(`Say ${word}.`, [says(word)]), { status: 'ok', text: word })
        await gateway.call('sessions.compact', { key: 'agent:main:main' })
        assert.equal(gateway.log().split('clawback: not active').length - 1, 1)
        assert.doesNotMatch(gateway.log(), /quarantin|degraded to "legacy"/)
      } finally {
        await gateway.stop()
        await home.remove()
      }
    })
  })

  describe('OpenClaw that compacts by itself', { concurrency: 1 }, () => {
    test('with clawback as its summariser: the summary carries what was decided, without a model call', async () => {
      const home = await makeHome(host, { slot: 'legacy', config: { agents: { defaults: { compaction: { provider: 'clawback' } } } } })
      const gateway = await startGateway(home)
      try {
        await gateway.turn('Use PostgreSQL for the order store, port 6543.', [says('I will use PostgreSQL on port 6543.')])
        await fill(gateway, 10)
        const last = home.model.chats().at(-1)
        assert.equal(home.model.summaries().length, 0)
        assert.match(textsOf(last), /compacted into the following/)
        assert.match(textsOf(last), /6543/)
        assert.equal(packetsIn(last), 0)
      } finally {
        await gateway.stop()
        await home.remove()
      }
    })

    test('with clawback beside it: a checkpoint before, the packet once after', async () => {
      const home = await makeHome(host, { slot: 'legacy' })
      const gateway = await startGateway(home)
      try {
        await gateway.turn('Use PostgreSQL for the order store, port 6543.', [says('I will use PostgreSQL on port 6543.')])
        await fill(gateway, 10)
        const chats = home.model.chats()
        const compactions = new Set(home.model.chats().map((request) => textsOf(request).match(/compacted into the following[\s\S]{0,400}/)?.[0]).filter(Boolean)).size
        assert.ok(compactions >= 1, 'the host compacted')
        assert.ok(home.model.summaries().length > 0)
        const carrying = chats.filter((request) => packetsIn(request) > 0)
        assert.equal(carrying.length, compactions, 'one packet for each compaction')
        for (const request of carrying) {
          assert.equal(packetsIn(request), 1)
          assert.match(packetIn(request), /PostgreSQL/)
        }
        mustBeTrusted(gateway)
      } finally {
        await gateway.stop()
        await home.remove()
      }
    })
  })
})
