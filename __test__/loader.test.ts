import { describe, expect, test } from 'vitest'
import { loadBinding, platformTags } from '../lib/loader.js'

/** A `require` that fails for every path with the given reason. */
const failing = (reason: (what: string) => Error) => (what: string) => {
  throw reason(what)
}

describe('a native part that cannot be loaded', () => {
  test('gives one error that names the platform package and each real cause', () => {
    const generated = new Error('Cannot find native binding.', {
      cause: new Error('version `GLIBC_2.38\' not found', { cause: new Error("Cannot find module './clawback.linux-x64-gnu.node'") }),
    })
    const load = failing((what) => (what.endsWith('binding.js') ? generated : new Error(`no ${what}`)))
    const attempt = () => loadBinding(load, platformTags('linux', 'x64'))
    expect(attempt).toThrow(/clawback-linux-x64-gnu/)
    expect(attempt).toThrow(/GLIBC_2\.38/)
    expect(attempt).toThrow(/clawback\.linux-x64-gnu\.node/)
    expect(attempt).toThrow(/npm run build/)
    expect(attempt).toThrow(expect.objectContaining({ code: 'LoadFailed' }))
  })

  test('tries the other C library before it gives up', () => {
    const tried: string[] = []
    const musl = { normalize: () => '' }
    const load = (what: string) => {
      tried.push(what)
      if (what === 'clawback-linux-x64-musl') return musl
      throw new Error(`no ${what}`)
    }
    expect(loadBinding(load, platformTags('linux', 'x64'))).toBe(musl)
    expect(tried[0]).toBe('../binding.js')
  })

  test('names what every platform would need', () => {
    expect(platformTags('darwin', 'arm64')).toEqual(['darwin-arm64'])
    expect(platformTags('win32', 'x64')).toEqual(['win32-x64-msvc'])
    expect(platformTags('linux', 'arm')).toEqual(['linux-arm-gnueabihf'])
  })
})
