// One measured line. Every row says what was measured, in which unit, beside what, and whether the goal is met; no row
// ever fails a run, because a busy machine is not a fault of the code.

/** Ours against a peer that does the same job: `ratio` says how many times less time ours takes. */
export function versus({ what, unit, ours, theirs, peer, goal }) {
  const ratio = theirs / ours
  return { what, unit, value: ours, beside: theirs, besideWhat: peer, ratio, goal: `>= ${goal}x`, met: ratio >= goal }
}

/** A figure that should stay at or below `goal`. */
export function atMost({ what, unit, value, goal, beside, besideWhat }) {
  return { what, unit, value, beside, besideWhat, goal: `<= ${goal} ${unit}`, met: value <= goal }
}

/** A figure that should stay at or above `goal`. */
export function atLeast({ what, unit, value, goal, beside, besideWhat }) {
  return { what, unit, value, beside, besideWhat, goal: `>= ${goal} ${unit}`, met: value >= goal }
}

/** A figure without a goal, to read the others by. */
export function fact({ what, unit, value, beside, besideWhat }) {
  return { what, unit, value, beside, besideWhat }
}

/** A measurement that could not be made, and why. */
export const skipped = (what, why) => ({ what, skipped: why })

const number = (value) =>
  value === undefined ? ''
  : Math.abs(value) >= 100 ? value.toFixed(0)
  : Math.abs(value) >= 1 ? value.toFixed(1)
  : value.toFixed(3)
const mark = (row) => (row.skipped ? 'skip' : row.met === undefined ? '' : row.met ? 'ok' : 'MISS')

/** The rows of one case as lines of text. */
export function table(rows) {
  const cells = rows.map((row) =>
    row.skipped
      ? [mark(row), row.what, row.skipped, '', '', '']
      : [mark(row), row.what, `${number(row.value)} ${row.unit}`, row.beside === undefined ? '' : `${row.besideWhat}: ${number(row.beside)} ${row.unit}`,
          row.ratio === undefined ? '' : `${number(row.ratio)}x`, row.goal ?? ''],
  )
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((line) => line[column].length)))
  return cells.map((line) => `  ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()}`).join('\n')
}
