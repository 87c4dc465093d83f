// Stands between OpenClaw and the plugin and writes down how long each call took: `{name, ms}` a line, into CLAWBACK_TIMES.
// Of a compaction also why it was asked for.
const fs = require('node:fs')
const plugin = require('./entry.js').default

const note = (name, started, [params]) => {
  const why = name === 'compact' ? { why: params?.runtimeContext?.trigger ?? params?.compactionTarget, tokens: params?.currentTokenCount } : {}
  fs.appendFileSync(process.env.CLAWBACK_TIMES, `${JSON.stringify({ name, ms: performance.now() - started, ...why })}\n`)
}
const timed = (name, call) =>
  function (...args) {
    const started = performance.now()
    const result = call.apply(this, args)
    if (typeof result?.finally === 'function') return result.finally(() => note(name, started, args))
    note(name, started, args)
    return result
  }

exports.default = {
  ...plugin,
  register(api) {
    const wrapped = Object.create(api)
    wrapped.on = (name, handler, options) => api.on(name, timed(name, handler), options)
    wrapped.registerAgentToolResultMiddleware = (handler, options) => api.registerAgentToolResultMiddleware(timed('toolResult', handler), options)
    wrapped.registerContextEngine = (id, factory) =>
      api.registerContextEngine(id, (context) => {
        const engine = factory(context)
        return Object.fromEntries(Object.entries(engine).map(([name, value]) => [name, typeof value === 'function' ? timed(name, value) : value]))
      })
    plugin.register(wrapped)
  },
}
