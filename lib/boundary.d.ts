type Callable = (...args: never[]) => unknown
/** Wraps a synchronous native export; undefined where the native part lacks it. */
export function syncExport<F extends Callable>(native: Record<string, F>, name: string, strings?: number): ((...args: unknown[]) => ReturnType<F>) | undefined
/** Wraps an asynchronous native export; undefined where the native part lacks it. */
export function asyncExport<F extends Callable>(native: Record<string, F>, name: string, strings?: number, prepare?: (...args: never[]) => unknown): ((...args: unknown[]) => Promise<Awaited<ReturnType<F>>>) | undefined
