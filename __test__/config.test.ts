// The configuration: names and defaults are a compatibility surface, so they stand here word for word (DESIGN 6 and 7).
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ContextSession, loadConfig, readConfig, type Config } from '../index.js'
import { codeOf, freshDir } from './support/sandbox.js'

const DEFAULTS: Config = {
  compactionTriggerPct: 0.5, maxContextPct: 0.9, relevance: false, curationTriggerPct: 0.4, relevanceCutoff: 0.3, thresholdKeep: 0.6,
  minChunksToKeep: 5, recencyBonus: 0.2, importanceBonus: 0.1, memfasWeight: 0.6, memfasMinScore: 0.05, coldStorageEnabled: true,
  coldStoragePath: null, recoverableForDays: 30, summarizeMediumChunks: true, summaryTargetTokens: 500, summaryModel: null, logPath: null,
  logCompaction: true, logCuration: true, logDrops: true, logRecovery: true, durability: 'normal',
  contextManagement: {
    enabled: true,
    budget: { systemPromptRatio: 0.15, bootstrapRatio: 0.1, historyRatio: 0.45, responseRatio: 0.2, minResponseTokens: 4096 },
    rollingSummary: { enabled: true, windowSize: 5, summaryMaxTokens: 2000, triggerThreshold: 30000 },
    semanticHistory: { enabled: true, maxRetrievedChunks: 5, maxRetrievedTokens: 1500, minRelevanceScore: 0.6 },
  },
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

function file(text: string): string {
  const made = path.join(freshDir(), 'config.yaml')
  writeFileSync(made, text)
  return made
}

test('the defaults', async () => {
  expect(await loadConfig()).toEqual(DEFAULTS)
})

describe('a file', () => {
  test('of seed 003 and seed 004 is read', async () => {
    const config = await loadConfig(file('COMPACTION_TRIGGER_PCT: 0.45\nLOG_DROPS: false\ncontextManagement:\n  budget:\n    historyRatio: 0.4\n'))
    expect(config).toEqual({
      ...DEFAULTS, compactionTriggerPct: 0.45, logDrops: false,
      contextManagement: { ...DEFAULTS.contextManagement, budget: { ...DEFAULTS.contextManagement.budget, historyRatio: 0.4 } },
    })
  })

  test('that was named must exist, and must make sense', async () => {
    expect(await codeOf(loadConfig(path.join(freshDir(), 'none.yaml')))).toBe('NotFound')
    expect(await codeOf(loadConfig(file('COMPACTION_TRIGGER_PCT: 50\n')))).toBe('InvalidInput')
    expect(await codeOf(loadConfig(file('a: [1')))).toBe('InvalidInput')
    expect(await codeOf(loadConfig(7 as never))).toBe('InvalidInput')
  })

  test('with an unknown key is read, and the nearest name is said once', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    expect(await loadConfig(file('COMPACTION_TRIGER_PCT: 0.4\n'))).toEqual(DEFAULTS)
    expect(warned).toHaveBeenCalledTimes(1)
    expect(warned.mock.calls[0]![0]).toContain('did you mean compactionTriggerPct?')
  })
})

test('the environment wins over the file, and each value says where it came from', async () => {
  const stateDir = freshDir()
  mkdirSync(path.join(stateDir, 'context'))
  const usual = path.join(stateDir, 'context', 'config.yaml')
  writeFileSync(usual, 'MAX_CONTEXT_PCT: 0.8\nLOG_DROPS: false\n')
  vi.stubEnv('CLAWBACK_MAX_CONTEXT_PCT', '0.85')
  const { config, origins, warnings } = await readConfig(undefined, { stateDir })
  expect([config.maxContextPct, config.logDrops, warnings]).toEqual([0.85, false, []])
  expect(origins.maxContextPct).toEqual({ source: 'env', name: 'CLAWBACK_MAX_CONTEXT_PCT' })
  expect(origins.logDrops).toEqual({ source: 'file', name: usual })
  expect(origins['contextManagement.budget.historyRatio']).toEqual({ source: 'default' })
})

