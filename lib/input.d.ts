import type { MeasureInput } from '../binding.js'
import type { CheckpointInput, Measure, measureUsage as Exported } from '../index.js'
type Input = Parameters<typeof Exported>[0]
/** JSON arrays of the messages, in order, each small enough to cross at once. */
export function slices(messages: readonly unknown[], name: string): Promise<string[]>
/** The newest messages that were said by somebody, as one JSON array. */
export function newest(messages: readonly unknown[], most: number, name: string): string[]
/** A caller's input in the form that crosses. */
export function checkpointInput(input: Partial<CheckpointInput>, name: string): Promise<Record<string, unknown>>
/** `measure` over the newest messages, with an estimate of the older ones where it is needed; both take JSON arrays. */
export function measureUsage(measure: (input: MeasureInput) => Measure, estimate: (messages: string[]) => number, input: Input): Measure
/** A tool call with parameters that JSON can hold. */
export function toolUse(tool: unknown): unknown
