// The plugin's settings: `plugins.entries.clawback.config` of openclaw.json. The schema in `openclaw.plugin.json` says the
// same to the host, which refuses what it does not know; a test holds the two together.
import type { HostConfig } from './host.js'

export const PLUGIN_ID = 'clawback'

export interface Settings {
  /** Where the host keeps its own engine: checkpoint before its compactions, packet after them. */
  complement: boolean
  /** Largest tool result, in tokens, that stays whole in the running turn; 0 leaves all whole. */
  maxToolResultTokens: number
  /** The gauge line and what matches the prompt, at the end of the prompt. */
  tail: boolean
  /** Offers the tools `context_search` and `context_recover` to the agent. */
  tools: boolean
  /** Lets the host's model write the rolling summary and check the checkpoint, after a turn, never in the way of one. */
  useModel: boolean
  /** Knobs of the manager itself; see `clawback config`. */
  manager: Record<string, unknown>
}

export const DEFAULTS: Settings = { complement: true, maxToolResultTokens: 4000, tail: true, tools: false, useModel: false, manager: {} }

/** Settings from what the host validated against the schema; anything of another type counts as missing. */
export function readSettings(given: Record<string, unknown> = {}): Settings {
  const pick = <K extends keyof Settings>(name: K, fits: (value: unknown) => boolean): Settings[K] =>
    (fits(given[name]) ? given[name] : DEFAULTS[name]) as Settings[K]
  const isBoolean = (value: unknown) => typeof value === 'boolean'
  return {
    complement: pick('complement', isBoolean),
    maxToolResultTokens: pick('maxToolResultTokens', (value) => typeof value === 'number' && value >= 0),
    tail: pick('tail', isBoolean),
    tools: pick('tools', isBoolean),
    useModel: pick('useModel', isBoolean),
    manager: pick('manager', (value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
  }
}

/** What the host's configuration makes of the plugin. */
export interface Role {
  /** The context engine slot is ours. */
  engine: boolean
  /** The host compacts, and asks us for the summary. */
  provider: boolean
  /** The host lets us read conversations and add to the prompt. */
  hears: boolean
  speaks: boolean
  /** The host itself rewrites old tool results. */
  hostPrunes: boolean
}

export function roleIn(config: HostConfig = {}): Role {
  const hooks = config.plugins?.entries?.[PLUGIN_ID]?.hooks
  const hears = hooks?.allowConversationAccess === true
  const pruning = config.agents?.defaults?.contextPruning?.mode
  return {
    engine: config.plugins?.slots?.contextEngine === PLUGIN_ID,
    provider: config.agents?.defaults?.compaction?.provider === PLUGIN_ID,
    hears,
    speaks: hears && hooks?.allowPromptInjection !== false,
    hostPrunes: pruning !== undefined && pruning !== 'off',
  }
}
