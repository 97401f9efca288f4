import type { Page } from 'playwright-core'

/**
 * As if the server had a provider of OpenID Connect, which is a page of its own.
 *
 * @returns what presses the button of it, and gives the tab that opens
 */
export async function withProvider(page: Page, url = page.url()) {
  await page.route('**/app/session', async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const response = await route.fetch()
    return route.fulfill({ response, json: { ...(await response.json()), oidc_name: 'Example' } })
  })
  await page.route('**/app/session/oidc', (route) =>
    route.fulfill({ json: { url: new URL('/sign-in?next=/account', page.url()).href } }),
  )
  // What stands behind # alone makes no page anew.
  await page.goto('about:blank')
  await page.goto(url)
  return async () => {
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Sign in with Example' }).click()
    const tab = await opened
    await tab.waitForURL('**/sign-in?next=/account')
    return tab
  }
}
