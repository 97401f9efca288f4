import type { Page } from 'playwright-core'
import { owner } from '../../server/test/browser.ts'

/** In the dialog over the page, as whoever set the application up. */
export async function signInAgain(page: Page) {
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.getByLabel('Password', { exact: true }).fill(owner.password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
}
