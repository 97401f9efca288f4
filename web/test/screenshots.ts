import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { createKeyAsOperator } from '../../server/src/features/keys/index.ts'
import { importer } from '../../server/test/imports.ts'
import { patience } from '../../server/test/patience.ts'
import { createPerson, join } from '../../server/test/people.ts'
import { type Application, enter, startApplication } from './application.ts'
import { prepareCampaigns } from './campaign-shots.ts'
import { fillInbox } from './inbox-world.ts'
import { test } from './pages/fixture.ts'
import { prepareSettings } from './settings-shots.ts'

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
  ['workspace-plan', `${settings}/workspace?panel=plan`, true],
  ['audit', `${settings}/audit`, true],
  ['account', '/account', true],
  ['not-found', '/w/default/nothing', true],
]

const answerNotSetUp = (route: Route) =>
  route.fulfill({ json: { user: null, workspaces: [], is_set_up: false, oidc_name: null } })

/** A page for each scheme and width that the pages are looked at in. */
const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 390].map((width) => ({ colorScheme, width, suffix: `${colorScheme}-${width}` })),
)

type Look = (typeof looks)[number]

async function openLook(
  browser: Browser,
  { address, visitor }: Application,
  { colorScheme, width }: Look,
  isSignedIn = true,
): Promise<Page> {
  const viewport = { width, height: width === 390 ? 844 : 800 }
  const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' })
  context.setDefaultTimeout(60_000)
  if (isSignedIn && visitor) await enter(context, address, visitor)
  return context.newPage()
}

const shoot = (page: Page, name: string) => page.screenshot({ path: `${folder}${name}.png` })

/** The stream of live updates never ends, so the network is never idle. */
async function waitUntilShown(page: Page) {
  await page.locator('h1').first().waitFor()
  const { search } = new URL(page.url())
  if (/[?&](panel|attempt)=|^\?lead=/.test(search)) await page.getByRole('dialog').first().waitFor()
  const isComing = page.getByText(/^(Loading|Looking)/).or(page.locator('.mantine-Skeleton-root'))
  await expect.poll(() => isComing.count(), patience).toBe(0)
}

test('each page, light and dark, wide and narrow', async ({ application, browser }) => {
  const { api, address, asOwner } = application
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
  const campaigns = await prepareCampaigns(application)
  const places = await fillLeads(application)
  const thread = await fillInbox(application)
  const all = [...shots, ...campaigns, ...(await prepareSettings(application))]

  for (const look of looks) {
    for (const isSignedIn of [true, false]) {
      const page = await openLook(browser, application, look, isSignedIn)
      for (const [name, path, needsSession] of all) {
        if (needsSession !== isSignedIn) continue
        if (name === 'set-up') await page.route('**/app/session', answerNotSetUp)
        const found = path
          .replace(/LEAD|IMPORT|DONE/, (record) => places[record] ?? '')
          .replace('THREAD', thread)
        await page.goto(`${address}${found}`)
        await waitUntilShown(page)
        await page.unrouteAll()
        await shoot(page, `${name}-${look.suffix}`)
      }
      await page.context().close()
    }
  }
})

const inbox = '/w/default/inbox?thread=THREAD'
const reply = (page: Page) => page.getByRole('textbox', { name: 'Your answer' })

/** What a page shows once somebody has pressed something. */
const opened: [name: string, path: string, act: (page: Page) => Promise<unknown>][] = [
  [
    'inbox-reply',
    inbox,
    async (page) => {
      await reply(page).fill('Gladly. Tuesday at ten suits us, and there is room for questions.')
      await reply(page).press('Control+a')
      await page.getByRole('button', { name: 'Bold' }).click()
    },
  ],
  ['inbox-labels', inbox, (page) => page.getByRole('button', { name: /^Label: / }).click()],
  [
    'inbox-put-off',
    inbox,
    async (page) => {
      await page.getByRole('button', { name: 'Put off' }).click()
      await page.getByRole('menuitem', { name: 'Choose date and time' }).click()
    },
  ],
  [
    'leads-status',
    '/w/default/leads',
    async (page) => {
      await page.locator('[data-index] input[type=checkbox]').first().check()
      await page.getByRole('button', { name: 'Set status' }).click()
    },
  ],
  [
    'palette',
    '/w/default',
    async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('textbox', { name: /^Find a record/ }).fill('ma')
    },
  ],
  [
    'mailbox-signature',
    `${settings}/mailboxes/MAILBOX`,
    async (page) => {
      const signature = page.getByRole('textbox', { name: 'Signature' })
      await signature.fill('Anna Example, Outreach')
      await page.getByText('As sent', { exact: true }).click()
      await page.locator('iframe[title=Signature]').scrollIntoViewIfNeeded()
    },
  ],
]

test('menus, dialogs and editors, open', async ({ browser }) => {
  await using application = await startApplication()
  mkdirSync(folder, { recursive: true })
  const { api, address, asOwner } = application
  for (const [name, sentiment] of [
    ['Asks for the price', 'positive'],
    ['Uses a competitor', 'negative'],
  ]) {
    await asOwner('POST', '/app/labels', { name, sentiment, effect: 'none' })
  }
  const thread = await fillInbox(application)
  const { id } = await api.ctx.database.peek
    .selectFrom('mailboxes')
    .select('id')
    .executeTakeFirstOrThrow()
  for (const look of looks) {
    const page = await openLook(browser, application, look)
    for (const [name, path, act] of opened) {
      await page.goto(`${address}${path.replace('THREAD', thread).replace('MAILBOX', id)}`)
      await waitUntilShown(page)
      await act(page)
      await shoot(page, `${name}-${look.suffix}`)
    }
    await page.context().close()
  }
})

const lists = [
  ...['', '/campaigns', '/leads', '/leads/import', '/inbox', '/contacts', '/settings/keys'],
  ...['/settings/webhooks', '/settings/mailboxes', '/settings/labels', '/settings/suppression'],
  ...['/settings/members', '/settings/workspace', '/settings/audit'],
]

const refused = (route: Route) =>
  route.fulfill({
    status: 409,
    json: {
      ...{ statusCode: 409, error: 'Conflict', code: 'not_eligible' },
      ...{ message: 'The database is being moved. Try again in a minute.', request_id: 'r-1' },
    },
  })

test('each list with nothing in it, while it loads, and when it cannot be read', async ({
  browser,
}) => {
  await using application = await startApplication()
  mkdirSync(folder, { recursive: true })
  // Whatever is asked for once somebody is known to be signed in.
  const readings = /\/app\/(?!session|live)/
  for (const look of looks) {
    const page = await openLook(browser, application, look)
    for (const path of lists) {
      const name = path.split('/').at(-1) || 'home'
      const visit = () => page.goto(`${application.address}/w/default${path}`)
      await visit()
      await waitUntilShown(page)
      await shoot(page, `${name}-empty-${look.suffix}`)
      await page.route(readings, refused)
      await visit()
      await page.getByRole('alert').first().waitFor()
      await shoot(page, `${name}-error-${look.suffix}`)
      await page.unrouteAll()
      await page.route(readings, () => new Promise(() => undefined))
      await visit()
      await page.locator('h1').first().waitFor()
      await shoot(page, `${name}-loading-${look.suffix}`)
      await page.unrouteAll()
    }
    await page.context().close()
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
