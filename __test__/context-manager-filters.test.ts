// The unit tests that seed 000 requires for reading a conversation, under the names it lists.
import { describe, expect, test } from 'vitest'
import { extractDecisionFromResponse, isRealUserMessage, mergeItems, userText } from '../index.js'

const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 1 })

describe('extractDecisionFromResponse', () => {
  test('extracts tier 1 (explicit marker) over tier 3 (bold)', () => {
    const reply = '**Overview of the queue**\n\nSome words about it.\n\nDecision: keep the queue in Postgres and drop RabbitMQ.'
    expect(extractDecisionFromResponse(reply)).toMatch(/keep the queue in Postgres/)
  })

  test('returns null for conversational filler', () => {
    expect(extractDecisionFromResponse("You're right, I overcomplicated it.")).toBeNull()
    expect(extractDecisionFromResponse('Haha, nice one!')).toBeNull()
  })

  test('returns null for code-fence-only response', () => {
    expect(extractDecisionFromResponse('```sh\nDecision: echo fake\n```')).toBeNull()
    expect(extractDecisionFromResponse('~~~\nWe will use Redis.\n~~~')).toBeNull()
  })

  test('action verb bullet extraction (tier 4)', () => {
    expect(extractDecisionFromResponse('Summing up:\n\n- Replace the cron job with a systemd timer\n')).toMatch(/Replace the cron job with a systemd timer/)
  })

  test('a refusal by the user yields nothing', () => {
    expect(extractDecisionFromResponse('Shall I move the tokens to SQLite?', 'no, leave it')).toBeNull()
    expect(extractDecisionFromResponse('Shall I move the tokens to SQLite?', 'yes')).toMatch(/move the tokens to SQLite/)
  })
})

describe('isRealUserMessage', () => {
  test('passes real user messages', () => {
    expect(isRealUserMessage(user('Please rename the module.'))).toBe(true)
    // Talking about injected text is not injected text (FAULTS C9).
    expect(isRealUserMessage(user('Should <checkpoint-data be indented in my template?'))).toBe(true)
    expect(userText(user('Please rename the module.'))).toBe('Please rename the module.')
  })

  test('rejects `<checkpoint-data` content', () => {
    const injected = '[Post-compaction checkpoint restore]\n<checkpoint-data schema="openclaw/checkpoint" id="cp_001">\ngoal: x\n</checkpoint-data>'
    expect(isRealUserMessage(user(injected))).toBe(false)
    expect(userText(user(injected))).toBeNull()
  })

  test('rejects compaction summaries', () => {
    expect(isRealUserMessage(user('The conversation history before this point was compacted into the following summary:\n\n<summary>\n## Goal\nx\n</summary>'))).toBe(false)
  })

  test('rejects token gauge lines', () => {
    expect(isRealUserMessage(user('[Context: 82% | 164k/200k tokens | Checkpoint saved]'))).toBe(false)
  })

  test('only the role user counts', () => {
    expect(isRealUserMessage({ role: 'assistant', content: 'hello' })).toBe(false)
  })
})

test('Merge preservation: heuristic decisions not covered by LLM output are preserved after semantic dedup', () => {
  const model = ['Keep supplier tokens in SQLite']
  const captured = ['- keep supplier tokens in **SQLite**', 'Sign releases with the team key']
  const { items, folded } = mergeItems(model, captured)
  expect(items).toEqual(['Keep supplier tokens in SQLite', 'Sign releases with the team key'])
  expect(folded.map((one) => one.into)).toEqual(['Keep supplier tokens in SQLite'])
})
