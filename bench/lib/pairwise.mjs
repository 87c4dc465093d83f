// The merge that the first requirement document asks for, word by word: every pair is compared (seed 000, issue 2).
const STOP = new Set('the a an is are was were be been being to and or in for with that this of i we it he she they you my our need should will must have has had do does did can could would not no but if so then'.split(' '))
const plain = (text) => text.replace(/^\s*(?:[-*]|\d+\.)\s+/, '').replace(/[*`]/g, '').replace(/\s+/g, ' ').trim().toLowerCase()
const keywords = (text) => new Set(plain(text).split(' ').filter((word) => word.length >= 3 && !STOP.has(word)))

function isDuplicate(a, b) {
  const [one, two] = [plain(a), plain(b)]
  if (one === two) return true
  const [first, second] = [keywords(a), keywords(b)]
  let shared = 0
  for (const word of first) if (second.has(word)) shared++
  const union = first.size + second.size - shared
  if (union >= 3 && shared / union >= 0.5) return true
  const [short, long] = one.length < two.length ? [one, two] : [two, one]
  return short.length >= 10 && long.includes(short)
}

/** The primary list, and of the secondary what nothing in it covers. */
export const mergePairwise = (primary, secondary) => [...primary, ...secondary.filter((item) => !primary.some((other) => isDuplicate(item, other)))]
