// The extension in the real pi, headless, against a stub model: what the model received is what counts. The names of the
// first five tests are those that the extension's own requirements list.
import assert from 'node:assert/strict'
import { cpSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { drive, makeHome, print, root } from './pi.mjs'
import { prints, says } from './model.mjs'
import { bodyOf, holds, hookTimes, lacks, packetOf, packets, table, totals } from './requests.mjs'
import { piVersions } from './versions.mjs'

const { found, missing } = piVersions()
for (const why of missing) test(why, { skip: why }, () => {})

for (const version of found) {
  describe(`pi ${version.name}`, { concurrency: 2 }, () => {
    const homes = []
    after(() => Promise.all(homes.map((home) => home.remove())))
    const fresh = async (options) => {
      const home = await makeHome(options)
      homes.push(home)
      return home
    }
    const session = (home, run, options) => drive(version, home, run, options)
    /** Turns whose results fill a window of 20,000 tokens about three times over. */
    const fill = async (pi, turns, from = 0) => {
      for (let turn = from; turn < from + turns; turn++) {
        await pi.turn(`Look at part ${turn} of the shop.`, [prints(6_000, `Reading part ${turn}.`, `part ${turn}`), prints(6_000, 'And the rest.', `rest ${turn}`), says(`Part ${turn} is fine.`)])
      }
    }

    test('filters raw compactionSummary and branchSummary messages from the context payload', async () => {
      const home = await fresh({ compaction: false })
      await session(home, async (pi) => {
        await pi.turn('Make the import reliable. Never touch the migrations folder.', [prints(6_000), says('I read it.')])
        await fill(pi, 2)
        const compacted = await pi.ask('compact', { customInstructions: 'about the import' })
        assert.equal(compacted.success, true, JSON.stringify(compacted))
        await fill(pi, 1, 2)
      })
      assert.equal(home.model.summaries().length > 0, true, 'who asks for a focus gets a model’s summary')
      const last = home.model.chats().at(-1)
      lacks(last, /## Key Decisions|compacted into the following summary/)
      assert.equal(packets(last), 1)
      holds(last, /migrations/)
      // pi's own file still has it.
      assert.match(JSON.stringify(home.entries().filter(({ type }) => type === 'compaction')), /Host summary marker/)
    })

    test('triggers extension-driven compaction once pressure reaches the red zone without waiting for pi’s later threshold', async () => {
      // pi itself would wait for 31,000 of 32,000 tokens.
      const home = await fresh({ contextWindow: 32_000, reserve: 1_000, clawback: { mode: 'compact' } })
      await session(home, async (pi) => {
        await pi.turn('Make the import reliable. Never touch the migrations folder.', [says('Understood.')])
        await fill(pi, 12)
      })
      const compactions = home.entries().filter(({ type }) => type === 'compaction')
      assert.equal(compactions.length >= 2, true, `${compactions.length} compactions`)
      assert.equal(home.model.summaries().length, 0, 'no model call for any of them')
      assert.equal(Math.max(...home.model.chats().map(({ tokens }) => tokens)) < 31_000, true)
      for (const { summary } of compactions) assert.match(summary, /migrations/)
      assert.equal(packets(home.model.chats().at(-1)), 1)
    })

    test('does not repeatedly trigger compaction while a latch is active', async () => {
      const home = await fresh({ contextWindow: 32_000, reserve: 1_000, clawback: { mode: 'compact' } })
      await session(home, async (pi) => {
        await fill(pi, 6)
        const before = home.entries().filter(({ type }) => type === 'compaction').length
        for (let turn = 0; turn < 3; turn++) await pi.turn(`Answer briefly, number ${turn}.`, [says('Yes.')])
        const after = home.entries().filter(({ type }) => type === 'compaction').length
        assert.equal(before >= 1, true)
        assert.equal(after - before <= 1, true, `${after - before} compactions in three short turns`)
      })
    })

    test('writes no footer status', async () => {
      const home = await fresh()
      await session(home, async (pi) => {
        await fill(pi, 2)
        assert.deepEqual(pi.uiRequests('setStatus'), [])
      })
    })

    test('/ctx-status reports mode, zone, packet size, checkpoints and summary presence', async () => {
      const home = await fresh()
      await session(home, async (pi) => {
        const before = await pi.command('/ctx-status')
        assert.match(before, /mode: prune/)
        assert.match(before, /packet: none/)
        await fill(pi, 4)
        const status = await pi.command('/ctx-status')
        assert.match(status, /zone: (green|yellow|red|compact)/)
        assert.match(status, /packet: \d+ tokens/)
        assert.match(status, /checkpoints: [1-9]/)
        assert.match(status, /summary of pi kept out of view: none/)
      })
    })

    test('keeps a long session below the window: packet once and first, decisions carried, prefix unchanged between epochs', async () => {
      const script = async (pi) => {
        await pi.turn('Make the import reliable. Never touch the migrations folder.', [says('Shall I set the request timeout to 30 s?')])
        await pi.turn('yes', [says('Set to 30 s.')])
        await fill(pi, 4)
        await pi.turn('Use a request timeout of 60 s instead of 30 s.', [says('Changed to 60 s.')])
        await fill(pi, 6, 4)
      }
      const home = await fresh()
      const times = path.join(home.base, 'times.jsonl')
      await session(home, script, { extension: path.join(import.meta.dirname, 'timed.mjs'), env: { CLAWBACK_TIMES: times } })
      const alone = await fresh()
      await session(alone, script, { extension: null })
      console.log(`pi ${version.name}\n${table([['with clawback', totals(home.model)], ['the host alone', totals(alone.model)]])}\n${hookTimes(times)}`)
      const chats = home.model.chats()
      assert.equal(home.model.summaries().length, 0)
      assert.equal(home.entries().filter(({ type }) => type === 'compaction').length, 0, 'pi never had to compact')
      assert.equal(Math.max(...chats.map(({ tokens }) => tokens)) < 16_000, true)
      for (const [index, request] of chats.entries()) {
        assert.equal(packets(request) <= 1, true, `request ${index} carries ${packets(request)} packets`)
        const first = request.messages.find(({ role }) => role !== 'system')
        if (packets(request) > 0) assert.equal(packets({ messages: [first] }), 1, 'the packet is the first message')
      }
      holds(chats.at(-1), /migrations/)
      holds(chats.at(-1), /60 s/)
      lacks(chats.at(-1), /timeout to 30 s/)
      const different = new Set(chats.map(packetOf).filter((text) => text !== null))
      assert.equal(different.size >= 2, true, 'at least two epochs')
      for (let index = 1; index < chats.length; index++) {
        const [before, now] = [chats[index - 1], chats[index]]
        if (packetOf(before) !== packetOf(now) || /\[Context: /.test(bodyOf(before))) continue
        const prefix = JSON.stringify(now.messages.slice(0, before.messages.length))
        assert.equal(prefix, JSON.stringify(before.messages), `request ${index} does not begin with the one before it`)
      }
    })

    test('never keeps a result without its call', async () => {
      const home = await fresh()
      await session(home, (pi) => fill(pi, 6))
      for (const { messages } of home.model.chats()) {
        const calls = new Set(messages.flatMap((message) => (message.tool_calls ?? []).map(({ id }) => id)))
        const results = messages.filter(({ role }) => role === 'tool').map((message) => message.tool_call_id)
        assert.deepEqual(results.filter((id) => !calls.has(id)), [])
        assert.deepEqual([...calls].filter((id) => !results.includes(id)), [])
      }
    })

    test('answers pi’s compaction with the packet: no model call, and the request goes on', async () => {
      const home = await fresh({ compaction: false })
      await session(home, async (pi) => {
        await pi.turn('Make the import reliable. Never touch the migrations folder.', [prints(6_000), says('I read it.')])
        await fill(pi, 3)
        for (let round = 0; round < 2; round++) {
          const compacted = await pi.ask('compact')
          assert.equal(compacted.success, true, JSON.stringify(compacted))
          await fill(pi, 2, 3 + round * 2)
        }
      })
      assert.equal(home.model.summaries().length, 0)
      const compactions = home.entries().filter(({ type }) => type === 'compaction')
      assert.equal(compactions.length, 2)
      for (const { summary, fromHook } of compactions) {
        assert.match(summary, /migrations/)
        assert.equal(fromHook, true)
      }
      assert.equal(packets(home.model.chats().at(-1)), 1)
    })

    test('complement mode: pi compacts as ever, and the packet stands beside its summary', async () => {
      const home = await fresh({ clawback: { mode: 'complement' } })
      await session(home, async (pi) => {
        await pi.turn('Make the import reliable. Never touch the migrations folder.', [says('Understood.')])
        await fill(pi, 12)
      })
      assert.equal(home.entries().filter(({ type }) => type === 'compaction').length >= 2, true)
      assert.equal(home.model.summaries().length >= 2, true)
      const last = home.model.chats().at(-1)
      holds(last, /## Key Decisions/)
      assert.equal(packets(last), 1)
      const directory = path.join(home.agent, 'context', 'sessions')
      const checkpoints = readdirSync(path.join(directory, readdirSync(directory)[0], 'checkpoints')).filter((name) => /^cp_\d+\.yaml$/.test(name))
      assert.equal(checkpoints.length >= 2, true)
    })

    // 0.73 has no boundaries: there a compaction waits until the agent is idle.
    const midRun = version.boundaries ? test : () => {}
    midRun('a compaction in the middle of a run does not end it', async () => {
      const home = await fresh({ contextWindow: 32_000, reserve: 1_000, clawback: { mode: 'compact' } })
      await session(home, async (pi) => {
        await pi.turn('Make the import reliable. Never touch the migrations folder.', [says('Understood.')])
        await fill(pi, 3)
        const steps = Array.from({ length: 10 }, (_, step) => prints(8_000, `Step ${step}.`, `step ${step}`))
        await pi.turn('Now go through the ten exporters, one by one.', [...steps, says('All ten are done.')])
        assert.equal(home.model.unplayed(), 0, 'every step was played')
      })
      const compactions = home.entries().filter(({ type }) => type === 'compaction')
      assert.equal(compactions.length >= 1, true)
      const last = home.model.chats().at(-1)
      holds(last, /ten exporters/)
      assert.equal(home.entries().some(({ message }) => message?.stopReason === 'aborted'), false)
    })

    test('a large tool result is shortened before pi stores it, and its body can be found', async () => {
      const home = await fresh({ clawback: { mode: 'prune', spillTokens: 1_000 } })
      await session(home, async (pi) => {
        await pi.turn('Show me the log.', [{ text: 'Here.', tools: [{ name: 'bash', arguments: { command: `head -c 9000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo kinfolk-marmalade; head -c 9000 /dev/zero | tr '\\0' 'y' | fold -w 99` } }] }, says('Seen.')])
        const results = home.entries().filter(({ message }) => message?.role === 'toolResult')
        assert.equal(JSON.stringify(results).length < 8_000, true, `${JSON.stringify(results).length} bytes in pi's file`)
        assert.match(await pi.command('/ctx-search kinfolk-marmalade'), /kinfolk-marmalade/)
      })
    })

    test('navigating to a branch brings back the branch’s own decisions', async () => {
      const home = await fresh({ compaction: false })
      await session(home, async (pi) => {
        await pi.turn('Make the import reliable. Never touch the migrations folder.', [says('Understood.')])
        await pi.turn('Use Redis for the queue.', [prints(3_000), says('Redis it is.')])
        await fill(pi, 3)
        const user = home.entries().find(({ message }) => message?.role === 'user' && /Redis/.test(JSON.stringify(message)))
        const leaf = home.entries().at(-1).id
        await pi.command(`/test-tree ${user.id}`)
        await pi.turn('Use Postgres for the queue.', [prints(3_000), says('Postgres it is.')])
        // Three would end within a hair of the trigger.
        await fill(pi, 5)
        const there = home.model.chats().at(-1)
        assert.match(packetOf(there), /Use Postgres for the queue/)
        lacks(there, /Redis/)
        await pi.command(`/test-tree ${leaf}`)
        await fill(pi, 3, 10)
        const back = home.model.chats().at(-1)
        assert.match(packetOf(back), /Use Redis for the queue/)
        lacks(back, /Postgres/)
        holds(back, /migrations/)
      }, { rest: ['-e', path.join(import.meta.dirname, 'tree.mjs')] })
    })

    test('reloading twice keeps the session, and a resumed one starts from its packet', async () => {
      const home = await fresh()
      await session(home, async (pi) => {
        await pi.turn('Make the import reliable. Never touch the migrations folder.', [says('Understood.')])
        await fill(pi, 3)
        for (let round = 0; round < 2; round++) {
          await pi.command('/test-reload')
          await fill(pi, 1, 3 + round)
        }
        assert.equal(packets(home.model.chats().at(-1)), 1)
      }, { rest: ['-e', path.join(import.meta.dirname, 'tree.mjs')] })
      const before = home.model.chats().length
      await session(home, (pi) => fill(pi, 1, 8), { rest: ['--session', home.sessionFiles()[0]] })
      const resumed = home.model.chats()[before]
      assert.equal(packets(resumed), 1)
      holds(resumed, /migrations/)
    })

    test('/ctx-checkpoint writes one, /ctx-search finds what left the context', async () => {
      const home = await fresh()
      await session(home, async (pi) => {
        await pi.turn('The supplier is called Quince and Partners.', [says('Noted: Quince and Partners.')])
        await fill(pi, 5)
        assert.match(await pi.command('/ctx-checkpoint'), /checkpoint cp_\d+ written|no checkpoint written/)
        assert.match(await pi.command('/ctx-search Quince supplier'), /Quince and Partners/)
        assert.match(await pi.command('/ctx-search'), /usage/)
      })
    })

    test('print mode with two prompts exits 0 and is never asked to compact', async () => {
      const home = await fresh({ contextWindow: 32_000, reserve: 1_000, clawback: { mode: 'compact' } })
      const long = Array.from({ length: 8 }, (_, step) => prints(10_000, `Step ${step}.`, `step ${step}`))
      home.model.plays([...long, says('First done.'), says('Second done.')])
      const { code, stdout, stderr } = await print(version, home, ['Go through the exporters.', 'And now the importers.'])
      assert.equal(code, 0, stderr)
      assert.match(stdout, /done/)
      assert.equal(home.entries().filter(({ type }) => type === 'compaction').every(({ fromHook }) => !fromHook || home.model.summaries().length === 0), true)
      assert.doesNotMatch(stderr, /clawback/)
    })

    test('without its native part the extension says so once, and pi works', async () => {
      const home = await fresh()
      home.model.plays([says('Hello.'), says('Hello again.')])
      const copy = path.join(home.base, 'package')
      for (const part of ['index.js', 'lib', 'hosts/pi', 'package.json']) cpSync(path.join(root, part), path.join(copy, part), { recursive: true })
      const { code, stdout, stderr } = await print(version, home, ['Hi', 'Hi again'], { extension: path.join(copy, 'hosts', 'pi', 'index.ts') })
      assert.equal(code, 0, stderr)
      assert.match(stdout, /Hello/)
      assert.equal(stderr.match(/clawback is off/g)?.length, 1, stderr)
    })
  })
}
