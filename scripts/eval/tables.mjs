// Figures as Markdown, so that what is printed can stand in docs/quality.md as it is.

const decimal = (value) => value.toFixed(2)
const percent = (value) => (value * 100).toFixed(value > 0 && value < 0.1 ? 1 : 0)

/** "0.912 (0.86-0.95)" for F1, "3 of 51: 6 % (2-16)" for a share; both with the 95 % interval. */
export function figureText(figure) {
  if (figure === undefined) return ''
  const [low, high] = figure.interval
  // A third digit, so that rounding never lifts a figure over its goal.
  if (figure.of === undefined) return `${figure.value.toFixed(3)} (${decimal(low)}-${decimal(high)})`
  if (figure.of === 0) return 'no such row'
  return `${figure.hits} of ${figure.of}: ${percent(figure.value)} % (${percent(low)}-${percent(high)})`
}

/** A Markdown table with its columns lined up. */
export function table(header, lines) {
  const all = [header, ...lines]
  const widths = header.map((_, column) => Math.max(...all.map((line) => (line[column] ?? '').length)))
  const row = (cells) => `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`
  return [row(header), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(row)].join('\n')
}

/** One kind of row: figures down, sets across. `results` maps a set's name to its rows and figures. */
export function kindTable({ goals }, results) {
  const sets = Object.keys(results)
  const names = Object.keys(Object.values(results)[0].figures)
  return table(
    ['', ...sets.map((set) => `${set} (${results[set].rows})`), 'goal'],
    names.map((name) => [name, ...sets.map((set) => figureText(results[set].figures[name])), goals[name] ?? '']),
  )
}

/** How often each kind of miss occurs, most frequent first. */
export function missKinds(misses) {
  const counts = new Map()
  for (const { kind } of misses) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([kind, count]) => `${count} x ${kind}`)
}
