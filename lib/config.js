'use strict'
// The configuration. The native part is pure but for the one file: environment and home directory are handed in here.

const path = require('node:path')
const { asyncExport, guarded } = require('./boundary.js')

/** Where a configuration comes from besides what is given: the usual file of a state directory, the environment. */
function configSources(stateDir) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name, value]) => name.startsWith('CLAWBACK_') && value !== undefined))
  const usual = typeof stateDir === 'string' ? path.join(stateDir, 'context', 'config.yaml') : undefined
  return { env, usual, home: process.env.HOME || process.env.USERPROFILE || undefined }
}

/** `readConfig` and `loadConfig` over the native reader. */
function configReader(native) {
  const reader = (name) => asyncExport(native, 'readConfig', 0, (file, options) => [file ?? undefined, configSources(options?.stateDir)], undefined, name)
  const read = reader('readConfig')
  if (!read) return { readConfig: undefined, loadConfig: undefined }

  const load = reader('loadConfig')
  /** The effective configuration. Keys that nobody knows are said once, as a warning of the process. */
  async function loadConfig(file) {
    const { config, warnings } = await load(file)
    for (const { text } of warnings) process.emitWarning(text, { code: 'CLAWBACK_CONFIG' })
    return config
  }
  return { readConfig: read, loadConfig: guarded(loadConfig, 'loadConfig') }
}

module.exports = { configReader, configSources }
