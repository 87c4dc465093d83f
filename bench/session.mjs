// The handle on a live session: what a model call costs the event loop whatever the history, what a new epoch costs, how
// much memory a session holds, and how much of what is sent the provider finds in its prompt cache.
import { performance } from 'node:perf_hooks'
import { load } from './lib/clawback.mjs'
import { median, timed } from './lib/measure.mjs'
import { atMost, fact, skipped } from './lib/rows.mjs'
import { PrefixCache, Script, request } from './lib/script.mjs'
import { tempDir } from './lib/temp.mjs'
import { conversation } from './lib/words.mjs'

export const title = 'Live session'

/** 10,000 messages are 20 MB. */
const BYTES = 2_000
const WINDOW = 200_000
const open = (clawback, key, window = WINDOW) => clawback.ContextSession.open({ stateDir: tempDir('session'), sessionKey: key, contextWindow: window })

/** Milliseconds that the event loop was at work for `work`: its sync part, and what settles its promises. */
async function onLoop(work) {
  await new Promise(setImmediate)
  const before = performance.eventLoopUtilization()
  await work()
  return performance.eventLoopUtilization(before).active
}

function history(count) {
  const script = new Script()
  while (script.messages.length < count) script.turn(4 * BYTES)
  return script
}

/** A session that knows all that the script has. */
async function imported(clawback, script, key, window) {
  const session = await open(clawback, key, window)
  session.sync(script.messages)
  await session.plan()
  await session.flush()
  return session
}

/** Four new messages and a plan, again and again; medians in ms: of what the loop spends, and of aligning fresh clones. */
async function turns(clawback, count, rounds, window = WINDOW) {
  const script = history(count)
  const session = await imported(clawback, script, `turns ${count} of ${window}`, window)
  const times = []
  let { epoch } = await session.plan()
  for (let round = 0; round < rounds; round++) {
    script.turn(200)
    const took = await onLoop(async () => {
      session.sync(script.messages)
      const plan = await session.plan()
      if (plan.epoch !== epoch) epoch = -plan.epoch
    })
    if (epoch >= 0) times.push(took)
    epoch = Math.abs(epoch)
  }
  const clones = []
  for (let round = 0; round < 7; round++) {
    const copies = structuredClone(script.messages)
    const started = performance.now()
    session.sync(copies)
    clones.push(performance.now() - started)
    await session.plan()
  }
  await session.close()
  return { turn: median(times), clones: median(clones) }
}

/** A new epoch on a long history, and the same choice in plain JavaScript. */
async function epochs(clawback, count, rounds) {
  const script = history(count)
  const session = await open(clawback, 'epochs')
  const importing = await timed(async () => {
    session.sync(script.messages)
    await session.plan()
    await session.flush()
  })
  const whole = []
  const parts = []
  const plain = []
  for (let round = 0; round < rounds; round++) {
    script.turn(200)
    session.sync(script.messages)
    await session.plan()
    let planned
    const started = performance.now()
    parts.push(await onLoop(() => (planned = session.plan({ force: true }))))
    const { epoch } = await planned
    whole.push(performance.now() - started)
    if (epoch < round) throw new Error('no new epoch was made')
    plain.push(await timed(() => newest(structuredClone(script.messages), WINDOW / 4)))
  }
  await session.close()
  return { importing, whole: median(whole), part: median(parts), plain: median(plain) }
}

/** Milliseconds until 1,000 messages or more have durably left the view of a session; their texts lie on disk since their sync. */
async function dropping(clawback, rounds) {
  const times = []
  for (let round = 0; round < rounds; round++) {
    const session = await open(clawback, `dropping ${round}`, 40_000)
    session.sync(conversation(1_200, 500, 1 + round * 1_200))
    await session.flush()
    let plan
    times.push(await timed(async () => (plan = await session.plan({ force: true }))))
    if (plan.droppedMessages < 1_000) throw new Error(`only ${plan.droppedMessages} messages left the view`)
    await session.close()
  }
  return median(times)
}

/** What a host does by itself: clone, count four characters as a token, keep the newest that fit. */
function newest(messages, tokens) {
  let left = tokens
  const kept = new Set()
  for (let index = messages.length - 1; index >= 0 && left > 0; index--) {
    left -= JSON.stringify(messages[index].content).length / 4
    kept.add(index)
  }
  return messages.filter((_, index) => kept.has(index))
}

