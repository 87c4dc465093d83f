// The small project that the recorded session works on, as it stands in the morning. Path to content.

const lines = (...list) => list.join('\n') + '\n'

/** A night of import logs: slow pages, three timeouts, one page of rows that never arrived. */
function nightLog() {
  const out = []
  for (let page = 1; page <= 64; page++) {
    const minute = String(Math.floor(page / 4)).padStart(2, '0')
    const second = String((page % 4) * 15).padStart(2, '0')
    const slow = page % 9 === 0
    const took = slow ? 30_000 + page : 900 + ((page * 137) % 2100)
    out.push(`2026-03-11T02:${minute}:${second}Z info  page=${page} supplier=${page % 3 === 0 ? 'vinarija' : 'delta'} fetch started`)
    out.push(slow
      ? `2026-03-11T02:${minute}:${second}Z error page=${page} gave up after ${took} ms: request timed out`
      : `2026-03-11T02:${minute}:${second}Z info  page=${page} rows=200 took=${took} ms`)
    if (page === 41) out.push(`2026-03-11T02:${minute}:${second}Z warn  page=41 session lost: redis connection reset, token fetched again`)
  }
  out.push('2026-03-11T02:17:02Z info  run finished pages=64 failed=7 rows=11400 expected=12800')
  return lines(...out)
}

