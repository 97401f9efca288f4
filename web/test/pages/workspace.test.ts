import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { setPlan } from '../../../server/src/features/workspaces/index.ts'
import { createMember, createPerson } from '../../../server/test/people.ts'
import { expectFailures } from '../browser.ts'
import { refusal } from '../refusal.ts'
import { test } from './fixture.ts'

test('a workspace is renamed and set, the switcher knows at once, and the field of a name that somebody else gave it', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, '/w/default/settings/workspace')
  await page.getByText(/^[\d.]+ [kMG]B, of all workspaces on it$/).waitFor()
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
  await application.asOwner('PATCH', '/app/workspace', { name: 'Renamed elsewhere' })
  const name = page.getByRole('textbox', { name: 'Name' })
  await expect.poll(() => name.inputValue()).toBe('Renamed elsewhere')
})

test('what is used stays in sight while it cannot be read again, and why stands above it', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, '/w/default/settings/workspace')
  const used = page.getByText('Mails of campaigns today')
  await used.waitFor()
  expectFailures(page, 'GET /app/usage 409')
  await page.route('**/app/usage', (route) => route.fulfill(refusal(409, 'Not now.')))
  await application.asOwner('PATCH', '/app/workspace', { name: 'Counted again' })
  const told = page.getByRole('alert').getByText('Not now.')
  await told.waitFor()
  expect(await used.count()).toBe(1)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await told.waitFor({ state: 'detached' })
  expect(await used.count()).toBe(1)
})

