import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page, Route } from 'playwright-core'
import { type Application, enter, startApplication } from './application.ts'
import { test } from './pages/fixture.ts'
import {
  dataRequests,
  emptyTexts,
  fillApplication,
  refuseAsMoving,
  type Screen,
  waitUntilShown,
} from './screens.ts'

// Not a test: `npm run screenshots --workspace web` shows every page as it looks, to be looked at. With
// SCREENSHOTS=inbox.*light only those whose name matches.

const folder = fileURLToPath(new URL('../screenshots/', import.meta.url))

const answerNotSetUp = (route: Route) =>
  route.fulfill({ json: { user: null, workspaces: [], is_set_up: false, oidc_name: null } })

/** A page for each scheme and width that the pages are looked at in. */
const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 360].map((width) => ({ colorScheme, width, suffix: `${colorScheme}-${width}` })),
)

type Look = (typeof looks)[number]

async function openLook(
  browser: Browser,
  { address, visitor }: Application,
  { colorScheme, width }: Look,
  isSignedIn = true,
): Promise<Page> {
  const viewport = { width, height: 800 }
  const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' })
  context.setDefaultTimeout(60_000)
  if (isSignedIn && visitor) await enter(context, address, visitor)
  return context.newPage()
}

const { SCREENSHOTS = '1' } = process.env
const wanted = new RegExp(SCREENSHOTS === '1' ? '' : SCREENSHOTS)

// There are hundreds.
const patient = { timeout: 1_800_000 }

const shoot = (page: Page, name: string) => page.screenshot({ path: `${folder}${name}.png` })

test('each page, light and dark, wide and narrow', patient, async ({ application, browser }) => {
  const { address } = application
  mkdirSync(folder, { recursive: true })
  const screens = await fillApplication(application)
  const setUp: Screen = { name: 'set-up', path: '/set-up#token', isPublic: true }
  for (const look of looks) {
    for (const isSignedIn of [true, false]) {
      const page = await openLook(browser, application, look, isSignedIn)
      for (const { name, path, isPublic = false, act } of [...screens, setUp]) {
        if (isPublic === isSignedIn || !wanted.test(`${name}-${look.suffix}`)) continue
        if (name === 'set-up') await page.route('**/app/session', answerNotSetUp)
        await page.goto(`${address}${path}`)
        await waitUntilShown(page)
        await act?.(page)
        await page.unrouteAll()
        await shoot(page, `${name}-${look.suffix}`)
      }
      await page.context().close()
    }
  }
})

test(
  'each list with nothing in it, while it loads, and when it cannot be read',
  patient,
  async ({ browser }) => {
    await using application = await startApplication()
    mkdirSync(folder, { recursive: true })
    for (const look of looks) {
      const page = await openLook(browser, application, look)
      for (const [path] of emptyTexts) {
        const name = path.replace(/^\/(settings\/)?/, '').replace(/\W+/g, '-') || 'home'
        if (!wanted.test(`${name}-empty-${look.suffix}`)) continue
        const visit = () => page.goto(`${application.address}/w/default${path}`)
        await visit()
        await waitUntilShown(page)
        await shoot(page, `${name}-empty-${look.suffix}`)
        await page.route(dataRequests, refuseAsMoving)
        await visit()
        await page.getByRole('alert').first().waitFor()
        await shoot(page, `${name}-error-${look.suffix}`)
        await page.unrouteAll()
        await page.route(dataRequests, () => new Promise(() => undefined))
        await visit()
        await page.locator('h1').first().waitFor()
        await shoot(page, `${name}-loading-${look.suffix}`)
        await page.unrouteAll()
      }
      await page.context().close()
    }
  },
)
