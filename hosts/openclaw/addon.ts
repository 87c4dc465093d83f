// The door to clawback itself. It is opened when something is first needed, not when the host registers the plugin, and
// where it does not open, the host is told why in one line and works as if the plugin were not there.
import { createRequire } from 'node:module'
import type { Clawback } from './api.js'
import type { Logger } from './host.js'
import { messageOf, sayOnce } from './shared.js'

/** The package, or undefined where its native part does not load. */
export function addonLoader(logger: Logger, load: () => Clawback = () => createRequire(__filename)('clawback') as Clawback): () => Clawback | undefined {
  let loaded: Clawback | null | undefined
  return () => {
    if (loaded === undefined) {
      try {
        loaded = load()
      } catch (error) {
        loaded = null
        sayOnce(logger, 'load', `not active, OpenClaw manages the context itself. ${messageOf(error)}`)
      }
    }
    return loaded ?? undefined
  }
}
