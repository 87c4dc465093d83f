// `clawback replay FILE`
import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Api } from '../api.js'
import { withTemporary } from '../files.js'
import { colorsFor, json, wrongUsage } from '../output.js'
import { progressBar } from '../progress.js'
import { replayTranscript, type ReplayEvent, type ReplayOptions } from '../replay.js'
import { replayView } from '../replay-view.js'
import { isDatabase, withTranscript } from '../transcript-db.js'

export interface ReplayFlags {
  json?: boolean
  stateDir?: string
  session?: string
  window?: string
  maxTokens?: string
}

/** Damaged lines that the JSON document lists; the rest is counted. */
const LISTED_PROBLEMS = 1000

export async function replay(api: Api, file: string, flags: ReplayFlags): Promise<void> {
  const interrupted = new AbortController()
  const stop = (): void => interrupted.abort()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  process.stdout.once('error', stop)
  const options: ReplayOptions = { signal: interrupted.signal }
  if (flags.window !== undefined) options.contextWindow = positive('--window', flags.window)
  if (flags.maxTokens !== undefined) options.maxTokens = positive('--max-tokens', flags.maxTokens)
  if (flags.session !== undefined) options.sessionKey = flags.session
  if (flags.stateDir !== undefined) options.tempDir = flags.stateDir
  const play = async (transcript: string, shown: ReplayOptions): Promise<void> => {
    if (flags.json) process.stdout.write(json(await collect(replayTranscript(api, transcript, shown))))
    else await print(replayTranscript(api, transcript, shown))
  }
  const playCopy = async (copy: string): Promise<void> => {
    try {
      await play(copy, { ...options, sourceFile: 'standard input' })
    } catch (error) {
      // The message of an abort cannot be written, and names no file.
      if (!(error instanceof Error) || !error.message.includes(copy)) throw error
      throw Object.assign(new Error(error.message.replaceAll(copy, 'standard input'), { cause: error }), { code: (error as { code?: unknown }).code })
    }
  }
  try {
    if (file === '-') await withTemporary('clawback-stdin-', flags.stateDir, async (directory) => playCopy(await copyOfInput(directory)))
    // Of a database, `--session` names the session to be played.
    else if (await isDatabase(file)) await withTranscript(file, flags.session, flags.stateDir, (jsonl, sessionId) => play(jsonl, { ...options, sessionKey: `openclaw:${sessionId}`, sourceFile: file }))
    else await play(file, options)
  } finally {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    process.stdout.off('error', stop)
  }
}

/** What comes in on stdin, as a file: a transcript is read more than once. */
async function copyOfInput(directory: string): Promise<string> {
  if (process.stdin.isTTY) throw wrongUsage('replay - reads a transcript from standard input; nothing is connected to it')
  const copy = path.join(directory, 'stdin')
  await pipeline(process.stdin, createWriteStream(copy, { mode: 0o600 }))
  return copy
}

async function print(events: AsyncIterable<ReplayEvent>): Promise<void> {
  const view = replayView(colorsFor(process.stdout))
  const bar = progressBar('replaying')
  try {
    for await (const event of events) {
      if (event.type === 'progress') {
        bar.update(event.bytesRead, event.bytesTotal)
        continue
      }
      const text = view(event)
      if (text === '') continue
      bar.clear()
      process.stdout.write(text)
    }
  } finally {
    bar.clear()
  }
}

type Of<T extends ReplayEvent['type']> = Omit<Extract<ReplayEvent, { type: T }>, 'type'>

/** One document with everything that happened. */
async function collect(events: AsyncIterable<ReplayEvent>): Promise<unknown> {
  const bar = progressBar('replaying')
  let start: Of<'start'> | null = null
  let summary: Of<'end'>['summary'] | null = null
  const problems: Of<'problem'>[] = []
  const happened: ReplayEvent[] = []
  try {
    for await (const event of events) {
      if (event.type === 'progress') bar.update(event.bytesRead, event.bytesTotal)
      else if (event.type === 'problem') {
        if (problems.length < LISTED_PROBLEMS) problems.push({ line: event.line, why: event.why })
      } else if (event.type === 'start') start = { ...event, type: undefined } as Of<'start'>
      else if (event.type === 'end') summary = event.summary
      else happened.push(event)
    }
  } finally {
    bar.clear()
  }
  return { ...start, ...summary, problems, events: happened }
}

export function positive(flag: string, value: string): number {
  const number = Number(value.replace(/_/g, ''))
  if (!Number.isSafeInteger(number) || number <= 0) throw wrongUsage(`${flag} needs a whole number above 0; got ${JSON.stringify(value)}`)
  return number
}