/**
 * Native megabytes that a session of `count` messages holds, beside those of its messages' text, and those that the process
 * itself takes once with its first sessions: compiled patterns and their caches, the lexicon, threads. The messages
 * themselves are let go.
 */
async function memory(clawback, count) {
  const native = async () => {
    for (let turn = 0; turn < 5; turn++) {
      globalThis.gc()
      await new Promise(setImmediate)
    }
    const { rss, heapTotal, external } = process.memoryUsage()
    return rss - heapTotal - external
  }
  const fill = async (key, messages) => {
    const session = await open(clawback, key)
    let bytes = 0
    for (let from = 0; from < messages; from += 200) {
      const part = history(200).messages.map((message, index) => ({ ...message, timestamp: 1_770_000_000_000 + (from + index) * 1000, ...(message.toolCallId ? { toolCallId: `${from} ${message.toolCallId}` } : {}), ...(message.stopReason === 'toolUse' ? { content: message.content.map((block) => ({ ...block, id: `${from} ${block.id}` })) } : {}) }))
      bytes += part.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message.content)), 0)
      session.sync(part, { from })
      await session.flush()
    }
    await session.plan()
    await session.flush()
    return { session, bytes }
  }
  const start = await native()
  await (await fill('warm', 2_000)).session.close()
  const before = await native()
  const { session, bytes } = await fill('memory', count)
  const held = (await native()) - before
  await session.close()
  return { held: held / 2 ** 20, text: bytes / 2 ** 20, process: (before - start) / 2 ** 20 }
}

/** 400 model calls with results of 19 kB, as 50 turns of 8 calls or as one turn. */
async function cache(clawback, turns, callsPerTurn) {
  const script = new Script()
  const session = await open(clawback, `cache ${turns}`)
  const ours = new PrefixCache()
  const window = new PrefixCache()
  let [epoch, highest, before, broken] = [0, 0, [], 0]
  const per = []
  for (let turn = 0; turn < turns; turn++) {
    script.ask(`Request ${turn + 1}: go through part ${turn + 1} and say what is wrong with it.`)
    for (let call = 0; call < callsPerTurn; call++) {
      session.sync(script.messages)
      const plan = await session.plan()
      const texts = request(script.messages, plan)
      const bare = plan.tail === null ? texts : texts.slice(0, -1)
      if (plan.epoch === epoch && !before.every((text, index) => text === bare[index])) broken++
      before = bare
      epoch = plan.epoch
      highest = Math.max(highest, plan.tokensAfter)
      ours.send(texts)
      per.push(plan.tokensBefore)
      window.send(sliding(script.messages, turns === 1 ? 'assistant' : 'user', 86_000 * 4))
      script.call(19_000)
    }
    script.answer('That is all that I found there.')
  }
  await session.close()
  const added = per.at(-1)
  return { share: ours.share, window: window.share, epoch, highest, broken, added, fresh: added / per.length }
}

/** The newest stretches that fit, each beginning with a message of this role: what hosts without epochs send. */
function sliding(messages, role, room) {
  const texts = messages.map((message) => JSON.stringify(message))
  let from = 0
  let left = texts.reduce((sum, text) => sum + text.length, 0)
  for (let index = 0; index < messages.length && left > room; index++) {
    if (index > from && messages[index].role === role) from = index
    left -= texts[index].length
  }
  while (from > 0 && from < messages.length && messages[from].role !== role) from++
  return texts.slice(from)
}

/** The share that a saw-tooth can reach at best: it grows by `fresh` to the trigger, and falls to the target. */
function ceiling(calls, fresh, trigger, target) {
  let [tokens, sent, cached] = [0, 0, 0]
  for (let call = 0; call < calls; call++) {
    const grown = tokens + fresh
    const falls = grown > trigger
    cached += falls ? 0 : tokens
    tokens = falls ? target : grown
    sent += tokens
  }
  return cached / sent
}

