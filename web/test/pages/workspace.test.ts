import { expect } from 'vitest'
import { createTeam } from '../../../server/test/people.ts'
import { test } from './fixture.ts'

test('a workspace is renamed and set, and the switcher knows at once', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, '/w/default/settings/workspace')
  await page.getByText(/^[\d.]+ [kMG]B, of all workspaces$/).waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('Acme & Söhne')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Workspace Acme & Söhne' }).waitFor()
  const byReply = page.getByRole('switch', { name: 'Unsubscribe who asks for it in a reply' })
  const wasOn = await byReply.isChecked()
  const [saved] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'PATCH'),
    byReply.click(),
  ])
  expect(saved.status()).toBe(200)
  await page.reload()
  // Its picture is beside it: the field itself has no size.
  await byReply.waitFor({ state: 'attached' })
  expect(await byReply.isChecked()).toBe(!wasOn)
})

test('whoever runs the server makes another workspace, and is taken there', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, '/w/default/settings/workspace')
  await page.getByRole('button', { name: /^Workspace / }).click()
  await page.getByRole('menuitem', { name: 'New workspace' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Northwind')
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await page.getByRole('button', { name: 'Workspace Northwind' }).waitFor()
  await page.getByText('What there is to do in Northwind.').waitFor()
})

test('a viewer sees the settings and changes none', async ({ application, open }) => {
  const { viewer } = await createTeam(application.api, application.api.workspaceId)
  const page = await open(viewer.browser, '/w/default/settings/workspace')
  await page.getByRole('heading', { name: 'Plan' }).waitFor()
  const used = (name: string) =>
    page.getByRole('term').filter({ hasText: name }).locator('xpath=following-sibling::dd')
  expect(await used('Mails of campaigns today').textContent()).toBe('0 of 0')
  expect(await used('Webhook deliveries').textContent()).toBe('0 · 0 attempts failed')
  expect(await used('Size of the database').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
  const isOff = await page.getByRole('switch').isDisabled()
  expect(isOff).toBe(true)
})

test('the audit log tells who did what, and keeps what it is asked for in the address', async ({
  application,
  open,
}) => {
  const body = { name: 'By the owner', scopes: ['campaigns:read'] }
  await application.asOwner('POST', '/app/oauth/service-accounts', body)
  const page = await open(application.visitor, '/w/default/settings/audit')
  await page.getByRole('cell', { name: 'Key created' }).first().waitFor()
  await page.getByLabel('What', { exact: true }).selectOption('Keys')
  await page.waitForURL(/about=key/)
  await page.reload()
  await page.getByRole('cell', { name: 'Key created' }).first().waitFor()
  expect(await page.getByRole('cell', { name: 'Workspace set' }).count()).toBe(0)
  await page.getByLabel('What', { exact: true }).selectOption('Suppression')
  await page.getByText('Nothing of that kind').waitFor()
  await page.getByRole('button', { name: 'Reset filters' }).last().click()
  await page.getByRole('cell', { name: 'Key created' }).first().waitFor()
})
