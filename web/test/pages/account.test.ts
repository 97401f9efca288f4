import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { createMember } from '../../../server/test/people.ts'
import { expectFailures, findBarriers, goTo } from '../browser.ts'
import { refusal } from '../refusal.ts'
import { test } from './fixture.ts'

const password = 'correct horse battery staple'

test('a second factor is set up by its code, its backup codes are waited for and stay until somebody has stored them, and it is asked for at the next sign-in', async ({
  application,
  open,
}) => {
  const person = await createMember(application.api, 'factor@team.example', 'member')
  const page = await open(person.browser, '/account')
  await page.getByRole('button', { name: 'Set up second factor' }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel('Your password', { exact: true }).fill(password)
  await drawer.getByRole('button', { name: 'Next' }).click()
  await drawer.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
  const typed = drawer.getByLabel('Or type this into the app')
  const groups = (await typed.inputValue()).split(' ')
  expect(groups.map(({ length }) => length)).toEqual(Array(13).fill(4))
  const field = 'document.querySelector("[role=dialog] textarea")'
  expect(await page.evaluate(`${field}.scrollHeight <= ${field}.clientHeight`)).toBe(true)
  const secret = groups.join('')
  expect(await findBarriers(page)).toEqual([])
  expectFailures(page, 'POST /app/profile/second-factor/confirm 401')
  await drawer.getByLabel('Code', { exact: true }).fill('000000')
  await drawer.getByRole('button', { name: 'Switch on' }).click()
  await drawer.getByRole('alert').waitFor()
  await drawer.getByLabel('Code', { exact: true }).fill(codeAt(secret, Date.now()))
  await escapeDuring(page, '**/second-factor/confirm', () =>
    drawer.getByRole('button', { name: 'Switch on' }).click(),
  )
  await drawer.getByRole('listitem').first().waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  expect(await findBarriers(page)).toEqual([])
  await drawer.getByRole('button', { name: 'I have stored them' }).click()
  await page.getByRole('button', { name: 'New backup codes' }).click()
  await drawer.getByLabel('Your password', { exact: true }).fill(password)
  await escapeDuring(page, '**/second-factor/backup-codes', () =>
    drawer.getByRole('button', { name: 'Show new codes' }).click(),
  )
  await drawer.getByRole('listitem').first().waitFor()
  const [backup = ''] = await drawer.getByRole('listitem').allTextContents()
  await drawer.getByRole('button', { name: 'I have stored them' }).click()
  await drawer.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail address').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Use a backup code' }).waitFor()
  // The sign-in has ended: the way back is the password.
  await application.api.ctx.database.peek
    .deleteFrom('user_verifications')
    .where('value', '=', person.id)
    .execute()
  expectFailures(page, 'POST /app/session/second-factor 401')
  await page.getByLabel('Code', { exact: true }).fill('000000')
  await page.keyboard.press('Enter')
  await page.getByText('This sign-in has ended. Begin again with your password.').waitFor()
  await page.getByRole('button', { name: 'Begin again with your password' }).click()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  // The code of this moment was used: a backup code opens, once.
  await page.getByRole('button', { name: 'Use a backup code' }).click()
  expect(await findBarriers(page)).toEqual([])
  await page.getByLabel('Backup code').fill(backup)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})

test('a link opens the setting up of a second factor, which Back and Escape close; where one is on it opens nothing', async ({
  application,
  open,
}) => {
  const { api } = application
  const person = await createMember(api, 'linked@team.example', 'member')
  const page = await open(person.browser, '/account?panel=second-factor')
  const drawer = page.getByRole('dialog')
  await drawer.getByLabel('Your password', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Set up second factor' }).click()
  await drawer.waitFor()
  expect(new URL(page.url()).search).toBe('?panel=second-factor')
  await page.goBack()
  await drawer.waitFor({ state: 'detached' })

  await api.ctx.database.peek
    .updateTable('users')
    .set({ two_factor_enabled: true })
    .where('id', '=', person.id)
    .execute()
  await page.goto(`${application.address}/account?panel=second-factor`)
  await page.getByRole('button', { name: 'New backup codes' }).waitFor()
  await expect.poll(() => new URL(page.url()).search).toBe('')
  expect(await drawer.count()).toBe(0)
})

/** Somebody presses Escape before the answer is there. */
async function escapeDuring(page: Page, url: string, ask: () => Promise<void>) {
  const answer = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await answer.promise
    await route.fallback()
  })
  const asked = page.waitForRequest(url)
  await ask()
  await asked
  await page.keyboard.press('Escape')
  answer.resolve()
}

/** RFC 6238: SHA-1, six digits, 30 s. */
function codeAt(secret: string, nowMs: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...secret].map((c) => alphabet.indexOf(c).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

test('a name is changed everywhere, dark is chosen and kept, and a new password ends the other sessions and keeps this one', async ({
  application,
  open,
}) => {
  const { browser } = await createMember(application.api, 'admin@team.example', 'admin')
  const page = await open(browser, '/account')
  await page.getByLabel('Your name').fill('<b>Zoë</b> 山田')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Your account' }).getByText('<b>Zoë</b> 山田').waitFor()

  // It is there before anything is painted.
  await page.getByText('Dark', { exact: true }).click()
  await page.reload({ waitUntil: 'commit' })
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  await page.getByText('This one').waitFor()

  // A link in the dark has the colour that is ours, and not that of Mantine.
  await goTo(page, '/w/default')
  await page.getByRole('link', { name: 'Connect a mailbox' }).waitFor()
  const color = 'getComputedStyle(document.querySelector("main ol a")).color'
  await expect.poll(() => page.evaluate(color)).toBe('rgb(169, 174, 252)')
  await goTo(page, '/account')

  await page.getByText('This one').waitFor()
  expectFailures(page, 'POST /app/profile/password 401')
  await page.getByLabel('Your password', { exact: true }).fill('wrong')
  // Eleven characters, as the server counts them, of which each is two for a script.
  await page.getByLabel('New password', { exact: true }).fill('😀'.repeat(11))
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Too short: use 12 characters').waitFor()
  await page.getByLabel('New password', { exact: true }).fill('😀'.repeat(12))
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('alert').getByText('The password is not right.').waitFor()
  await page.getByLabel('Your password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Your password is changed').waitFor()
  await page.reload()
  await page.getByText('This one').waitFor()

  // Whoever leaves a shared computer is told that they have not left.
  await page.route('**/app/session', (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill(refusal(503, 'The database is away.'))
      : route.fallback(),
  )
  expectFailures(page, 'DELETE /app/session 503')
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('alert').getByText('The database is away.').waitFor()
})
