import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { operator } from '../../../server/src/features/audit/index.ts'
import { addMailbox } from '../../../server/src/features/mailboxes/index.ts'
import { createWorkspace } from '../../../server/src/features/workspaces/index.ts'
import type { Browser as Visitor } from '../../../server/test/browser.ts'
import { createMember } from '../../../server/test/people.ts'
import { alternate } from '../alternate.ts'
import type { Application } from '../application.ts'
import { expectFailures, findBarriers, goTo, schemes } from '../browser.ts'
import {
  dataRequests,
  emptyTexts,
  fillApplication,
  movingMessage,
  refuseAsMoving,
  type Screen,
  waitUntilShown,
} from '../screens.ts'
import { test } from './fixture.ts'

const wide = { width: 1280, height: 800 }
const narrow = { width: 360, height: 740 }

/** Of the page and of what is open over it, by how much they are wider than what shows them. */
const overflow = `[document.documentElement, ...document.querySelectorAll('[role=dialog]')]
  .reduce((sum, { scrollWidth, clientWidth }) => sum + scrollWidth - clientWidth, 0)`

/** Buttons with a text that are less than 40 px high, but for those in rows that are no higher. */
const lowButtons = `[...document.querySelectorAll('.mantine-Button-root:not([role=gridcell] *)')]
  .filter((button) => button.offsetHeight > 0 && button.offsetHeight < 40)
  .map((button) => button.textContent).join()`

