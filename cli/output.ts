// Everything that goes to a terminal: colours, numbers, lines that fit, errors.
import picocolors from 'picocolors'

export type Colors = ReturnType<typeof picocolors.createColors>

/** Colours only for a terminal: neither a pipe, nor NO_COLOR, nor a dumb terminal gets any. FORCE_COLOR overrides the pipe. */
export function colorsFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Colors {
  const forced = Boolean(env.FORCE_COLOR) && env.FORCE_COLOR !== '0'
  const wanted = !env.NO_COLOR && (forced || (stream.isTTY === true && env.TERM !== 'dumb'))
  return picocolors.createColors(wanted)
}

// Sequences for colours, cursor and window title go as a whole; what is left of others loses its control character.
const SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Text from a transcript must not move the cursor, colour the screen or turn the reading direction. */
export function harmless(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(SEQUENCES, '').replace(CONTROLS, '')
}

/** A session key in a list: one line, and what a terminal would obey spelled out, so that it can be copied. */
export const shownKey = (key: string): string => (harmless(key) === key && !/[\n\t]/.test(key) ? key : escaped(JSON.stringify(key)))

/** What a terminal would obey is escaped instead of sent. */
export const escaped = (text: string): string => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (ch) => `\\u${ch.charCodeAt(0).toString(16).padStart(4, '0')}`)

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** One line of at most so many graphemes. */
export function oneLine(text: string, limit: number): string {
  const flat = harmless(text).replace(/\s+/g, ' ').trim()
  if (flat.length <= limit) return flat
  let kept = ''
  let count = 0
  for (const { segment } of graphemes.segment(flat)) {
    if (++count >= limit) return `${kept.trimEnd()}…`
    kept += segment
  }
  return kept
}

/** `12,345` */
export const number = (value: number): string => Math.round(value).toLocaleString('en-US')
/** `83 %` */
export const percent = (share: number): string => `${Math.round(share * 100)} %`

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`
  if (value < 1_000_000) return `${(value / 1000).toFixed(1)} kB`
  return `${(value / 1_000_000).toFixed(1)} MB`
}

/** `1 message`, `2 messages` */
export const plural = (count: number, word: string): string => `${number(count)} ${word}${count === 1 ? '' : 's'}`

/** Columns padded to their widest cell; the last one is not padded. */
export function table(rows: readonly (readonly string[])[], indent = '  '): string {
  const widths: number[] = []
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)))
  const line = (row: readonly string[]): string => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  ')
  return rows.map((row) => `${indent}${line(row).trimEnd()}\n`).join('')
}

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** An error that the user can do something about; `exitCode` 1: not found or failed, 2: wrong usage. */
export class CliError extends Error {
  constructor(readonly code: string, message: string, readonly exitCode: 1 | 2 = 1) {
    super(message)
    this.name = 'CliError'
  }
}

export const wrongUsage = (message: string): CliError => new CliError('WrongUsage', message, 2)
export const notFound = (message: string): CliError => new CliError('NotFound', message)
