import { expect } from 'vitest'
import { createKeyAsOperator } from '../../../server/src/features/keys/index.ts'
import { createWorkspace } from '../../../server/src/features/workspaces/index.ts'
import { createPerson, join } from '../../../server/test/people.ts'
import { owner } from '../application.ts'
import { test } from './fixture.ts'

const path = '/w/default/settings/keys'

test('whoever is not signed in signs in first, and gets where they wanted to', async ({ open }) => {
  const page = await open(undefined, `${path}?panel=new`)
  await page.getByLabel('E-mail address').fill(owner.email)
  await page.getByLabel('Password', { exact: true }).fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('dialog', { name: 'New service account' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(path)
})

test('a link to sign in leads to no other site', async ({ open }) => {
  const page = await open(undefined, '/sign-in?next=https://elsewhere.example/')
  await page.getByLabel('E-mail address').fill(owner.email)
  await page.getByLabel('Password', { exact: true }).fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
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
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.getByLabel('Password', { exact: true }).fill(owner.password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Half typed')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).waitFor()
})

test('a server that goes away is told, and when it is back the page goes on by itself', async ({
  application,
  open,
}) => {
  const person = await createPerson(application.api, { email: 'gone@team.example' })
  await join(application.api, application.api.workspaceId, person, 'owner')
  const page = await open(person.browser, path)
  await page.getByRole('heading', { name: 'OAuth service accounts' }).waitFor()
  await page.getByRole('button', { name: 'New key' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).waitFor()
  await page.context().setOffline(true)
  await page.getByRole('textbox', { name: 'Name' }).fill('Later')
  await page.getByRole('button', { name: 'Create key' }).click()
  const notice = page.getByText('this page goes on by itself')
  await notice.waitFor()
  await page.context().setOffline(false)
  await notice.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).waitFor()
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
  const person = await createPerson(application.api, { email: 'keys@team.example' })
  await join(application.api, application.api.workspaceId, person, 'owner')
  const page = await open(person.browser, '/w/default/nowhere')
  await page.getByText('Nothing here').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await page.getByRole('heading', { name: 'OAuth service accounts' }).waitFor()
  await expect.poll(() => page.title()).toBe('OAuth service accounts · Outrider')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
})

test('at 360 px nothing is cut off, and the navigation opens', async ({ application, open }) => {
  const person = await createPerson(application.api, { email: 'narrow@team.example' })
  await join(application.api, application.api.workspaceId, person, 'owner')
  const page = await open(person.browser, path)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('heading', { name: 'OAuth service accounts' }).waitFor()
  const width = await page.evaluate('document.documentElement.scrollWidth')
  expect(width).toBe(360)
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'OAuth service accounts' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})