test('whoever runs the server sets the plan of a workspace, and no one else is offered it', async ({
  application,
  open,
}) => {
  const { api } = application
  const plan = () =>
    api.ctx.database.peek
      .selectFrom('workspaces')
      .select(['plan_webhooks', 'plan_rate', 'plan_leads_max', 'plan_monthly_credits'])
      .where('id', '=', api.workspaceId)
      .executeTakeFirstOrThrow()
  const before = await plan()
  const page = await open(application.visitor, '/w/default/settings/workspace')
  await page.getByRole('button', { name: 'Change plan' }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByRole('switch', { name: 'Webhooks' }).click()
  expectFailures(page, 'PATCH /app/workspaces/:id/plan 400')
  await drawer.getByRole('spinbutton', { name: 'Leads' }).fill('-1')
  await drawer.getByRole('spinbutton', { name: 'Credits each month' }).fill('250')
  await drawer.getByRole('button', { name: 'Save' }).click()
  // What the server refuses is said at its field, and nothing is set.
  await drawer.getByRole('spinbutton', { name: 'Leads' }).and(page.locator(':focus')).waitFor()
  expect(await plan()).toEqual(before)
  // What the browser cannot read is no empty field, which has no limit.
  const leads = drawer.getByRole('spinbutton', { name: 'Leads' })
  await leads.fill('')
  await leads.pressSequentially('5e')
  await drawer.getByRole('button', { name: 'Save' }).click()
  await leads.and(page.locator(':focus')).waitFor()
  expect(await drawer.count()).toBe(1)
  expect(await plan()).toEqual(before)
  await leads.fill('5000')
  // What is set elsewhere meanwhile is not put back.
  await setPlan(api.ctx, api.workspaceId, { rate: before.plan_rate + 7 })
  await drawer.getByRole('button', { name: 'Save' }).click()
  await drawer.waitFor({ state: 'detached' })
  expect(await plan()).toEqual({
    ...before,
    ...{ plan_webhooks: !before.plan_webhooks, plan_leads_max: 5000, plan_monthly_credits: 250 },
    plan_rate: before.plan_rate + 7,
  })
  await page.getByText('5,000', { exact: true }).waitFor()
  const admin = await createMember(api, 'other@team.example', 'admin')
  const theirs = await open(admin.browser, '/w/default/settings/workspace?panel=plan')
  await theirs.getByRole('heading', { name: 'Plan' }).waitFor()
  expect(await theirs.getByRole('button', { name: 'Change plan' }).count()).toBe(0)
  expect(await theirs.getByRole('dialog').count()).toBe(0)
  // Nor is anything asked for that would be refused, when Enter is pressed in a name that only admins change.
  const viewer = await createMember(api, 'looks@team.example', 'viewer')
  const seen = await open(viewer.browser, '/w/default/settings/workspace')
  await seen.getByRole('textbox', { name: 'Name' }).press('Enter')
  await seen.getByRole('heading', { name: 'Plan' }).waitFor()
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
  await page.getByText('What there is to do in “Northwind”.').waitFor()
})

test('whoever runs the server and is in no workspace makes one, and nobody else is offered it', async ({
  application: { api },
  open,
}) => {
  const person = await createPerson(api, { email: 'alone@team.example' })
  const page = await open(person.browser, '/')
  await page.getByRole('heading', { name: 'You are in no workspace' }).waitFor()
  expect(await page.getByRole('button', { name: 'New workspace …' }).count()).toBe(0)
  await api.ctx.database.peek
    .updateTable('users')
    .set({ is_operator: true })
    .where('email', '=', person.email)
    .execute()
  await page.reload()
  await page.getByRole('button', { name: 'New workspace …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Of my own')
  await dialog.getByRole('button', { name: 'Create workspace' }).click()
  await page.waitForURL('**/w/of-my-own')
  await page.getByRole('button', { name: 'Workspace Of my own' }).waitFor()
})

test('the audit log tells who did what, also who is gone and while it is open, and keeps what it is asked for in the address', async ({
  application,
  open,
}) => {
  const body = { name: 'By the owner', scopes: ['campaigns:read'] }
  await application.asOwner('POST', '/app/oauth/service-accounts', body)
  const { api } = application
  const gone = await createMember(api, 'gone@team.example', 'admin')
  const headers = { 'x-workspace-id': api.workspaceId }
  await gone.browser.call('POST', '/app/labels', { headers, body: { name: 'Theirs' } })
  await application.asOwner('DELETE', `/app/members/${gone.id}`)
  const page = await open(application.visitor, '/account')
  // Entries have their names without the members and keys of now, and who is gone can be asked for.
  await page.route(/\/app\/members/, () => new Promise(() => undefined))
  await page.goto(`${application.address}/w/default/settings/audit`)
  await page.getByRole('link', { name: 'Ann Example' }).first().waitFor()
  await page.getByRole('link', { name: 'Test' }).first().click()
  await page.waitForURL(new RegExp(`by=${gone.id}`))
  await page.unrouteAll()
  await page.reload()
  await page.getByRole('cell', { name: 'Label created' }).first().waitFor()
  expect(await page.getByRole('cell', { name: 'Key created' }).count()).toBe(0)
  const chosen = page.getByLabel('Who', { exact: true }).locator('option:checked')
  await expect.poll(() => chosen.textContent()).toBe('Test')
  await page.getByRole('button', { name: 'Reset filters' }).first().click()
  await page.getByRole('cell', { name: 'Key created' }).first().waitFor()
  await application.asOwner('POST', '/app/labels', { name: 'Made meanwhile' })
  await page.getByRole('cell', { name: 'Label created' }).first().waitFor()
  await page.getByLabel('What', { exact: true }).selectOption('Keys')
  await page.waitForURL(/about=key/)
  await page.reload()
  await page.getByRole('cell', { name: 'Key created' }).first().waitFor()
  expect(await page.getByRole('cell', { name: 'Workspace changed' }).count()).toBe(0)
  await page.getByLabel('Who', { exact: true }).selectOption('Ann Example')
  await page.waitForURL(/by=[\da-f-]{36}/)
  await page.getByRole('cell', { name: 'Key created' }).first().waitFor()
  const file = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download CSV' }).click()
  const text = await readFile(await (await file).path(), 'utf8')
  const lines = text.trim().split('\r\n').slice(1)
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(line).toMatch(/,user,Ann Example,.*,key\.created,/)
  const made = await application.asOwner('POST', '/app/api/v2/campaigns', { name: 'Audited' })
  await page.getByLabel('What', { exact: true }).selectOption('Campaigns')
  await page.getByRole('link', { name: made.body.id.slice(-12) }).click()
  await page.getByRole('heading', { name: 'Audited' }).waitFor()
  await page.goBack()
  await page.getByLabel('Who', { exact: true }).selectOption('Outrider')
  await page.getByText('Nothing of that kind').waitFor()
  // On a telephone the details are a line of their own.
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('button', { name: 'Reset filters' }).last().click()
  await page
    .getByRole('cell')
    .getByText(/By the owner|campaigns:read/)
    .first()
    .waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByLabel('What', { exact: true }).selectOption('Suppression')
  await page.getByText('Nothing of that kind').waitFor()
  await page.getByRole('button', { name: 'Reset filters' }).last().click()
  await page.getByRole('cell', { name: 'Key created' }).first().waitFor()
})
