import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { expectFailures } from '../browser.ts'
import { test } from './fixture.ts'

const path = '/w/default/settings/keys'
const keys = '**/app/oauth/service-accounts**'

/** Answers some methods otherwise than the server. */
const answer = (page: Page, by: Record<string, (route: Route) => Promise<void>>) =>
  page.route(keys, (route) =>
    (by[route.request().method().toLowerCase()] ?? (() => route.fallback()))(route),
  )

test('while it loads, keeps the place of what is coming', async ({ application, open }) => {
  const page = await open(application.visitor, path)
  await page.getByText('No keys yet').waitFor()
  await answer(page, { get: () => new Promise(() => undefined) })
  await page.reload()
  await page.getByRole('status').waitFor()
})

test('when it cannot be read, says why and tries again', async ({ application, open }) => {
  const page = await open(application.visitor, path)
  await page.getByText('No keys yet').waitFor()
  expectFailures(page, 'GET /app/oauth/service-accounts 429')
  await answer(page, {
    get: (route) =>
      route.fulfill({
        status: 429,
        json: {
          ...{ statusCode: 429, error: 'Too Many Requests', code: 'rate_limited' },
          ...{ message: 'Too many requests; wait 3 s.', request_id: 'req-1' },
        },
      }),
  })
  await page.reload()
  await page.getByRole('alert').getByText('Too many requests; wait 3 s.').waitFor()
  await page.unroute(keys)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No keys yet').waitFor()
})

test('a name is shown as it was written, whatever is in it', async ({ application, open }) => {
  const names = [
    '<img src=x onerror=alert(1)>',
    '"><script>alert(1)</script>',
    '山田 太郎 {{name}}',
  ]
  for (const name of names) {
    const body = { name, scopes: ['campaigns:read'] }
    await application.asOwner('POST', '/app/oauth/service-accounts', body)
  }
  const page = await open(application.visitor, path)
  for (const name of names) await page.getByRole('rowheader', { name }).waitFor()
  await page.getByRole('button', { name: `Revoke ${names[0]}` }).click()
  await page.getByRole('dialog', { name: `Revoke “${names[0]}”?` }).waitFor()
})

test('a lost answer is asked for again under the same Idempotency-Key', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, `${path}?panel=new`)
  expectFailures(page, 'POST /app/oauth/service-accounts lost')
  const asked: (string | undefined)[] = []
  await answer(page, {
    post: async (route) => {
      asked.push(route.request().headers()['idempotency-key'])
      if (asked.length > 1) return route.fallback()
      // It reaches the server, and its answer never comes back.
      await route.fetch()
      await route.abort()
    },
  })
  await page.getByRole('textbox', { name: 'Name' }).fill('Lost once')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog').getByText('Nothing you typed is lost').waitFor()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('the answer with it got lost').waitFor()
  expect(asked[0]).toBeDefined()
  expect(asked[1]).toBe(asked[0])
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('rowheader', { name: 'Lost once' }).waitFor()
  expect(await page.getByRole('rowheader', { name: 'Lost once' }).count()).toBe(1)
})

test('a new key stays until somebody says that they have it', async ({ application, open }) => {
  const page = await open(application.visitor, path)
  await page.getByRole('button', { name: 'New key' }).first().click()
  const form = page.getByRole('textbox', { name: 'Name' })
  await form.fill('Shown once')
  await page.mouse.click(5, 5)
  expect(await form.inputValue()).toBe('Shown once')
  await page.getByRole('button', { name: 'Create key' }).click()
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
})

test('what the server refuses is said at the field that it names', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, `${path}?panel=new`)
  expectFailures(page, 'POST /app/oauth/service-accounts 400')
  await page.getByRole('textbox', { name: 'Name' }).fill('tab\u0007')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText(/control character/).waitFor()
  const focused = page.locator('input:focus')
  expect(await focused.inputValue()).toBe('tab\u0007')
})

test('a key is made and revoked without a mouse', async ({ application, open }) => {
  const page = await open(application.visitor, path)
  await page.getByRole('heading', { name: 'OAuth service accounts' }).waitFor()
  await page.keyboard.press('Control+K')
  await page
    .getByRole('textbox', { name: 'Find a record, go to a page or do something' })
    .fill('new key')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Name' }).waitFor()
  await page.keyboard.type('By keyboard')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'I have stored it' }).focus()
  await page.keyboard.press('Enter')
  const revoke = page.getByRole('button', { name: 'Revoke By keyboard' })
  await revoke.focus()
  await page.keyboard.press('Enter')
  // The dialog begins at "Cancel": Enter alone revokes nothing.
  await page.locator('button:focus', { hasText: 'Cancel' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await revoke.waitFor({ state: 'detached' })
})
