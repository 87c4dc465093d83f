'use strict'
// Values of a host as JSON would carry them. Hosts keep dates, BigInts, functions and circles in their messages; none of
// that may cost a checkpoint (FAULTS E4).

/** Deeper values are left out: the native part reads 128 levels, and no message needs as many. */
const MAX_DEPTH = 64
const CUT = '[…]'

/** A copy that JSON can hold: circles and what is nested too deeply become a mark, BigInts their digits. */
function plain(value, above = []) {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (value === null || typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean' ? value : null
  if (above.length >= MAX_DEPTH || above.includes(value)) return CUT
  if (typeof value.toJSON === 'function') return plain(value.toJSON(), [...above, value])
  const path = [...above, value]
  if (Array.isArray(value)) return value.map((item) => plain(item, path))
  const copy = {}
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined && typeof field !== 'function' && typeof field !== 'symbol') copy[key] = plain(field, path)
  }
  return copy
}

/** The same, and null for what fails while it is looked at. */
function toPlain(value) {
  try {
    return plain(value)
  } catch {
    return null
  }
}

module.exports = { toPlain }
