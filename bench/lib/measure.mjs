// Timing on a machine that others use too: what is compared is run in turns within one process, and medians are taken.
import { performance } from 'node:perf_hooks'

export const median = (values) => percentile(values, 0.5)

/** The value below which the given share (0..1) of the values lies. */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** Milliseconds that an async piece of work takes. */
export async function timed(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/**
 * Runs the named pieces of work in turns (a, b, a, b, ...) and gives the median milliseconds of each.
 * Each is called with the round's number; one round before the counted ones warms up.
 */
export async function inTurns(rounds, works) {
  const names = Object.keys(works)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = -1; round < rounds; round++) {
    // Every other round runs backwards, so that nobody always inherits the other's dirty pages.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      const took = await timed(() => works[name](round))
      if (round >= 0) times[name].push(took)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])]))
}

/** Calls `start` for 0..count-1 with at most `width` promises pending. */
export async function inFlight(count, width, start) {
  let next = 0
  const lane = async () => {
    while (next < count) await start(next++)
  }
  await Promise.all(Array.from({ length: width }, lane))
}