export async function run({ quick }) {
  const clawback = load()
  if (typeof clawback.ContextSession?.open !== 'function') return [skipped(title, 'no ContextSession')]
  const rows = []
  const held = await memory(clawback, quick ? 2_000 : 10_000)
  rows.push(atMost({ what: `native memory of a session of ${quick ? '2,000' : '10,000'} messages`, unit: 'MB', value: held.held, goal: 2 * held.text, beside: held.text, besideWhat: 'their text' }))

  rows.push(fact({ what: 'what the process itself takes, once', unit: 'MB', value: held.process }))

  const sizes = quick ? [100, 1_000] : [100, 1_000, 10_000]
  const costs = []
  const rounds = quick ? 40 : 150
  // Before its first epoch a session has no packet and nothing to look for; that is its own figure. To tell whether the
  // length of the history counts, each session is past its first epoch: 100 messages are in a window that they fill.
  const bare = await turns(clawback, sizes[0], rounds)
  rows.push(atMost({ what: `4 new messages and a plan, after ${sizes[0]}, before the first epoch`, unit: 'ms', value: bare.turn, goal: 0.3 }))
  for (const count of sizes) {
    const { turn, clones } = await turns(clawback, count, rounds, Math.min(WINDOW, Math.round((count * BYTES) / 3)))
    costs.push(turn)
    rows.push(atMost({ what: `4 new messages and a plan, after ${count.toLocaleString('en')}`, unit: 'ms', value: turn, goal: 0.3 }))
    rows.push(fact({ what: `aligning fresh clones of ${count.toLocaleString('en')}`, unit: 'ms', value: clones }))
  }
  rows.push(atMost({ what: 'largest of these to smallest', unit: 'x', value: Math.max(...costs) / Math.min(...costs), goal: 1.5 }))
  rows.push(fact({ what: 'largest of them to that before the first epoch', unit: 'x', value: Math.max(...costs) / bare.turn }))

  const count = quick ? 2_000 : 10_000
  const { importing, whole, part, plain } = await epochs(clawback, count, quick ? 5 : 15)
  rows.push(atMost({ what: `new epoch after ${count.toLocaleString('en')} messages`, unit: 'ms', value: whole, goal: 50, beside: plain, besideWhat: 'clone, count, filter' }))
  rows.push(fact({ what: 'plain JavaScript to a new epoch', unit: 'x', value: plain / whole }))
  rows.push(atMost({ what: 'sync part of it', unit: 'ms', value: part, goal: 2 }))
  rows.push(fact({ what: `first import of ${count.toLocaleString('en')} messages`, unit: 'ms', value: importing }))

  rows.push(atMost({ what: 'storing 1,000 dropped messages durably, with their epoch', unit: 'ms', value: await dropping(clawback, quick ? 3 : 9), goal: 100 }))

  // usable = window - reserve (20,000); trigger 0.50 of it, target half of that; the hard limit 0.90.
  const usable = WINDOW - 20_000
  for (const [turns, calls] of quick ? [[10, 8], [1, 80]] : [[50, 8], [1, 400]]) {
    const seen = await cache(clawback, turns, calls)
    const what = turns === 1 ? `one turn of ${calls} calls` : `${turns} turns of ${calls} calls`
    const [trigger, target] = turns === 1 ? [0.9 * usable, usable / 4] : [usable / 2, usable / 4]
    rows.push(fact({ what: `${what}: share in the common prefix`, unit: '%', value: 100 * seen.share, beside: 100 * ceiling(turns * calls, seen.fresh, trigger, target), besideWhat: 'arithmetic ceiling' }))
    rows.push(fact({ what: `${what}: the same beside a sliding window`, unit: '%', value: 100 * seen.share, beside: 100 * seen.window, besideWhat: turns === 1 ? 'newest calls that fit' : 'newest turns that fit' }))
    rows.push(atMost({ what: `${what}: epochs`, unit: '', value: seen.epoch, goal: Math.ceil(seen.added / (usable / 2 - usable / 4)) + 1 }))
    rows.push(atMost({ what: `${what}: largest view`, unit: 'tokens', value: seen.highest, goal: 0.9 * usable }))
    rows.push(atMost({ what: `${what}: requests that lost their prefix`, unit: '', value: seen.broken, goal: 0 }))
  }
  return rows
}
