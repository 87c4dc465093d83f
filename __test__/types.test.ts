// index.d.ts is written by hand and binding.d.ts is generated: `tsc --noEmit` checks here that they agree. The functions
// below hold for the compiler; the test only makes vitest count the file.
import { expect, expectTypeOf, test } from 'vitest'
import type * as generated from '../binding.js'
import type * as written from '../index.js'

type Written = typeof written
type Generated = typeof generated
/** Arguments that index.js prepares before they cross. */
type Prepared = 'measureUsage' | 'readConfig' | 'buildCheckpointFromState' | 'writeCheckpoint' | 'diffCheckpoints' | 'formatCheckpointYaml' | 'renderCheckpoint' | 'buildEnrichmentPrompt' | 'summarizeMessages'
type Both = Exclude<keyof Written & keyof Generated, Prepared>
type Arguments<F> = F extends (...args: infer A) => unknown ? A : never
/** Native functions that take less than the types promise. */
type TakesLess = { [Name in Both]: Arguments<Written[Name]> extends Arguments<Generated[Name]> ? never : Name }[Both]
type IsAsync<F> = F extends (...args: never[]) => Promise<unknown> ? true : false
type OtherTiming = { [Name in Both]: IsAsync<Written[Name]> extends IsAsync<Generated[Name]> ? never : Name }[Both]
type Internal = 'stopWords' | 'estimateMessages' | '__napiBindingTarget' | 'startEnrichment' | 'mergeEnrichment' | 'openSession'
/** Native functions without a type of ours. */
type Untyped = Exclude<{ [Name in keyof Generated]: Generated[Name] extends (...args: never[]) => unknown ? Name : never }[keyof Generated], keyof Written | Internal>

test('written and generated types agree', () => {
  expectTypeOf<TakesLess>().toBeNever()
  expectTypeOf<OtherTiming>().toBeNever()
  expectTypeOf<Untyped>().toEqualTypeOf<never>()
  expectTypeOf<ReturnType<Written['estimateTokens']>>().toEqualTypeOf<number>()
  expect(true).toBe(true)
})
