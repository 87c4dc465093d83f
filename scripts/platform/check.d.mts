/** What disagrees between the places where versions and platforms are written down; empty when all is in step. */
export function disagreements(): string[]
