'use strict'
// Finds the native part. `binding.js` (generated) guesses one C library on Linux; where the guess is wrong, the other one
// is tried too. When nothing loads, one error says what was expected and what each attempt really died of.

/** The names this platform's prebuilt binary may have, the likelier first: `linux-x64-gnu`, `linux-x64-musl`. */
function platformTags(platform = process.platform, arch = process.arch) {
  if (platform === 'linux' && arch === 'arm') return ['linux-arm-gnueabihf']
  if (platform === 'linux') return [`linux-${arch}-gnu`, `linux-${arch}-musl`]
  if (platform === 'win32') return [`win32-${arch}-msvc`]
  return [`${platform}-${arch}`]
}

/** The errors behind an error, oldest attempt first: the generated loader chains them through `cause`. */
function attemptsOf(error) {
  const found = []
  for (let at = error; at instanceof Error && found.length < 32; at = at.cause) found.unshift(at)
  return found
}

/** First line of a message; Node appends a require stack that says nothing to a user. */
const firstLine = (error) => String(error?.message ?? error).split('\n', 1)[0]

function loadError(failures, tags) {
  const expected = tags.map((tag) => `clawback-${tag}`).join(' or ')
  const seen = [...new Set(failures.map(({ what, error }) => `  - ${what ? `${what}: ` : ''}${firstLine(error)}`))]
  const message =
    `clawback cannot load its native part (Node ${process.version}, ${process.platform} ${process.arch}).\n` +
    `Expected the package ${expected}. Attempts:\n${seen.join('\n')}\n` +
    'Install with optional dependencies on this very platform (a lock file made elsewhere may lack the package),\n' +
    'or build it here with `npm run build` (needs Rust), or set NAPI_RS_NATIVE_LIBRARY_PATH to a built .node file.'
  return Object.assign(new Error(message, { cause: failures.at(-1)?.error }), { code: 'LoadFailed' })
}

/** Loads the native part, or throws one error with code `LoadFailed`. The parameters are for tests. */
function loadBinding(load = require, tags = platformTags()) {
  const failures = []
  try {
    return load('../binding.js')
  } catch (error) {
    // The outermost error of the generated loader only says that the others happened.
    const attempts = attemptsOf(error)
    for (const attempt of attempts.length > 1 ? attempts.slice(0, -1) : attempts) failures.push({ error: attempt })
  }
  for (const tag of tags) {
    for (const what of [`../clawback.${tag}.node`, `clawback-${tag}`]) {
      try {
        return load(what)
      } catch (error) {
        failures.push({ what, error })
      }
    }
  }
  throw loadError(failures, tags)
}

module.exports = { loadBinding, platformTags }
