/** Loads the native part, or throws one error with code `LoadFailed`. The parameters are for tests. */
export function loadBinding(load?: (path: string) => unknown, tags?: string[]): Record<string, unknown>
/** The names that this platform's prebuilt binary may have, the likelier first. */
export function platformTags(platform?: string, arch?: string): string[]
