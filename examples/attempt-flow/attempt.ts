// src/agents/pi-embedded-runner/run/attempt.ts (seed 004): what goes into one request, within the window. The numbers are
// those of the seed's flow; steps 4 and 7 to 9 are one call here.
import {
  allocateBudget, applyPlan, estimateTokens, isRealUserMessage, truncateBootstrapFiles,
  type Complete, type ContextSession, type Ratios,
} from 'clawback'
import type { AgentMessage } from '../compaction-safeguard/host.js'

export interface ContextManagement {
  enabled: boolean
  budget?: Partial<Ratios>
  rollingSummary?: { enabled: boolean }
}
export interface BootstrapFile { path: string; content: string }
export interface Attempt {
  contextManagement: ContextManagement
  contextWindow: number
  /** What the user has just said; it is not in `messages` yet. */
  prompt: string
  messages: AgentMessage[]
  bootstrapFiles: BootstrapFile[]
  buildSystemPrompt: (bootstrap: BootstrapFile[]) => string
  /** Null where it could not be opened. */
  session: ContextSession | null
  log: (message: string) => void
}
export interface Prepared {
  systemPrompt: string
  messages: AgentMessage[]
  prompt: string
}

/** Turns that the turn-based limit keeps (VS6), when there is nothing better. */
const FALLBACK_TURNS = 5

export async function prepareAttempt(attempt: Attempt): Promise<Prepared> {
  const { contextManagement, contextWindow, log } = attempt
  // 1, 10. Off, or nothing to go by: as before.
  if (!contextManagement.enabled || attempt.session === null) return asBefore(attempt)
  try {
    // 2. The window in regions. 3. All bootstrap files together fit theirs.
    const planned = allocateBudget({ contextWindow, ratios: contextManagement.budget })
    const bootstrap = truncateBootstrapFiles(attempt.bootstrapFiles, planned.bootstrap)
    log(`context management: bootstrap budget=${planned.bootstrap} tokens`)
    // 5. The system prompt. No history goes into it: it would void the provider's prompt cache at every turn.
    const systemPrompt = attempt.buildSystemPrompt(bootstrap)
    // What these leave unused is the history's.
    const bootstrapTokens = bootstrap.reduce((sum, file) => sum + estimateTokens(file.content), 0)
    const budget = allocateBudget({
      contextWindow,
      ratios: contextManagement.budget,
      actual: { bootstrap: bootstrapTokens, systemPrompt: Math.max(0, estimateTokens(systemPrompt) - bootstrapTokens) },
    })
    // 4, 6 to 9. Relevant earlier context, broken pairs, the rolling summary, the limit: the plan has all of it.
    attempt.session.sync(attempt.messages)
    const plan = await attempt.session.plan({ budgetTokens: budget.history, prompt: attempt.prompt })
    for (const warning of plan.warnings) log(`context management: ${warning}`)
    log(`context management: contextWindow=${contextWindow} historyBudget=${budget.history} messagesIn=${attempt.messages.length} messagesOut=${plan.keep.length}`)
    return { systemPrompt, messages: shown(attempt.messages, plan), prompt: plan.tail === null ? attempt.prompt : `${attempt.prompt}\n\n${plan.tail}` }
  } catch (error) {
    log(`context management: ${String(error)}; limiting by turns`)
    return asBefore(attempt)
  }
}

/** After the answer, beside the conversation. A summary that it makes enters the view with the next epoch. */
export async function afterAttempt(attempt: Attempt, complete: Complete, signal?: AbortSignal): Promise<void> {
  if (attempt.session === null || !attempt.contextManagement.rollingSummary?.enabled) return
  try {
    const { summarized } = await attempt.session.maintain({ complete, signal })
    if (summarized) attempt.log('rolling summary: made, enters with the next epoch')
  } catch (error) {
    attempt.log(`rolling summary: ${String(error)}; the history is shortened without one`)
  }
}

type Plan = Awaited<ReturnType<ContextSession['plan']>>

/** The packet in front, the kept messages after it; the tail goes to the end of the prompt. */
function shown(messages: AgentMessage[], plan: Plan): AgentMessage[] {
  const kept = applyPlan({ ...plan, packet: null, tail: null }, messages) as AgentMessage[]
  return plan.packet === null ? kept : [{ role: 'user', content: plan.packet, timestamp: 0 }, ...kept]
}

/** The turn-based limit: the last turns, whole. A turn begins where a person has typed something. */
function asBefore(attempt: Attempt): Prepared {
  const starts = attempt.messages.flatMap((message, index) => (isRealUserMessage(message) ? [index] : []))
  const from = starts.at(-FALLBACK_TURNS) ?? 0
  return { systemPrompt: attempt.buildSystemPrompt(attempt.bootstrapFiles), messages: attempt.messages.slice(from), prompt: attempt.prompt }
}
