// The extension with a stopwatch around each handler: one line per event goes to CLAWBACK_TIMES when the session ends.
import { writeFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import clawback from '../../../hosts/pi/index.ts'

export default function (pi) {
  const times = []
  const on = (name, handler) =>
    pi.on(name, async (...args) => {
      const started = performance.now()
      try {
        return await handler(...args)
      } finally {
        times.push({ name, ms: performance.now() - started })
        if (name === 'session_shutdown') writeFileSync(process.env.CLAWBACK_TIMES, times.map((line) => JSON.stringify(line)).join('\n'))
      }
    })
  return clawback(new Proxy(pi, { get: (target, key) => (key === 'on' ? on : Reflect.get(target, key)) }))
}