/** What is wrong with how the page shows what it has now. */
async function findFaults(
  page: Page,
  name: string,
  { skipsBarriers = false } = {},
): Promise<string[]> {
  // Navigation and header are on every page; other tests check them.
  const found = skipsBarriers
    ? []
    : await findBarriers(page, { within: 'main, [data-portal]', schemes: alternate(name, schemes) })
  await page.setViewportSize(narrow)
  try {
    // The page takes its narrow form a moment after the window.
    await expect.poll(() => page.evaluate(overflow), { timeout: 5000 }).toBe(0)
  } catch {
    found.push(`${await page.evaluate(overflow)} px too wide at 360 px`)
  }
  const low = await page.evaluate(lowButtons)
  if (low !== '') found.push(`too low for a finger: ${low}`)
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

let filled: Promise<Screen[]> | undefined

/** Once, by whichever test comes first. */
function fill(application: Application): Promise<Screen[]> {
  filled ??= fillApplication(application).then(async (screens) => {
    await writeMarkup(application)
    return screens
  })
  return filled
}

test('every screen opens without an error, is accessible and fits a telephone', async ({
  application,
  open,
}) => {
  const screens = await fill(application)
  const faults: string[] = []
  for (const isPublic of [false, true]) {
    const page = await open(isPublic ? undefined : application.visitor, '/')
    await page.locator('h1').first().waitFor()
    for (const { name, path, act, ...screen } of screens) {
      if ((screen.isPublic ?? false) !== isPublic) continue
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

interface ViewerCheck {
  screen: string
  /** What is opened there first. */
  act?: (page: Page) => Promise<unknown>
  /** What is there to be read, or cannot be changed. */
  visible: (page: Page) => Locator[]
  /** What others press there. */
  absent?: (page: Page) => Locator[]
  /** What stands there and takes nothing. */
  disabled?: (page: Page) => Locator[]
}

const viewerChecks: ViewerCheck[] = [
  {
    screen: 'campaigns',
    visible: (page) => [page.getByRole('table', { name: 'Campaigns' })],
    absent: (page) => [button(page, 'New campaign')],
  },
  {
    screen: 'campaign-steps',
    // Where a line of the source ends is no reason to show the source.
    visible: (page) => [page.locator('.variable', { hasText: 'first_name' }).first()],
    absent: (page) => [button(page, /Launch|Add step|Add variant/)],
    disabled: (page) => [page.getByRole('textbox', { name: 'Subject' })],
  },
  {
    screen: 'campaign-schedule',
    visible: (page) => [named(page, 'The next seven days')],
    disabled: (page) => [button(page, 'Mon').first()],
  },
  {
    screen: 'contacts',
    visible: (page) => [page.getByRole('row').nth(1)],
    absent: (page) => [button(page, /Reveal|Show address/)],
  },
  {
    screen: 'import',
    visible: (page) => [page.getByRole('heading', { level: 1 })],
    absent: (page) => [page.locator('input[type=file]')],
  },
  {
    screen: 'inbox',
    act: (page) => button(page, /Jonas/).click(),
    visible: (page) => [
      ...[named(page, 'You may read here'), named(page, 'Probably belongs here')],
      named(page, /Waits for the first mail|Gets more mails/),
    ],
    absent: (page) => [
      ...inboxActs.map((name) =>
        page.getByRole('article').getByRole('button', { name, exact: true }),
      ),
      page.getByRole('combobox'),
    ],
  },
  {
    screen: 'labels-new',
    visible: (page) => [page.getByRole('row').nth(1)],
    absent: (page) => [button(page, /New|Edit|Archive/)],
  },
  {
    screen: 'lead',
    visible: (page) => [page.getByRole('dialog').getByText('History')],
    absent: (page) => [
      button(page, /Pause|Set status|Erase person …|Import leads/),
      page.getByRole('checkbox'),
    ],
  },
  {
    screen: 'mailboxes',
    visible: (page) => [named(page, markup)],
    absent: (page) => [page.getByRole('link', { name: 'Connect mailbox' })],
  },
  {
    screen: 'mailbox-broken',
    visible: (page) => [named(page, markup)],
    absent: (page) => [button(page, /Pause|Test mailbox|Save|Remove mailbox/)],
    disabled: (page) => [page.getByLabel('Mails a day')],
  },
  {
    screen: 'members',
    visible: (page) => [page.getByRole('row', { name: 'bjorn@example.com' })],
    absent: (page) => [page.getByRole('combobox'), button(page, 'Invite somebody')],
  },
  {
    screen: 'suppression',
    visible: (page) => [page.getByRole('rowheader', { name: 'competitor.example' })],
    absent: (page) => [button(page, /Lift|Block|Import/)],
  },
  {
    screen: 'webhooks',
    visible: (page) => [page.getByRole('link', { name: markup }).first()],
    absent: (page) => [button(page, 'New webhook')],
  },
  {
    screen: 'webhook',
    visible: (page) => [page.getByRole('heading', { name: markup }).first()],
    absent: (page) => [button(page, /Pause|Send test|More actions/)],
  },
]

const inboxActs = ['Done', /^Snooze$/, 'Mark as unread', 'Unsubscribe', 'Read the mailboxes now']

test('a viewer sees every screen and no control that changes it', async ({ application, open }) => {
  const { api } = application
  const screens = await fill(application)
  const viewer = await createMember(api, 'viewer@team.example', 'viewer')
  const page = await open(viewer.browser, '/w/default')
  await page.locator('h1').first().waitFor()
  const offered: string[] = []
  for (const { screen, act, visible, absent, disabled } of viewerChecks) {
    const path = screens.find(({ name }) => name === screen)?.path
    if (!path) throw new Error(`There is no screen ${screen}.`)
    await goTo(page, path)
    // A panel in which something is made stays shut.
    if (!path.includes('panel=')) await waitUntilShown(page)
    await act?.(page)
    for (const each of visible(page)) await each.waitFor()
    for (const each of absent?.(page) ?? []) {
      if (await each.count()) offered.push(`${screen}: ${each}`)
    }
    for (const each of disabled?.(page) ?? []) {
      await each.waitFor()
      if (!(await each.isDisabled()) && (await each.getAttribute('readonly')) === null) {
        offered.push(`${screen}: ${each}`)
      }
    }
    if (screen !== 'inbox') continue
    // Nor do the letters of what is not offered do it.
    await page.keyboard.press('e')
    await button(page, /Jonas/).waitFor()
  }
  expect(offered).toEqual([])
})

/** Paths, and the requests that are answered there; all others load for ever, or are refused. */
const loadingCases = (ids: Awaited<ReturnType<typeof createRecords>>) => [
  ...emptyTexts.map(([path]) => ({ path, allowed: /never/ })),
  { path: '/contacts?view=credits', allowed: /balance$/ },
  ...['tab=analytics', 'tab=mails', 'tab=preview', 'panel=launch'].map((rest) => ({
    path: `/campaigns/${ids.campaigns[0]}?${rest}`,
    allowed: new RegExp(`${ids.campaigns[0]}$`),
  })),
  { path: `/campaigns/${ids.campaigns[1]}`, allowed: /never/ },
  { path: `/settings/webhooks/${ids.webhooks[0]}`, allowed: new RegExp(ids.webhooks[0]) },
  { path: `/settings/webhooks/${ids.webhooks[1]}`, allowed: /never/ },
  { path: `/settings/mailboxes/${ids.mailbox}`, allowed: /never/ },
]

test('every screen says when it is empty, loading, failing or not permitted', async ({
  application,
  open,
}) => {
  const { api } = application
  const faults: string[] = []
  const { id, handle } = await createWorkspace(api.ctx, 'Fresh')
  const person = await createMember(api, 'states@team.example', 'owner', id)
  const fresh = `/w/${handle}`
  const page = await open(person.browser, fresh)
  for (const [path, says] of emptyTexts) {
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
  const idlePages = { loading: await openIdlePage(), failing: await openIdlePage() }
  for (const { path, allowed } of loadingCases(ids)) {
    for (const state of alternate(path, ['loading', 'failing'])) {
      const idle = idlePages[state]
      await idle.unrouteAll()
      await idle.route(dataRequests, (route) => {
        if (allowed.test(new URL(route.request().url()).pathname)) return route.fallback()
        return state === 'failing' ? refuseAsMoving(route) : undefined
      })
      await goTo(idle, fresh + path)
      const main = idle.getByRole('main').or(idle.getByRole('dialog'))
      const sign =
        state === 'failing'
          ? main.getByRole('alert').filter({ hasText: movingMessage })
          : main.getByRole('status').or(main.locator('.mantine-Skeleton-root'))
      await sign.first().waitFor({ state: 'attached' })
      // Skeletons and refusals are the same parts everywhere.
      faults.push(...(await findFaults(idle, `${state} ${path}`, { skipsBarriers: path !== '' })))
    }
  }
  expectFailures(idlePages.failing, / 409$/)
  for (const path of ['/settings/keys', '/settings/audit', '/settings/mailboxes/connect']) {
    await goTo(refused, fresh + path)
    await refused.getByText('This page is for admins').waitFor()
    expect(await refused.getByRole('button', { name: 'New key' }).count()).toBe(0)
    expect(await refused.getByRole('link', { name: 'OAuth service accounts' }).count()).toBe(0)
    faults.push(...(await findFaults(refused, `refused ${path}`)))
  }
  expect(faults).toEqual([])

  /** A page of an application that has read nothing of this workspace yet, so that no cache answers. */
  async function openIdlePage() {
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
