// Strings through a checkpoint and back, and files that are no checkpoint (FAULTS D1-D8).
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as clawback from '../index.js'
import { freshDir, manual, user } from './support/sandbox.js'

const nasty: string[] = JSON.parse(readFileSync(path.join(__dirname, '..', 'fixtures', 'yaml', 'nasty-strings.json'), 'utf8'))
const code = (run: () => unknown) => {
  try {
    run()
    return 'none'
  } catch (error) {
    return (error as { code?: string }).code
  }
}

async function checkpointWith(texts: string[]): Promise<clawback.Checkpoint> {
  const built = await clawback.buildCheckpointFromState(freshDir(), 'agent:main', manual)
  return {
    ...built, goal: texts[0] ?? null, constraints: texts, decisions: texts.map((what, index) => ({ id: `d${index + 1}`, what, when: '2026-02-25T10:00:00.000Z' })),
    tasks: texts.map((what) => ({ what, state: 'open' as const })), open_items: texts, learnings: texts,
    resources: { files_read: texts, files_modified: texts, tools_used: texts }, agents: texts.map((id) => ({ id, task: id, started_at: null })),
  }
}

test('nasty strings read back alike with npm yaml and with us', async () => {
  const checkpoint = await checkpointWith(nasty)
  const text = clawback.formatCheckpointYaml(checkpoint)
  const ours = clawback.parseCheckpointYaml(text)
  expect({ ...ours, integrity: null }).toEqual({ ...checkpoint, integrity: null })
  const theirs = parse(text)
  expect(theirs).toEqual(ours)
  expect(Object.keys(theirs)).toEqual(Object.keys(ours))
  expect(clawback.formatCheckpointYaml(ours)).toBe(text)
  expect(clawback.parseCheckpointYaml(`\ufeff${text}`)).toEqual(ours)
})

test('what is on disk is what npm yaml reads, for strings that a host or a person chose', async () => {
  const dir = freshDir()
  for (const text of ['no', '  two leading spaces\nthen none', 'nel\u0085x', 'ls\u2028x', 'win\r\nline', '---', '0123', '2026-02-25', 'integrity:\n  bytes: 1']) {
    const outcome = await clawback.writeCheckpoint(dir, text, { ...manual, sessionFile: text, channel: text, agentId: text, messages: [user(text)], agents: [{ id: text, task: text }] })
    if (!outcome.written) throw new Error(outcome.reason)
    const latest = (await clawback.readLatestCheckpoint(dir, text))!
    expect(parse(readFileSync(outcome.path, 'utf8'))).toEqual(latest)
    expect([latest.meta.session_key, latest.meta.channel, latest.meta.agent_id, latest.meta.session_file]).toEqual([text, text, text, text])
  }
})

describe('damaged and hostile files', () => {
  const aliases = () => `a0: &a0 [x, x]\n${Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}]`).join('\n')}\n`
  test.each([
    ['an alias bomb', aliases],
    ['100 kB of open brackets', () => '['.repeat(100_000)],
    ['deep nesting', () => Array.from({ length: 500 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
    ['nothing', () => ''],
    ['a tag', () => '!!js/function "x"'],
    ['two documents', () => 'schema: "openclaw/checkpoint"\n---\nschema: "openclaw/checkpoint"\n'],
    ['200 kB of one scalar', () => 'a'.repeat(200_000)],
    ['merge keys', () => 'a: &a {x: 1}\nb:\n  <<: *a\n'],
  ])('%s: Corrupt within 100 ms', (_, make) => {
    const text = make()
    const started = performance.now()
    expect(code(() => clawback.parseCheckpointYaml(text))).toBe('Corrupt')
    expect(performance.now() - started).toBeLessThan(process.env.CI ? 500 : 100)
  })

  test('a file that is cut anywhere is never half a checkpoint', async () => {
    const text = clawback.formatCheckpointYaml(await checkpointWith(nasty.slice(0, 12)))
    for (let end = 0; end < text.length - 1; end += 7) expect(code(() => clawback.parseCheckpointYaml(text.slice(0, end))), `cut at ${end}`).toBe('Corrupt')
  })

  test('a changed, doubled or extended file is Corrupt', async () => {
    const text = clawback.formatCheckpointYaml(await checkpointWith(['Use SQLite']))
    expect(code(() => clawback.parseCheckpointYaml(text.replace('Use SQLite', 'Use Oracle')))).toBe('Corrupt')
    expect(code(() => clawback.parseCheckpointYaml(`goal: "twice"\n${text}`))).toBe('Corrupt')
    expect(code(() => clawback.parseCheckpointYaml(`${text}goal: "more"\n`))).toBe('Corrupt')
    expect(code(() => clawback.parseCheckpointYaml(text + text))).toBe('Corrupt')
  })

  test('a text too long for a synchronous call is refused with the name of the other one', async () => {
    expect(() => clawback.parseCheckpointYaml('a'.repeat(300_000))).toThrow(/parseCheckpointYamlAsync/)
    await expect(clawback.parseCheckpointYamlAsync('a'.repeat(300_000))).rejects.toMatchObject({ code: 'Corrupt' })
  })
})

describe('halves and cuts of characters', () => {
  test('half a surrogate pair in a message is repaired once and for all', async () => {
    const dir = freshDir()
    await clawback.writeCheckpoint(dir, 'k', { ...manual, messages: [user('Never delete the \ud83d folder.'), user([{ type: 'text', text: 'Now write the \udd25 report.' }])] })
    const latest = (await clawback.readLatestCheckpoint(dir, 'k'))!
    expect(JSON.stringify(latest).isWellFormed()).toBe(true)
    expect(JSON.stringify(latest)).not.toMatch(/\\ud[89a-f]/)
    expect(latest.constraints.join()).toContain('Never delete the \ufffd folder')
  })

  test('texts are cut between graphemes', async () => {
    const dir = freshDir()
    const families = '👨‍👩‍👧‍👦'.repeat(400)
    await clawback.writeCheckpoint(dir, 'k', { ...manual, messages: [user(`${'a'.repeat(99)}🔥 and then ${families}`), user(`${'─'.repeat(300)} draw the box ${'한국어'.repeat(200)}`)] })
    await clawback.appendDecisionToState(dir, 'k', { what: `Keep ${families.repeat(20)}` })
    const latest = (await clawback.readLatestCheckpoint(dir, 'k'))!
    const packet = (await clawback.readCheckpointForInjection(dir, 'k'))!
    for (const text of [JSON.stringify(latest), packet, clawback.extractDecisionFromResponse(`I'll use ${families} for it.`) ?? '']) {
      expect(text.isWellFormed()).toBe(true)
      expect(text).not.toContain('\ufffd')
      expect(text).not.toMatch(/\u200d(?!\p{Extended_Pictographic})/u)
    }
  })
})
