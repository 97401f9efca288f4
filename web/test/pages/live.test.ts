import { expect } from 'vitest'
import { test } from './fixture.ts'

const path = '/w/default/settings/keys'
const newKey = (name: string) => ({ name, scopes: ['campaigns:read'] })

test('eight tabs load, and each shows what somebody else has changed', async ({
  application,
  open,
}) => {
  const first = await open(application.visitor, path)
  const others = Array.from({ length: 7 }, () => first.context().newPage())
  const tabs = [first, ...(await Promise.all(others))]
  for (const tab of tabs.slice(1)) await tab.goto(`${application.address}${path}`)
  for (const tab of tabs) await tab.getByText('No keys yet').waitFor()
  await application.asOwner('POST', '/app/oauth/service-accounts', newKey('From elsewhere'))
  for (const tab of tabs) {
    // The tab in front is the one that reads at once.
    await tab.bringToFront()
    await tab.getByRole('rowheader', { name: 'From elsewhere' }).waitFor()
  }
})

test('without a worker that tabs can share, a page reads everything again every half minute', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, '/w/default/settings/workspace')
  await page.addInitScript('delete globalThis.SharedWorker')
  await page.clock.install()
  await page.goto(`${application.address}${path}`)
  await page.getByRole('rowheader', { name: 'From elsewhere' }).waitFor()
  await application.asOwner('POST', '/app/oauth/service-accounts', newKey('Polled'))
  expect(await page.getByRole('rowheader', { name: 'Polled' }).count()).toBe(0)
  await page.clock.fastForward(30_000)
  await page.getByRole('rowheader', { name: 'Polled' }).waitFor()
})
