import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumPath } from './chromium.ts'

/** Quiet: without these flags it tries to reach hosts outside. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
    ],
  })

const clocked = new WeakSet<Page>()

/** Holds the time of a page. The frame of a mail refuses the script that does, and says so. */
export async function installClock(page: Page) {
  clocked.add(page)
  await page.clock.install()
}

const clockInMail = /^Blocked script execution in '[^']*\/app\/messages\//

/** The processes that pages live in; an empty one that Chromium keeps in reserve is among them. */
export async function readRenderers(page: Page): Promise<number[]> {
  const debug = await page.context().browser()?.newBrowserCDPSession()
  const { processInfo = [] } = (await debug?.send('SystemInfo.getProcessInfo')) ?? {}
  await debug?.detach()
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
}

/** What a page may never do: fail a script, or break its own policy. */
export function watch(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('console', (line) => {
    // The browser itself says so of every answer that is no success; the page shows it as well.
    const text = line.text()
    const isClock = clocked.has(page) && clockInMail.test(text)
    const isExpected = isClock || text.startsWith('Failed to load resource')
    if (line.type() === 'error' && !isExpected) faults.push(text)
  })
  return faults
}

const axeFile = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))

/** What stands in the way, in either scheme, of people who use the page otherwise than by eye and mouse. */
export async function findBarriers(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's policy does not bind.
  await page.evaluate(await readFile(axeFile, 'utf8'))
  const found = new Set<string>()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // The page follows the browser by a script of its own, a moment later, unless a person has chosen.
    const chosen = await page.evaluate(`localStorage.getItem('outrider-color-scheme')`)
    const shown = chosen === 'light' || chosen === 'dark' ? chosen : colorScheme
    await page.locator(`html[data-mantine-color-scheme=${shown}]`).waitFor({ state: 'attached' })
    // A colour on its way from one scheme to the other is neither's.
    await page.evaluate(`Promise.allSettled(document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished))`)
    // What does not depend on colours is the same in both.
    const rules = colorScheme === 'dark' ? '{ runOnly: ["color-contrast"] }' : ''
    const { violations } = (await page.evaluate(`axe.run(${rules})`)) as {
      violations: { id: string; nodes: { html: string }[] }[]
    }
    for (const { id, nodes } of violations) found.add(`${colorScheme} ${id}: ${nodes[0]?.html}`)
  }
  return [...found]
}
