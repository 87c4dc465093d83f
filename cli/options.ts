// What commands have in common: their options and the examples below their help.
import { Command } from 'commander'

export const examples = (...lines: string[]): string => `\nExamples:\n${lines.map((line) => `  $ ${line.includes('clawback ') ? '' : 'clawback '}${line}\n`).join('')}`

export function withCommonOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON document')
    .option('--state-dir <dir>', "the host's state directory (default: OpenClaw's, else pi's)")
    .option('--session <key>', 'the session (default: the only one there is)')
}
