// Running subagents stand in the packet, and leave it when they end.
import type { SubagentSpawn } from './host.js'
import { leaveToHost, withSession, type Plugin } from './plugin.js'

export async function noteSubagent(plugin: Plugin, { parentSessionKey, childSessionKey, contextMode }: SubagentSpawn): Promise<{ rollback(): Promise<void> } | undefined> {
  await withSession(plugin, { sessionKey: parentSessionKey }, async (session) => {
    await session.agentStarted({ id: childSessionKey, startedAt: new Date().toISOString() })
    if (contextMode === 'fork') await session.fork(childSessionKey)
  })
  return {
    async rollback() {
      try {
        await endSubagent(plugin, childSessionKey)
      } catch (error) {
        leaveToHost(plugin, 'taking back a subagent', error)
      }
    },
  }
}

/** The child's own session names its parent, so this works after a restart too; said twice it changes nothing. */
export async function endSubagent(plugin: Plugin, childSessionKey: string): Promise<void> {
  await plugin.addon()?.agentEndedByKey(plugin.stateDir, childSessionKey)
}
