// Figures that the shared scorer already knows how to take: facts kept in the packet, messages found again, and tokens
// against real counts.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { wilson } from './intervals.mjs'
import { root, sharedScorer } from './sets.mjs'
import { figureText } from './tables.mjs'

const signed = (share) => `${share > 0 ? '+' : ''}${(share * 100).toFixed(1)} %`

/** Facts kept over all cuts; the scorer gives "10/14 (2731 chars)" for each. */
function keptFacts(packet) {
  const cuts = Object.entries(packet).filter(([name]) => name.startsWith('cut')).map(([, text]) => text.split(/[/ ]/, 2).map(Number))
  const hits = cuts.reduce((sum, [kept]) => sum + kept, 0)
  const of = cuts.reduce((sum, [, facts]) => sum + facts, 0)
  return { value: hits / of, hits, of, interval: wilson(hits, of) }
}

/** Lines of [what, value, goal], or null where the scorer is not there. Throws when it breaks. */
export function packetAndTokens() {
  if (!existsSync(sharedScorer)) return null
  const run = spawnSync(process.execPath, [sharedScorer, root, '--json', 'packet', 'tokens', 'recall'], { encoding: 'utf8' })
  if (run.status !== 0) throw new Error(`the shared scorer ended with ${run.status ?? run.signal}: ${run.stderr}`)
  const { packet, tokens, recall } = JSON.parse(run.stdout)
  const [kind, error] = tokens.worstKind.split(' ')
  return [
    ['facts kept in a packet of 700 tokens', figureText(keptFacts(packet)), '>= 80 %'],
    ...(recall.skipped ? [] : [
      [`evidence of ${recall.n} questions among the first 10 messages found (LoCoMo)`, Number(recall['R@10']).toFixed(3), '>= 0.75'],
      ['among the first 5', Number(recall['R@5']).toFixed(3), '>= 0.66'],
    ]),
    [`tokens of ${tokens.samples} texts: error of the sum`, signed(tokens.sumError), 'within 5 %'],
    ['tokens: median error of one text', `${(tokens.medianError * 100).toFixed(1)} %`, '<= 10 %'],
    [`tokens: worst kind of text (${kind})`, signed(Number(error)), 'within 20 %'],
    ['tokens: error of the sum against what a provider reported', signed(tokens.claudeSumError), 'within 5 %'],
  ]
}
