// `clawback completion bash|zsh|fish`: made from the commands themselves, so that none is forgotten.
import type { Command } from 'commander'
import { wrongUsage } from '../output.js'

interface Node {
  words: string[]
  commands: { name: string; description: string }[]
  options: { flag: string; description: string }[]
}

/** Every command with what may follow it. */
function nodes(command: Command, words: string[] = []): Node[] {
  const commands = command.commands.map((one) => ({ name: one.name(), description: one.description() }))
  const options = command.options.flatMap((one) => (one.long ? [{ flag: one.long, description: one.description }] : []))
  options.push({ flag: '--help', description: 'show help' })
  return [{ words, commands, options }, ...command.commands.flatMap((one) => nodes(one, [...words, one.name()]))]
}

const quoted = (text: string): string => `'${text.replace(/'/g, "'\\''")}'`

/** All commands as one pattern of a shell's `case`. */
const paths = (all: readonly Node[]): string => all.filter((one) => one.words.length > 0).map((one) => quoted(one.words.join(' '))).join('|')

function bash(all: readonly Node[]): string {
  const cases = all.map(({ words, commands, options }) => `    ${quoted(words.join(' '))}) COMPREPLY=($(compgen -W ${quoted([...commands.map((one) => one.name), ...options.map((one) => one.flag)].join(' '))} -- "$cur")) ;;`)
  return `# clawback completion bash >> ~/.bashrc
_clawback() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in ${paths(all)}) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _clawback clawback
`
}

function zsh(all: readonly Node[]): string {
  const cases = all.map(({ words, commands, options }) => {
    const lines = [...commands.map((one) => `${one.name}:${one.description}`), ...options.map((one) => `${one.flag}:${one.description}`)]
    return `    ${quoted(words.join(' '))}) found=(${lines.map((line) => quoted(line)).join(' ')}) ;;`
  })
  return `#compdef clawback
# clawback completion zsh > "\${fpath[1]}/_clawback"
_clawback() {
  local -a found
  local path="" word
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    [[ "$word" == -* ]] && continue
    case "\${path:+$path }$word" in ${paths(all)}) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  _describe 'clawback' found || _files
}
_clawback "$@"
`
}

function fish(all: readonly Node[]): string {
  const lines = all.flatMap(({ words, commands, options }) => {
    const names = commands.map((one) => one.name)
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ')
    const none = names.length > 0 ? `not __fish_seen_subcommand_from ${names.join(' ')}` : ''
    const condition = quoted([seen, none].filter((part) => part !== '').join('; and '))
    return [
      ...commands.map((one) => `complete -c clawback -n ${condition} -a ${one.name} -d ${quoted(one.description)}`),
      ...options.map((one) => `complete -c clawback -n ${condition} -l ${one.flag.slice(2)} -d ${quoted(one.description)}`),
    ]
  })
  return `# clawback completion fish > ~/.config/fish/completions/clawback.fish\n${lines.join('\n')}\n`
}

export function completion(root: Command, shell: string): void {
  const all = nodes(root)
  const scripts: Record<string, (all: readonly Node[]) => string> = { bash, zsh, fish }
  if (!Object.hasOwn(scripts, shell)) throw wrongUsage(`there is completion for bash, zsh and fish; got ${JSON.stringify(shell)}`)
  process.stdout.write(scripts[shell]!(all))
}
