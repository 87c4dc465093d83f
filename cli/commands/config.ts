// `clawback config`: the effective values, and where each came from.
import type { Api, ConfigOrigin } from '../api.js'
import { colorsFor, harmless, json, oneLine, table } from '../output.js'
import { stateDirIfAny } from '../session.js'

export interface ConfigFlags {
  json?: boolean
  stateDir?: string
  file?: string
}

export async function config(api: Api, flags: ConfigFlags): Promise<void> {
  const stateDir = stateDirIfAny(flags.stateDir)
  const loaded = await api.readConfig(flags.file, stateDir === undefined ? {} : { stateDir })
  if (flags.json) return void process.stdout.write(json({ stateDir: stateDir ?? null, ...loaded }))
  const rows = Object.keys(loaded.origins).map((path) => {
    const value = path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], loaded.config)
    return [path, oneLine(JSON.stringify(value), 60), from(loaded.origins[path]!)]
  })
  process.stdout.write(table(rows, ''))
  const { yellow, dim } = colorsFor(process.stderr)
  for (const { text } of loaded.warnings) process.stderr.write(`${yellow('warning')}: ${harmless(text)}\n`)
  if (stateDir === undefined && flags.file === undefined) process.stderr.write(`${dim('no state directory found: defaults and environment only')}\n`)
}

function from(origin: ConfigOrigin): string {
  return 'name' in origin ? `${origin.source} ${oneLine(origin.name, 100)}` : origin.source
}
