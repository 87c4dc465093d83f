// The commands around what left the view, and around the health of a state directory.
import type { Command } from 'commander'
import type { Api } from './api.js'
import { drops, listCold, recover, showCold, type DropFlags, type RecoverFlags } from './commands/cold.js'
import { completion } from './commands/completion.js'
import { doctor, type DoctorFlags } from './commands/doctor.js'
import { compact, explain, health, reset, search, type CompactFlags, type HealthFlags, type ResetFlags, type SearchFlags } from './commands/live.js'
import { tune } from './commands/tune.js'
import { examples, withCommonOptions } from './options.js'
import type { Flags } from './session.js'

export function register(root: Command, load: () => Promise<Api>): void {
  const dropOptions = (command: Command): Command =>
    withCommonOptions(command)
      .option('--reason <reason>', 'only what was dropped for this reason, such as low_relevance or epoch')
      .option('--since <time>', 'only since then: a date, a time, or an age such as 2h or 7d')
      .option('--limit <count>', 'only the newest so many (default: 50; with --json all)')

  dropOptions(root.command('drops'))
    .description('lists what left the view of a session: when, why, with which score, and for which prompt')
    .addHelpText('after', examples('drops', 'drops --reason low_relevance --since 7d', "drops --json | jq -r '.drops[].drop_reason' | sort | uniq -c"))
    .action(async (flags: DropFlags) => drops(await load(), flags))

  const cold = root.command('cold-storage').description('lists and shows what left the view and can be brought back').addHelpText('after', examples('cold-storage list', 'cold-storage show c0-12-0123456789abcdef'))
  dropOptions(cold.command('list'))
    .description('lists each message that can be brought back, and until when')
    .addHelpText('after', examples('cold-storage list', 'cold-storage list --limit 200 --json'))
    .action(async (flags: DropFlags) => listCold(await load(), flags))
  withCommonOptions(cold.command('show'))
    .description('prints a stored message with its drop record, as one JSON object')
    .argument('<chunk-id>', 'such as c0-12-0123456789abcdef')
    .addHelpText('after', examples('cold-storage show c0-12-0123456789abcdef', 'cold-storage show c0-12-0123456789abcdef | jq -r .content'))
    .action(async (id: string, flags: Flags) => showCold(await load(), id, flags))

  withCommonOptions(root.command('recover'))
    .description('prints stored messages as they were stored; the recovery is logged, the view stays as it is')
    .option('--chunk-id <id>', 'the message; may be given several times', (id: string, before: string[] = []) => [...before, id])
    .addHelpText('after', examples('recover --chunk-id c0-12-0123456789abcdef', 'recover --chunk-id c0-12-0123456789abcdef --chunk-id c0-13-fedcba9876543210 --json'))
    .action(async (flags: RecoverFlags) => recover(await load(), flags))

  withCommonOptions(root.command('search'))
    .description('finds stored messages, dropped or not; any text is a query')
    .argument('<query...>', 'what to look for')
    .option('--limit <count>', 'at most so many hits (default: 10)')
    .option('--max-tokens <tokens>', 'at most so many tokens in all hits together')
    .option('--all', 'in all sessions of the state directory')
    .option('--role <role>', 'only messages of this role, such as user or toolResult')
    .option('--tool <name>', 'only results of this tool')
    .option('--since <time>', 'only since then: a date, a time, or an age such as 2h or 7d')
    .option('--until <time>', 'only until then')
    .addHelpText('after', examples('search retry timeout of the journal', 'search "src/import.ts" --role toolResult --limit 3', 'search deploy --all --since 7d --json'))
    .action(async (words: string[], flags: SearchFlags) => search(await load(), words, flags))

  withCommonOptions(root.command('explain'))
    .description('says where something remembered came from, what became of it, and why the packet leaves it out')
    .argument('<text...>', 'its words, or some of them')
    .addHelpText('after', examples('explain use SQLite for the ledger', 'explain "never touch migrations" --json'))
    .action(async (words: string[], flags: Flags) => explain(await load(), words, flags))

  withCommonOptions(root.command('compact'))
    .description('asks the host of a session to compact; it does so before its next model call')
    .option('--now', 'yes, now')
    .addHelpText('after', examples('compact --now', 'compact --now --session agent:main'))
    .action(async (flags: CompactFlags) => compact(await load(), flags))

  withCommonOptions(root.command('health'))
    .description('shows how full the context is and how its store is doing')
    .option('--notify-if-pct <share>', 'print only above this share (0.5 or 50), and end with 1 then')
    .addHelpText('after', examples('health', 'health --json', 'health --notify-if-pct 0.50 || notify-send "context is filling up"'))
    .action(async (flags: HealthFlags) => health(await load(), flags))

  withCommonOptions(root.command('tune'))
    .description('reads the activity logs: scores, savings, recoveries, and what to try with each knob')
    .addHelpText('after', examples('tune', 'tune --session agent:main', 'tune --json | jq .suggestions'))
    .action(async (flags: Flags) => tune(await load(), flags))

  withCommonOptions(root.command('reset'))
    .description('starts a session anew: nothing is remembered; what was stored stays on disk, where only search --all finds it; without --force it only says what would happen')
    .option('--force', 'do it')
    .addHelpText('after', examples('reset', 'reset --force --session agent:main'))
    .action(async (flags: ResetFlags) => reset(await load(), flags))

  withCommonOptions(root.command('doctor'))
    .description('looks for damaged files, wrong permissions, left-over files, key collisions, newer versions and older layouts; repairs nothing without --fix (though a file of ours that others may read is closed as soon as it is read)')
    .option('--fix', 'repair what can be repaired, after a backup')
    .addHelpText('after', examples('doctor', 'doctor --fix', 'doctor --json | jq .findings'))
    .action(async (flags: DoctorFlags) => doctor(await load(), flags))

  root
    .command('completion')
    .description('prints a completion script for a shell')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText('after', examples('completion bash >> ~/.bashrc', 'completion zsh > "${fpath[1]}/_clawback"', 'completion fish > ~/.config/fish/completions/clawback.fish'))
    .action((shell: string) => completion(root, shell))
}
