// npm run eval [-- --sets=fourth,third,everyday,tuning,dev,real,public] [-- --kinds] [-- --misses] [-- --json]: how well the package judges, on
// every set that is there. --kinds counts the kinds of misses; --misses prints them, never those of the blind set.
// Figures inform and never fail a run; the floors that must hold are in __test__/eval.
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { packetAndTokens } from './eval/outside.mjs'
import { BLIND, KINDS, SETS, readRows } from './eval/sets.mjs'
import { kindTable, missKinds, table } from './eval/tables.mjs'

const { values: options } = parseArgs({
  options: {
    sets: { type: 'string', default: SETS.join(',') },
    kinds: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const wanted = options.sets.split(',')
const unknown = wanted.filter((set) => !SETS.includes(set))
if (unknown.length > 0) {
  console.error(`no such set: ${unknown.join(', ')}; there are ${SETS.join(', ')}`)
  process.exit(2)
}

const api = createRequire(import.meta.url)('../index.js')

/** All wanted sets of one kind that are there. Texts of blind rows end here: only kinds of misses go on. */
function measure(kind) {
  const results = {}
  for (const set of wanted) {
    const rows = kind.files[set] && readRows(kind.files[set])
    if (!rows) continue
    const { figures, misses } = kind.judge(rows, api)
    results[set] = { rows: rows.length, figures, misses: BLIND.has(set) ? misses.map(({ kind: what }) => ({ kind: what })) : misses }
  }
  return results
}

function print(kind, results) {
  console.log(`\n### ${kind.title}\n\n${kindTable(kind, results)}`)
  for (const [set, { misses }] of Object.entries(results)) {
    if (options.kinds && misses.length > 0) console.log(`\nMisses of ${set}: ${missKinds(misses).join('; ')}.`)
    if (options.misses && !BLIND.has(set)) for (const miss of misses) console.log(`${miss.id} ${miss.kind}: ${miss.text}`)
  }
}

const measured = {}
for (const kind of KINDS) {
  const results = measure(kind)
  if (Object.keys(results).length === 0) continue
  measured[kind.name] = results
  if (!options.json) print(kind, results)
}
const outside = wanted.includes('dev') ? packetAndTokens() : null
if (options.json) {
  for (const results of Object.values(measured)) for (const one of Object.values(results)) one.misses = missKinds(one.misses)
  console.log(JSON.stringify({ measured, outside }))
} else if (outside) {
  console.log(`\n### Packet and tokens\n\n${table(['', 'value', 'goal'], outside)}`)
}
