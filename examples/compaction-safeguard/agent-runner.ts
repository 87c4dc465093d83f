// src/auto-reply/reply/agent-runner.ts, after a compaction (seed 002, section 8.2): the packet goes in beside the host's
// own post-compaction context, through the same call.
import { readCheckpointForInjection } from 'clawback'

export interface PostCompaction {
  stateDir: string
  sessionKey: string
  workspaceDir: string
  readPostCompactionContext: (workspaceDir: string) => Promise<string | null>
  enqueueSystemEvent: (text: string, options: { sessionKey: string }) => void
  log: (message: string) => void
}

export async function injectAfterCompaction(host: PostCompaction): Promise<void> {
  const { sessionKey } = host
  const rules = await host.readPostCompactionContext(host.workspaceDir)
  if (rules) host.enqueueSystemEvent(rules, { sessionKey })
  try {
    // Fenced, escaped, at most 700 tokens, ready to be handed over; null when nothing is remembered. The same
    // checkpoint gives the same bytes, so a resumed session may ask again.
    const packet = await readCheckpointForInjection(host.stateDir, sessionKey)
    if (packet !== null) host.enqueueSystemEvent(packet, { sessionKey })
  } catch (error) {
    host.log(`context manager: nothing restored: ${String(error)}`)
  }
}
