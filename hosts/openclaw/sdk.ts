// The functions that the plugin calls in its host. The host makes its own package importable for plugins; outside of it, and
// where a name is missing, the answer is undefined.
import type { AssembleParams, CompactParams, CompactResult } from './host.js'
import { maybe } from './limits.js'

interface Sdk {
  delegateCompactionToRuntime(params: CompactParams): Promise<CompactResult>
  buildMemorySystemPromptAddition(params: { availableTools: Set<string>; citationsMode?: string; agentSessionKey?: string }): string | undefined
}

// A name in a variable keeps the compiler from looking for a package that only the host has.
const SDK = 'openclaw/plugin-sdk/core'
const sdk = async (): Promise<Partial<Sdk>> => (await import(SDK)) as Partial<Sdk>

/** OpenClaw's own compaction. */
export async function compactByHost(params: CompactParams): Promise<CompactResult> {
  const { delegateCompactionToRuntime } = await sdk()
  if (delegateCompactionToRuntime === undefined) throw new Error('this OpenClaw offers no delegateCompactionToRuntime')
  return delegateCompactionToRuntime(params)
}

/** The memory plugin's guidance reaches the system prompt through the engine, as it does with OpenClaw's own. */
export async function memoryGuidance({ availableTools, citationsMode, sessionKey }: AssembleParams): Promise<string | undefined> {
  try {
    const { buildMemorySystemPromptAddition } = await sdk()
    return buildMemorySystemPromptAddition?.({ availableTools: availableTools ?? new Set(), ...maybe('citationsMode', citationsMode), ...maybe('agentSessionKey', sessionKey) })
  } catch {
    return undefined
  }
}
