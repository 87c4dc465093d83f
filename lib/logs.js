'use strict'
// `drainLogs()` of a session: diagnostics belong to the process, so every session gives the same.

const withLogs = (drain) => (prototype) => {
  prototype.drainLogs = function drainLogs() {
    return drain()
  }
}

module.exports = { withLogs }
