import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Route } from 'playwright-core'
import { expect } from 'vitest'
import { createKeyAsOperator } from '../../server/src/features/keys/index.ts'
import { createPerson, join } from '../../server/test/people.ts'
import { enter } from './application.ts'
import { prepareCampaigns } from './campaign-shots.ts'
import { test } from './pages/fixture.ts'

// Not a test: `npm run screenshots --workspace web` shows every page as it looks, to be looked at.

const folder = fileURLToPath(new URL('../screenshots/', import.meta.url))
const settings = '/w/default/settings'
const shots: [name: string, path: string, isSignedIn: boolean][] = [
  ['set-up', '/set-up#token', false],
  ['sign-in', '/sign-in', false],
  ['keys', `${settings}/keys`, true],
  ['keys-new', `${settings}/keys?panel=new`, true],
  ['members', `${settings}/members`, true],
  ['members-invite', `${settings}/members?panel=invite`, true],
  ['workspace', `${settings}/workspace`, true],
  ['audit', `${settings}/audit`, true],
  ['account', '/account', true],
  ['not-found', '/w/default/nothing', true],
]

const answerNotSetUp = (route: Route) =>
  route.fulfill({ json: { user: null, workspaces: [], is_set_up: false, oidc_name: null } })

test('each page, light and dark, wide and narrow', { timeout: 300_000 }, async ({
  application,
  browser,
}) => {
  const { api, address, visitor, asOwner } = application
  mkdirSync(folder, { recursive: true })
  const body = (name: string, scopes: string[], days?: number) => ({
    ...{ name, scopes },
    ...(days ? { timestamp_expires: new Date(Date.now() + days * 86_400_000).toISOString() } : {}),
  })
  await createKeyAsOperator(api.ctx, api.workspaceId, body('Old warehouse', ['all:read']))
  for (const [name, scopes, days] of [
    ['Zapier', ['webhooks:all'], 365],
    ['Warehouse export, nightly', ['all:read'], undefined],
    ['CRM sync', ['campaigns:read', 'leads:create', 'leads:read', 'leads:update'], 90],
  ] as const) {
    await asOwner('POST', '/app/oauth/service-accounts', body(name, [...scopes], days))
  }
  for (const [email, role] of [
    ['bjorn@example.com', 'admin'],
    ['yamada@example.jp', 'viewer'],
  ] as const) {
    await join(api, api.workspaceId, await createPerson(api, { email }), role)
  }
  await asOwner('POST', '/app/invitations', { email: 'carla@example.com', role: 'member' })
  const all = [...shots, ...(await prepareCampaigns(application))]

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      const viewport = { width, height: width === 390 ? 844 : 800 }
      const options = { colorScheme, viewport, reducedMotion: 'reduce' as const }
      for (const isSignedIn of [true, false]) {
        const context = await browser.newContext(options)
        if (isSignedIn && visitor) await enter(context, address, visitor)
        const page = await context.newPage()
        for (const [name, path, needsSession] of all) {
          if (needsSession !== isSignedIn) continue
          if (name === 'set-up') await page.route('**/app/session', answerNotSetUp)
          await page.goto(`${address}${path}`)
          // The stream of live updates never ends: the network is not idle.
          await page.locator('h1').first().waitFor()
          await expect.poll(() => page.locator('.mantine-Skeleton-root').count()).toBe(0)
          await page.unrouteAll()
          await page.screenshot({ path: `${folder}${name}-${colorScheme}-${width}.png` })
        }
        await context.close()
      }
    }
  }
})
