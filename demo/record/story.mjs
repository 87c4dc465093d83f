// A developer's day with an agent, turn by turn: what she types, what the model calls, what it answers. The stub model
// plays this text; the tools really run, on the project of project.mjs.

const read = (path, range = {}) => ({ name: 'read', arguments: { path, ...range } })
const bash = (command) => ({ name: 'bash', arguments: { command } })
const write = (path, ...lines) => ({ name: 'write', arguments: { path, content: lines.join('\n') + '\n' } })
const edit = (path, ...pairs) => ({ name: 'edit', arguments: { path, edits: pairs.map(([oldText, newText]) => ({ oldText, newText })) } })
/** One answer of the model with its tool calls; several calls in one answer run side by side. */
const step = (text, ...calls) => ({ text, calls })
/** A turn: the person's words, the model's steps, its closing answer, and the minutes until the person types again. */
const turn = (user, steps, answer, minutes = 6) => ({ user, steps, answer, minutes })

const LOG = 'logs/import-2026-03-11.log'
const HEARTBEAT = 'Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. Do not infer or repeat old tasks from prior chats. If nothing needs attention, reply HEARTBEAT_OK.'

const morning = [
  turn(
    'Good morning. The nightly order import loses rows when the supplier feed is slow. I want it reliable and ready to ship as version 2.0 by Friday. Please look around first.',
    [
      step('I will start with the layout of the project.', bash('find . -type f -not -path "./.git/*" | sort && cat package.json')),
      step('The core first.', read('src/importer.js'), read('src/http.js')),
      step('And the settings that drive it.', read('src/config.js'), read('src/retry.js')),
    ],
    'The import walks the pages one by one. A page that times out is logged and skipped, and nothing ever fetches it again: that is where rows get lost. `maxAttempts` is 1, so the retry helper never retries. Should I read last night\'s log to see how often that happens?',
  ),
  turn(
    'Yes, do that.',
    [
      step('Counting outcomes in the log.', bash(`grep -c "rows=200" ${LOG}; grep -c "gave up" ${LOG}; tail -1 ${LOG}`)),
      step('Which pages failed, and after how long?', bash(`grep -E "error|warn" ${LOG}`)),
      step('The neighbourhood of one failure.', read(LOG, { offset: 60, limit: 26 })),
    ],
    'Seven of 64 pages gave up after about 30 seconds, 1,400 rows are missing, and page 41 lost its session because Redis reset the connection. The slow pages are every ninth one, so it looks like the supplier pauses now and then rather than being down.',
  ),
  turn(
    'Two rules before you touch anything: never edit files in migrations/, and no new npm dependency without asking me. Node must stay at 20.',
    [step('Noted. I am checking what is there now, so that I can tell later that nothing moved.', bash('sha256sum migrations/*.sql package.json'), read('migrations/001_orders.sql'))],
    'Understood: migrations/ stays untouched, no new dependency without your word, and Node 20 is the floor.',
  ),
  turn(
    'What would you do about the timeouts?',
    [
      step('Let me see where the timeout is applied.', bash('grep -rn "requestTimeoutMs\\|maxAttempts" src test')),
      step('And what the tests cover.', bash('npm test --silent 2>&1 | tail -24')),
    ],
    'I suggest two things: raise the request timeout to 30 s, and retry a failed page up to 3 times with a growing pause. Shall I set the request timeout to 30 s and use 3 attempts?',
  ),
  turn(
    'Yes, go ahead.',
    [
      step('Settings first.', edit('src/config.js', ['requestTimeoutMs: 10_000', 'requestTimeoutMs: 30_000'], ['maxAttempts: 1', 'maxAttempts: 3'])),
      step('Then the pause between attempts.', write(
        'src/retry.js',
        "import { config } from './config.js'", '', 'const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))', '',
        '/** Calls `work` until it succeeds or the attempts are used up. The pause doubles and is never the same twice. */',
        'export async function withRetry(work, { attempts = config.maxAttempts, baseMs = 500, random = Math.random, wait = sleep } = {}) {', '  let last',
        '  for (let attempt = 1; attempt <= attempts; attempt++) {', '    try {', '      return await work(attempt)', '    } catch (error) {', '      last = error',
        '      if (attempt < attempts) await wait(baseMs * 2 ** (attempt - 1) * (0.5 + random() / 2))', '    }', '  }', '  throw last', '}')),
      step('A test for it.', write(
        'test/retry.test.js',
        "import assert from 'node:assert/strict'", "import { test } from 'node:test'", "import { withRetry } from '../src/retry.js'", '',
        "test('gives up after the last attempt', async () => {", '  let calls = 0', '  const work = async () => { calls++; throw new Error(\'slow\') }',
        "  await assert.rejects(withRetry(work, { attempts: 3, wait: async () => {} }), /slow/)", '  assert.equal(calls, 3)', '})', '',
        "test('the pause grows', async () => {", '  const pauses = []', '  const work = async () => { throw new Error(\'slow\') }',
        '  await withRetry(work, { attempts: 3, random: () => 1, wait: async (ms) => pauses.push(ms) }).catch(() => {})', '  assert.deepEqual(pauses, [500, 1000])', '})')),
      step('Running everything.', bash('npm test --silent 2>&1 | tail -30')),
    ],
    'Done: the request timeout is 30 s, a page is tried 3 times, and the pause doubles with some jitter. All six tests pass.',
    11,
  ),
  turn(
    'Why jitter, by the way?',
    [],
    'Because several imports may start at the same minute. Without jitter they would all come back to the supplier at the same moment after an outage; with it their retries spread out.',
    3,
  ),
  turn(
    'Fine. Now the rows that still fail after three attempts. They must not be lost silently.',
    [
      step('I want to see who reads the result of a run.', read('src/cli.js'), bash('grep -rn "failed" src test docs | head -20')),
      step('The runbook says what people do by hand today.', read('docs/runbook.md')),
    ],
    'Two options: (A) write the failed pages to a small JSON file and fetch them first on the next run, or (B) exit with an error and let the operator start over. Which do you prefer?',
  ),
  turn(
    'A. Keep the file next to the logs.',
    [
      step('A module for it.', write(
        'src/backlog.js',
        "import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'", "import path from 'node:path'", '',
        '/** Pages that failed and are to be fetched first next time; one file per supplier. */', 'export function backlogFile(supplier, dir = \'logs\') {', "  return path.join(dir, `backlog-${supplier}.json`)", '}', '',
        'export async function readBacklog(file) {', '  try {', "    return JSON.parse(await readFile(file, 'utf8'))", '  } catch (error) {', "    if (error.code === 'ENOENT') return []", '    throw error', '  }', '}', '',
        '/** Written beside and renamed, so that a crash never leaves half a file. */', 'export async function writeBacklog(file, pages) {', '  await mkdir(path.dirname(file), { recursive: true })', '  const beside = `${file}.tmp`', '  await writeFile(beside, JSON.stringify(pages))', '  await rename(beside, file)', '}')),
      step('The importer takes the order of pages from outside.', edit(
        'src/importer.js',
        ['export async function runImport({ supplier, pages, token, save, fetchImpl }) {', 'export async function runImport({ supplier, pages, first = [], token, save, fetchImpl }) {'],
        ['  for (let page = 1; page <= pages; page++) {', '  const rest = Array.from({ length: pages }, (_, index) => index + 1).filter((page) => !first.includes(page))\n  for (const page of [...first, ...rest]) {'])),
      step('And the command line reads and writes it.', edit(
        'src/cli.js',
        ["import { runImport } from './importer.js'", "import { backlogFile, readBacklog, writeBacklog } from './backlog.js'\nimport { runImport } from './importer.js'"],
        ["const result = await runImport({ supplier: values.supplier ?? 'delta',", "const supplier = values.supplier ?? 'delta'\nconst file = backlogFile(supplier)\nconst result = await runImport({ supplier, first: await readBacklog(file),"],
        ["log('info', 'run finished'", "await writeBacklog(file, result.failed)\nlog('info', 'run finished'"])),
      step('Checking the result.', bash('node --check src/cli.js && cat src/cli.js && npm test --silent 2>&1 | grep -E "^# |not ok"')),
    ],
    'Failed pages now go to logs/backlog-<supplier>.json and are fetched first on the next run. The file is written beside and renamed, so a crash cannot leave half of it.',
    14,
  ),
  turn(
    HEARTBEAT,
    [step('', read('HEARTBEAT.md'))],
    'HEARTBEAT_OK',
    9,
  ),
  turn(
    'There is one thing to remember for later: we still have to ask Jovan about the rate limit of the delta feed.',
    [step('I will keep it in the notes file as well.', write('docs/notes-2.0.md', '# Notes for 2.0', '', '- [ ] Ask Jovan about the rate limit of the delta feed', '- [ ] Update the runbook'))],
    'Noted as open: ask Jovan about the rate limit of the delta feed. I also put it into docs/notes-2.0.md with the runbook update.',
  ),
  turn(
    'Show me the importer as it is now, and write a test that a backlog page comes first.',
    [
      step('Here it is.', read('src/importer.js')),
      step('Adding the test.', edit(
        'test/importer.test.js',
        ["test('reports a page that fails'", "test('fetches the backlog first', async () => {\n  const seen = []\n  const fetchImpl = async (url) => {\n    seen.push(Number(/page=(\\d+)/.exec(url)[1]))\n    return page([])\n  }\n  await runImport({ supplier: 'delta', pages: 4, first: [3], token: 't', save: async () => {}, fetchImpl })\n  assert.deepEqual(seen, [3, 1, 2, 4])\n})\n\ntest('reports a page that fails'"])),
      step('', bash('npm test --silent 2>&1 | tail -40')),
    ],
    'The new test passes: page 3 is fetched first, then 1, 2 and 4, and no page twice.',
  ),
  turn(
    'Run it once against the fake feed on 8081 please.',
    [
      step('', bash('curl -sS --max-time 2 http://localhost:8081/orders?page=1')),
      step('Nothing listens there. A small fake feed will do.', write(
        'scripts/fake-feed.mjs',
        "import http from 'node:http'", '', '// A feed for trying things out: every ninth page is slow, page 5 fails once.', 'let failedOnce = false', 'http.createServer((request, response) => {',
        "  const page = Number(new URL(request.url, 'http://x').searchParams.get('page'))", '  if (page === 5 && !failedOnce) {', '    failedOnce = true', '    response.writeHead(503).end()', '    return', '  }',
        "  const rows = [1, 2, 3].map((n) => ({ no: page * 10 + n, total: `${n},50`, date: '2026-03-12' }))", '  setTimeout(() => response.end(JSON.stringify(rows)), page % 9 === 0 ? 300 : 5)', '}).listen(18081, \'127.0.0.1\')')),
      step('Now the run.', bash('node scripts/fake-feed.mjs & feed=$!; sleep 0.5; FEED_URL=http://127.0.0.1:18081/orders node src/cli.js --pages 12 | cut -c26-; kill $feed; ls logs')),
    ],
    'With the fake feed on port 18081 the run stores 36 rows. Page 5 answered 503 once and the second attempt got it, so nothing is in the backlog.',
    10,
  ),
  turn(
    'Hm. Jovan just told me on the phone that the supplier needs up to 45 seconds at night when their backup runs. Use 60 s for the request timeout instead of 30 s.',
    [
      step('', edit('src/config.js', ['requestTimeoutMs: 30_000', 'requestTimeoutMs: 60_000'])),
      step('Checking that nothing else assumes 30 seconds.', bash('grep -rn "30_000\\|30 s\\|30000" src test docs || echo none')),
    ],
    'The request timeout is now 60 s instead of 30 s. Nothing else depends on the old value.',
  ),
  turn(
    'And the rate limit: he says 5 requests per second, no more. So that question is answered.',
    [
      step('Ticking it off and looking at the loop.', edit('docs/notes-2.0.md', ['- [ ] Ask Jovan about the rate limit of the delta feed', '- [x] Ask Jovan about the rate limit of the delta feed: 5 requests per second'])),
      step('A pause between pages is enough, because pages go one by one.', edit('src/config.js', ['  pageSize: 200,', '  pageSize: 200,\n  requestsPerSecond: 5,'])),
      step('', write(
        'src/pace.js',
        '/** Lets at most `perSecond` calls start in a second, evenly spread. */', 'export function pacer(perSecond, { now = Date.now, wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) } = {}) {', '  const gap = 1000 / perSecond', '  let next = 0',
        '  return async () => {', '    const at = Math.max(now(), next)', '    next = at + gap', '    if (at > now()) await wait(at - now())', '  }', '}')),
      step('', edit(
        'src/importer.js',
        ["import { toOrder } from './orders.js'", "import { toOrder } from './orders.js'\nimport { pacer } from './pace.js'"],
        ['  const failed = []', '  const pace = pacer(config.requestsPerSecond)\n  const failed = []'],
        ['await withRetry(() => fetchPage(page, { token, fetchImpl }))', 'await withRetry(async () => {\n        await pace()\n        return fetchPage(page, { token, fetchImpl })\n      })'])),
      step('', bash('npm test --silent 2>&1 | tail -40')),
    ],
    'Something is wrong: the importer tests fail with "config is not defined". I used the setting without importing it.',
    1,
  ),
  turn(
    'Then import it :)',
    [
      step('', edit('src/importer.js', ["import { fetchPage } from './http.js'", "import { config } from './config.js'\nimport { fetchPage } from './http.js'"])),
      step('', bash('npm test --silent 2>&1 | grep -E "^# |not ok"')),
    ],
    'Fixed. All seven tests pass, and retries count against the limit of 5 requests per second as well.',
  ),
]

