import { describe, expect, test } from 'vitest'
import { asyncExport, syncExport } from '../lib/boundary.js'
import { checkpointInput, measureUsage, slices } from '../lib/input.js'

const throwing = (error: unknown) => ({ call: (..._: unknown[]) => { throw error } })
const rejecting = (error: unknown) => ({ call: async (..._: unknown[]) => { throw error } })
const napi = (code: string, message: string) => Object.assign(new Error(message), { code })

describe('errors of the native part', () => {
  test('a coded message becomes its text, with the name of the call, and a code', async () => {
    const error = new Error('[clawback:Locked] session is locked\nby somebody')
    const expected = expect.objectContaining({ code: 'Locked', message: 'call: session is locked\nby somebody' })
    expect(() => syncExport(throwing(error), 'call')!()).toThrow(expected)
    await expect(asyncExport(rejecting(error), 'call')!()).rejects.toEqual(expected)
  })

  test('a failed conversion is InvalidInput, anything else is Internal', () => {
    expect(() => syncExport(throwing(napi('StringExpected', 'not a string')), 'call')!()).toThrow(expect.objectContaining({ code: 'InvalidInput' }))
    expect(() => syncExport(throwing(napi('GenericFailure', 'panic')), 'call')!()).toThrow(expect.objectContaining({ code: 'Internal' }))
  })

  test('an asynchronous export never throws', async () => {
    const call = asyncExport(throwing(napi('StringExpected', 'not a string')), 'call', 1)!
    await expect(call('x')).rejects.toMatchObject({ code: 'InvalidInput' })
    await expect(call(7)).rejects.toMatchObject({ code: 'InvalidInput' })
  })

  test('the stack starts at the caller', () => {
    const call = syncExport(throwing(new Error('[clawback:Corrupt] no')), 'call')!
    try {
      call()
      expect.unreachable()
    } catch (error) {
      expect((error as Error).stack!.split('\n')[1]).toContain('boundary.test.ts')
    }
  })
})

describe('keys', () => {
  const call = syncExport({ call: (key: string) => key }, 'call', 1)!
  test('numbers are refused with advice, because long ids lose digits', () => {
    expect(() => call(1161888007138312192n as never)).toThrow(expect.objectContaining({ code: 'InvalidInput' }))
    expect(() => call(1161888007138312)).toThrow(/pass a string/)
  })

  test('half a surrogate pair is refused, a whole one is not', () => {
    expect(() => call('a\ud83d')).toThrow(/well-formed/)
    expect(call('a\u{1F600}')).toBe('a\u{1F600}')
  })

  test('the wrapper has the name and the length of what it wraps', () => {
    const wrapped = syncExport({ readState: (_a: string, _b: string) => 0 }, 'readState')!
    expect([wrapped.name, wrapped.length]).toEqual(['readState', 2])
  })
})

describe('messages on their way in', () => {
  test('are cut into slices that keep their order', async () => {
    const messages = Array.from({ length: 600 }, (_, index) => ({ role: 'user', content: `m${index}` }))
    const parts = await slices(messages, 'writeCheckpoint')
    expect(parts.length).toBe(3)
    expect(parts.flatMap((part: string) => JSON.parse(part))).toEqual(messages)
  })

  test('a long message ends its slice', async () => {
    const long = { role: 'user', content: 'x'.repeat(300_000) }
    expect((await slices([long, long], 'writeCheckpoint')).length).toBe(2)
  })

  test('half a surrogate pair is repaired, an escape that only looks like one is not', async () => {
    const [part] = await slices([{ content: 'a\ud83d b' }, { content: 'regex \\ud83d' }], 'writeCheckpoint')
    expect(JSON.parse(part!)).toEqual([{ content: 'a\ufffd b' }, { content: 'regex \\ud83d' }])
  })

  test('what no JSON can hold is carried as far as it can be; what is no list is refused', async () => {
    const circle: Record<string, unknown> = { id: 1n, run: () => 1, at: new Date(0) }
    circle.self = circle
    expect(JSON.parse((await slices([circle], 'writeCheckpoint'))[0]!)).toEqual([{ id: '1', at: '1970-01-01T00:00:00.000Z', self: '[…]' }])
    await expect(slices('no array' as never, 'writeCheckpoint')).rejects.toMatchObject({ code: 'InvalidInput' })
  })

  test('file lists may be any iterable', async () => {
    const input = await checkpointInput({ trigger: 'manual', fileOps: { read: new Set(['a']), written: [], edited: new Set(['b', 'c']) } }, 'writeCheckpoint')
    expect(input.fileOps).toEqual({ read: ['a'], written: [], edited: ['b', 'c'] })
  })
})

describe('usage of a long conversation', () => {
  const messages = Array.from({ length: 2_000 }, () => ({ role: 'user', content: 'x' }))
  test('hands over the newest messages only', () => {
    let handed = 0
    const measure = (input: any) => {
      handed = input.messages.length
      return { source: 'usage' }
    }
    measureUsage(measure as never, () => 1, { messages, contextWindow: 1 } as never)
    expect(handed).toBeLessThanOrEqual(256)
  })

  test('extrapolates the older ones when nothing else is known', () => {
    const measure = (input: any) => ({ source: 'estimate', earlier: input.earlierTokens })
    expect(measureUsage(measure as never, (parts: string[]) => 2 * JSON.parse(parts[0]!).length, { messages, contextWindow: 1 } as never)).toMatchObject({ earlier: (2_000 - 256) * 2 })
  })
})
