/** A copy that JSON can hold; never throws. */
export function toPlain(value: unknown): unknown
