// The end of the prompt: gauge line and what matches the question. It goes into the current prompt through the host's hook,
// never into the system prompt, where it would void the provider's cache and speak with the system's rank.
import type { PluginApi } from './host.js'
import { liveSession, type Plugin } from './plugin.js'

export function addTails(api: PluginApi, plugin: Plugin): void {
  api.on('before_prompt_build', (_event, context) => {
    const live = liveSession(plugin, context)
    const tail = live?.tail
    if (live) live.tail = undefined
    return tail ? { appendContext: tail } : undefined
  })
}
