import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { createKeyAsOperator } from '../../../server/src/features/keys/index.ts'
import { createWorkspace } from '../../../server/src/features/workspaces/index.ts'
import { buildTestApp } from '../../../server/test/app.ts'
import { createMember, createPerson, join } from '../../../server/test/people.ts'
import { enter, owner } from '../application.ts'
import {
  allowFailures,
  expectFailures,
  goTo,
  installClock,
  launchBrowserWithScrollbars,
} from '../browser.ts'
import { withProvider } from '../provider.ts'
import { signInAgain } from '../sign-in-again.ts'
import { test } from './fixture.ts'

const path = '/w/default/settings/keys'

test('whoever is not signed in signs in first, and gets where they wanted to', async ({ open }) => {
  const page = await open(undefined, `${path}?panel=new`)
  await page.getByLabel('E-mail address').fill(owner.email)
  await page.getByLabel('Password', { exact: true }).fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('dialog', { name: 'New key' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(path)
})

test('whoever signs in at a provider gets where they wanted to, and only then', async ({
  application,
  open,
}) => {
  const { api, address } = application
  const person = await createMember(api, 'elsewhere@team.example', 'admin')
  const page = await open(undefined, path)
  await page.getByLabel('E-mail address').waitFor()
  await withProvider(page)
  await page.route('**/app/session/oidc', (route) =>
    route.fulfill({ json: { url: `${address}/` } }),
  )
  const elsewhere = page.getByRole('button', { name: 'Sign in with Example' })
  // Before the page has asked who is signed in, it would find somebody.
  await elsewhere.waitFor()
  await enter(page.context(), address, person.browser)
  await elsewhere.click()
  await page.getByRole('heading', { name: 'OAuth service accounts' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(path)
  await page.goto(address)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})

test('what somebody wanted waits through a provider that fails and a new password, and is never a page of others', async ({
  application,
  open,
}) => {
  const { api, address } = application
  const person = await createMember(api, 'waits@team.example', 'admin')
  const page = await open(undefined, `${path}?panel=new`)
  await page.getByLabel('E-mail address').waitFor()
  await withProvider(page)
  await page.route('**/app/session/oidc', (route) =>
    route.fulfill({ json: { url: `${address}/sign-in?error=oidc-failed` } }),
  )
  await page.getByRole('button', { name: 'Sign in with Example' }).click()
  await page.getByRole('alert').waitFor()
  await page.reload()
  await page.getByRole('alert').waitFor()
  const { body } = await application.asOwner('POST', `/app/members/${person.id}/reset-link`)
  await page.goto(`${address}/reset${new URL(body.url).hash}`)
  await page.getByLabel('New password', { exact: true }).fill('another long password')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('dialog', { name: 'New key' }).waitFor()
  await page.goto(address)
  await page.getByRole('heading', { name: 'Home' }).waitFor()

  // Who signs in where another one's session had ended is not shown that there is nothing.
  allowFailures(page, / 401$/)
  await page.context().clearCookies()
  await page.goto(`${address}/w/not-theirs-either/settings/keys`)
  await page.getByLabel('E-mail address').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill('another long password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/w/default')
})

test('a session that ends is renewed in place, and nothing that was typed is lost', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, `${path}?panel=new`)
  await page.getByRole('textbox', { name: 'Name' }).fill('Half typed')
  await application.api.ctx.database.peek.deleteFrom('user_sessions').execute()
  // Whatever asks first finds out, and the dialog may be over the button already.
  await page.getByRole('button', { name: 'Create key' }).dispatchEvent('click')
  await signInAgain(page)
  expectFailures(page, / 401$/)
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Half typed')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).waitFor()
})

test('who signs in by a provider does so again in a tab beside the page, which goes on', async ({
  application: { api },
  open,
}) => {
  const person = await createMember(api, 'provider@team.example', 'admin')
  const page = await open(person.browser, `${path}?panel=new`)
  const openProvider = await withProvider(page)
  await page.getByRole('textbox', { name: 'Name' }).fill('Half typed')
  await api.ctx.database.peek.deleteFrom('user_sessions').where('user_id', '=', person.id).execute()
  await page.getByRole('button', { name: 'Create key' }).dispatchEvent('click')
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  const tab = await openProvider()
  await tab.getByLabel('E-mail address').fill(person.email)
  await tab.getByLabel('Password', { exact: true }).fill(owner.password)
  await tab.getByRole('button', { name: 'Sign in', exact: true }).click()
  await tab.getByText('This one').waitFor()
  await tab.close()
  await page.evaluate(`dispatchEvent(new Event('focus'))`)
  await dialog.waitFor({ state: 'detached' })
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Half typed')
  expectFailures(page, / 401$/)
})

test('who signs in again in one tab goes on in the other, and somebody else sees nothing of it', async ({
  application: { api, address },
  open,
}) => {
  const person = await createPerson(api, { email: 'tabs@team.example' })
  const other = await createPerson(api, { email: 'after@team.example' })
  for (const each of [person, other]) await join(api, api.workspaceId, each, 'owner')
  const first = await open(person.browser, `${path}?panel=new`)
  const second = await first.context().newPage()
  await second.goto(`${address}${path}?panel=new`)
  const name = (page: Page) => page.getByRole('textbox', { name: 'Name' })
  const endSession = async () => {
    for (const page of [first, second]) await name(page).fill('Half typed')
    await api.ctx.database.peek
      .deleteFrom('user_sessions')
      .where('user_id', '=', person.id)
      .execute()
    for (const page of [first, second]) {
      await page.getByRole('button', { name: 'Create key' }).dispatchEvent('click')
      await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    }
  }
  const comeBack = () => second.evaluate(`dispatchEvent(new Event('focus'))`)
  await endSession()
  await signInAgain(first)
  await comeBack()
  await second.getByRole('dialog', { name: 'Sign in again' }).waitFor({ state: 'detached' })
  expect(await name(second).inputValue()).toBe('Half typed')

  await endSession()
  await enter(first.context(), address, other.browser)
  await comeBack()
  await second.getByText(other.email).waitFor()
  expect(await name(second).inputValue()).toBe('')
  expectFailures(first, / 401$/)
  // Of two pages that are open the fixture looks at the first.
  await first.reload()
})

test('an address that leads nowhere says so, and leads to the start', async ({
  application,
  open,
}) => {
  const { api } = application
  const person = await createPerson(api, { email: 'lost@team.example' })
  await join(api, api.workspaceId, person, 'member')
  const page = await open(person.browser, '/settings/members')
  expectFailures(page, 'GET /settings/members 404')
  await page.getByRole('heading', { name: 'Nothing here' }).waitFor()
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})

test('of two workspaces each shows its own, and a stranger’s is nowhere', async ({
  application,
  open,
}) => {
  const { api } = application
  const person = await createPerson(api, { email: 'two@team.example' })
  const other = await createWorkspace(api.ctx, 'Northwind')
  await createWorkspace(api.ctx, 'Not theirs')
  await join(api, api.workspaceId, person, 'owner')
  await join(api, other.id, person, 'admin')
  const key = { name: 'Only in default', scopes: ['campaigns:read'] }
  await createKeyAsOperator(api.ctx, api.workspaceId, key)
  const page = await open(person.browser, path)
  await page.getByRole('rowheader', { name: 'Only in default' }).waitFor()
  await page.getByRole('button', { name: 'Workspace default' }).click()
  expect(await page.getByRole('menuitem').allTextContents()).not.toContain('Not theirs')
  await page.getByRole('menuitem', { name: 'Northwind' }).click()
  await page.getByRole('link', { name: 'OAuth service accounts' }).click()
  await page.getByText('No keys yet').waitFor()
  await page.goto(`${application.address}/w/not-theirs/settings/keys`)
  await page.getByText('Nothing here').waitFor()
})

test('keys go to pages, and ? lists them', async ({ application, open }) => {
  const person = await createMember(application.api, 'keys@team.example', 'owner')
  const page = await open(person.browser, '/w/default/nowhere')
  await page.getByText('Nothing here').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await page.getByRole('heading', { name: 'OAuth service accounts' }).waitFor()
  await expect.poll(() => page.title()).toBe('OAuth service accounts · Outrider')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
})

test('where scrollbars take room, nothing moves when a page is long or a dialog opens', async ({
  application,
}) => {
  const person = await createMember(application.api, 'bars@team.example', 'owner')
  await using browser = await launchBrowserWithScrollbars()
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  await enter(context, application.address, person.browser)
  const page = await context.newPage()
  await page.goto(`${application.address}/w/default/settings/suppression`)
  const block = page.getByRole('button', { name: 'Block somebody' }).first()
  await block.waitFor()
  const right = async () => (await block.boundingBox())?.x
  const short = await right()
  const isScrolled = () => page.evaluate('document.body.scrollHeight > innerHeight')
  expect(await isScrolled()).toBe(false)
  for (const height of ['auto', '3000px']) {
    await page.evaluate(`document.querySelector('main').style.minHeight = '${height}'`)
    expect(await right()).toBe(short)
    await block.click()
    await page.getByRole('dialog').waitFor()
    expect(await right()).toBe(short)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  expect(await isScrolled()).toBe(true)
})

test('at 360 px nothing is cut off, and the navigation opens and makes room for what was chosen', async ({
  application,
  open,
}) => {
  const person = await createMember(application.api, 'narrow@team.example', 'owner')
  const page = await open(person.browser, path)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('heading', { name: 'OAuth service accounts' }).waitFor()
  const width = await page.evaluate('document.documentElement.scrollWidth')
  expect(width).toBe(360)
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'OAuth service accounts' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // So it is by what is no link.
  for (const [menu, item, title] of [
    ['Your account', 'Your account', 'Your account'],
    // Also where it is open already.
    ['Your account', 'Your account', 'Your account'],
    ['Workspace default', 'default', 'Home'],
    ['Workspace default', 'default', 'Home'],
  ] as const) {
    await page.getByRole('button', { name: 'Open navigation' }).click()
    await page.getByRole('dialog').getByRole('button', { name: menu }).click()
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  // Escape gives the focus back, and so it is by Back.
  const opener = page.getByRole('button', { name: 'Open navigation' })
  await opener.click()
  await page.getByRole('dialog').locator(':focus').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await opener.and(page.locator(':focus')).waitFor()
  await opener.click()
  await page.getByRole('dialog').waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.goForward()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  // What a colleague does reads the session again, and is no reason to close it.
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Home' }).waitFor()
  const read = page.waitForResponse('**/app/session')
  await createMember(application.api, 'colleague@team.example', 'member')
  await (await read).finished()
  for (let frame = 0; frame < 3; frame++) await page.evaluate('new Promise(requestAnimationFrame)')
  await page.getByRole('dialog').getByRole('link', { name: 'Home' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a session that ends while a campaign is saved, or a file is on its way, loses neither', async ({
  application: { api },
  open,
}) => {
  const person = await createMember(api, 'ended@team.example', 'owner')
  const { peek } = api.ctx.database
  const endSession = () =>
    peek.deleteFrom('user_sessions').where('user_id', '=', person.id).execute()
  const { body: campaign } = await person.browser.call('POST', '/app/api/v2/campaigns', {
    ...{ body: { name: 'Autumn' }, headers: { 'x-workspace-id': api.workspaceId } },
  })
  const page = await open(person.browser, `/w/default/campaigns/${campaign.id}?tab=options`)
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.waitFor()
  await endSession()
  await name.fill('Written meanwhile')
  await signInAgain(page)
  await page.locator('[data-saving=saved]').waitFor()
  const saved = peek.selectFrom('campaigns').select('name').where('id', '=', campaign.id)
  expect(await saved.executeTakeFirst()).toEqual({ name: 'Written meanwhile' })

  await goTo(page, `/w/default/leads/import?campaign=${campaign.id}`)
  const ends = async (route: Route) => {
    await endSession()
    await route.fallback()
  }
  await page.route('**/parts/*', ends, { times: 1 })
  const buffer = Buffer.from('email\nlea@example.com\n')
  const file = { name: 'leads.csv', mimeType: 'text/csv', buffer }
  await page.locator('input[type=file]').setInputFiles(file)
  await signInAgain(page)
  // It goes on by itself.
  await page.getByText('lea@example.com').waitFor()
  expectFailures(page, / 401$/)
})

// The last of this file: the server that its application began with is gone afterwards.
test('a server that goes away is told, and when it is back what changed meanwhile is shown and nothing typed is lost', async ({
  application: { api, address },
  open,
}) => {
  const person = await createMember(api, 'gone@team.example', 'owner')
  const reader = await open(person.browser, path)
  await installClock(reader)
  await reader.reload()
  const writer = await open(person.browser, `${path}?panel=new`)
  const rowOf = (name: string) => reader.getByRole('rowheader', { name, exact: true })
  const create = (name: string) =>
    createKeyAsOperator(api.ctx, api.workspaceId, { name, scopes: ['campaigns:read'] })
  await create('Before')
  await rowOf('Before').waitFor()
  await writer.getByRole('textbox', { name: 'Name' }).fill('Typed meanwhile')

  await api.app.close()
  await create('Meanwhile')
  await writer.getByRole('button', { name: 'Create key' }).click()
  const notices = [reader, writer].map((page) => page.getByText('this page goes on by itself'))
  for (const notice of notices) await notice.waitFor()
  for (const page of [reader, writer]) expectFailures(page, / lost$/)
  // Steps within the application leave the page there, also once it asks who is signed in.
  await reader.clock.fastForward(6 * 60_000)
  await reader.getByRole('button', { name: 'New key' }).click()
  await reader.getByRole('dialog', { name: 'New key' }).waitFor()
  await reader.keyboard.press('Escape')
  await reader.getByRole('dialog').waitFor({ state: 'detached' })
  await rowOf('Before').waitFor()

  await using back = await buildTestApp(api.ctx)
  await back.listen({ host: '127.0.0.1', port: Number(new URL(address).port) })
  for (const notice of notices) await notice.waitFor({ state: 'detached' })
  await rowOf('Meanwhile').waitFor()
  expect(await writer.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Typed meanwhile')
  await writer.getByRole('button', { name: 'Create key' }).click()
  await writer.getByRole('button', { name: 'I have stored it' }).waitFor()
  // The stream is there again as well.
  await rowOf('Typed meanwhile').waitFor()

  // So it is when the session ends. A step does not wait for who is signed in, and the answer is told.
  for (const page of [reader, writer]) allowFailures(page, / 401$/)
  const asked = Promise.withResolvers<Route>()
  await reader.route('**/app/session', asked.resolve, { times: 1 })
  await reader.clock.fastForward(31_000)
  await reader.getByRole('button', { name: 'New key' }).click()
  await reader.getByRole('dialog', { name: 'New key' }).waitFor()
  await api.ctx.database.peek.deleteFrom('user_sessions').where('user_id', '=', person.id).execute()
  await (await asked.promise).fallback()
  await reader.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  await reader.locator('th', { hasText: 'Typed meanwhile' }).waitFor()
})
