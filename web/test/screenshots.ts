import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Route } from 'playwright-core'
import { expect } from 'vitest'
import { createKeyAsOperator } from '../../server/src/features/keys/index.ts'
import { importer } from '../../server/test/imports.ts'
import { createPerson, join } from '../../server/test/people.ts'
import { type Application, enter } from './application.ts'
import { prepareCampaigns } from './campaign-shots.ts'
import { fillInbox } from './inbox-world.ts'
import { test } from './pages/fixture.ts'

// Not a test: `npm run screenshots --workspace web` shows every page as it looks, to be looked at.

const folder = fileURLToPath(new URL('../screenshots/', import.meta.url))
const settings = '/w/default/settings'
const shots: [name: string, path: string, isSignedIn: boolean][] = [
  ['set-up', '/set-up#token', false],
  ['sign-in', '/sign-in', false],
  ['leads', '/w/default/leads', true],
  ['leads-none', '/w/default/leads?q=nobody', true],
  ['lead', '/w/default/leads?lead=LEAD', true],
  ['import', '/w/default/leads/import', true],
  ['import-mapping', '/w/default/leads/import?id=IMPORT', true],
  ['import-done', '/w/default/leads/import?id=DONE', true],
  ['home', '/w/default', true],
  ['inbox', '/w/default/inbox', true],
  ['inbox-thread', '/w/default/inbox?thread=THREAD', true],
  ['keys', `${settings}/keys`, true],
  ['keys-new', `${settings}/keys?panel=new`, true],
  ['webhooks', `${settings}/webhooks`, true],
  ['webhooks-new', `${settings}/webhooks?panel=new`, true],
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

  const places = await fillLeads(application)
  const thread = await fillInbox(application)

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
          const found = path
            .replace(/LEAD|IMPORT|DONE/, (record) => places[record] ?? '')
            .replace('THREAD', thread)
          await page.goto(`${address}${found}`)
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

/** Leads in two campaigns, one import that waits and one that is over. */
async function fillLeads(application: Application): Promise<Record<string, string>> {
  const { api, asOwner } = application
  const names = ['Ann Example', 'Björn Lindqvist', 'Chiara Rossi', '田中 美咲', 'Emeka Okafor']
  const companies = ['Northwind Traders', 'Example Ltd', 'Wollhaus GmbH', '山田商店', 'Acme Corp']
  const titles = ['Head of Sales', 'CEO', 'Operations', 'Buyer', 'Founder']
  const campaigns: string[] = []
  for (const name of ['Autumn outreach', 'Winter follow-up']) {
    const { body } = await asOwner('POST', '/app/api/v2/campaigns', { name })
    campaigns.push(body.id)
  }
  const leads = Array.from({ length: 60 }, (_, at) => {
    const [first_name, last_name] = (names[at % 5] ?? '').split(' ')
    return {
      ...{ email: `person${at}@${at % 5}.example.com`, first_name, last_name },
      ...{ company_name: companies[at % 5], job_title: titles[(at * 3) % 5] },
      custom_variables: { plan: 'pro', city: 'Köln' },
    }
  })
  const [autumn = '', winter = ''] = campaigns
  await asOwner('POST', '/app/api/v2/lead/add', { campaign_id: winter, leads: leads.slice(0, 20) })
  const { body } = await asOwner('POST', '/app/api/v2/lead/add', { campaign_id: autumn, leads })
  const statuses = ['interested', 'not_interested', 'out_of_office', 'meeting_booked', 'closed']
  for (const [at, new_status] of statuses.entries()) {
    const email = leads[58 - at * 3]?.email
    await asOwner('POST', '/app/api/v2/lead/update/status', {
      campaign_id: autumn,
      email,
      new_status,
    })
  }
  const imports = importer(api)
  const rows = leads.map(({ email, first_name, last_name, company_name }, at) =>
    [at === 3 ? 'no address' : email, first_name, last_name, company_name, 'Köln', at].join(','),
  )
  const file = `Email,First Name,Last Name,Company,City,Employees\n${rows.join('\n')}\n`
  const waiting = await imports.send(file, { campaign_id: winter })
  await imports.check(waiting.id)
  const done = await imports.send(file, { campaign_id: winter })
  await imports.start(done.id)
  return { LEAD: body.created_leads[4].id, IMPORT: waiting.id, DONE: done.id }
}
