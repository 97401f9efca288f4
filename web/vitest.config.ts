import { defineConfig } from 'vitest/config'
import { CountReporter } from '../server/test/reporter.ts'
import { chromiumPath, hasChromium } from './test/chromium.ts'

if (!hasChromium) {
  console.warn(`${chromiumPath} is missing: the pages of the application are not tested.`)
}

export default defineConfig({
  test: {
    name: 'pages',
    // SCREENSHOTS=1 makes pictures in place of tests.
    include: process.env.SCREENSHOTS ? ['test/screenshots.ts'] : ['test/**/*.test.ts'],
    exclude: hasChromium ? [] : ['test/pages/**'],
    globalSetup: ['../server/test/global-setup.ts'],
    setupFiles: ['../server/test/remove-databases.ts'],
    reporters: ['default', new CountReporter(process.env.TEST_COUNTS_FILE)],
    // Each has a browser, a server and a database: two keep two cores busy.
    maxWorkers: 2,
    isolate: false,
    // Ends what hangs, and nothing that is slow.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