const noon = [
  turn(
    'Sada malo na srpskom, pišem sa telefona. Šta misliš o onom Redis problemu sa stranice 41?',
    [
      step('Gledam dnevnik oko te stranice.', bash(`grep -n "page=41" ${LOG}`)),
      step('I kako se sesija čuva.', read('src/session-store.js')),
    ],
    'Redis je resetovao vezu, pa je token dobavljača morao ponovo da se dobavi. Za jedan token po dobavljaču Redis je prevelik: dovoljna je lokalna SQLite baza. Da li da ostanemo na Redis-u za sesije, ili da pređemo na SQLite?',
  ),
  turn(
    'Ostani na Redis-u za sada, hoću prvo da pitam Anu.',
    [],
    'Važi, za sada ostaje Redis za sesije. Otvoreno je pitanje za Anu: Redis ili SQLite.',
    25,
  ),
  turn(
    'У међувремену: провери да ли извоз у CSV ради са ћирилицом у имену добављача.',
    [
      step('Пробам са једним редом.', bash('node -e "import(\'./src/orders.js\').then(m => console.log(m.toOrder({ no: 1, total: \'3,20\', date: \'2026-03-12\' }, \'винарија\')))"')),
      step('Извоза још нема, само претварање реда.', bash('grep -rni "csv" src docs || echo "no csv yet"')),
    ],
    'Претварање реда ради и са ћирилицом. Извоз у CSV још не постоји у пројекту. Да ли да га додам у верзију 2.0?',
  ),
  turn(
    'Не, то није за 2.0. Остави за касније.',
    [step('Бележим.', edit('docs/notes-2.0.md', ['- [ ] Update the runbook', '- [ ] Update the runbook\n\nAfter 2.0:\n- CSV export']))],
    'Добро, CSV извоз не улази у 2.0 и стоји у белешкама за касније.',
  ),
  turn(
    'Back at the desk. Ana agrees with you: use SQLite instead of Redis for the session store. But do it without a new package, she says the sqlite3 command is on all our machines.',
    [
      step('Checking that the command is here and what it can do.', bash('sqlite3 --version | cut -d" " -f1; sqlite3 :memory: "select json(\'[1]\'), unixepoch(\'2026-03-12\')"')),
      step('A store with the same two methods.', write(
        'src/session-store.js',
        "import { execFile } from 'node:child_process'", "import { promisify } from 'node:util'", '', 'const run = promisify(execFile)', "const quote = (text) => `'${String(text).replaceAll(\"'\", \"''\")}'`", '',
        '/** Keeps the token of a supplier between pages, in a SQLite file, through the sqlite3 command. */', 'export class SqliteStore {', '  constructor(file, { now = () => Math.floor(Date.now() / 1000) } = {}) {', '    this.file = file', '    this.now = now', '  }', '',
        '  async query(sql) {', "    const setup = 'create table if not exists tokens (supplier text primary key, token text not null, expires integer not null);'", '    const { stdout } = await run(\'sqlite3\', [this.file, setup + sql])', '    return stdout.trim()', '  }', '',
        '  async get(supplier) {', '    return (await this.query(`select token from tokens where supplier = ${quote(supplier)} and expires > ${this.now()}`)) || null', '  }', '',
        '  async set(supplier, token, ttlSeconds) {', '    await this.query(`insert or replace into tokens values (${quote(supplier)}, ${quote(token)}, ${this.now() + ttlSeconds})`)', '  }', '}')),
      step('Settings follow.', edit('src/config.js', ["sessionStore: 'redis'", "sessionStore: 'sqlite'"], ["  redisUrl: process.env.REDIS_URL ?? 'redis://localhost:6379/2',", "  sessionFile: process.env.SESSION_FILE ?? 'var/session.db',"])),
      step('A test with a quote in the token.', write(
        'test/session-store.test.js',
        "import assert from 'node:assert/strict'", "import { mkdtemp } from 'node:fs/promises'", "import { tmpdir } from 'node:os'", "import path from 'node:path'", "import { test } from 'node:test'", "import { SqliteStore } from '../src/session-store.js'", '',
        "const store = async (now) => new SqliteStore(path.join(await mkdtemp(path.join(tmpdir(), 'shop-')), 's.db'), { now: () => now.value })", '',
        "test('gives back what was stored, quotes included', async () => {", '  const tokens = await store({ value: 100 })', "  await tokens.set('delta', \"it's\", 60)", "  assert.equal(await tokens.get('delta'), \"it's\")", '})', '',
        "test('forgets an expired token', async () => {", '  const now = { value: 100 }', '  const tokens = await store(now)', "  await tokens.set('delta', 't', 60)", '  now.value = 161', "  assert.equal(await tokens.get('delta'), null)", '})')),
      step('', bash('npm test --silent 2>&1 | tail -50')),
    ],
    'The session store is SQLite now, through the sqlite3 command, with no new package. Redis is gone from the settings. Nine tests pass.',
    12,
  ),
  turn(
    'Is there anything left of Redis?',
    [step('', bash('grep -rni redis . --include=*.js --include=*.md --include=*.json | grep -v "^./logs"'))],
    'Only the runbook still mentions it: "Supplier tokens live in Redis, database 2." I will rewrite that part together with the rest of the runbook.',
  ),
  turn(
    'Do the runbook now then.',
    [
      step('', read('docs/runbook.md')),
      step('', write(
        'docs/runbook.md',
        '# Runbook', '', '## The import failed at night', '1. Look at `logs/` for the last run and at `logs/backlog-<supplier>.json` for pages that are still missing.', '2. Start the run again: `npm run import -- --supplier <name>`. Missing pages come first.', '3. If a page fails three runs in a row, call the supplier.', '',
        '## Limits', '- A request may take 60 seconds: the supplier is slow while its backup runs.', '- At most 5 requests per second.', '', '## Session store', 'Supplier tokens live in `var/session.db` (SQLite). To forget a token:', '', "    sqlite3 var/session.db \"delete from tokens where supplier = 'delta'\"")),
      step('', edit('docs/notes-2.0.md', ['- [ ] Update the runbook', '- [x] Update the runbook'])),
    ],
    'The runbook describes the backlog, the limits and the SQLite store. The note is ticked off.',
    9,
  ),
  turn(
    'I noticed the importer writes order ids to the log in debug mode. Customer names too?',
    [
      step('', bash('grep -rn "log(" src')),
      step('', read('src/log.js')),
    ],
    'No names: the log lines carry page, supplier and the reason of a failure. Only error messages of the feed could contain more, because they are logged as they come.',
  ),
  turn(
    'Then cut them. Error texts from the feed must never be longer than 200 characters in our log, and never log the token.',
    [
      step('', edit(
        'src/log.js',
        ["  const rest = Object.entries(fields).map(([key, value]) => `${key}=${value}`).join(' ')", "  const rest = Object.entries(fields).map(([key, value]) => `${key}=${tidy(value)}`).join(' ')"],
        ['export function log(', "/** At most 200 characters, no line breaks, no bearer token. */\nexport const tidy = (value) => String(value).replace(/Bearer \\S+/g, 'Bearer ***').replace(/\\s+/g, ' ').slice(0, 200)\n\nexport function log("])),
      step('', write('test/log.test.js', "import assert from 'node:assert/strict'", "import { test } from 'node:test'", "import { tidy } from '../src/log.js'", '', "test('cuts long texts', () => {", "  assert.equal(tidy('x'.repeat(500)).length, 200)", '})', '', "test('hides a token', () => {", "  assert.equal(tidy('Bearer abc.def failed'), 'Bearer *** failed')", '})')),
      step('', bash('npm test --silent 2>&1 | grep -E "^# |not ok"')),
    ],
    'Log values are cut at 200 characters and a bearer token is replaced by ***. Eleven tests pass.',
  ),
  turn(
    'Let us talk about parallel fetching. Could we fetch 4 pages at once?',
    [step('Estimating from the log.', bash(`grep -o "took=[0-9]*" ${LOG} | cut -d= -f2 | sort -n | awk '{ s += $1; v[NR] = $1 } END { print "pages", NR, "mean", int(s / NR), "median", v[int(NR / 2)] }'`))],
    'We could, but it would not help much: with 5 requests per second and a mean of about 2 seconds per page, four at once would finish in about a minute instead of two. It makes the order of the backlog harder to reason about. I recommend to stay sequential. Do you agree?',
  ),
  turn(
    'Agreed, stay sequential.',
    [step('', edit('docs/notes-2.0.md', ['After 2.0:', 'Decided: pages are fetched one by one, no parallel fetching.\n\nAfter 2.0:']))],
    'Pages stay sequential; the decision is in the notes.',
    35,
  ),
  turn(
    'Lunch is over. Please check the whole thing with a slow feed: pages that take 2 seconds, timeout lowered by environment.',
    [
      step('The timeout is not configurable yet.', edit('src/config.js', ['requestTimeoutMs: 60_000', 'requestTimeoutMs: Number(process.env.REQUEST_TIMEOUT_MS ?? 60_000)'])),
      step('', edit('scripts/fake-feed.mjs', ['page % 9 === 0 ? 300 : 5', 'page % 9 === 0 ? Number(process.env.SLOW_MS ?? 300) : 5'])),
      step('', bash('SLOW_MS=900 node scripts/fake-feed.mjs & feed=$!; sleep 0.5; FEED_URL=http://127.0.0.1:18081/orders REQUEST_TIMEOUT_MS=200 node src/cli.js --pages 10 | cut -c26-; cat logs/backlog-delta.json; kill $feed')),
    ],
    'Page 9 timed out three times and landed in the backlog, exactly as wanted: logs/backlog-delta.json contains [9].',
  ),
  turn(
    'And the next run picks it up?',
    [step('', bash('node scripts/fake-feed.mjs & feed=$!; sleep 0.5; FEED_URL=http://127.0.0.1:18081/orders node src/cli.js --pages 10 | cut -c26-; cat logs/backlog-delta.json; kill $feed'))],
    'Yes: page 9 came first, 30 rows were stored and the backlog is empty again.',
  ),
]

