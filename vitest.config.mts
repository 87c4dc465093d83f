import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.ts'],
    // The addon is loaded once per process; forks keep a crash of one file from hiding the others.
    pool: 'forks',
    testTimeout: 30_000,
  },
})
