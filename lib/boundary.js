'use strict'
// What happens between a caller and the native part: arguments that would lose something on the way are refused, and
// every failure comes back as an `Error` with a stable `code`.
//
// The native part words its errors `[clawback:CODE] text`; a napi async function can carry nothing else. Failures of the
// conversion itself (a number where a string belongs) carry napi's own status instead, and become `InvalidInput`.

const { toPlain } = require('./plain.js')

const CODED = /^\[clawback:([A-Za-z]+)\] ([\s\S]*)$/
const CONVERSION = /Expected$|^InvalidArg$/
/** Errors made here: they are not translated a second time. */
const OURS = new WeakSet()

/** The error a caller sees, made from the one the native part threw. */
function translate(error, name, below) {
  if (!(error instanceof Error)) return fault('Internal', `${name}: ${String(error)}`, below, error)
  if (OURS.has(error)) return error
  const coded = CODED.exec(error.message)
  if (coded) return fault(coded[1], coded[2], below)
  // A TypeError is the engine's: an argument that is no object, goes round in circles, or has code of its own that fails.
  const code = error instanceof TypeError || CONVERSION.test(error.code ?? '') ? 'InvalidInput' : 'Internal'
  return fault(code, `${name}: ${error.message}`, below, error)
}

/** An error with a code; its stack starts at the caller, not in here. */
function fault(code, message, below, cause) {
  const error = Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code })
  Error.captureStackTrace(error, below)
  OURS.add(error)
  return error
}

/** Keys and paths must arrive as they are: a long id as a number has lost digits, half a surrogate pair loses itself. */
function requireStrings(args, count, name, below) {
  for (let index = 0; index < count; index++) {
    const value = args[index]
    if (typeof value === 'string' && value.isWellFormed()) continue
    const what =
      typeof value === 'string' ? 'is not well-formed Unicode (half a surrogate pair)'
      : typeof value === 'number' ? `is a number; pass a string, a long id loses digits as a number`
      : `is ${value === null ? 'null' : `of type ${typeof value}`}; a string is needed`
    throw fault('InvalidInput', `${name}: argument ${index + 1} ${what}`, below)
  }
}

/** Hosts write "nothing" as null or leave it out; the native part knows the second. What is not a plain object stays. */
function withoutNulls(value, depth = 2) {
  if (depth === 0 || value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  const kept = {}
  for (const [key, field] of Object.entries(value)) if (field !== null) kept[key] = withoutNulls(field, depth - 1)
  return kept
}

/** Wraps a synchronous native export that reads a message: whatever a host holds for one, it never throws (FAULTS E4). */
function messageExport(native, name) {
  const call = syncExport(native, name)
  if (!call) return undefined
  return dress(function wrapped(message) {
    try {
      return call(message)
    } catch (error) {
      if (error.code !== 'InvalidInput') throw error
      return call(toPlain(message))
    }
  }, name, call)
}

/** Gives the wrapper the face of the function it wraps. */
function dress(wrapper, name, original) {
  Object.defineProperty(wrapper, 'name', { value: name, configurable: true })
  Object.defineProperty(wrapper, 'length', { value: original.length, configurable: true })
  return wrapper
}

const asItIs = (value) => value

/**
 * Wraps a synchronous native export; `strings` leading arguments must be well-formed strings. `prepare` makes the native
 * arguments of the caller's, `finish` the caller's result of the native one.
 */
function syncExport(native, name, strings = 0, prepare = undefined, finish = asItIs) {
  const call = native[name]
  if (typeof call !== 'function') return undefined
  return dress(function wrapped(...args) {
    requireStrings(args, strings, name, wrapped)
    try {
      const ready = args.map((arg) => withoutNulls(arg))
      return finish(call.apply(native, prepare ? prepare(...ready) : ready))
    } catch (error) {
      throw translate(error, name, wrapped)
    }
  }, name, call)
}

/**
 * Wraps an asynchronous native export: whatever goes wrong, the promise rejects and nothing is thrown. `prepare` and `finish`
 * as in `syncExport`.
 */
function asyncExport(native, name, strings = 0, prepare = undefined, finish = asItIs) {
  const call = native[name]
  if (typeof call !== 'function') return undefined
  return dress(async function wrapped(...args) {
    requireStrings(args, strings, name, wrapped)
    try {
      const ready = prepare ? await prepare(...args) : args
      return finish(await call.apply(native, ready.map((arg) => withoutNulls(arg))))
    } catch (error) {
      throw translate(error, name, wrapped)
    }
  }, name, call)
}

module.exports = { asyncExport, fault, messageExport, syncExport, translate, withoutNulls }
