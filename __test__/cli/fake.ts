// A package that remembers calls, for tests of what the replay asks for and when. Its rules are as plain as can be: a
// token is four characters, a user message that starts with "decide" is a decision.
import type { ReplayApi, CheckpointInput, Item, Measure, Message, SessionState, TranscriptEvent } from '../../cli/api.js'

export interface FakeApi extends ReplayApi {
  calls: { stateDir: string; sessionKey: string; input: CheckpointInput }[]
}

const textOf = (message: Message): string => String(message.content ?? message.summary ?? '')

/** The events of a transcript, given as they are; a `string` stands for a damaged line. */
export function fakeApi(script: (TranscriptEvent | string)[], overrides: Partial<ReplayApi> = {}): FakeApi {
  const calls: FakeApi['calls'] = []
  const decisions: Item[] = []
  const state = (): SessionState => ({
    goal: null, decisions: decisions.map((item) => ({ ...item })), constraints: [], tasks: [], openItems: [], learnings: [],
    resources: { filesRead: [], filesModified: [], toolsUsed: [] }, thread: { topic: null, errors: [] }, lastToolCall: null, journalSeq: decisions.length,
  })
  const capture = (messages: readonly Message[]): void => {
    for (const message of messages) {
      const text = textOf(message)
      if (message.role !== 'user' || !text.startsWith('decide')) continue
      const id = `d${decisions.length + 1}`
      const older = decisions.find((item) => text.startsWith('decide anew') && item.status === 'active')
      if (older) Object.assign(older, { status: 'superseded', by: id })
      decisions.push({ id, text, at: '', source: 'user', status: 'active' })
    }
  }
  const measure = (tokens: number, contextWindow: number, source: Measure['source']): Measure => ({ tokens, contextWindow, utilization: tokens / contextWindow, zone: 'green', source })
  return {
    version: '0.0.0',
    calls,
    async openTranscript() {
      let at = 0
      return {
        async next() {
          const part = script.slice(at, at + 3)
          if (part.length === 0) return null
          const problems = part.flatMap((entry, index) => (typeof entry === 'string' ? [{ line: at + index + 1, why: entry }] : []))
          at += part.length
          return { events: part.filter((entry) => typeof entry !== 'string'), problems, bytesRead: at, bytesTotal: script.length }
        },
      }
    },
    measureUsage({ usage, messages: given, contextWindow }) {
      const messages = given as Message[] | undefined
      if (usage?.tokens != null) return measure(usage.tokens, contextWindow, 'host')
      const last = messages?.findLast((message) => message.usage !== undefined)
      if (last) return measure((last.usage as { input: number }).input, contextWindow, 'usage')
      return measure((messages ?? []).reduce((sum, message) => sum + textOf(message).length / 4, 0), contextWindow, 'estimate')
    },
    gaugeLine: (of) => (of.utilization < 0.7 ? null : `gauge ${Math.round(of.utilization * 100)}`),
    estimateTokens: (text) => Math.ceil(text.length / 4),
    estimateMessageTokens: (message) => Math.ceil(textOf(message as Message).length / 4),
    async writeCheckpoint(stateDir, sessionKey, input) {
      calls.push({ stateDir, sessionKey, input })
      capture((input.messages ?? []) as Message[])
      return { written: true, id: `cp_${String(calls.length).padStart(3, '0')}`, path: '' }
    },
    readState: async () => state(),
    readCheckpointForInjection: async () => (calls.length === 0 ? null : `packet of ${calls.length}`),
    readLatestCheckpoint: async () => null,
    readCheckpoint: () => Promise.reject(new Error('not here')),
    listCheckpoints: async () => calls.map(({ input }, index) => ({ id: `cp_${index + 1}`, createdAt: '', trigger: input.trigger, bytes: 1, valid: true })),
    formatCheckpointYaml: () => '',
    renderCheckpoint: () => ({ text: '', tokens: 0, omitted: {} }),
    listSessions: async () => [],
    readConfig: () => Promise.reject(new Error('not here')),
    ...overrides,
  }
}

let line = 0
export const script = {
  header: (): TranscriptEvent => ((line = 1), { type: 'header', line, format: 'pi', version: 3, sessionId: 's', cwd: '/w', timestamp: null, parentSession: null }),
  message: (role: string, content: string, more: object = {}): TranscriptEvent => ({ type: 'message', line: ++line, id: `m${line}`, value: { role, content, ...more }, timestamp: null }),
  answer: (input: number, more: object = {}): TranscriptEvent => script.message('assistant', 'ok', { usage: { input }, ...more }),
  compaction: (firstKeptLine: number | null, tokensBefore: number | null): TranscriptEvent => ({ type: 'compaction', line: ++line, id: `c${line}`, summary: 'what was', firstKept: null, firstKeptLine, tokensBefore, fromHook: false, timestamp: null }),
  damaged: (why: string): string => (++line, why),
  end: (): TranscriptEvent => ({ type: 'end', lines: line, entries: line, messages: line, offPath: 0, relinked: 0, problems: 0 }),
}
