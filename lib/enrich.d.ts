import type { Complete } from '../index.js'
type Callable = (...args: never[]) => unknown
/** Asks a model within its time. Never rejects. */
export function ask(complete: Complete, prompt: { system: string; user: string; maxTokens: number }, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<{ text: string; reason?: undefined } | { text?: undefined; reason: string }>
export function addMaintain(prototype: object, doors: { later(session: object, name: string, ...args: unknown[]): Promise<unknown> }): void
export function enrichExport(native: Record<string, Callable>): unknown
export function promptExport(native: Record<string, Callable>): unknown
export function parseExport(native: Record<string, Callable>): unknown
export function summarizeExport(native: Record<string, Callable>): unknown