const afternoon = [
  turn(
    'Do we store a row twice when a page is fetched again after a half-finished save?',
    [
      step('The id is the primary key, so it depends on the insert.', bash('grep -rn "save" src | head; cat migrations/001_orders.sql')),
      step('', bash('sqlite3 :memory: "create table o(id text primary key, n int); insert into o values(\'a\',1); insert into o values(\'a\',2);" ; echo "exit $?"')),
    ],
    'A plain insert fails on the second row with the same id, so the whole page would be reported as failed. An upsert would make a repeated page harmless. Shall I write save as an upsert keyed by the order id?',
  ),
  turn(
    'Yes, but keep the first placed_at when a row comes again.',
    [
      step('', write(
        'src/save.js',
        "import { execFile } from 'node:child_process'", "import { promisify } from 'node:util'", '', 'const run = promisify(execFile)', "const quote = (text) => `'${String(text).replaceAll(\"'\", \"''\")}'`", '',
        '/** Stores orders so that a page that comes twice changes nothing but the amount; the first date stays. */', 'export function sqlFor(orders) {', "  const values = orders.map((o) => `(${quote(o.id)}, ${quote(o.supplier)}, ${quote(o.placedAt)}, ${o.totalCents})`).join(',\\n  ')",
        '  return `insert into orders (id, supplier, placed_at, total_cents) values\\n  ${values}\\non conflict (id) do update set total_cents = excluded.total_cents;`', '}', '',
        'export const saveTo = (file) => async (orders) => {', '  if (orders.length > 0) await run(\'sqlite3\', [file, sqlFor(orders)])', '}')),
      step('', write(
        'test/save.test.js',
        "import assert from 'node:assert/strict'", "import { execFileSync } from 'node:child_process'", "import { mkdtempSync, readFileSync } from 'node:fs'", "import { tmpdir } from 'node:os'", "import path from 'node:path'", "import { test } from 'node:test'", "import { saveTo } from '../src/save.js'", '',
        "test('a page that comes twice is stored once, with its first date', async () => {", "  const file = path.join(mkdtempSync(path.join(tmpdir(), 'shop-')), 'o.db')", "  execFileSync('sqlite3', [file, readFileSync('migrations/001_orders.sql', 'utf8')])", '  const save = saveTo(file)',
        "  await save([{ id: 'delta-1', supplier: 'delta', placedAt: '2026-03-01', totalCents: 100 }])", "  await save([{ id: 'delta-1', supplier: 'delta', placedAt: '2026-03-09', totalCents: 250 }])", "  assert.equal(execFileSync('sqlite3', [file, 'select * from orders'], { encoding: 'utf8' }).trim(), 'delta-1|delta|2026-03-01|250')", '})')),
      step('', bash('npm test --silent 2>&1 | tail -40')),
    ],
    'save is an upsert keyed by the order id now; a repeated row updates the amount and keeps its first placed_at. Twelve tests pass, migrations/ is unchanged.',
    12,
  ),
  turn(
    'Wire it into the CLI. The database path comes from ORDERS_DB.',
    [
      step('', edit('src/config.js', ['  sessionFile:', "  ordersFile: process.env.ORDERS_DB ?? 'var/orders.db',\n  sessionFile:"])),
      step('', edit('src/cli.js', ['save: async () => {} })', 'save: saveTo(config.ordersFile) })'], ["import { log } from './log.js'", "import { config } from './config.js'\nimport { log } from './log.js'\nimport { saveTo } from './save.js'"])),
      step('', bash('mkdir -p var && sqlite3 var/orders.db < migrations/001_orders.sql; node scripts/fake-feed.mjs & feed=$!; sleep 0.5; FEED_URL=http://127.0.0.1:18081/orders node src/cli.js --pages 6 | cut -c26-; kill $feed; sqlite3 var/orders.db "select count(*), sum(total_cents) from orders"')),
      step('A second run must not add rows.', bash('node scripts/fake-feed.mjs & feed=$!; sleep 0.5; FEED_URL=http://127.0.0.1:18081/orders node src/cli.js --pages 6 | cut -c26-; kill $feed; sqlite3 var/orders.db "select count(*), sum(total_cents) from orders"')),
    ],
    'The CLI stores into ORDERS_DB. Two runs over the same 6 pages leave 18 rows, not 36.',
  ),
  turn(
    'Nice. Does git see var/?',
    [step('', bash('cat .gitignore 2>/dev/null || echo "no .gitignore"; git status --short 2>&1 | head -5'))],
    'There is no .gitignore, and this folder is not a git checkout here. I can add a .gitignore with var/ and logs/backlog-*.json. Should I?',
  ),
  turn(
    'Yes please.',
    [step('', write('.gitignore', 'node_modules/', 'var/', 'logs/backlog-*.json', '*.tmp')), step('', bash('cat .gitignore'))],
    'Added .gitignore with node_modules/, var/, the backlog files and temporary files.',
  ),
  turn(
    'One more: the vinarija supplier sends amounts like "1.234,50". Does that parse?',
    [step('', bash('node -e "import(\'./src/orders.js\').then(m => console.log(m.toOrder({ no: 1, total: \'1.234,50\', date: \'2026-03-12\' }, \'vinarija\')))"')), step('', read('src/orders.js'))],
    'No: it gives NaN, and NaN would go into the database as text. The dot is a thousands separator there. I will write a parser that accepts "1.234,50", "1234,50" and "1234.50", and refuses everything else.',
  ),
  turn(
    'Good, and refuse loudly. A row that does not parse fails the page.',
    [
      step('', edit(
        'src/orders.js',
        ["  const total = Number(String(row.total).replace(',', '.'))\n", ''],
        ['Math.round(total * 100)', 'parseCents(row.total)'],
        ['/** A row of the feed', "/** Cents of \"1.234,50\", \"1234,50\" or \"1234.50\"; throws on anything else. */\nexport function parseCents(text) {\n  const match = /^(\\d{1,3}(?:\\.\\d{3})*|\\d+)(?:,(\\d{1,2}))?$/.exec(text) ?? /^(\\d+)(?:\\.(\\d{1,2}))?$/.exec(text)\n  if (!match) throw new Error(`not an amount: ${text}`)\n  return Number(match[1].replaceAll('.', '')) * 100 + Number((match[2] ?? '0').padEnd(2, '0'))\n}\n\n/** A row of the feed"])),
      step('', edit('test/orders.test.js', ["test('the id names", "test('reads the amounts of every supplier', () => {\n  const cents = ['1.234,50', '1234,5', '1234.50', '7'].map(parseCents)\n  assert.deepEqual(cents, [123450, 123450, 123450, 700])\n  assert.throws(() => parseCents('12,3,4'), /not an amount/)\n})\n\ntest('the id names"], ['import { toOrder }', 'import { parseCents, toOrder }'])),
      step('', bash('npm test --silent 2>&1 | tail -50')),
    ],
    'parseCents reads all three spellings and throws "not an amount" otherwise, which fails the page and puts it on the backlog. Thirteen tests pass.',
    8,
  ),
  turn(
    'Did you check negative amounts? Refunds come as "-12,00".',
    [step('', bash('node -e "import(\'./src/orders.js\').then(m => console.log(m.parseCents(\'-12,00\')))" 2>&1 | grep -E "Error|^-" | head -2'))],
    'They are refused at the moment: "not an amount: -12,00". Should a refund be stored with a negative total, or skipped?',
  ),
  turn(
    'Stored, negative.',
    [
      step('', edit('src/orders.js', ['  const match = /^(', "  const sign = String(text).startsWith('-') ? -1 : 1\n  const digits = String(text).replace(/^-/, '')\n  const match = /^("], ['$/.exec(text) ??', '$/.exec(digits) ??'], ['?$/.exec(text)\n', '?$/.exec(digits)\n'], ['  return Number(match[1]', '  return sign * (Number(match[1]'], [".padEnd(2, '0'))\n", ".padEnd(2, '0')))\n"])),
      step('', bash('node -e "import(\'./src/orders.js\').then(m => console.log(m.parseCents(\'-12,00\'), m.parseCents(\'12,00\')))"; npm test --silent 2>&1 | grep -E "^# |not ok"')),
    ],
    'Refunds are stored with a negative total: "-12,00" gives -1200 cents.',
  ),
  turn(
    'What about the version? I said 2.0.',
    [step('', bash('grep version package.json')), step('', edit('package.json', ['"version": "1.9.4"', '"version": "2.0.0"']))],
    'package.json says 2.0.0 now.',
  ),
  turn(
    'Jedno pitanje: da li test za session-store ostavlja fajlove u /tmp?',
    [step('', bash('grep -n "mkdtemp" test/*.js'))],
    'Da, svaki test napravi svoj folder i ostavi ga. Nije opasno, ali nije ni uredno. Mogu da dodam brisanje na kraju testa.',
  ),
  turn(
    'Može, dodaj.',
    [
      step('', edit('test/session-store.test.js', ["import { mkdtemp } from 'node:fs/promises'", "import { mkdtemp, rm } from 'node:fs/promises'"], ["import { test } from 'node:test'", "import { after, test } from 'node:test'"], ["const store = async (now) => new SqliteStore(path.join(await mkdtemp(path.join(tmpdir(), 'shop-')), 's.db'), { now: () => now.value })", "const dirs = []\nafter(() => Promise.all(dirs.map((dir) => rm(dir, { recursive: true }))))\n\nconst store = async (now) => {\n  dirs.push(await mkdtemp(path.join(tmpdir(), 'shop-')))\n  return new SqliteStore(path.join(dirs.at(-1), 's.db'), { now: () => now.value })\n}"])),
      step('', bash('npm test --silent 2>&1 | grep -E "^# |not ok"')),
    ],
    'Dodato: folderi se brišu na kraju testa. Svih trinaest testova prolazi.',
  ),
]

