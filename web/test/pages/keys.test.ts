import { expect } from 'vitest'
import { createPerson, join } from '../../../server/test/people.ts'
import { expectFailures } from '../browser.ts'
import { refusal } from '../refusal.ts'
import { test } from './fixture.ts'

const path = '/w/default/settings/keys'
const keys = '**/app/oauth/service-accounts**'

test('keys that cannot be read are tried again; a new key is asked for once, whatever is refused or lost on the way, is waited for, and stays until somebody says that they have it', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, path)
  await page.getByText('No keys yet').waitFor()
  expectFailures(page, 'GET /app/oauth/service-accounts 429')
  await page.route(keys, (route) => route.fulfill(refusal(429, 'Too many requests; wait 3 s.')))
  await page.reload()
  await page.getByRole('alert').getByText('Too many requests; wait 3 s.').waitFor()
  await page.unroute(keys)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No keys yet').waitFor()

  await page.getByRole('button', { name: 'New key' }).first().click()
  const name = page.getByRole('textbox', { name: 'Name' })
  const create = page.getByRole('button', { name: 'Create key' })
  // What the server refuses is said at the field that it names.
  expectFailures(page, 'POST /app/oauth/service-accounts 400')
  await name.fill('tab\u0007')
  await create.click()
  await page.getByText(/control character/).waitFor()
  expect(await page.locator('input:focus').inputValue()).toBe('tab\u0007')

  // A lost answer is asked for again under the same Idempotency-Key.
  expectFailures(page, 'POST /app/oauth/service-accounts lost')
  const asked: (string | undefined)[] = []
  await page.route(keys, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    asked.push(route.request().headers()['idempotency-key'])
    if (asked.length > 1) return route.fallback()
    // It reaches the server, and its answer never comes back.
    await route.fetch()
    await route.abort()
  })
  await name.fill('Lost once')
  await create.click()
  await page.getByRole('dialog').getByText('Nothing you typed is lost').waitFor()
  await create.click()
  await page.getByText('the answer with it got lost').waitFor()
  expect(asked[0]).toBeDefined()
  expect(asked[1]).toBe(asked[0])
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('rowheader', { name: 'Lost once' }).waitFor()
  expect(await page.getByRole('rowheader', { name: 'Lost once' }).count()).toBe(1)
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'New key' }).first().click()
  await name.fill('Shown once')
  await page.mouse.click(5, 5)
  expect(await name.inputValue()).toBe('Shown once')
  // Left before its answer is there, it would be in force and known to nobody.
  const answer = Promise.withResolvers<void>()
  await page.route(keys, async (route) => {
    if (route.request().method() === 'POST') await answer.promise
    await route.fallback()
  })
  const held = page.waitForRequest((request) => request.method() === 'POST')
  await create.click()
  await held
  await name.fill('')
  await page.keyboard.press('Escape')
  expect(await page.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
  expect(await page.getByRole('dialog', { name: 'Leave without saving?' }).count()).toBe(0)
  answer.resolve()
  const secret = page.getByRole('textbox', { name: 'Shown once' })
  const key = await secret.inputValue()
  const leave = [
    () => page.mouse.click(5, 5),
    () => page.keyboard.press('Escape'),
    () => page.getByRole('dialog').getByRole('button', { name: 'Close' }).click(),
    () => page.goBack(),
  ]
  for (const tryTo of leave) await tryTo()
  await page.getByRole('alert').getByText('It is shown only now').waitFor()
  expect(await secret.inputValue()).toBe(key)
  await expect.poll(() => new URL(page.url()).search).toBe('?panel=new')
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('rowheader', { name: 'Shown once' }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  // A name is shown as it was written, whatever is in it.
  const names = [
    '<img src=x onerror=alert(1)>',
    '"><script>alert(1)</script>',
    '山田 太郎 {{name}}',
  ]
  for (const name of names) {
    const body = { name, scopes: ['campaigns:read'] }
    await application.asOwner('POST', '/app/oauth/service-accounts', body)
  }
  for (const name of names) await page.getByRole('rowheader', { name }).waitFor()
  await page.getByRole('button', { name: `Revoke ${names[0]}` }).click()
  await page.getByRole('dialog', { name: `Revoke “${names[0]}”?` }).waitFor()
})

test('a key has the name of who made it, also after they were removed, and says that they were', async ({
  application,
  open,
}) => {
  const { api } = application
  const person = await createPerson(api, { email: 'bob@example.com' })
  await person.browser.call('PATCH', '/app/profile', { body: { name: 'Bob Builder' } })
  await join(api, api.workspaceId, person, 'admin')
  const made = await person.browser.call('POST', '/app/oauth/service-accounts', {
    body: { name: 'sync', scopes: ['leads:read'] },
    headers: { 'x-workspace-id': api.workspaceId },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const page = await open(application.visitor, path)
  const row = page.getByRole('row', { name: 'sync' })
  await row.getByRole('cell', { name: 'Bob Builder', exact: true }).waitFor()
  await application.asOwner('DELETE', `/app/members/${person.id}`)
  await page.reload()
  await row.getByRole('cell', { name: 'Bob Builder, no longer a member' }).waitFor()
})
