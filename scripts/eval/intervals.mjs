// How far a figure from few rows can be trusted: 95 % intervals. Pure; the same rows give the same interval every time.

const Z = 1.959964
const RESAMPLES = 2000
const SEED = 20_240_917

/** Wilson's score interval of `hits` out of `of`; the whole range when there is nothing to count. */
export function wilson(hits, of) {
  if (of === 0) return [0, 1]
  const share = hits / of
  const square = Z * Z
  const middle = share + square / (2 * of)
  const reach = Z * Math.sqrt((share * (1 - share)) / of + square / (4 * of * of))
  const scale = 1 + square / of
  return [Math.max(0, (middle - reach) / scale), Math.min(1, (middle + reach) / scale)]
}

/** Random whole numbers from a fixed seed (mulberry32), so that two runs can be compared. */
export function seeded(seed) {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

/**
 * F1 from what each row added. A row is `{ tp, fp, fn }`; a wrong answer counts in both `fp` and `fn`. 0 when nothing was to
 * be found and nothing was.
 */
export function f1Of(rows) {
  let tp = 0
  let errors = 0
  for (const row of rows) {
    tp += row.tp
    errors += row.fp + row.fn
  }
  return tp + errors === 0 ? 0 : (2 * tp) / (2 * tp + errors)
}

/** Percentile bootstrap over rows for F1, which is no share and has no Wilson interval. Without an error it is [1, 1]. */
export function bootstrapF1(rows, resamples = RESAMPLES, seed = SEED) {
  if (rows.length === 0) return [0, 1]
  const next = seeded(seed)
  const values = Array.from({ length: resamples }, () => f1Of(rows.map(() => rows[next(rows.length)]))).sort((a, b) => a - b)
  const at = (share) => values[Math.min(resamples - 1, Math.floor(share * resamples))]
  return [at(0.025), at(0.975)]
}
