// Where the rows are, what judges them, and what is asked of the figures. Sets outside the repository are measured where
// they are there, and left out where not.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { judgeAnswers, judgePairs, judgeReplacedWords, judgeUsers } from './judges.mjs'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..')
const shared = path.join(root, '..', 'shared')
export const sharedScorer = path.join(shared, 'eval', 'score.mjs')

/** Rows that nobody who works on the rules may read: no text of them is ever printed. */
export const BLIND = new Set(['fourth', 'third'])
export const SETS = ['fourth', 'third', 'everyday', 'tuning', 'dev', 'real', 'public']

const own = (kind) => ({
  fourth: path.join(root, 'fixtures', 'quality', `fourth_${kind}.jsonl`),
  third: path.join(root, 'fixtures', 'quality', `third_${kind}.jsonl`),
  everyday: path.join(root, 'fixtures', 'quality', `everyday_${kind}.jsonl`),
  tuning: path.join(root, 'fixtures', 'quality', `tuning_${kind}.jsonl`),
})
const given = (file) => path.join(shared, 'eval', `${file}.dev.jsonl`)

export const KINDS = [
  {
    name: 'pairs', title: 'Pairs: are two facts the same?', files: { ...own('pairs'), dev: given('dedup_pairs') }, judge: judgePairs,
    goals: { 'F1 (duplicate or not)': '>= 0.85', 'conflicts merged as duplicates': '0', 'conflicts seen': '>= 0.85' },
  },
  {
    name: 'replies', title: 'Replies: what was decided?', files: { ...own('replies'), dev: given('decision_extraction') },
    judge: (rows, api) => judgeAnswers(rows, api, 0.7),
    goals: { F1: '>= 0.75', 'taken where nothing was decided': '<= 2 of 34' },
  },
  {
    name: 'confirmed', title: 'Reply and answer: what was agreed?',
    files: { ...own('confirmed'), dev: given('confirmed_pairs'), real: given('real_pi_pairs') },
    judge: (rows, api) => judgeAnswers(rows, api, 0.5),
    goals: { F1: '>= 0.80', 'decisions found': 'real: >= 3 of 5', 'taken where nothing was decided': 'real: 0' },
  },
  {
    name: 'users', title: 'User messages: did a person type this?', files: { ...own('users'), dev: given('user_messages') }, judge: judgeUsers,
    goals: { 'right answers': 'dev: all', 'text exactly as typed': 'dev: >= 19 of 20' },
  },
  {
    name: 'replaced', title: 'breaking_nli: one word replaced', judge: judgeReplacedWords,
    files: { public: path.join(shared, 'data', 'breaking_nli', 'data', 'dataset.jsonl') },
    goals: { 'contradictions merged as duplicates': '<= 3 %', 'entailments called conflict': '<= 10 %' },
  },
]

/** The rows of a file, or null where it is not there. The real session marks "nothing decided" with a label. */
export function readRows(file) {
  if (!existsSync(file)) return null
  const rows = readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))
  return rows.map((row) => (row.label === 'none' ? { ...row, expected: null } : row))
}
