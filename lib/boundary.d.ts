type Callable = (...args: never[]) => unknown
/** Wraps a synchronous native export; undefined where the native part lacks it. */
export function syncExport<F extends Callable>(native: Record<string, F>, name: string, strings?: number): ((...args: unknown[]) => ReturnType<F>) | undefined
/** Wraps an asynchronous native export; undefined where the native part lacks it. */
export function asyncExport<F extends Callable>(native: Record<string, F>, name: string, strings?: number, prepare?: (...args: never[]) => unknown): ((...args: unknown[]) => Promise<Awaited<ReturnType<F>>>) | undefined
/** Wraps a synchronous native export that reads a message; what no message can be read from counts as an empty one. */
export function messageExport<F extends Callable>(native: Record<string, F>, name: string): ((message: unknown) => ReturnType<F>) | undefined
