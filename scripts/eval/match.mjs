// When an answer counts as the expected one: by the words they share, so that a longer or shorter cut is no fault.

const LIST_MARKS = /^\s*(?:(?:[-*>+]|\d+[.)]|#+)\s+)+/
const MARKUP = /[*`_|]/g
/** What a sentence may start with without saying anything of the decision itself. */
const LEAD_INS = new RegExp(
  `^(?:${[
    'final decision[^:]*:', 'decision:', 'plan:', 'approach:', 'agreed:', 'so:', 'odluka:', 'одлука:',
    'going with', 'choosing', 'chose', "i'll", "i've", "we'll", "let's", 'i will', 'we will', "i'm going to", "we're going to",
    'the (?:approach|plan|fix|solution) is',
  ].join('|')})\\s*`,
  'i',
)

/** The words that are compared: no markup, at most two lead-ins, lower case. */
export function wordsOf(text) {
  const bare = text.trim().replaceAll('’', "'").replace(LIST_MARKS, '').replace(MARKUP, '').trim()
  return bare.replace(LEAD_INS, '').replace(LEAD_INS, '').toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
}

/** F1 of the words of two texts, each word counted as often as it stands there; 0..1. */
export function overlap(a, b) {
  const left = wordsOf(a)
  const right = wordsOf(b)
  const unmatched = new Map()
  for (const word of left) unmatched.set(word, (unmatched.get(word) ?? 0) + 1)
  let shared = 0
  for (const word of right) {
    const rest = unmatched.get(word) ?? 0
    if (rest === 0) continue
    unmatched.set(word, rest - 1)
    shared += 1
  }
  return left.length + right.length === 0 ? 0 : (2 * shared) / (left.length + right.length)
}

/**
 * Whether `answer` is what the row expects: overlap of at least `least` with one of its wordings, and every word of
 * `row.must` said. An amendment keeps most of the question's words, so overlap alone would let the old value pass.
 */
export function answers(answer, row, least) {
  const said = new Set(wordsOf(answer))
  if (!(row.must ?? []).flatMap(wordsOf).every((word) => said.has(word))) return false
  return [row.expected, ...(row.acceptable ?? [])].some((wanted) => overlap(answer, wanted) >= least)
}