test('A7: a tilde is the home directory, or a clear error', async () => {
  const configured = file('LOG_PATH: ~/logs\n')
  vi.stubEnv('HOME', '/home/ada')
  expect((await loadConfig(configured)).logPath).toBe('/home/ada/logs')
  vi.stubEnv('HOME', '')
  vi.stubEnv('USERPROFILE', '')
  await expect(loadConfig(configured)).rejects.toThrow(/HOME is not set/)
})

test('clawback config prints values and origins', () => {
  const main = path.join(__dirname, '..', 'dist', 'cli', 'main.js')
  const named = file('MIN_CHUNKS_TO_KEEP: 7\n')
  const run = (...args: string[]) => execFileSync(process.execPath, [main, 'config', '--file', named, ...args], { encoding: 'utf8' })
  expect(run()).toMatch(new RegExp(`^minChunksToKeep +7 +file `, 'm'))
  const shown = JSON.parse(run('--json'))
  expect([shown.config.minChunksToKeep, shown.origins.minChunksToKeep]).toEqual([7, { source: 'file', name: named }])
})

describe('the option of a session', () => {
  const open = (config: object) => ContextSession.open({ stateDir: freshDir(), sessionKey: 'agent:main', contextWindow: 200_000, config })

  test('out of range is refused', async () => {
    expect(await codeOf(open({ compactionTriggerPct: 50 }))).toBe('InvalidInput')
  })

  test('moves the thresholds, and an unknown key is said by the first plan', async () => {
    // usable 180,000: 0.30 of it is green by default and yellow with a lower trigger
    const usage = { tokens: 54_000, contextWindow: 200_000 }
    const plain = await open({})
    const early = await open({ compactionTriggerPct: 0.25, compactionTrigerPct: 1 } as never)
    plain.sync([{ role: 'user', content: 'hello there', timestamp: 1 }])
    early.sync([{ role: 'user', content: 'hello there', timestamp: 1 }])
    expect([plain.gauge(usage).zone, early.gauge(usage).zone]).toEqual(['green', 'yellow'])
    expect((await early.plan()).warnings.join()).toContain('did you mean compactionTriggerPct?')
    await Promise.all([plain.close(), early.close()])
  })
})

describe('a session is configured by the file of its state directory, the environment and what is given', () => {
  const stateWith = (yaml: string) => {
    const stateDir = freshDir()
    mkdirSync(path.join(stateDir, 'context'), { recursive: true })
    writeFileSync(path.join(stateDir, 'context', 'config.yaml'), yaml)
    return stateDir
  }
  const open = (stateDir: string, config?: object) => ContextSession.open({ stateDir, sessionKey: 'agent:main', contextWindow: 200_000, ...(config && { config }) })
  const usage = { tokens: 54_000, contextWindow: 200_000 }
  const zone = async (session: ContextSession) => {
    session.sync([{ role: 'user', content: 'hello there', timestamp: 1 }])
    const { zone } = session.gauge(usage)
    await session.close()
    return zone
  }

  test('the later ones win', async () => {
    const stateDir = stateWith('COMPACTION_TRIGGER_PCT: 0.25\n')
    expect(await zone(await open(stateDir))).toBe('yellow')
    vi.stubEnv('CLAWBACK_COMPACTION_TRIGGER_PCT', '0.5')
    expect(await zone(await open(stateDir))).toBe('green')
    expect(await zone(await open(stateDir, { compactionTriggerPct: 0.25 }))).toBe('yellow')
    vi.unstubAllEnvs()
  })

  test('cold storage that is switched off there is off', async () => {
    const session = await open(stateWith('COLD_STORAGE_ENABLED: false\n'))
    expect(await codeOf(session.recall('anything'))).toBe('Unsupported')
    await session.close()
  })

  test('a file that is wrong keeps no host from starting: it is said by the first plan', async () => {
    for (const [yaml, why] of [['COMPACTION_TRIGGER_PCT: 50\n', '0.95'], ['a: [\n', 'config.yaml']] as const) {
      const session = await open(stateWith(yaml), { recoverableForDays: 3 })
      const [warning] = (await session.plan()).warnings
      expect(warning).toContain(why)
      expect(warning).toContain('left out')
      await session.close()
    }
    const unknown = await open(stateWith('MIN_CHUNKS_TO_KEP: 3\n'))
    expect((await unknown.plan()).warnings.join()).toContain('did you mean minChunksToKeep?')
    await unknown.close()
  })
})
