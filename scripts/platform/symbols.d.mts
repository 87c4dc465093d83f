export function glibcVersions(table: string): { version: string; symbol: string }[]
export function compare(a: string, b: string): number
