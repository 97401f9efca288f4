import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { createWorkspace } from '../../../server/src/features/workspaces/index.ts'
import { patience } from '../../../server/test/patience.ts'
import { createPerson, join } from '../../../server/test/people.ts'
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

test('a tab that comes back to a workspace that another one looks at shows what has changed meanwhile', async ({
  application,
  open,
}) => {
  const { api } = application
  const person = await createPerson(api, { email: 'tabs@team.example' })
  const other = await createWorkspace(api.ctx, 'Northwind')
  for (const workspaceId of [api.workspaceId, other.id])
    await join(api, workspaceId, person, 'owner')
  const first = await open(person.browser, path)
  const second = await first.context().newPage()
  await second.goto(`${application.address}${path}`)
  for (const tab of [first, second]) {
    await tab.getByRole('rowheader', { name: 'From elsewhere' }).waitFor()
  }
  await second.getByRole('button', { name: 'Workspace default' }).click()
  await second.getByRole('menuitem', { name: 'Northwind' }).click()
  await second.getByRole('button', { name: 'Workspace Northwind' }).waitFor()
  await application.asOwner('POST', '/app/oauth/service-accounts', newKey('Meanwhile'))
  await second.goBack()
  await second.getByRole('rowheader', { name: 'Meanwhile' }).waitFor()
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
  // Who the reader is here, and where, is part of it.
  await application.asOwner('PATCH', '/app/workspace', { name: 'Renamed' })
  await page.clock.fastForward(30_000)
  await page.getByRole('button', { name: 'Workspace Renamed' }).waitFor()
})

/** Opens it and waits until it follows what changes. @returns waits until it was told of a topic so often */
async function openNoting(page: Page, url: string) {
  await page.addInitScript(`
    globalThis.told = []
    globalThis.SharedWorker = class extends SharedWorker {
      constructor(url, options) {
        super(url, options)
        this.port.addEventListener('message', ({ data }) => told.push(...(data.topics ?? [])))
      }
    }`)
  await page.goto(url)
  const isTold = (topic: string, times: number) =>
    expect
      .poll(() => page.evaluate(`told.filter((each) => each === '${topic}').length`), patience)
      .toBeGreaterThanOrEqual(times)
  await isTold('*', 1)
  return isTold
}

test('what is slow to answer is read to its end, and then once more for what was told meanwhile', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, '/w/default/settings/workspace')
  await page.clock.install()
  const isTold = await openNoting(page, `${application.address}${path}`)
  await application.asOwner('POST', '/app/oauth/service-accounts', newKey('Read before'))
  await page.getByRole('rowheader', { name: 'Read before' }).waitFor()
  const answers: (() => Promise<void>)[] = []
  let asked = 0
  await page.route('**/app/oauth/service-accounts*', async (route) => {
    asked += 1
    const response = await route.fetch()
    answers.push(() => route.fulfill({ response }))
  })
  await application.asOwner('POST', '/app/oauth/service-accounts', newKey('Slowly read'))
  await isTold('keys', 2)
  await page.clock.fastForward(2000)
  await expect.poll(() => answers.length, patience).toBe(1)
  await application.asOwner('POST', '/app/oauth/service-accounts', newKey('Told meanwhile'))
  await isTold('keys', 3)
  await page.clock.fastForward(10_000)
  expect(asked).toBe(1)
  await answers[0]?.()
  await page.getByRole('rowheader', { name: 'Slowly read' }).waitFor()
  await page.unroute('**/app/oauth/service-accounts*')
  await page.clock.fastForward(30_000)
  await page.getByRole('rowheader', { name: 'Told meanwhile' }).waitFor()
})

test('what stands in several topics is not broken off by a word of another one', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, '/account')
  const isTold = await openNoting(page, `${application.address}/w/default`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const answers: (() => Promise<void>)[] = []
  const broken: string[] = []
  page.on('requestfailed', (request) => broken.push(request.url()))
  await page.route('**/app/home*', async (route) => {
    const response = await route.fetch()
    answers.push(() => route.fulfill({ response }))
  })
  await application.asOwner('POST', '/app/oauth/service-accounts', newKey('Told first'))
  await expect.poll(() => answers.length, patience).toBe(1)
  // Who the reader is here is read with it: its answer is back once the topic is being read.
  const isRead = page.waitForResponse('**/app/session')
  await application.asOwner('PATCH', '/app/workspace', { name: 'Told second' })
  await isTold('workspace', 1)
  await isRead
  expect(broken).toEqual([])
  expect(answers).toHaveLength(1)
  await answers[0]?.()
  await expect.poll(() => answers.length, patience).toBe(2)
  await answers[1]?.()
})
