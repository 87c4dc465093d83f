// A state directory of a test's own, what lies in it, and messages to put into it.
import { lstatSync, mkdtempSync, readdirSync, rmSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach } from 'vitest'
import * as clawback from '../../index.js'

const made: string[] = []
afterEach(() => made.splice(0).forEach((dir) => rmSync(dir, { recursive: true, force: true })))

/** A fresh directory, removed after the test. */
export function freshDir(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'clawback-test-'))
  made.push(dir)
  return dir
}

/** Everything below a directory, as sorted relative paths. */
export function treeOf(dir: string): string[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()
}

/** The regular files below a directory, as whole paths. */
export const filesOf = (dir: string) => treeOf(dir).map((name) => path.join(dir, name)).filter((file) => lstatSync(file).isFile())

/** Where a session lives. */
export async function sessionDir(stateDir: string, key: string): Promise<string> {
  const found = (await clawback.listSessions(stateDir)).find((session) => session.sessionKey === key)
  return path.join(stateDir, 'context', 'sessions', found!.name)
}

/** The code of the error that a promise rejects with; 'none' if it does not. */
export const codeOf = (promise: Promise<unknown>) => promise.then(() => 'none', (error: { code?: string }) => error.code ?? 'no code')

export const usage = { inputTokens: 164_000, contextWindow: 200_000 }
export const manual = { trigger: 'manual', tokenUsage: usage } as const

let clock = Date.UTC(2026, 1, 1)
export const user = (content: unknown) => ({ role: 'user', content, timestamp: (clock += 1_000) })
export const assistant = (content: unknown) => ({ role: 'assistant', content, stopReason: 'stop', timestamp: (clock += 1_000) })
export const toolCall = (id: string, name: string, args: object) => assistant([{ type: 'toolCall', id, name, arguments: args }])
export const toolResult = (id: string, text: string, isError = false) => ({ role: 'toolResult', toolCallId: id, toolName: 'tool', isError, content: [{ type: 'text', text }], timestamp: (clock += 1_000) })
export const untimed = <M extends { timestamp?: number }>({ timestamp: _, ...message }: M) => message
