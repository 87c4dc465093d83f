#!/usr/bin/env node
// The `clawback` command. Exit codes: 0 fine, 1 not found or failed, 2 wrong usage. Results go to stdout, everything
// else to stderr.
import { Command, CommanderError } from 'commander'
import type { Api } from './api.js'
import { diffCheckpoints } from './commands/diff.js'
import { config, type ConfigFlags } from './commands/config.js'
import { listCheckpoints, packet, showCheckpoint, status } from './commands/inspect.js'
import { replay, type ReplayFlags } from './commands/replay.js'
import { inWords, readable } from './files.js'
import { examples, withCommonOptions } from './options.js'
import { CliError, colorsFor, harmless } from './output.js'
import { register } from './register.js'
import type { Flags } from './session.js'

/** Loaded only when a command runs: `--help` works also where the native part does not. */
async function load(): Promise<Api> {
  const loaded: { default?: unknown } = await import('clawback')
  return (loaded.default ?? loaded) as Api
}

function program(): Command {
  const root = new Command('clawback')
    .description('Shows what clawback remembers of an agent session, and what it would have remembered of a transcript.')
    .option('--version', 'print the version')
    .showHelpAfterError('(--help shows how it is used)')
    .exitOverride()
    .addHelpText('after', examples('replay session.jsonl', 'status', 'checkpoints list --session agent:main', 'packet --json'))
    .action(async (flags: { version?: boolean }) => {
      if (root.args.length > 0) root.error(`error: unknown command '${root.args[0]}'`)
      if (!flags.version) root.help({ error: true })
      process.stdout.write(`${(await load()).version}\n`)
    })

  root
    .command('replay')
    .description('plays a transcript (Pi, OpenClaw, Claude Code or Codex JSONL, or the SQLite database of OpenClaw) and shows what would have been captured, checkpointed and given back; the transcript and all sessions stay untouched')
    .argument('<file>', 'the transcript; - reads standard input')
    .option('--json', 'print one JSON document')
    .option('--window <tokens>', "the model's context window (default: from the transcript or its model, else 200000)")
    .option('--max-tokens <tokens>', 'limit of the packet')
    .option('--session <key>', "the key of the temporary session (default: the transcript's session); of a database, the session to play (default: the newest)")
    .option('--state-dir <dir>', "where the temporary store is made and removed again (default: the system's directory for temporary files)")
    .addHelpText('after', examples('replay ~/.pi/agent/sessions/--work--/2026-03-02.jsonl', 'replay session.jsonl --window 32000', 'replay session.jsonl --json | jq .packet.text', 'zcat session.jsonl.gz | clawback replay -', 'replay ~/.openclaw/agents/main/agent/openclaw-agent.sqlite'))
    .action(async (file: string, flags: ReplayFlags) => replay(await load(), file, flags))

  withCommonOptions(root.command('status'))
    .description('shows what a session remembers; with several sessions and no --session, lists them')
    .addHelpText('after', examples('status', 'status --session agent:main --json', 'status --state-dir ~/.openclaw'))
    .action(async (flags: Flags) => status(await load(), flags))

  const checkpoints = root.command('checkpoints').description('lists, shows and compares checkpoints').addHelpText('after', examples('checkpoints list', 'checkpoints show cp_003', 'checkpoints diff cp_002 cp_003'))
  withCommonOptions(checkpoints.command('list'))
    .description('lists the checkpoints of a session, oldest first')
    .addHelpText('after', examples('checkpoints list', 'checkpoints list --session agent:main --json'))
    .action(async (flags: Flags) => listCheckpoints(await load(), flags))
  withCommonOptions(checkpoints.command('show'))
    .description('prints a checkpoint as YAML; without an id the latest')
    .argument('[id]', 'such as cp_003')
    .addHelpText('after', examples('checkpoints show', 'checkpoints show cp_003 --json'))
    .action(async (id: string | undefined, flags: Flags) => showCheckpoint(await load(), id, flags))
  withCommonOptions(checkpoints.command('diff'))
    .description('says what the newer checkpoint gained, replaced and settled, and what it lost, each with its reason')
    .argument('<older>', 'such as cp_002')
    .argument('<newer>', 'such as cp_003')
    .addHelpText('after', examples('checkpoints diff cp_002 cp_003', 'checkpoints diff cp_001 cp_009 --json | jq .lost'))
    .action(async (older: string, newer: string, flags: Flags) => diffCheckpoints(await load(), older, newer, flags))

  withCommonOptions(root.command('packet'))
    .description('prints the text that the agent would be given after a compaction now')
    .option('--max-tokens <tokens>', 'limit of the packet')
    .option('--checkpoint <id>', 'as this checkpoint has it, instead of now')
    .addHelpText('after', examples('packet', 'packet --max-tokens 300', 'packet --checkpoint cp_002 --json'))
    .action(async (flags: Flags & { maxTokens?: string; checkpoint?: string }) => packet(await load(), flags))
  register(root, load)

  withCommonOptions(root.command('config'))
    .description('prints the effective configuration and where each value comes from')
    .option('--file <path>', 'this configuration file (default: context/config.yaml in the state directory)')
    .addHelpText('after', examples('config', 'config --json', 'config --file ~/clawback.yaml'))
    .action(async (flags: ConfigFlags) => config(await load(), flags))
  // Only here, for the message above; subcommands would inherit it.
  return root.allowExcessArguments()
}

/** The exit code for whatever went wrong; says what it was, without a stack. */
function failed(error: unknown): number {
  // Commander has printed its message already; a shown help or version is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof Error && error.name === 'AbortError') return readerGone ? 0 : 130
  const { red } = colorsFor(process.stderr)
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'Error'
  const message = error instanceof Error ? readable(error) : String(error)
  process.stderr.write(`${red(code)}: ${harmless(message)}\n`)
  return error instanceof CliError ? error.exitCode : 1
}

// A reader that has seen enough (`| head`) is no failure. The command still ends in its own way: it may have to clean up.
let readerGone = false
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') return cannotWrite(stream, error)
    readerGone = true
  })
}

/** A full disk below a redirected output, for instance: said once, where it can be said. */
function cannotWrite(stream: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  if (process.exitCode === 1) return
  process.exitCode = 1
  if (stream === process.stdout) process.stderr.write(`${error.code ?? 'Error'}: the output cannot be written: ${inWords(error) ?? error.message}\n`)
}

program()
  .parseAsync()
  .catch((error: unknown) => {
    process.exitCode = failed(error)
  })
