// The compaction provider: OpenClaw's safeguard compacts and asks for the summary. It is built from the messages that are
// handed over, without a model; the host says no session, and none is guessed.
import type { Message } from 'clawback'
import type { CompactionProvider } from './host.js'
import { leaveToHost, type Plugin } from './plugin.js'
import { PLUGIN_ID } from './settings.js'

/** The host cuts a summary at 16,000 characters and appends sections of its own; this leaves room for them. */
const SUMMARY_TOKENS = 2_000

export function compactionProvider(plugin: Plugin): CompactionProvider {
  return {
    id: PLUGIN_ID,
    label: 'clawback (no model call)',
    async summarize({ messages, previousSummary, signal }) {
      signal?.throwIfAborted()
      const addon = plugin.addon()
      // An empty or failed answer makes the host ask its own summariser.
      if (addon === undefined) return ''
      try {
        return await addon.summarizeMessages(messages as Message[], { maxTokens: SUMMARY_TOKENS, ...(previousSummary ? { previousSummary } : {}) })
      } catch (error) {
        leaveToHost(plugin, 'the summary', error)
        return ''
      }
    },
  }
}
