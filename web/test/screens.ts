import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { createKeyAsOperator } from '../../server/src/features/keys/index.ts'
import { importer } from '../../server/test/imports.ts'
import { patience } from '../../server/test/patience.ts'
import { createMember } from '../../server/test/people.ts'
import type { Application } from './application.ts'
import { prepareCampaigns } from './campaign-screens.ts'
import { fillInbox } from './inbox-world.ts'
import { refusal } from './refusal.ts'
import { prepareSettings } from './settings-screens.ts'

// All screens of the application, with something to see on each: for tests and for pictures.

const settings = '/w/default/settings'

/** A screen of the application in one state: its path, and what is clicked there first. */
export interface Screen {
  name: string
  path: string
  /** Shown to whoever has not signed in. */
  isPublic?: boolean
  /** What is clicked first. Such a screen is opened anew, and left for good. */
  act?: (page: Page) => Promise<unknown>
}

/** The stream of live updates never ends, so the network is never idle. */
export async function waitUntilShown(page: Page) {
  await page.locator('h1').first().waitFor()
  const { search } = new URL(page.url())
  if (/[?&](panel|attempt)=|^\?lead=/.test(search)) await page.getByRole('dialog').first().waitFor()
  const isComing = page.getByText(/^(Loading|Looking)/).or(page.locator('.mantine-Skeleton-root'))
  await expect.poll(() => isComing.count(), { ...patience, timeout: 15_000 }).toBe(0)
}

/** Fills the default workspace. @returns the screens that show what it has then */
export async function fillApplication(application: Application): Promise<Screen[]> {
  const { api, asOwner } = application
  await createKeys(application)
  for (const [email, role] of [
    ['bjorn@example.com', 'admin'],
    ['yamada@example.jp', 'viewer'],
  ] as const) {
    await createMember(api, email, role)
  }
  const invited = { email: 'carla@example.com', role: 'member' }
  const invitation = await asOwner('POST', '/app/invitations', invited)
  const campaigns = await prepareCampaigns(application)
  const leads = await fillLeads(application)
  const thread = await fillInbox(application)
  const inSettings = await prepareSettings(application)
  const list = await revealOne(application)
  const mailbox = await api.ctx.database.peek
    .selectFrom('mailboxes')
    .select('id')
    .executeTakeFirstOrThrow()
  const workspace = '/w/default'
  const inbox = `${workspace}/inbox?thread=${thread}`
  const screens: [string, string][] = [
    ['leads', `${workspace}/leads`],
    ['leads-none', `${workspace}/leads?q=nobody`],
    ['lead', `${workspace}/leads?lead=${leads.open}`],
    ['import', `${workspace}/leads/import`],
    ['import-mapping', `${workspace}/leads/import?id=${leads.waiting}`],
    ['import-done', `${workspace}/leads/import?id=${leads.done}`],
    ['home', workspace],
    ['inbox', `${workspace}/inbox`],
    ['inbox-thread', inbox],
    ['keys', `${settings}/keys`],
    ['keys-new', `${settings}/keys?panel=new`],
    ['webhooks', `${settings}/webhooks`],
    ['webhooks-new', `${settings}/webhooks?panel=new`],
    ['members', `${settings}/members`],
    ['members-invite', `${settings}/members?panel=invite`],
    ['workspace', `${settings}/workspace`],
    ['workspace-plan', `${settings}/workspace?panel=plan`],
    ['audit', `${settings}/audit`],
    ['account', '/account'],
    ['not-found', `${workspace}/nothing`],
    ...campaigns,
    ...inSettings,
    ['contacts-list', `${workspace}/contacts?view=lists&list=${list}`],
  ]
  return [
    ...screens.map(([name, path]) => ({ name, path })),
    ...screensAfterAction({ inbox, mailbox: `${settings}/mailboxes/${mailbox.id}` }),
    ...[
      ['sign-in', '/sign-in'],
      ['invitation', `/invitation${new URL(invitation.body.url).hash}`],
      ['invitation-none', '/invitation'],
      ['reset', '/reset#token'],
      ['reset-none', '/reset'],
    ].map(([name = '', path = '']) => ({ name, path, isPublic: true })),
  ]
}

