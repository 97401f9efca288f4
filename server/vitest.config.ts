import { defineConfig } from 'vitest/config'
import { CountReporter } from './test/reporter.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/statements/capture.ts'],
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', new CountReporter(process.env.TEST_COUNTS_FILE)],
    // PostgreSQL and the receivers of the tests want a part of the two cores as well.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    coverage: {
      enabled: process.env.COVERAGE === '1',
      provider: 'v8',
      include: ['src/**'],
      reporter: [['text-summary'], ['json-summary']],
      // A statement that no test has run against PostgreSQL is a guess.
      thresholds: { '**/queries.ts': { functions: 100 } },
    },
  },
})
