// A long session in the real pi: 60 turns in a window of 32,000 tokens, results of 1 to 4 kB, every tenth turn one of
// 19 kB, and a last turn of eight of those. What was decided early is there at the end, a changed mind in its new form
// only, and no model was called to compact.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { prints, says } from './model.mjs'
import { drive, makeHome } from './pi.mjs'
import { holds, hookTimes, lacks, packetOf, packets, table, totals } from './requests.mjs'
import { piVersions } from './versions.mjs'

const TURNS = 60
const limits = { contextWindow: 32_000, reserve: 8_000, keepRecent: 4_000 }
/** 1 to 4 kB, the same in every run. */
const bytes = (turn, call) => 1_000 + ((turn * 7 + call * 13) % 31) * 100

async function script(pi) {
  for (let turn = 1; turn < TURNS; turn++) {
    if (turn === 3) await pi.turn('Use a retry limit of 5 attempts. Keep the cache in SQLite. Never touch the migrations folder.', [says('Noted: 5 attempts, SQLite, migrations stay as they are.')])
    else if (turn === 30) await pi.turn('Use a retry limit of 8 attempts instead of 5.', [says('Noted: 8 attempts.')])
    else if (turn % 10 === 0) await pi.turn(`Show me the whole log of day ${turn}.`, [prints(19_000, `The log of day ${turn}.`, `log ${turn}`), says(`Day ${turn} was quiet.`)])
    else await pi.turn(`Look at part ${turn} of the shop.`, [...Array.from({ length: 1 + (turn % 3) }, (_, call) => prints(bytes(turn, call), `Part ${turn}, file ${call}.`, `part ${turn}.${call}`)), says(`Part ${turn} is fine.`)])
  }
  await pi.turn('Now read the eight largest logs and tell me the worst error.', [...Array.from({ length: 8 }, (_, call) => prints(19_000, `Log ${call}.`, `last ${call}`)), says('The worst one is in log 4.')])
}

const { found, missing } = piVersions()
for (const why of missing) test(why, { skip: why }, () => {})
for (const version of found) {
  describe(`pi ${version.name}, ${TURNS} turns`, () => {
    const homes = []
    after(() => Promise.all(homes.map((home) => home.remove())))
    const fresh = async (options) => {
      const home = await makeHome({ ...limits, ...options })
      homes.push(home)
      return home
    }

    for (const mode of ['prune', 'compact']) {
      test(`mode ${mode}`, async () => {
        const home = await fresh({ clawback: { mode } })
        const times = path.join(home.base, 'times.jsonl')
        await drive(version, home, script, { extension: path.join(import.meta.dirname, 'timed.mjs'), env: { CLAWBACK_TIMES: times } })
        assert.equal(home.model.unplayed(), 0, 'the last run went on to its end')
        const chats = home.model.chats()
        console.log(`pi ${version.name}\n${table([[mode, totals(home.model)]])}\n${hookTimes(times)}`)
        assert.equal(home.model.summaries().length, 0)
        assert.equal(Math.max(...chats.map(({ tokens }) => tokens)) < limits.contextWindow, true, 'no request overflows')
        for (const [index, request] of chats.entries()) assert.equal(packets(request) <= 1, true, `request ${index}`)
        assert.equal(new Set(chats.map(packetOf)).size > 2, true, 'at least two epochs')
        const last = chats.at(-1)
        for (const kept of [/8 attempts/, /SQLite/, /migrations/, /eight largest logs/]) holds(last, kept)
        lacks(last, /limit of 5 attempts/)
        assert.equal(home.entries().some(({ message }) => message?.stopReason === 'aborted'), false)
      })
    }

    test('the host alone, on the same script', async () => {
      const home = await fresh()
      await drive(version, home, script, { extension: null })
      console.log(`pi ${version.name}\n${table([['the host alone', totals(home.model)]])}`)
      assert.equal(home.model.summaries().length > 0, true)
    })
  })
}