/** Screens that open when somebody clicks or types something. */
const screensAfterAction = ({ inbox, mailbox }: Record<'inbox' | 'mailbox', string>): Screen[] => [
  {
    name: 'inbox-reply',
    path: inbox,
    async act(page) {
      const reply = page.getByRole('textbox', { name: 'Your answer' })
      await reply.fill('Gladly. Tuesday at ten suits us, and there is room for questions.')
      await reply.press('Control+a')
      await page.getByRole('button', { name: 'Bold' }).click()
    },
  },
  {
    name: 'inbox-labels',
    path: inbox,
    act: (page) => page.getByRole('button', { name: /^Label: / }).click(),
  },
  {
    name: 'inbox-put-off',
    path: inbox,
    async act(page) {
      await page.getByRole('button', { name: 'Snooze', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Choose date and time' }).click()
    },
  },
  {
    name: 'leads-status',
    path: '/w/default/leads',
    async act(page) {
      await page.locator('[data-index] input[type=checkbox]').first().check()
      await page.getByRole('button', { name: 'Set status' }).click()
    },
  },
  {
    name: 'palette',
    path: '/w/default',
    async act(page) {
      await page.keyboard.press('Control+k')
      await page.getByRole('textbox', { name: /^Find a record/ }).fill('ma')
    },
  },
  {
    name: 'mailbox-signature',
    path: mailbox,
    async act(page) {
      const signature = page.getByRole('textbox', { name: 'Signature' })
      await signature.fill('Anna Example, Outreach')
      await page.getByText('As sent', { exact: true }).click()
      await page.locator('iframe[title=Signature]').scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'keys-created',
    path: `${settings}/keys?panel=new`,
    async act(page) {
      await page.getByRole('textbox', { name: 'Name' }).fill('Seen once')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByRole('button', { name: 'I have stored it' }).waitFor()
    },
  },
]

async function createKeys({ api, asOwner }: Application) {
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
}

/** @returns the id of the list that the address is kept in */
async function revealOne({ asOwner }: Application): Promise<string> {
  const found = await asOwner('POST', '/app/api/v1/leadbank/find', { limit: 1, has_email: true })
  const body = { contact_id: found.body.items[0].id, list_name: 'Founders' }
  await asOwner('POST', '/app/api/v1/leadbank/acquire_email', body)
  const lists = await asOwner('GET', '/app/api/v1/leadbank/acquire-lists')
  return lists.body.items[0].id
}

/** Paths below a workspace without data, and the text that each shows then. */
export const emptyTexts = [
  ['', 'Get going'],
  ['/campaigns', 'No campaigns yet'],
  ['/leads', 'No leads yet'],
  ['/leads/import', 'Nothing imported yet'],
  ['/inbox', 'Nothing waits'],
  ['/contacts', 'Lists'],
  ['/contacts?view=lists', 'No lists yet'],
  ['/settings/keys', 'No keys yet'],
  ['/settings/webhooks', 'No webhooks yet'],
  ['/settings/mailboxes', 'No mailboxes yet'],
  ['/settings/labels', 'No labels yet'],
  ['/settings/suppression', 'Nobody is suppressed'],
  ['/settings/members', 'Nobody is invited at the moment.'],
  ['/settings/workspace', 'Usage'],
  ['/settings/audit?about=webhook', 'Nothing of that kind'],
] as const

/** Requests of the signed-in application, without those for the session and the live connection. */
export const dataRequests = /\/app\/(?!session|live)/

export const movingMessage = 'The database is being moved. Try again in a minute.'

export const refuseAsMoving = (route: Route) => route.fulfill(refusal(409, movingMessage))

/** Leads in two campaigns, one import that waits and one that is over. */
async function fillLeads(
  application: Application,
): Promise<Record<'open' | 'waiting' | 'done', string>> {
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
  return { open: body.created_leads[4].id, waiting: waiting.id, done: done.id }
}
