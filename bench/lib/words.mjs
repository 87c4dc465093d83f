// Made-up material in the shape of real work: the same for every run, with common and rare words, so that an index has
// something to do and no two sentences share a subject by accident.

/** A small generator with a seed (mulberry32): numbers in 0..1. */
export function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const SYLLABLES = 'ba ber cal dor el fan gri hol im jun ka lor mel nor os pra qui ran sol tar ul ven wil xan yor zel'.split(' ')
const VERBS = ['Use', 'Keep', 'Document', 'Rework', 'Rename', 'Inspect', 'Simplify', 'Split', 'Trace', 'Cover', 'Measure', 'Move']

/** The n-th of the made-up nouns; all differ. */
function noun(index) {
  let word = ''
  for (let rest = index + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) word += SYLLABLES[rest % SYLLABLES.length]
  return word
}

/** `count` different sentences; some nouns are far more common than others, as in real text. */
export function sentences(count, seed = 1) {
  const next = random(seed)
  const common = () => noun(Math.floor(3000 * next() ** 3))
  const found = new Set()
  while (found.size < count) {
    const verb = VERBS[Math.floor(next() * VERBS.length)]
    found.add(`${verb} the ${common()} ${common()} of the ${common()} module for ${common()} and ${common()}`)
  }
  return [...found]
}

/** Prose of about `bytes` bytes with headings, paths, bullets and a code fence, as an agent writes it. */
export function prose(bytes, seed = 1) {
  const lines = sentences(Math.ceil(bytes / 50) + 8, seed)
  let text = '## Findings\n\nWe went through the module and checked each caller.\n'
  for (let index = 0; text.length < bytes; index++) {
    const line = lines[index % lines.length]
    text += [`- ${line}.\n`, `${line}, as \`src/${noun(index)}/mod.rs\` already does. `, `I'll ${line.toLowerCase()}.\n\n`, `\`\`\`\nlet ${noun(index)} = ${index};\n\`\`\`\n`][index % 4]
  }
  return text.slice(0, bytes)
}

/** A conversation of `count` messages with texts of `bytes` bytes, in pi's shape: asked, answered, agreed. */
export function conversation(count, bytes, seed = 1) {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: prose(bytes, seed + index) }],
    timestamp: 1_770_000_000_000 + index * 1000,
  }))
}
