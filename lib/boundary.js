'use strict'
// What happens between a caller and the native part: arguments that would lose something on the way are refused, and
// every failure comes back as an `Error` with a stable `code`.
//
// The native part words its errors `[clawback:CODE] text`; a napi async function can carry nothing else. Failures of the
// conversion itself (a number where a string belongs) carry napi's own status instead, and become `InvalidInput`, as does
// whatever the caller's own objects throw when they are read. What the messages say: wording.js.

const { toPlain } = require('./plain.js')
const { describe, parameterName, short, withoutArguments, withoutValues, wrongArgument, wrongField } = require('./wording.js')

const CODED = /^\[clawback:([A-Za-z]+)\] ([\s\S]*)$/
const CONVERSION = /Expected$|^InvalidArg$/
/** What else napi itself may say: none of it is the caller's doing. */
const NATIVE = new Set(['GenericFailure', 'QueueFull', 'Closing', 'Unknown', 'HandleScopeMismatch', 'CallbackScopeMismatch', 'EscapeCalledTwice', 'WouldDeadlock', 'NoExternalBuffersAllowed'])
/** Errors made here: they are not translated a second time. */
const OURS = new WeakSet()

/** The error a caller sees, made from what was thrown in a call of `name` with these arguments. */
function translate(error, name, below, args = []) {
  if (OURS.has(error)) return error
  const { said, code } = read(error)
  const coded = CODED.exec(said)
  if (coded) return fault(coded[1], named(name, withoutValues(withoutArguments(coded[2], name, args))), below)
  if (NATIVE.has(code)) return fault('Internal', `${name}: ${withoutValues(said)}`, below)
  const wrong = wrongField(said, args) ?? wrongArgument(name, args)
  if (wrong !== undefined) return fault('InvalidInput', `${name}: ${wrong}`, below)
  if (CONVERSION.test(code)) return fault('InvalidInput', `${name}: an argument is not of the type that is needed`, below)
  // Code of the caller's own has failed: a getter, a proxy, a `toJSON`; or the value goes round in circles.
  return fault('InvalidInput', `${name}: an argument cannot be read: reading it threw an error; give plain objects`, below, error)
}

/** Message and code of whatever was thrown; it may be anything. */
function read(error) {
  try {
    return { said: String(error.message ?? ''), code: String(error.code ?? '') }
  } catch {
    return { said: '', code: '' }
  }
}

/** Words that begin with the name of the call. */
const named = (name, text) => (text.startsWith(name) ? text : `${name}: ${text}`)

/** An error with a code; its stack starts at the caller, not in here. Its message is short whatever it is made of. */
function fault(code, message, below, cause) {
  const error = Object.assign(new Error(short(message), cause === undefined ? undefined : { cause }), { code })
  Error.captureStackTrace(error, below)
  OURS.add(error)
  return error
}

/** What is wrong with a value that has to be a text; undefined when nothing is. */
function notText(value) {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'is not well-formed Unicode (half a surrogate pair)'
  if (typeof value === 'number') return 'is a number; pass a string, a long id loses digits as a number'
  return `is ${describe(value)}; a string is needed`
}

/** Keys and paths must arrive as they are: a long id as a number has lost digits, half a surrogate pair loses itself. */
function requireStrings(args, count, name, below) {
  for (let index = 0; index < count; index++) {
    const why = notText(args[index])
    if (why !== undefined) throw fault('InvalidInput', `${name}: ${parameterName(name, index)} ${why}`, below)
  }
}

/** Wraps a function written here, so that its errors have a code too. */
function guarded(run, name) {
  const wrapper = run.constructor.name === 'AsyncFunction'
    ? async function wrapped(...args) {
        try {
          return await run.apply(this, args)
        } catch (error) {
          throw translate(error, name, wrapped, args)
        }
      }
    : function wrapped(...args) {
        try {
          return run.apply(this, args)
        } catch (error) {
          throw translate(error, name, wrapped, args)
        }
      }
  return dress(wrapper, name, run)
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
      throw translate(error, name, wrapped, args)
    }
  }, name, call)
}

/**
 * Wraps an asynchronous native export: whatever goes wrong, the promise rejects and nothing is thrown. `prepare` and `finish`
 * as in `syncExport`; `name` is what the caller calls it.
 */
function asyncExport(native, inside, strings = 0, prepare = undefined, finish = asItIs, name = inside) {
  const call = native[inside]
  if (typeof call !== 'function') return undefined
  return dress(async function wrapped(...args) {
    requireStrings(args, strings, name, wrapped)
    try {
      const ready = prepare ? await prepare(...args) : args
      return finish(await call.apply(native, ready.map((arg) => withoutNulls(arg))))
    } catch (error) {
      throw translate(error, name, wrapped, args)
    }
  }, name, call)
}

module.exports = { asyncExport, fault, guarded, messageExport, notText, syncExport, translate, withoutNulls }
