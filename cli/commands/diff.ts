// `clawback checkpoints diff A B`: the loss report. What the newer one gained, replaced and settled, and what it lost.
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

export async function diffCheckpoints(api: Api, from: string, to: string, flags: Flags): Promise<void> {
  const [older, newer] = [checkpointId(from), checkpointId(to)]
  const { stateDir, session } = await choose(api, flags)
  const [a, b] = await Promise.all([older, newer].map((id) => api.readCheckpoint(stateDir, session.sessionKey, id))) as [Checkpoint, Checkpoint]
  const found = api.diffCheckpoints(a, b)
  const explained = (['gained', 'superseded', 'resolved', 'lost'] as const).map((list) => [list, found[list].map((change) => ({ ...change, reason: reason(list, change, b) }))] as const)
  if (flags.json) return write(json({ stateDir, sessionKey: session.sessionKey, older, newer, ...Object.fromEntries(explained) }))
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
  if (!any) write('\nno difference\n')
}

function item(mark: string, color: Colors['red'], change: Change, why: string, colors: Colors): string {
  return `${color(mark)} ${change.kind}: ${oneLine(change.text, 200)}\n    ${colors.dim(oneLine(why, 200))}\n`
}
