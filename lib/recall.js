'use strict'
// Search and recovery: methods of `ContextSession` (see `extend` in session.js).

const { fault, withoutNulls } = require('./boundary.js')
const { describe } = require('./wording.js')

/** A long prompt asks as well by its beginning and its end. */
const QUERY_CHARS = 16 * 1024

function addRecall(prototype, { later }) {
  Object.defineProperties(prototype, {
    recall: {
      configurable: true,
      writable: true,
      async value(query, options) {
        if (typeof query !== 'string') throw fault('InvalidInput', `recall: query is ${describe(query)}; give a string`, this.recall)
        const { scope = 'session', since, until, ...rest } = withoutNulls(options ?? {})
        if (scope !== 'session' && scope !== 'all') throw fault('InvalidInput', `recall: scope is ${describe(scope)}; there are 'session' and 'all'`, this.recall)
        return later(this, 'recall', bounded(query.toWellFormed()), withoutNulls({ ...rest, all: scope === 'all', since: iso(since), until: iso(until) }))
      },
    },
    recover: {
      configurable: true,
      writable: true,
      async value(chunkId, options) {
        if (typeof chunkId !== 'string') throw fault('InvalidInput', `recover: chunkId is ${describe(chunkId)}; give a string`, this.recover)
        return later(this, 'recover', chunkId.toWellFormed(), withoutNulls(options ?? {}))
      },
    },
  })
}

function bounded(query) {
  if (query.length <= 2 * QUERY_CHARS) return query
  return `${query.slice(0, QUERY_CHARS)}\n${query.slice(-QUERY_CHARS)}`.toWellFormed()
}

/** Times may come as `Date` too. */
function iso(time) {
  return time instanceof Date && !Number.isNaN(time.getTime()) ? time.toISOString() : time
}

module.exports = { addRecall }
