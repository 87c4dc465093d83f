// strace as a saboteur: it kills the traced process at the K-th call of one kind, or makes that call fail.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Every system call by which the store changes a disk, or learns that it cannot. */
export const CALLS = ['openat', 'mkdirat', 'write', 'pwrite64', 'writev', 'ftruncate', 'fsync', 'fdatasync', 'renameat', 'renameat2', 'linkat', 'unlinkat', 'fchmod']

/** Why strace cannot be used here, or undefined when it can. */
export function whyNot() {
  if (process.platform !== 'linux') return 'strace is a Linux tool'
  const probe = spawnSync('strace', ['-f', '-o', '/dev/null', '-e', 'inject=getppid:error=ENOSPC', 'true'], { encoding: 'utf8' })
  if (probe.error) return 'strace is not installed'
  return probe.status === 0 ? undefined : `strace may not trace here: ${probe.stderr.trim().split('\n')[0]}`
}

/** What a program opens before it starts: its libraries, its limits. */
const STARTING = /"\/(?:etc|lib|lib64|usr|proc|sys|dev)\//

/**
 * What to put before a command so that its `nth` `call` (counted per thread) goes wrong in the given way, and how to ask
 * afterwards where it struck: `nowhere` (it makes fewer such calls), while `starting`, or at `work`.
 */
export function saboteur(dir, call, nth, what) {
  const trace = path.join(dir, 'strace.out')
  const how = what === 'kill' ? 'signal=SIGKILL' : `error=${what}`
  return {
    before: ['strace', '-f', '-qq', '-o', trace, '-e', `trace=?${call}`, '-e', `inject=?${call}:${how}:when=${nth}`],
    struck() {
      const lines = existsSync(trace) ? readFileSync(trace, 'utf8').split('\n') : []
      const at = lines.findIndex((line) => /\(INJECTED\)|= \?$|\+\+\+ killed by SIGKILL/.test(line))
      if (at < 0) return 'nowhere'
      return STARTING.test(lines[at]) ? 'starting' : 'work'
    },
  }
}