export const project = {
  'package.json': lines('{', '  "name": "shop-import",', '  "version": "1.9.4",', '  "private": true,', '  "type": "module",', '  "engines": { "node": ">=20" },', '  "scripts": { "test": "node --test", "import": "node src/cli.js" }', '}'),
  'README.md': lines('# shop-import', '', 'Nightly import of supplier orders into the shop database.', '', '    npm run import -- --supplier delta', '', 'Configuration comes from the environment, see src/config.js.'),
  'docs/runbook.md': lines('# Runbook', '', '## The import failed at night', '1. Look at `logs/` for the last run.', '2. Start the run again: `npm run import -- --supplier <name>`.', '3. If rows are missing, call the supplier.', '', '## Session store', 'Supplier tokens live in Redis, database 2. Flush it when a token is stuck.'),
  'migrations/001_orders.sql': lines('create table orders (', '  id text primary key,', '  supplier text not null,', '  placed_at text not null,', '  total_cents integer not null', ');'),
  'src/config.js': lines(
    'export const config = {', "  feedUrl: process.env.FEED_URL ?? 'http://localhost:8081/orders',", '  requestTimeoutMs: 10_000,', '  maxAttempts: 1,', '  pageSize: 200,',
    "  sessionStore: 'redis',", "  redisUrl: process.env.REDIS_URL ?? 'redis://localhost:6379/2',", "  logLevel: process.env.LOG_LEVEL ?? 'info',", '}'),
  'src/log.js': lines("import { config } from './config.js'", '', "const levels = ['debug', 'info', 'warn', 'error']", '', 'export function log(level, message, fields = {}) {', '  if (levels.indexOf(level) < levels.indexOf(config.logLevel)) return', "  const rest = Object.entries(fields).map(([key, value]) => `${key}=${value}`).join(' ')", '  console.log(`${new Date().toISOString()} ${level.padEnd(5)} ${message} ${rest}`.trimEnd())', '}'),
  'src/http.js': lines(
    "import { config } from './config.js'", '', '/** One page of the feed, parsed. Throws on a timeout and on every status but 200. */', 'export async function fetchPage(page, { token, fetchImpl = fetch } = {}) {',
    '  const controller = new AbortController()', '  const timer = setTimeout(() => controller.abort(), config.requestTimeoutMs)', '  try {',
    '    const response = await fetchImpl(`${config.feedUrl}?page=${page}&size=${config.pageSize}`, {', "      headers: { authorization: `Bearer ${token}` },", '      signal: controller.signal,', '    })',
    '    if (response.status !== 200) throw new Error(`feed answered ${response.status} for page ${page}`)', '    return await response.json()', '  } finally {', '    clearTimeout(timer)', '  }', '}'),
  'src/retry.js': lines(
    "import { config } from './config.js'", '', '/** Calls `work` until it succeeds or the attempts are used up. */', 'export async function withRetry(work, { attempts = config.maxAttempts } = {}) {', '  let last',
    '  for (let attempt = 1; attempt <= attempts; attempt++) {', '    try {', '      return await work(attempt)', '    } catch (error) {', '      last = error', '    }', '  }', '  throw last', '}'),
  'src/orders.js': lines(
    '/** A row of the feed as a row of ours. Amounts arrive as text with a comma. */', 'export function toOrder(row, supplier) {', "  const total = Number(String(row.total).replace(',', '.'))", '  return {', '    id: `${supplier}-${row.no}`,', '    supplier,', '    placedAt: row.date,', '    totalCents: Math.round(total * 100),', '  }', '}'),
  'src/session-store.js': lines(
    '/** Keeps the token of a supplier between pages. The client is a Redis client or anything like it. */', 'export class RedisStore {', '  constructor(client) {', '    this.client = client', '  }', '  async get(supplier) {', '    return this.client.get(`token:${supplier}`)', '  }', '  async set(supplier, token, ttlSeconds) {', '    await this.client.set(`token:${supplier}`, token, { EX: ttlSeconds })', '  }', '}'),
  'src/importer.js': lines(
    "import { fetchPage } from './http.js'", "import { log } from './log.js'", "import { toOrder } from './orders.js'", "import { withRetry } from './retry.js'", '',
    '/** Imports every page of one supplier. Returns what was stored and which pages failed. */', 'export async function runImport({ supplier, pages, token, save, fetchImpl }) {', '  const failed = []', '  let stored = 0',
    '  for (let page = 1; page <= pages; page++) {', '    try {', '      const rows = await withRetry(() => fetchPage(page, { token, fetchImpl }))', '      await save(rows.map((row) => toOrder(row, supplier)))', '      stored += rows.length',
    '    } catch (error) {', "      log('error', 'page failed', { page, supplier, reason: error.message })", '      failed.push(page)', '    }', '  }', '  return { stored, failed }', '}'),
  'src/cli.js': lines(
    "import { parseArgs } from 'node:util'", "import { runImport } from './importer.js'", "import { log } from './log.js'", '', "const { values } = parseArgs({ options: { supplier: { type: 'string' }, pages: { type: 'string', default: '64' } } })",
    "const result = await runImport({ supplier: values.supplier ?? 'delta', pages: Number(values.pages), token: process.env.FEED_TOKEN, save: async () => {} })", "log('info', 'run finished', { stored: result.stored, failed: result.failed.length })"),
  'test/orders.test.js': lines(
    "import assert from 'node:assert/strict'", "import { test } from 'node:test'", "import { toOrder } from '../src/orders.js'", '', "test('reads an amount with a comma', () => {", "  assert.equal(toOrder({ no: 7, total: '12,50', date: '2026-03-01' }, 'delta').totalCents, 1250)", '})', '', "test('the id names the supplier', () => {", "  assert.equal(toOrder({ no: 7, total: '1', date: '2026-03-01' }, 'delta').id, 'delta-7')", '})'),
  'test/importer.test.js': lines(
    "import assert from 'node:assert/strict'", "import { test } from 'node:test'", "import { runImport } from '../src/importer.js'", '', 'const page = (rows) => ({ status: 200, json: async () => rows })', '',
    "test('stores every row of every page', async () => {", '  const saved = []', "  const fetchImpl = async () => page([{ no: 1, total: '1,00', date: '2026-03-01' }])", "  const result = await runImport({ supplier: 'delta', pages: 3, token: 't', save: async (rows) => saved.push(...rows), fetchImpl })", '  assert.equal(result.stored, 3)', '  assert.equal(saved.length, 3)', '})', '',
    "test('reports a page that fails', async () => {", '  const fetchImpl = async (url) => (url.includes(\'page=2&\') ? { status: 503 } : page([]))', "  const result = await runImport({ supplier: 'delta', pages: 3, token: 't', save: async () => {}, fetchImpl })", '  assert.deepEqual(result.failed, [2])', '})'),
  'logs/import-2026-03-11.log': nightLog(),
}