const evening = [
  turn(
    'The ops people ask for a metric: how many pages are on the backlog after a run.',
    [
      step('The last log line is what they parse.', read('src/cli.js')),
      step('', edit('src/cli.js', ['failed: result.failed.length })', 'backlog: result.failed.length })'])),
      step('', bash('grep -rn "failed:" src docs || echo none')),
    ],
    'The last line of a run now says backlog=<n>. The name failed= is gone from that line.',
  ),
  turn(
    'Careful, their dashboard reads failed=. Keep failed= and add backlog= beside it.',
    [step('', edit('src/cli.js', ['backlog: result.failed.length })', 'failed: result.failed.length, backlog: result.failed.length })'])), step('', bash('node --check src/cli.js && tail -3 src/cli.js'))],
    'Both are there: failed= for the old dashboard and backlog= for the new one.',
  ),
  turn(
    'What happens when two imports of the same supplier run at once?',
    [step('', bash('grep -rn "lock" src || echo "no lock"')), step('', read('src/backlog.js'))],
    'Both would read the same backlog and the one that ends last overwrites the file. A lock file per supplier with the process id would prevent it; a second import would end with a clear message. I would make it with an exclusive create and remove it at the end. Shall I add the lock file?',
  ),
  turn(
    'No, cron never starts two. Do not add a lock. Write it down as a known limit.',
    [step('', edit('docs/runbook.md', ['- At most 5 requests per second.', '- At most 5 requests per second.\n- Only one import per supplier at a time; nothing guards against a second one.']))],
    'No lock then. The runbook names it as a known limit.',
  ),
  turn(
    'Let me see all settings once more.',
    [step('', read('src/config.js'))],
    'These are the settings: feed URL, request timeout 60 s (REQUEST_TIMEOUT_MS), 3 attempts, page size 200, 5 requests per second, SQLite session store in var/session.db, orders in var/orders.db, log level info.',
  ),
  turn(
    'Page size 200 is fine for delta, but vinarija allows 500. Make it a setting per supplier.',
    [
      step('', edit('src/config.js', ['  pageSize: 200,', '  pageSize: { default: 200, vinarija: 500 },'])),
      step('', edit('src/http.js', ['export async function fetchPage(page, { token, fetchImpl = fetch } = {}) {', 'export async function fetchPage(page, { supplier, token, fetchImpl = fetch } = {}) {'], ['&size=${config.pageSize}', '&size=${config.pageSize[supplier] ?? config.pageSize.default}'])),
      step('', edit('src/importer.js', ['return fetchPage(page, { token, fetchImpl })', 'return fetchPage(page, { supplier, token, fetchImpl })'])),
      step('', edit('test/importer.test.js', ["test('reports a page that fails'", "test('asks for the page size of the supplier', async () => {\n  const urls = []\n  const fetchImpl = async (url) => {\n    urls.push(url)\n    return page([])\n  }\n  await runImport({ supplier: 'vinarija', pages: 1, token: 't', save: async () => {}, fetchImpl })\n  assert.match(urls[0], /size=500/)\n})\n\ntest('reports a page that fails'"])),
      step('', bash('npm test --silent 2>&1 | tail -50')),
    ],
    'The page size is per supplier: 500 for vinarija, 200 for everybody else. Fourteen tests pass.',
    9,
  ),
  turn(
    'Can the test suite run in CI without sqlite3?',
    [step('', bash('grep -rln "sqlite3\\|SqliteStore\\|saveTo" test'))],
    'Two files need it: test/session-store.test.js and test/save.test.js. Without the command they fail. Either CI installs sqlite3 or those tests are skipped there. That is still open: we have to decide what CI does.',
  ),
  turn(
    'CI will install it. Ana adds it to the image tomorrow, keep that as open until she confirms.',
    [step('', edit('docs/notes-2.0.md', ['Decided:', '- [ ] Ana adds sqlite3 to the CI image\n\nDecided:']))],
    'Kept open: Ana adds sqlite3 to the CI image.',
  ),
  turn(
    'Try a page with broken JSON from the feed. What do we log?',
    [
      step('', bash('node -e "import(\'./src/importer.js\').then(m => m.runImport({ supplier: \'delta\', pages: 1, token: \'t\', save: async () => {}, fetchImpl: async () => ({ status: 200, json: async () => JSON.parse(\'{\') }) })).then(console.log)" | cut -c1-140')),
      step('Three attempts for a parse error are wasteful, but harmless.', read('src/retry.js')),
    ],
    'It logs "page failed" with the parse error and puts the page on the backlog. It does try three times, which I would leave: the feed sometimes cuts an answer short.',
  ),
  turn(
    'OK. Deploy to staging as a dry run: scripts/deploy.sh staging --dry-run',
    [step('', bash('scripts/deploy.sh staging --dry-run')), step('The script is missing. Looking for another.', bash('ls scripts; grep -rn deploy package.json docs README.md || echo "no deploy anywhere"'))],
    'The deploy failed: scripts/deploy.sh does not exist in this project (exit code 127). There is only scripts/fake-feed.mjs. Where does the deploy live?',
  ),
  turn(
    'Right, it is in the infra repo. Then staging is blocked until I get access, which is tomorrow. Leave it.',
    [step('', edit('docs/notes-2.0.md', ['- [ ] Ana adds sqlite3', '- [ ] Dry run on staging (blocked: access to the infra repo)\n- [ ] Ana adds sqlite3']))],
    'The staging dry run is blocked until you have access to the infra repo. It is in the notes.',
  ),
  turn(
    'Update the README: settings table, and how to try it with the fake feed.',
    [
      step('', read('README.md')),
      step('', write(
        'README.md',
        '# shop-import', '', 'Nightly import of supplier orders into the shop database.', '', '    npm run import -- --supplier delta', '', '| setting | default | meaning |', '|---|---|---|', '| FEED_URL | http://localhost:8081/orders | where pages come from |', '| REQUEST_TIMEOUT_MS | 60000 | longest wait for one page |', '| ORDERS_DB | var/orders.db | where orders go |', '| SESSION_FILE | var/session.db | where tokens are kept |', '| LOG_LEVEL | info | debug, info, warn, error |', '',
        'A page is tried 3 times, at most 5 requests start per second, and pages that still fail are fetched first next time.', '', '## Try it', '', '    node scripts/fake-feed.mjs &', '    FEED_URL=http://127.0.0.1:18081/orders npm run import -- --pages 12')),
      step('', bash('wc -l README.md docs/*.md')),
    ],
    'The README has the settings table and the fake feed. I left the deploy out, because it lives elsewhere.',
    8,
  ),
  turn(
    'Check that you did not touch migrations/.',
    [step('', bash('sha256sum migrations/*.sql'))],
    'Unchanged: the checksum of migrations/001_orders.sql is the same as this morning.',
  ),
  turn(
    'Poslednje za danas: napiši CHANGELOG za 2.0, kratko, na engleskom. I sutra nastavljamo sa staging-om.',
    [
      step('Skupljam šta je danas urađeno.', read('docs/notes-2.0.md')),
      step('', write('CHANGELOG.md', '# Changelog', '', '## 2.0.0', '- Failed pages are kept and fetched first on the next run.', '- Requests may take 60 seconds and are tried 3 times, at most 5 per second.', '- Tokens are kept in SQLite instead of Redis.', '- A page that comes twice is stored once; refunds are stored as negative amounts.', '- Log lines carry at most 200 characters of an error and never a token.')),
    ],
    'CHANGELOG.md je napisan. Za sutra ostaje: dry run na stagingu kad dobiješ pristup infra repou, i Anina potvrda da je sqlite3 u CI image-u.',
    4,
  ),
  turn(
    'Hvala. Pre nego što odem: pokreni još jednom sve testove i reci mi broj.',
    [step('', bash('npm test --silent 2>&1 | grep -E "^# |not ok"'))],
    'Svih 14 testova prolazi.',
    2,
  ),
]

