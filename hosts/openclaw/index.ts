// The plugin's entry. OpenClaw calls `register` several times in one process; it only hands over functions, and nothing
// native is touched before one of them is called.
import { listenBesideHost } from './complement.js'
import { addonLoader } from './addon.js'
import { createEngine } from './engine.js'
import type { PluginApi } from './host.js'
import { followSessions } from './lifecycle.js'
import type { Plugin } from './plugin.js'
import { compactionProvider } from './provider.js'
import { PLUGIN_ID, readSettings, roleIn } from './settings.js'
import { sayOnce } from './shared.js'
import { spillLargeResults } from './spill.js'
import { addTails } from './tail.js'
import { offerTools } from './tools.js'

const SWITCH = `plugins.entries.${PLUGIN_ID}.hooks.allowConversationAccess`

export function register(api: PluginApi): void {
  const role = roleIn(api.config)
  const settings = readSettings(api.pluginConfig)
  const plugin: Plugin = { addon: addonLoader(api.logger), stateDir: api.runtime.state.resolveStateDir(), settings, role, logger: api.logger }

  api.registerContextEngine(PLUGIN_ID, () => createEngine(plugin))
  api.registerCompactionProvider(compactionProvider(plugin))
  if (settings.tools) offerTools(api, plugin)

  const beside = !role.engine && !role.provider && settings.complement
  if (!role.engine && !beside) return
  followSessions(api, plugin)
  if (role.engine) {
    spillLargeResults(api, plugin)
    if (settings.tail && role.speaks) addTails(api, plugin)
  } else {
    listenBesideHost(api, plugin)
  }
  if (api.registrationMode !== undefined && api.registrationMode !== 'full') return
  if (!role.speaks && (beside || settings.tail)) {
    sayOnce(api.logger, 'hooks', `${beside ? 'nothing is given back after a compaction' : 'no gauge and no recalled context in the prompt'}: set ${SWITCH} to true.`)
  }
  if (role.engine && role.hostPrunes) {
    sayOnce(api.logger, 'pruning', 'agents.defaults.contextPruning also rewrites old tool results; clawback shortens them itself, so switch it off.')
  }
}

export default { id: PLUGIN_ID, name: 'clawback', description: 'Context that outlives compaction: decisions, tasks and facts come back, nothing is lost', register }
