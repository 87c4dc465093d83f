// A disk whose power can be cut: an ext4 in a file, mounted through a loop device, and the shutdown ioctl of the kernel
// without flushing the log: what was not synced is gone, as if the plug had been pulled.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { tempDir } from './temp.mjs'

const run = (command, ...args) => spawnSync(command, args, { encoding: 'utf8' })
function must(command, ...args) {
  const done = run(command, ...args)
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.error?.message ?? done.stderr.trim()}`)
}

/** EXT4_IOC_SHUTDOWN = _IOR('X', 125, __u32) with EXT4_GOING_FLAGS_NOLOGFLUSH = 2. */
const [SHUTDOWN, NO_LOG_FLUSH] = [0x8004587d, 2]
const CUTTERS = [
  ['python3', '-c', `import fcntl, os, struct, sys\nfcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), ${SHUTDOWN}, struct.pack("I", ${NO_LOG_FLUSH}))`],
  ['perl', '-e', `open(my $d, "<", $ARGV[0]) or opendir($d, $ARGV[0]) or die $!; my $f = pack("I", ${NO_LOG_FLUSH}); ioctl($d, ${SHUTDOWN}, $f) or die $!`],
]
const mounted = new Set()
process.on('exit', () => mounted.forEach((disk) => disk.remove()))

/** A mounted disk of its own. */
export class LoopDisk {
  constructor(megabytes = 64) {
    const dir = tempDir()
    this.image = path.join(dir, 'disk.img')
    this.mountPoint = path.join(dir, 'mnt')
    this.anchor = path.join(this.mountPoint, 'anchor')
    mkdirSync(this.mountPoint)
    closeSync(openSync(this.image, 'w'))
    truncateSync(this.image, megabytes << 20)
    must('mkfs.ext4', '-q', '-F', this.image)
    this.mount()
    closeSync(openSync(this.anchor, 'w'))
    must('sync', '-f', this.mountPoint)
  }

  mount() {
    must('mount', '-o', 'loop', this.image, this.mountPoint)
    mounted.add(this)
  }

  /** Cuts the power: from here on every call on this disk fails. */
  cut() {
    const failures = []
    for (const [command, ...args] of CUTTERS) {
      const done = run(command, ...args, this.anchor)
      if (done.status === 0) return
      failures.push(`${command}: ${done.error?.message ?? done.stderr.trim().split('\n').at(-1)}`)
    }
    throw new Error(failures.join('; '))
  }

  /** Mounts it again, as after a restart: the log is replayed. */
  restart() {
    this.remove()
    this.mount()
  }

  /** Unmounts it; safe to call twice. A disk that is still busy is let go of as soon as nobody uses it. */
  remove() {
    if (!mounted.delete(this)) return
    if (run('umount', this.mountPoint).status !== 0) run('umount', '--lazy', this.mountPoint)
  }
}

/** Why no power can be cut here, or undefined when it can. */
export function whyNot() {
  if (process.platform !== 'linux') return 'needs Linux'
  if (process.getuid() !== 0) return 'needs root for a loop device'
  try {
    const disk = new LoopDisk(16)
    try {
      disk.cut()
    } finally {
      disk.remove()
    }
    return undefined
  } catch (error) {
    return `no disk whose power could be cut: ${error.message}`
  }
}
