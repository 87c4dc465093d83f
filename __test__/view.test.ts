// What is sent to a provider: no call without its result, no result without its call, whatever form the messages have.
import { describe, expect, test } from 'vitest'
import { applyPlan, ContextManager, ContextSession, type ContextPlan, type Message } from '../index.js'
import { freshDir } from './support/sandbox.js'

const plan = (more: Partial<ContextPlan>): ContextPlan => ({ epoch: 1, zone: 'green', packet: null, tail: null, keep: new Uint32Array(), replace: [], tokensBefore: 0, tokensAfter: 0, droppedMessages: 0, warnings: [], ...more })

describe('applyPlan', () => {
  test('puts packet and tail around what is kept, as user messages; the objects are the host\'s own', () => {
    const messages = [{ role: 'user', content: 'a' }, { role: 'user', content: 'b' }, { role: 'assistant', content: 'c' }]
    const request = applyPlan(plan({ packet: 'P', tail: 'T', keep: Uint32Array.of(1, 2) }), messages)
    expect(request).toEqual([{ role: 'user', content: 'P' }, messages[1], messages[2], { role: 'user', content: 'T' }])
    expect(request[1]).toBe(messages[1])
    expect(applyPlan(plan({ keep: Uint32Array.of(0) }), messages)).toEqual([messages[0]])
  })

  test('a shortened message is a copy in the form that it had, without details', () => {
    const messages = [
      { role: 'toolResult', toolCallId: 'c1', content: [{ type: 'text', text: 'long' }], details: { whole: 'long' }, isError: false },
      { role: 'tool', tool_call_id: 'c2', content: 'long' },
      { role: 'assistant', content: [{ type: 'text', text: 'long' }, { type: 'tool_use', id: 'c3', name: 'read', input: {} }] },
    ]
    const before = structuredClone(messages)
    expect(applyPlan(plan({ keep: Uint32Array.of(0, 1, 2), replace: [0, 1, 2].map((index) => ({ index, text: 'short' })) }), messages)).toEqual([
      { role: 'toolResult', toolCallId: 'c1', content: [{ type: 'text', text: 'short' }], isError: false },
      { role: 'tool', tool_call_id: 'c2', content: 'short' },
      { role: 'assistant', content: [{ type: 'text', text: 'short' }, { type: 'tool_use', id: 'c3', name: 'read', input: {} }] },
    ])
    expect(messages).toEqual(before)
  })

  test('blocks of results keep their ids; the first takes the text, the others one line', () => {
    const message = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'long', is_error: true }, { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: 'long' }] }, { type: 'text', text: 'long' }] }
    const [shown] = applyPlan(plan({ keep: Uint32Array.of(0), replace: [{ index: 0, text: 'short' }] }), [message]) as (typeof message)[]
    expect(shown!.content).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: 'short', is_error: true },
      { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: expect.stringMatching(/^[^\n]{1,60}$/) }] },
    ])
    expect(message.content[0]!.content).toBe('long')
  })

  test('another array than the one synced is refused', () => {
    expect(() => applyPlan(plan({ keep: Uint32Array.of(0, 7) }), [{}])).toThrow(expect.objectContaining({ code: 'InvalidInput', message: 'applyPlan: the plan keeps message 7, and messages has 1; give the array last synced' }))
    expect(() => applyPlan(null as never, [])).toThrow(expect.objectContaining({ code: 'InvalidInput' }))
  })
})

/** A conversation with tools in the form of a provider. */
const forms: Record<string, (number: number) => Message[]> = {
  Anthropic: (number) => [
    { role: 'user', content: `read the files ${number}` },
    { role: 'assistant', content: [{ type: 'tool_use', id: `a${number}`, name: 'read', input: { path: `a${number}` } }, { type: 'tool_use', id: `b${number}`, name: 'read', input: { path: `b${number}` } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `a${number}`, content: `line of file ${number}\n`.repeat(150) }, { type: 'tool_result', tool_use_id: `b${number}`, content: [{ type: 'text', text: `row of table ${number}\n`.repeat(150) }] }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Read.' }] },
  ],
  OpenAI: (number) => [
    { role: 'user', content: `read the file ${number}` },
    { role: 'assistant', content: null, tool_calls: [{ id: `a${number}`, type: 'function', function: { name: 'read', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: `a${number}`, content: `line of file ${number}\n`.repeat(300) },
    { role: 'assistant', content: 'Read.' },
  ],
  pi: (number) => [
    { role: 'user', content: `read the file ${number}`, timestamp: 4 * number + 1 },
    { role: 'assistant', content: [{ type: 'toolCall', id: `a${number}`, name: 'read', arguments: {} }], timestamp: 4 * number + 2 },
    { role: 'toolResult', toolCallId: `a${number}`, toolName: 'read', content: [{ type: 'text', text: `line of file ${number}\n`.repeat(300) }], timestamp: 4 * number + 3 },
    { role: 'assistant', content: [{ type: 'text', text: 'Read.' }], timestamp: 4 * number + 4 },
  ],
}

/** Ids of calls, and ids of results, in the order of a request. */
function idsOf(request: readonly object[]): { calls: unknown[]; results: unknown[] } {
  const calls: unknown[] = []
  const results: unknown[] = []
  for (const message of request as Record<string, any>[]) {
    for (const block of Array.isArray(message.content) ? message.content : []) {
      if (block.type === 'tool_use' || block.type === 'toolCall') calls.push(block.id)
      if (block.type === 'tool_result') results.push(block.tool_use_id)
    }
    for (const call of message.tool_calls ?? []) calls.push(call.id)
    if (message.role === 'tool' || message.role === 'toolResult') results.push(message.tool_call_id ?? message.toolCallId)
  }
  return { calls, results }
}

test.each(Object.entries(forms))('every call of a shortened conversation has its result: %s', async (_name, turn) => {
  const context = await ContextSession.open({ stateDir: freshDir(), sessionKey: 'k', contextWindow: 32_000 })
  const messages: Message[] = []
  let replaced = 0
  for (let number = 0; number < 40; number++) {
    messages.push(...turn(number))
    context.sync(messages)
    const made = await context.plan()
    replaced += made.replace.length
    const { calls, results } = idsOf(applyPlan(made, messages))
    expect(results).toEqual(calls)
  }
  expect(replaced).toBeGreaterThan(0)
  const last = messages.at(-2)!
  const { message } = await context.spill(last, { maxTokens: 20 })
  expect(idsOf([message]).results).toEqual(idsOf([last]).results)
  await context.close()
})

test('a manager sends no result away from its call either', async () => {
  let view: Message[] = []
  for (let number = 0; number < 40; number++) view.push(...forms.Anthropic!(number))
  const manager = new ContextManager({ stateDir: freshDir(), sessionKey: 'k', contextWindow: 32_000, getContext: () => view, setContext: (next) => void (view = next), getTokenCount: () => 30_000, getMessages: (count) => view.slice(-count) })
  await manager.compact()
  expect(view.length).toBeLessThan(100)
  const { calls, results } = idsOf(view)
  expect(results).toEqual(calls)
})
