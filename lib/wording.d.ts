/** The parameters of the exports by name, each with its kind. */
export const PARAMETERS: Record<string, Record<string, string>>
/** What a value is, in words that hold nothing of it. */
export function describe(value: unknown): string
/** A message within its length. */
export function short(message: string): string
/** Words of the native part without the values that they quote. */
export function withoutValues(text: string): string
