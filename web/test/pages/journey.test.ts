import { expect } from 'vitest'
import { setUpToken } from '../../../server/test/browser.ts'
import { owner, startApplication } from '../application.ts'
import { findBarriers, watch } from '../browser.ts'
import { test } from './fixture.ts'

test('from the printed link to a key that works, a verified webhook, and no key', async ({
  browser,
}) => {
  await using application = await startApplication({ isSetUp: false })
  const { address, api } = application
  const page = await browser.newPage()
  const faults = watch(page)

  // Whatever is opened first leads to the set-up page; without the token it says what to do.
  await page.goto(address)
  await page.getByText('The address lacks its token').waitFor()
  expect(await findBarriers(page)).toEqual([])

  await page.goto(`${address}/set-up#${await setUpToken(api)}`)
  await page.getByLabel('Your name').fill(owner.name)
  await page.getByLabel('E-mail address').fill(owner.email)
  await page.getByLabel('Password', { exact: true }).fill(owner.password)
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Create owner' }).click()

  // What there is to do first, and where.
  await page.getByRole('heading', { name: 'Get going' }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Create a key' }).click()
  await page.getByText('No keys yet').waitFor()
  await page.getByRole('button', { name: 'New key' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill('CRM sync')
  await page.getByRole('radio', { name: 'Everything', exact: true }).check()
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.getByRole('textbox', { name: 'CRM sync' }).inputValue()
  await page.getByRole('button', { name: 'I have stored it' }).click()

  const call = () =>
    fetch(`${address}/api/v2/campaigns`, { headers: { authorization: `Bearer ${key}` } })
  expect((await call()).status).toBe(200)

  // The first verified webhook, without a program to receive it.
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  await page.getByRole('button', { name: 'Use a try-out receiver' }).click()
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('button', { name: 'Send test' }).click()
  await page.getByText('Verified').waitFor()
  expect(await findBarriers(page)).toEqual([])

  await page.getByRole('link', { name: 'OAuth service accounts' }).click()
  await page.getByRole('button', { name: 'Revoke CRM sync' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('No keys yet').waitFor()
  expect((await call()).status).toBe(401)

  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByLabel('E-mail address').fill(owner.email)
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('The address or the password is not right.').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.getByLabel('Password', { exact: true }).fill(owner.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home' }).waitFor()

  // The link is void from now on.
  await page.goto(`${address}/set-up#anything`)
  await page.getByText('Outrider is set up').waitFor()
  expect(faults).toEqual([])
  await page.context().close()
})
