// One judge per kind of row. Each asks the package once per row and gives figures and misses; it prints nothing and reads
// no file. A miss has `id`, `kind` (category and what went wrong) and `text`; the caller decides who may see which.
import { bootstrapF1, f1Of, wilson } from './intervals.mjs'
import { answers } from './match.mjs'

const quoted = (text) => (text === null ? 'nothing' : JSON.stringify(text))
const share = (hits, of) => ({ value: of === 0 ? 0 : hits / of, hits, of, interval: wilson(hits, of) })
const f1 = (rows) => ({ value: f1Of(rows), interval: bootstrapF1(rows) })
const count = (rows, test) => rows.filter(test).length
/** Share of the rows that fulfil `within` which also fulfil `test`. */
const shareOf = (rows, within, test) => share(count(rows, (row) => within(row) && test(row)), count(rows, within))

/** `compareItems`: both ways round, because a merge must not depend on which wording came first. */
export function judgePairs(rows, { compareItems }) {
  const seen = rows.map((row) => {
    const got = compareItems(row.a, row.b)
    const merged = got === 'duplicate'
    const same = row.label === 'duplicate'
    return {
      row, got, merged, right: got === row.label,
      oneWay: (compareItems(row.b, row.a) === 'duplicate') !== merged,
      tp: Number(same && merged), fp: Number(!same && merged), fn: Number(same && !merged),
    }
  })
  const labelled = (label) => (one) => one.row.label === label
  return {
    figures: {
      'F1 (duplicate or not)': f1(seen),
      'right of three answers': shareOf(seen, () => true, (one) => one.right),
      'conflicts merged as duplicates': shareOf(seen, labelled('conflict'), (one) => one.merged),
      'conflicts seen': shareOf(seen, labelled('conflict'), (one) => one.right),
      'distinct merged as duplicates': shareOf(seen, labelled('distinct'), (one) => one.merged),
      'other answer the other way round': shareOf(seen, () => true, (one) => one.oneWay),
    },
    misses: seen.filter((one) => !one.right).map(({ row, got }) => (
      { id: row.id, kind: `${row.category}: ${got} for ${row.label}`, text: `${quoted(row.a)} / ${quoted(row.b)}` })),
  }
}

/** `extractDecisionFromResponse`, with the user's answer where the row has one. `least` is the overlap that is enough. */
export function judgeAnswers(rows, { extractDecisionFromResponse }, least) {
  const seen = rows.map((row) => {
    const got = extractDecisionFromResponse(row.reply, row.user_reply) ?? null
    const none = row.expected === null
    const right = none ? got === null : got !== null && answers(got, row, least)
    return { row, got, none, right, tp: Number(!none && right), fp: Number(got !== null && !right), fn: Number(!none && !right) }
  })
  const why = ({ none, got }) => (none ? 'taken where nothing was decided' : got === null ? 'not found' : 'other words')
  return {
    figures: {
      F1: f1(seen),
      'right answers': shareOf(seen, () => true, (one) => one.right),
      'decisions found': shareOf(seen, (one) => !one.none, (one) => one.right),
      'found, but other words': shareOf(seen, (one) => !one.none, (one) => one.got !== null && !one.right),
      'taken where nothing was decided': shareOf(seen, (one) => one.none, (one) => one.got !== null),
    },
    misses: seen.filter((one) => !one.right).map((one) => (
      { id: one.row.id, kind: `${one.row.category ?? one.row.label}: ${why(one)}`, text: `${quoted(one.got)} for ${quoted(one.row.expected)}` })),
  }
}

/** `isRealUserMessage` and, where a person typed, `userText`. */
export function judgeUsers(rows, { isRealUserMessage, userText }) {
  const seen = rows.map((row) => {
    const message = { role: 'user', content: [{ type: 'text', text: row.text }], timestamp: 1 }
    const person = row.label === 'user'
    const taken = isRealUserMessage(message)
    const text = person && row.clean ? (userText(message) ?? '') : undefined
    return {
      row, person, taken, text, right: person === taken, clean: text?.trim() === row.clean?.trim(),
      tp: Number(person && taken), fp: Number(!person && taken), fn: Number(person && !taken),
    }
  })
  const typed = (one) => one.text !== undefined
  const why = (one) => (one.right ? 'other text' : one.person ? 'person not seen' : 'injected text taken for a person')
  return {
    figures: {
      F1: f1(seen),
      'right answers': shareOf(seen, () => true, (one) => one.right),
      'persons dropped': shareOf(seen, (one) => one.person, (one) => !one.taken),
      'injected text taken for a person': shareOf(seen, (one) => !one.person, (one) => one.taken),
      'text exactly as typed': shareOf(seen, typed, (one) => one.clean),
    },
    misses: seen.filter((one) => !one.right || (typed(one) && !one.clean)).map((one) => (
      { id: one.row.id, kind: `${one.row.category}: ${why(one)}`, text: one.text === undefined ? quoted(one.row.text) : quoted(one.text) })),
  }
}

/** Sentences with one word replaced (breaking_nli): a contradiction is not the same, an entailment does not contradict. */
export function judgeReplacedWords(rows, { compareItems }) {
  const seen = rows.map((row) => ({ row, got: compareItems(row.sentence1, row.sentence2) }))
  const labelled = (label) => (one) => one.row.gold_label === label
  return {
    figures: {
      'contradictions merged as duplicates': shareOf(seen, labelled('contradiction'), (one) => one.got === 'duplicate'),
      'contradictions seen as conflict': shareOf(seen, labelled('contradiction'), (one) => one.got === 'conflict'),
      'entailments called conflict': shareOf(seen, labelled('entailment'), (one) => one.got === 'conflict'),
      'entailments seen as duplicates': shareOf(seen, labelled('entailment'), (one) => one.got === 'duplicate'),
    },
    misses: [],
  }
}
