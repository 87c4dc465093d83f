// `clawback checkpoints diff A B`: the loss report. What the newer one gained, replaced and settled, and what it lost;
// then what else is no longer the same.
import type { Api, Change, Checkpoint } from '../api.js'
import { colorsFor, json, oneLine, plural, type Colors } from '../output.js'
import { checkpointId, choose, type Flags } from '../session.js'

const write = (text: string): void => void process.stdout.write(text)

/** Why an item is in its list, in words. */
function reason(list: 'gained' | 'superseded' | 'resolved' | 'lost', change: Change, newer: Checkpoint): string {
  switch (list) {
    case 'gained':
      return `first in ${newer.meta.checkpoint_id}`
    case 'superseded':
      return change.by === undefined ? 'replaced by a newer one' : `replaced by ${JSON.stringify(change.by)}`
    case 'resolved':
      return change.by === undefined ? 'settled' : `settled: ${change.by}`
    case 'lost':
      return `no longer there, and nothing in ${newer.meta.checkpoint_id} replaces or settles it: a cap, another branch or another generation`
  }
}

interface Changed { field: string; from: string | null; to: string | null }

/** What stands in a checkpoint besides its lists of items. */
const FIELDS: [string, (checkpoint: Checkpoint) => string | null | undefined][] = [
  ['active request', (c) => c.active_request],
  ['topic', (c) => c.working.topic],
  ['status', (c) => `${c.working.status}${c.working.interrupted ? ', interrupted' : ''}`],
  ['next action', (c) => c.working.next_action],
  ['last tool call', (c) => (c.working.last_tool_call ? `${c.working.last_tool_call.name} ${c.working.last_tool_call.params_summary}` : null)],
  ['files read', (c) => c.resources.files_read.join(', ')],
  ['files modified', (c) => c.resources.files_modified.join(', ')],
  ['tools used', (c) => c.resources.tools_used.join(', ')],
  ['errors', (c) => c.thread.errors.join('; ')],
  ['running agents', (c) => c.agents.map((agent) => agent.task ?? agent.id).join('; ')],
]

function changedFields(older: Checkpoint, newer: Checkpoint): Changed[] {
  const pairs = FIELDS.map(([field, of]) => ({ field, from: of(older) || null, to: of(newer) || null }))
  return pairs.filter(({ from, to }) => from !== to)
}

export async function diffCheckpoints(api: Api, from: string, to: string, flags: Flags): Promise<void> {
  const [older, newer] = [checkpointId(from), checkpointId(to)]
  const { stateDir, session } = await choose(api, flags)
  const [a, b] = await Promise.all([older, newer].map((id) => api.readCheckpoint(stateDir, session.sessionKey, id))) as [Checkpoint, Checkpoint]
  const found = api.diffCheckpoints(a, b)
  const explained = (['gained', 'superseded', 'resolved', 'lost'] as const).map((list) => [list, found[list].map((change) => ({ ...change, reason: reason(list, change, b) }))] as const)
  const changed = changedFields(a, b)
  if (flags.json) return write(json({ stateDir, sessionKey: session.sessionKey, older, newer, ...Object.fromEntries(explained), changed }))
  const colors = colorsFor(process.stdout)
  write(`${colors.bold(`${older} (${a.meta.created_at}) -> ${newer} (${b.meta.created_at})`)}\n`)
  const marks = { gained: ['+', colors.green], superseded: ['~', colors.yellow], resolved: ['✓', colors.cyan], lost: ['-', colors.red] } as const
  let any = false
  for (const [list, changes] of explained) {
    if (changes.length === 0) continue
    any = true
    const [mark, color] = marks[list]
    write(`\n${colors.bold(`${list}: ${plural(changes.length, 'item')}`)}\n`)
    for (const change of changes) write(item(mark, color, change, change.reason, colors))
  }
  if (changed.length > 0) write(`\n${colors.bold(`changed: ${plural(changed.length, 'field')}`)}\n`)
  for (const { field, from, to } of changed) write(`${field}\n    ${colors.dim(`was: ${oneLine(from ?? 'nothing', 200)}`)}\n    now: ${oneLine(to ?? 'nothing', 200)}\n`)
  if (!any && changed.length === 0) write('\nno difference\n')
}

function item(mark: string, color: Colors['red'], change: Change, why: string, colors: Colors): string {
  return `${color(mark)} ${change.kind}: ${oneLine(change.text, 200)}\n    ${colors.dim(oneLine(why, 200))}\n`
}
