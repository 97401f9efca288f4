import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'
import { CountReporter } from './test/reporter.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Counting what is run keeps V8 from optimising it: how long a turn takes is measured without.
    exclude: process.env.COVERAGE === '1' ? ['**/*.responsive.test.ts'] : [],
    setupFiles: ['test/statements/capture.ts'],
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', new CountReporter(process.env.TEST_COUNTS_FILE)],
    // PostgreSQL and the receivers of the tests want a part of the two cores as well.
    maxWorkers: 2,
    // A worker loads the modules once for all of its test files: none keeps state between them.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // A thread that a test starts need not make JavaScript of its modules each time.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(
        new URL('../node_modules/.cache/outrider', import.meta.url),
      ),
    },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    coverage: {
      enabled: process.env.COVERAGE === '1',
      provider: 'v8',
      // A statement that no test has run against PostgreSQL is a guess.
      include: ['src/**/{queries,*-queries}.ts'],
      reporter: [['text-summary'], ['json-summary']],
      thresholds: { functions: 100 },
    },
  },
})
