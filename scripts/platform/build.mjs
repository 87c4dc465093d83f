// Builds the optimised addon for one platform and puts it into its folder under npm/:
//
//     node scripts/platform/build.mjs linux-x64-gnu
//
// Linux goes through cargo-zigbuild (PyPI: `pip install ziglang cargo-zigbuild`), which links against glibc 2.17 wherever
// it runs; the others are built on their own systems.
import { spawnSync } from 'node:child_process'
import { copyFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileOf, GLIBC_FLOOR, root, targetOf } from './targets.mjs'

const target = targetOf(process.argv[2] ?? '')
const floor = target.libc === 'glibc' ? `.${GLIBC_FLOOR.join('.')}` : ''
const cargo = target.zig ? ['zigbuild', '--target', `${target.triple}${floor}`] : ['build', '--target', target.triple]
// A musl addon is loaded by a musl Node, so the C library must not be linked in.
const flags = target.libc === 'musl' ? { RUSTFLAGS: `${process.env.RUSTFLAGS ?? ''} -C target-feature=-crt-static`.trim() } : {}
const run = spawnSync('cargo', [...cargo, '--release', '--package', 'clawback'], { cwd: root, stdio: 'inherit', env: { ...process.env, ...flags } })
if (run.error || run.status !== 0) {
  console.error(`clawback: building ${target.tag} failed: ${run.error?.message ?? `cargo ended with ${run.status ?? run.signal}`}`)
  process.exit(1)
}
const library = { win32: 'clawback.dll', darwin: 'libclawback.dylib', linux: 'libclawback.so' }[target.os]
const built = path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, 'target'), target.triple, 'release', library)
const addon = path.join(root, 'npm', target.tag, fileOf(target))
copyFileSync(built, addon)
console.log(`clawback: ${path.relative(root, addon)}, ${(statSync(addon).size / 2 ** 20).toFixed(1)} MB`)
