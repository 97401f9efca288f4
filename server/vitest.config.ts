import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'
import { CountReporter } from './test/reporter.ts'

const responsive = '**/*.responsive.test.ts'

export default defineConfig({
  test: {
    setupFiles: [
      'test/statements/capture.ts',
      'test/statements/functions-run.ts',
      'test/random-cases.ts',
      'test/remove-databases.ts',
    ],
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', new CountReporter(process.env.TEST_COUNTS_FILE)],
    // A worker loads the modules once for all of its test files: none keeps state between them.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // A thread that a test starts need not make JavaScript of its modules each time.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(
        new URL('../node_modules/.cache/outrider', import.meta.url),
      ),
    },
    // Ends what hangs, and nothing that is slow: whole services start here, on machines that are busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'server',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [responsive],
          // A third of their time test files wait for processes and sockets: three keep two cores busy.
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        test: {
          // How long a turn of the event loop takes is measured alone.
          name: 'responsive',
          include: [responsive],
          maxWorkers: 1,
          // What holds the process up does so each time; a machine with other work, now and then.
          retry: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
