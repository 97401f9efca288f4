import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { operator } from '../../../server/src/features/audit/index.ts'
import { addMailbox } from '../../../server/src/features/mailboxes/index.ts'
import { createWorkspace } from '../../../server/src/features/workspaces/index.ts'
import type { Browser as Visitor } from '../../../server/test/browser.ts'
import { createMember } from '../../../server/test/people.ts'
import type { Application } from '../application.ts'
import { expectFailures, findBarriers, goTo, schemes } from '../browser.ts'
import { inTurn } from '../in-turn.ts'
import {
  fillApplication,
  isMoved,
  lists,
  type Place,
  readings,
  refuse,
  waitUntilShown,
} from '../places.ts'
import { test } from './fixture.ts'

const wide = { width: 1280, height: 800 }
const narrow = { width: 360, height: 740 }

/** Of the page and of what is open over it, by how much they are wider than what shows them. */
const overflow = `[document.documentElement, ...document.querySelectorAll('[role=dialog]')]
  .reduce((sum, { scrollWidth, clientWidth }) => sum + scrollWidth - clientWidth, 0)`

/** What is wrong with how the page shows what it has now. */
async function findFaults(page: Page, name: string, { isKnown = false } = {}): Promise<string[]> {
  // What surrounds a place is the same everywhere, and looked at by the tests of each.
  const found = isKnown
    ? []
    : await findBarriers(page, { within: 'main, [data-portal]', schemes: inTurn(name, schemes) })
  await page.setViewportSize(narrow)
  try {
    // The page takes its narrow form a moment after the window.
    await expect.poll(() => page.evaluate(overflow), { timeout: 5000 }).toBe(0)
  } catch {
    found.push(`${await page.evaluate(overflow)} px too wide at 360 px`)
  }
  await page.setViewportSize(wide)
  if ((await page.locator('h1').count()) === 0) found.push('no heading of the page')
  if (await page.locator('img[src=x]').count()) found.push('markup of a name is in the page')
  return found.map((fault) => `${name}: ${fault}`)
}

// Nor can it be broken anywhere.
const markup = `<img/src=x/onerror=alert(1)>{{7*7}}${'w'.repeat(160)}`

/** In whatever people name: as text it does nothing, and the policy of the pages reports the rest. */
async function writeMarkup({ api: { ctx } }: Application) {
  const { peek } = ctx.database
  const name = markup
  await Promise.all([
    peek.updateTable('workspaces').set({ name }).execute(),
    peek.updateTable('users').set({ name }).execute(),
    peek.updateTable('campaigns').set({ name }).execute(),
    peek.updateTable('labels').set({ name }).execute(),
    peek.updateTable('webhooks').set({ name }).execute(),
    peek.updateTable('acquire_lists').set({ name }).execute(),
    peek.updateTable('service_accounts').set({ name }).execute(),
    peek.updateTable('imports').set({ file_name: name }).execute(),
    peek.updateTable('mailboxes').set({ display_name: name, status_reason: name }).execute(),
    peek.updateTable('leads').set({ thread_subject: name, company_name: name }).execute(),
  ])
}

let filled: Promise<Place[]> | undefined

/** Once, by whichever test comes first. */
function fill(application: Application): Promise<Place[]> {
  filled ??= fillApplication(application).then(async (places) => {
    await writeMarkup(application)
    return places
  })
  return filled
}

test('whatever place is open, nothing fails, everybody can use it, and it fits a telephone', async ({
  application,
  open,
}) => {
  const places = await fill(application)
  const faults: string[] = []
  for (const isPublic of [false, true]) {
    const page = await open(isPublic ? undefined : application.visitor, '/')
    await page.locator('h1').first().waitFor()
    for (const { name, path, act, ...place } of places) {
      if ((place.isPublic ?? false) !== isPublic) continue
      if (act || isPublic) await page.goto(`${application.address}${path}`)
      else await goTo(page, path)
      await waitUntilShown(page)
      await act?.(page)
      faults.push(...(await findFaults(page, name)))
    }
    if (isPublic) continue
    expectFailures(
      page,
      ...['GET /app/api/v2/campaigns/:id 404', 'GET /app/api/v2/webhooks/:id 404'],
      'GET /app/webhooks/:id/health 404',
    )
  }
  expect(faults).toEqual([])
})

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const named = (page: Page, name: string | RegExp) => page.getByText(name).first()

interface Sight {
  place: string
  /** What is opened there first. */
  act?: (page: Page) => Promise<unknown>
  /** What is there to be read, or cannot be changed. */
  seen: (page: Page) => Locator[]
  /** What others press there. */
  unseen?: (page: Page) => Locator[]
  /** What stands there and takes nothing. */
  disabled?: (page: Page) => Locator[]
}

