import type { Browser, BrowserContext, Page } from 'playwright-core'
import { test as base, expect } from 'vitest'
import type { Browser as Visitor } from '../../../server/test/browser.ts'
import { alternate } from '../alternate.ts'
import { type Application, enter, startApplication } from '../application.ts'
import { faultsOf, findBarriers, launchBrowser, schemes, watch } from '../browser.ts'

type Open = (visitor: Visitor | undefined, path: string) => Promise<Page>

interface Fixtures {
  $worker: { browser: Browser }
  $file: {
    /** Set up. */
    application: Application
  }
  $test: {
    /** Opens a page as somebody, or as nobody; what it showed last is looked through afterwards. */
    open: Open
  }
}

type Opening = Fixtures['$worker'] & Fixtures['$file'] & { task: { name: string } }

/** Applications of which a whole page was checked. */
const checkedWhole = new WeakSet<Application>()

/** A test in a real browser at the real server. Its pages end without a barrier, an error or a violation. */
export const test = base.extend<Fixtures>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads what a fixture needs from here
    async ({}, use) => {
      const browser = await launchBrowser()
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  application: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads what a fixture needs from here
    async ({}, use) => {
      await using application = await startApplication()
      await use(application)
    },
    { scope: 'file' },
  ],
  open: async ({ browser, application, task }: Opening, use: (open: Open) => Promise<void>) => {
    const opened: { context: BrowserContext; page: Page }[] = []
    await use(async (visitor, path) => {
      const context = await browser.newContext({ reducedMotion: 'reduce' })
      context.setDefaultTimeout(60_000)
      if (visitor) await enter(context, application.address, visitor)
      watch(context)
      const page = await context.newPage()
      opened.push({ context, page })
      await page.goto(`${application.address}${path}`)
      return page
    })
    const found: string[] = []
    for (const { context, page } of opened) {
      // Navigation and header are on every page: the whole page is checked once per file.
      const within = checkedWhole.has(application) ? 'main, [data-portal]' : 'html'
      checkedWhole.add(application)
      found.push(
        ...(await findBarriers(page, { within, schemes: alternate(task.name, schemes) })),
        ...faultsOf(context),
      )
      await context.close()
    }
    expect(found).toEqual([])
  },
})
