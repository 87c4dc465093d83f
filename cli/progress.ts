// A progress bar on stderr, only where a person watches.
import { SingleBar } from 'cli-progress'
import { bytes } from './output.js'

export interface Progress {
  update(done: number, total: number): void
  /** Takes the bar away, so that a line can be printed; the next update brings it back. */
  clear(): void
}

/** A bar moves the cursor: only where a person watches a terminal that can, and who wants no plain text. */
const watched = (): boolean => process.stderr.isTTY === true && process.env.TERM !== 'dumb' && !process.env.NO_COLOR

/** `worth`: there is enough to do for a bar; `size` words the total, bytes unless another is given. */
export function progressBar(title: string, worth = true, size: (total: number) => string = bytes): Progress {
  if (!worth || !watched()) return { update: () => undefined, clear: () => undefined }
  let bar: SingleBar | null = null
  return {
    update(done, total) {
      if (bar === null) {
        bar = new SingleBar({
          stream: process.stderr, clearOnComplete: true, hideCursor: true, gracefulExit: false,
          format: `${title} [{bar}] {percentage} % of ${size(total)}`, barsize: 30,
        })
        bar.start(total, done)
      } else {
        bar.update(done)
      }
    },
    clear() {
      bar?.stop()
      bar = null
    },
  }
}