const sights: Sight[] = [
  {
    place: 'campaigns',
    seen: (page) => [page.getByRole('table', { name: 'Campaigns' })],
    unseen: (page) => [button(page, 'New campaign')],
  },
  {
    place: 'campaign-steps',
    // Where a line of the source ends is no reason to show the source.
    seen: (page) => [page.locator('.variable', { hasText: 'first_name' }).first()],
    unseen: (page) => [button(page, /Launch|Add step|Add variant/)],
    disabled: (page) => [page.getByRole('textbox', { name: 'Subject' })],
  },
  {
    place: 'campaign-schedule',
    seen: (page) => [named(page, 'The next seven days')],
    disabled: (page) => [button(page, 'Mon').first()],
  },
  {
    place: 'contacts',
    seen: (page) => [page.getByRole('row').nth(1)],
    unseen: (page) => [button(page, /Reveal|Show address/)],
  },
  {
    place: 'import',
    seen: (page) => [page.getByRole('heading', { level: 1 })],
    unseen: (page) => [page.locator('input[type=file]')],
  },
  {
    place: 'inbox',
    act: (page) => button(page, /Jonas/).click(),
    seen: (page) => [
      ...[named(page, 'You may read here'), named(page, 'Probably belongs here')],
      named(page, /Waits for the first mail|Gets more mails/),
    ],
    unseen: (page) => [
      ...inboxActs.map((name) =>
        page.getByRole('article').getByRole('button', { name, exact: true }),
      ),
      page.getByRole('combobox'),
    ],
  },
  {
    place: 'labels-new',
    seen: (page) => [page.getByRole('row').nth(1)],
    unseen: (page) => [button(page, /New|Edit|Archive/)],
  },
  {
    place: 'lead',
    seen: (page) => [page.getByRole('dialog').getByText('History')],
    unseen: (page) => [
      button(page, /Pause|Set status|Erase person …|Import leads/),
      page.getByRole('checkbox'),
    ],
  },
  {
    place: 'mailboxes',
    seen: (page) => [named(page, markup)],
    unseen: (page) => [page.getByRole('link', { name: 'Connect mailbox' })],
  },
  {
    place: 'mailbox-broken',
    seen: (page) => [named(page, markup)],
    unseen: (page) => [button(page, /Pause|Test mailbox|Save|Remove mailbox/)],
    disabled: (page) => [page.getByLabel('Mails a day')],
  },
  {
    place: 'members',
    seen: (page) => [page.getByRole('row', { name: 'bjorn@example.com' })],
    unseen: (page) => [page.getByRole('combobox'), button(page, 'Invite somebody')],
  },
  {
    place: 'suppression',
    seen: (page) => [page.getByRole('rowheader', { name: 'competitor.example' })],
    unseen: (page) => [button(page, /Lift|Block|Import/)],
  },
  {
    place: 'webhooks',
    seen: (page) => [page.getByRole('link', { name: markup }).first()],
    unseen: (page) => [button(page, 'New webhook')],
  },
  {
    place: 'webhook',
    seen: (page) => [page.getByRole('heading', { name: markup }).first()],
    unseen: (page) => [button(page, /Pause|Send test|More actions/)],
  },
]

const inboxActs = ['Done', 'Put off', 'Mark as unread', 'Unsubscribe', 'Read the mailboxes now']

test('a viewer sees every place, and nothing there to change it by', async ({
  application,
  open,
}) => {
  const { api } = application
  const places = await fill(application)
  const viewer = await createMember(api, 'viewer@team.example', 'viewer')
  const page = await open(viewer.browser, '/w/default')
  await page.locator('h1').first().waitFor()
  const offered: string[] = []
  for (const { place, act, seen, unseen, disabled } of sights) {
    const path = places.find(({ name }) => name === place)?.path
    if (!path) throw new Error(`There is no place ${place}.`)
    await goTo(page, path)
    // A panel in which something is made stays shut.
    if (!path.includes('panel=')) await waitUntilShown(page)
    await act?.(page)
    for (const each of seen(page)) await each.waitFor()
    for (const each of unseen?.(page) ?? []) {
      if (await each.count()) offered.push(`${place}: ${each}`)
    }
    for (const each of disabled?.(page) ?? []) {
      await each.waitFor()
      if (!(await each.isDisabled()) && (await each.getAttribute('readonly')) === null) {
        offered.push(`${place}: ${each}`)
      }
    }
    if (place !== 'inbox') continue
    // Nor do the letters of what is not offered do it.
    await page.keyboard.press('e')
    await button(page, /Jonas/).waitFor()
  }
  expect(offered).toEqual([])
})

/** What a place reads besides lists, and what of it is needed to see the rest load or fail. */
const parts = (ids: Awaited<ReturnType<typeof createRecords>>) => [
  ...lists.map(([path]) => ({ path, answered: /never/ })),
  { path: '/contacts?view=credits', answered: /balance$/ },
  ...['tab=analytics', 'tab=mails', 'tab=preview', 'panel=launch'].map((rest) => ({
    path: `/campaigns/${ids.campaigns[0]}?${rest}`,
    answered: new RegExp(`${ids.campaigns[0]}$`),
  })),
  { path: `/campaigns/${ids.campaigns[1]}`, answered: /never/ },
  { path: `/settings/webhooks/${ids.webhooks[0]}`, answered: new RegExp(ids.webhooks[0]) },
  { path: `/settings/webhooks/${ids.webhooks[1]}`, answered: /never/ },
  { path: `/settings/mailboxes/${ids.mailbox}`, answered: /never/ },
]

