import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Request,
} from 'playwright-core'
import { browserPath, chromiumPath } from './chromium.ts'

/**
 * A switch that is given twice counts the last time, so the names that Playwright turns off and that
 * matter here are turned off again. The two of the address bar have a process each for every window,
 * which is a fifth of the processor time of all pages.
 */
const featuresOff = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'PaintHolding'],
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'MediaRouter', 'LensOverlay', 'AimEnabled'],
  ...['PreconnectToSearch', 'OptimizationHints', 'NetworkTimeServiceQuerying'],
]

/** Quiet: without these flags it tries to reach hosts outside. */
const quiet = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
  `--disable-features=${featuresOff.join(',')}`,
]

/** Pages of tests are closed before a compiler that takes its time, or a process for pictures, pays. */
const shortLived = ['--js-flags=--no-opt,--no-maglev', '--in-process-gpu']

/** For tests, in which a page lives for seconds. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath, args: [...quiet, ...shortLived] })

/** Its scrollbars take room, as those of Windows and Linux do; tests do without them otherwise. */
export const launchBrowserWithScrollbars = (): Promise<Browser> =>
  chromium.launch({
    ...{ executablePath: chromiumPath, args: [...quiet, ...shortLived] },
    ignoreDefaultArgs: ['--hide-scrollbars'],
  })

/** As people have it, for what is measured. */
export const launchMeasuredBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: browserPath, args: quiet })

const clocked = new WeakSet<BrowserContext>()

/** Holds the time of a page's browser. The frame of a mail refuses the script that does, and says so. */
export async function installClock(page: Page) {
  clocked.add(page.context())
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

type Failure = string | RegExp

interface Watched {
  /** What a page may never do: fail a script, or break its own policy. */
  faults: string[]
  /** Requests without success, as `GET /app/home 409`, or `GET /app/home lost` without any answer. */
  failures: Set<string>
  expected: Failure[]
  allowed: Failure[]
}

const watched = new WeakMap<BrowserContext, Watched>()

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

const requestOf = (request: Request) =>
  `${request.method()} ${new URL(request.url()).pathname.replace(uuid, ':id')}`

/** From here on `faultsOf` knows what goes wrong in any page of it. */
export function watch(context: BrowserContext) {
  const seen: Watched = { faults: [], failures: new Set(), expected: [], allowed: [] }
  const { faults, failures } = seen
  watched.set(context, seen)
  context.on('weberror', (error) => faults.push(error.error().message))
  context.on('console', (line) => {
    // The browser itself says so of every answer that is no success, which is seen below.
    const text = line.text()
    const isClock = clocked.has(context) && clockInMail.test(text)
    const isExpected = isClock || text.startsWith('Failed to load resource')
    if (line.type() === 'error' && !isExpected) faults.push(text)
  })
  context.on('response', (response) => {
    const status = response.status()
    if (status >= 400) failures.add(`${requestOf(response.request())} ${status}`)
  })
  context.on('requestfailed', (request) => {
    // A page that is left, or a query that nobody waits for any more, takes its request back.
    const isTakenBack = request.failure()?.errorText === 'net::ERR_ABORTED'
    if (!isTakenBack) failures.add(`${requestOf(request)} lost`)
  })
}

/** In an application of the test's own. */
export async function openWatched(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  context.setDefaultTimeout(60_000)
  watch(context)
  return context.newPage()
}

const matches = (failure: string, expected: Failure) =>
  typeof expected === 'string' ? failure === expected : expected.test(failure)

/** Requests of the page's browser that fail because the test wants it. Each must, and no other may. */
export function expectFailures(page: Page, ...failures: Failure[]) {
  watched.get(page.context())?.expected.push(...failures)
}

/** Those that fail or not, by what comes first: such as a reading of what is deleted meanwhile. */
export function allowFailures(page: Page, ...failures: Failure[]) {
  watched.get(page.context())?.allowed.push(...failures)
}

export function faultsOf(context: BrowserContext): string[] {
  const seen = watched.get(context)
  if (!seen) throw new Error('Nobody watches this browser.')
  const { faults, failures, expected, allowed } = seen
  const all = [...failures]
  return [
    ...faults,
    ...all.filter((failure) => ![...expected, ...allowed].some((each) => matches(failure, each))),
    ...expected
      .filter((each) => !all.some((failure) => matches(failure, each)))
      .map((each) => `expected, and did not fail: ${each}`),
  ]
}

const axe = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

export const schemes = ['light', 'dark'] as const

interface Looking {
  /** What is looked at, where the rest is looked at elsewhere. */
  within?: string
  schemes?: readonly (typeof schemes)[number][]
}

/** What stands in the way of people who use the page otherwise than by eye and mouse. */
export async function findBarriers(
  page: Page,
  { within = 'html', schemes: wanted = schemes }: Looking = {},
): Promise<string[]> {
  // Evaluated by the debugger, which the page's policy does not bind.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(await axe)
  const found = new Set<string>()
  for (const [at, colorScheme] of wanted.entries()) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // The page follows the browser by a script of its own, a moment later, unless a person has chosen.
    const chosen = await page.evaluate(`localStorage.getItem('outrider-color-scheme')`)
    const shown = chosen === 'light' || chosen === 'dark' ? chosen : colorScheme
    await page.locator(`html[data-mantine-color-scheme=${shown}]`).waitFor({ state: 'attached' })
    // A colour on its way from one scheme to the other is neither's.
    await page.evaluate(`Promise.allSettled(document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished))`)
    // What does not depend on colours is the same in another one.
    const rules =
      at > 0
        ? ', runOnly: ["color-contrast"]'
        : // Of a part nobody can say what landmarks the page has.
          within === 'html'
          ? ''
          : ', rules: { region: { enabled: false } }'
    // It is not in the frames of mails, and would wait for them to answer; what it would read in
    // advance, styles and videos, no rule here looks at.
    const options = `{ iframes: false, preload: false, resultTypes: ["violations"]${rules} }`
    const context = `{ include: [...document.querySelectorAll(${JSON.stringify(within)})] }`
    const { violations } = (await page.evaluate(`axe.run(${context}, ${options})`)) as {
      violations: { id: string; nodes: { html: string }[] }[]
    }
    for (const { id, nodes } of violations) found.add(`${colorScheme} ${id}: ${nodes[0]?.html}`)
  }
  return [...found]
}

/** Follows a link within the application, as far as the page that it leads to. */
export const goTo = (page: Page, href: string) =>
  page.evaluate(`__TSR_ROUTER__.navigate({ href: ${JSON.stringify(href)} })`)
