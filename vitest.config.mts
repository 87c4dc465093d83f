import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.ts'],
    // The addon is loaded once per process; forks keep a crash of one file from hiding the others.
    pool: 'forks',
    // By itself vitest leaves a processor free, which is half of two.
    maxWorkers: availableParallelism(),
    testTimeout: 30_000,
  },
})