test('with nothing in it, while it loads, when it cannot be read and where somebody may not look, each place says so', async ({
  application,
  open,
}) => {
  const { api } = application
  const faults: string[] = []
  const { id, handle } = await createWorkspace(api.ctx, 'Fresh')
  const person = await createMember(api, 'states@team.example', 'owner', id)
  const fresh = `/w/${handle}`
  const page = await open(person.browser, fresh)
  for (const [path, says] of lists) {
    await goTo(page, fresh + path)
    await page.getByRole('main').getByText(says).first().waitFor()
    await waitUntilShown(page)
    faults.push(...(await findFaults(page, `empty ${path}`)))
  }
  const viewer = await createMember(api, 'refused@team.example', 'viewer', id)
  const refused = await open(viewer.browser, fresh)
  await refused.getByText('An admin of this workspace does it.').waitFor()
  expect(await refused.getByRole('link', { name: 'Connect a mailbox' }).count()).toBe(0)
  await goTo(refused, `${fresh}/settings/workspace`)
  await refused.getByRole('heading', { name: 'Plan' }).waitFor()
  const used = (name: string) =>
    refused.getByRole('term').filter({ hasText: name }).locator('xpath=following-sibling::dd')
  expect(await used('Mails of campaigns today').textContent()).toBe('–')
  expect(await used('Webhook deliveries').textContent()).toBe('0 · 0 attempts failed')
  expect(await used('Size of the database').count()).toBe(0)
  expect(await refused.getByRole('button', { name: 'Save' }).count()).toBe(0)
  expect(await refused.getByRole('switch').isDisabled()).toBe(true)
  const ids = await createRecords(application, id, person.browser)
  const readers = { loading: await reader(), failing: await reader() }
  for (const { path, answered } of parts(ids)) {
    for (const state of inTurn(path, ['loading', 'failing'])) {
      const reading = readers[state]
      await reading.unrouteAll()
      await reading.route(readings, (route) => {
        if (answered.test(new URL(route.request().url()).pathname)) return route.fallback()
        return state === 'failing' ? refuse(route) : undefined
      })
      await goTo(reading, fresh + path)
      const main = reading.getByRole('main').or(reading.getByRole('dialog'))
      const sign =
        state === 'failing'
          ? main.getByRole('alert').filter({ hasText: isMoved })
          : main.getByRole('status').or(main.locator('.mantine-Skeleton-root'))
      await sign.first().waitFor({ state: 'attached' })
      // Skeletons and refusals are the same parts everywhere.
      faults.push(...(await findFaults(reading, `${state} ${path}`, { isKnown: path !== '' })))
    }
  }
  expectFailures(readers.failing, / 409$/)
  for (const path of ['/settings/keys', '/settings/audit', '/settings/mailboxes/connect']) {
    await goTo(refused, fresh + path)
    await refused.getByText('This page is for admins').waitFor()
    expect(await refused.getByRole('button', { name: 'New key' }).count()).toBe(0)
    expect(await refused.getByRole('link', { name: 'OAuth service accounts' }).count()).toBe(0)
    faults.push(...(await findFaults(refused, `refused ${path}`)))
  }
  expect(faults).toEqual([])

  /** Of an application that has shown nothing yet. */
  async function reader() {
    const blank = await open(person.browser, '/account')
    await blank.getByRole('heading', { name: 'Your account' }).waitFor()
    return blank
  }
})

/** Of some two: one is read to see its parts load, and of the other nothing is. */
async function createRecords(
  { api, address }: Application,
  workspaceId: string,
  { call }: Visitor,
) {
  const headers = { 'x-workspace-id': workspaceId }
  const create = async (path: string, body: object) =>
    (await call('POST', path, { body, headers })).body.id as string
  const steps = [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }]
  const campaign = { name: 'Unread', sequences: [{ steps }] }
  const webhook = { name: 'Unread', target_hook_url: `${address}/hook`, event_type: 'all_events' }
  const server = { host: '127.0.0.1', username: 'eva', password: 'secret', security: 'none' }
  const mailbox = { address: 'eva@example.com', smtp: server, imap: server }
  const twice = async (path: string, body: object) =>
    [await create(path, body), await create(path, body)] as const
  return {
    campaigns: await twice('/app/api/v2/campaigns', campaign),
    webhooks: await twice('/app/api/v2/webhooks', webhook),
    mailbox: (await addMailbox(api.ctx, workspaceId, mailbox, operator)).id,
  }
}