export const story = [...morning, ...noon, ...afternoon, ...evening]

/** What the stub answers when the host asks for a summary, in the headings of the host; one per compaction. */
export const summaries = [
  {
    history: `## Goal
Make the nightly order import reliable and ship it as version 2.0 by Friday.

## Constraints & Preferences
- Never edit files in migrations/
- No new npm dependency without asking
- Node must stay at 20

## Progress
### Done
- [x] Retry with growing pause and jitter, 3 attempts per page
- [x] Failed pages are written to logs/backlog-<supplier>.json and fetched first on the next run
- [x] Jovan answered: the delta feed allows 5 requests per second, and the importer keeps to it
- [x] Session store moved to SQLite through the sqlite3 command
- [x] Runbook rewritten

### In Progress
- [ ] Keep feed errors in the log short

### Blocked
- (none)

## Key Decisions
- **Request timeout 60 s instead of 30 s**: the supplier needs up to 45 seconds while its backup runs
- **Backlog file next to the logs**: rows must not be lost silently
- **SQLite instead of Redis for the session store**: one token per supplier does not need a server

## Next Steps
1. Try the whole import with a slow feed

## Critical Context
- Last night 7 of 64 pages gave up and 1,400 rows were missing
- CSV export waits until after 2.0; the fake feed runs on port 18081`,
    prefix: `## Original Request
Cut error texts from the feed to 200 characters in the log and never log the token.

## Early Progress
- src/log.js tidies every value before it is printed

## Context for Suffix
- A test for it is being written`,
  },
  {
    history: `## Goal
Make the nightly order import reliable and ship it as version 2.0 by Friday.

## Constraints & Preferences
- Never edit files in migrations/
- No new npm dependency without asking
- Node must stay at 20
- Error texts from the feed at most 200 characters in the log, never the token
- The dashboard reads failed= in the last log line: keep it

## Progress
### Done
- [x] Session store on SQLite, runbook and .gitignore written
- [x] save is an upsert keyed by the order id, the first placed_at stays
- [x] Amounts of all suppliers parse, refunds are negative
- [x] Version set to 2.0.0

### In Progress
- [ ] Page size per supplier

### Blocked
- (none)

## Key Decisions
- **Request timeout 60 s**: configurable as REQUEST_TIMEOUT_MS
- **Stay sequential**: parallel fetching gains little under the rate limit
- **No lock file**: cron never starts two imports of one supplier

## Next Steps
1. Finish the page size per supplier

## Critical Context
- sqlite3 is on all machines; the fake feed runs on port 18081`,
    prefix: `## Original Request
Make the page size a setting per supplier: vinarija allows 500, delta stays at 200.

## Early Progress
- config.pageSize is a table, and http.js picks the size of the supplier

## Context for Suffix
- The importer has to pass the supplier on, and a test has to show it`,
  },
]
