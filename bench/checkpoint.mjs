// A full durable checkpoint (file, pointer, retention) against the peers' one, which does not survive a power cut, and
// beside the least a disk can do: 4 kB and one fdatasync.
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { load, missing } from './lib/clawback.mjs'
import { inTurns } from './lib/measure.mjs'
import { checkpointDir } from './lib/peers.mjs'
import { fact, skipped, versus } from './lib/rows.mjs'
import { tempDir } from './lib/temp.mjs'
import { sentences } from './lib/words.mjs'

export const title = 'Checkpoints'

export async function run({ quick }) {
  const clawback = load()
  const gone = missing(clawback, 'writeCheckpoint', 'appendOpenItemToState')
  if (gone.length) return [skipped(title, `no export ${gone.join(', ')}`)]

  const dir = tempDir('checkpoint')
  const input = { trigger: 'manual', tokenUsage: { inputTokens: 90_000, contextWindow: 200_000 } }
  for (const item of sentences(30)) await clawback.appendOpenItemToState(dir, 'bench', item)
  const first = await clawback.writeCheckpoint(dir, 'bench', input)
  const text = readFileSync(path.isAbsolute(first.path) ? first.path : path.join(dir, first.path), 'utf8')

  const peer = checkpointDir(tempDir('checkpoint-peer'))
  const raw = openSync(path.join(dir, 'raw'), 'w')
  const block = Buffer.alloc(4096, 'x')
  const times = await inTurns(quick ? 15 : 60, {
    ours: () => clawback.writeCheckpoint(dir, 'bench', input),
    theirs: () => peer.write(text),
    raw: () => {
      writeSync(raw, block)
      fdatasyncSync(raw)
    },
  })
  closeSync(raw)
  return [
    versus({ what: 'durable checkpoint', unit: 'ms', ours: times.ours, theirs: times.theirs, peer: 'not durable', goal: 1 }),
    fact({ what: 'the same beside the raw limit', unit: 'ms', value: times.ours, beside: times.raw, besideWhat: '4 kB + fdatasync' }),
    fact({ what: 'size of the checkpoint', unit: 'kB', value: Buffer.byteLength(text) / 1024 }),
  ]
}
