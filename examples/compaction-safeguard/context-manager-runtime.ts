// src/agents/pi-extensions/context-manager-runtime.ts (seed 002, section 8.3): what one session's handlers need to know.
// Keyed weakly by the session manager, so that nothing outlives its session.

export interface ContextManagerRuntime {
  stateDir: string
  sessionKey: string
  contextWindowTokens: number
  sessionFile?: string
  compactionCount: number
  log: (message: string) => void
}

const runtimes = new WeakMap<object, ContextManagerRuntime>()

export function setContextManagerRuntime(sessionManager: object, runtime: ContextManagerRuntime): void {
  runtimes.set(sessionManager, runtime)
}

export function getContextManagerRuntime(sessionManager: object): ContextManagerRuntime | undefined {
  return runtimes.get(sessionManager)
}
