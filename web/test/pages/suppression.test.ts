import { expect } from 'vitest'
import { expectFailures } from '../browser.ts'
import { test } from './fixture.ts'

const path = '/w/default/settings/suppression'

test('a list is imported with a report, the wrong one stopped, searched, and an unsubscribe lifted by who types whose', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, path)
  await page.getByText('Nobody is suppressed').waitFor()
  await page.getByRole('button', { name: 'Block somebody' }).first().click()
  expectFailures(page, 'POST /app/suppressions 400')
  await page.getByRole('textbox', { name: 'Address or domain' }).fill('not an address')
  await page.keyboard.press('Enter')
  await page.getByText('Give an e-mail address or a domain').waitFor()
  await page.getByRole('textbox', { name: 'Address or domain' }).fill('Competitor.Example')
  await page.keyboard.press('Enter')
  await page.getByRole('rowheader', { name: 'competitor.example' }).waitFor()

  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const list = ['gone@example.com,unsubscribed', 'bounced@example.com,bounced', 'nonsense here']
  await page.getByRole('textbox', { name: 'Or paste lines' }).fill(list.join('\n'))
  await page.getByRole('button', { name: 'Import list' }).click()
  await page.getByText('2 entries are added.').waitFor()
  await page.getByText('left out: line 3').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('3 in all').waitFor()

  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const lines = Array.from(
    { length: 5 },
    (_, n) => `${n}@wrong.example,,${' '.repeat(1024 * 1024)}`,
  )
  const wrong = {
    name: 'customers.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(lines.join('\n')),
  }
  await page.locator('input[type=file]').setInputFiles(wrong)
  const answer = Promise.withResolvers<void>()
  let sent = 0
  await page.route('**/app/suppressions/import?*', async (route) => {
    sent += 1
    await answer.promise
    await route.fulfill({ json: { added: 1, known: 0, invalid: 0, invalid_lines: [] } })
  })
  const first = page.waitForRequest('**/app/suppressions/import?*')
  await page.getByRole('button', { name: 'Import list' }).click()
  await first
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Stop' }).click()
  answer.resolve()
  await page.getByText('You stopped it').waitFor()
  expect(sent).toBe(1)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.unrouteAll()

  await page.getByRole('searchbox').fill('gone@')
  await page.getByRole('rowheader', { name: 'competitor.example' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Lift gone@example.com' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('They asked not to be written to.').waitFor()
  const lift = dialog.getByRole('button', { name: 'Lift entry' })
  expect(await lift.isDisabled()).toBe(true)
  await dialog.getByRole('textbox', { name: 'Type gone@example.com' }).fill('gone@example.com')
  await lift.click()
  await page.getByText('Nothing like that').waitFor()
  await page.getByRole('button', { name: 'Reset filters' }).click()
  await page.getByRole('rowheader', { name: 'bounced@example.com' }).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('suppressions.csv')
})

/** How many lines each node takes of the element that shows an address. */
const linesOf = (value: string) =>
  `[...document.querySelector('[title="${value}"]').childNodes].map((node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return new Set([...range.getClientRects()].map(({ top }) => top)).size
  })`

test('at 360 px an address is in one piece on each side of its @, or cut with all of it in its title', async ({
  application,
  open,
}) => {
  const addresses = ['anastasia.featherstone@subsidiary.example', `${'long'.repeat(15)}@a.example`]
  for (const value of addresses) {
    const answer = await application.asOwner('POST', '/app/suppressions', { value })
    expect(answer.body).toMatchObject({ value })
  }
  const page = await open(application.visitor, path)
  await page.setViewportSize({ width: 360, height: 740 })
  for (const value of addresses) {
    await page.getByTitle(value).waitFor()
    // The two sides, and the place between them where it may break.
    expect(await page.evaluate(linesOf(value))).toEqual([1, 0, 1])
  }
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
})

test('who lifts an entry is told what else keeps everybody from writing, and waits for the answer', async ({
  application,
  open,
}) => {
  for (const value of ['twice.example', 'ann@twice.example']) {
    await application.asOwner('POST', '/app/suppressions', { value })
  }
  const page = await open(application.visitor, path)
  const answer = Promise.withResolvers<void>()
  await page.route('**/app/suppressions/undo', async (route) => {
    await answer.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Lift ann@twice.example' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('go on where they were').click()
  const asked = page.waitForRequest('**/app/suppressions/undo')
  await dialog.getByRole('button', { name: 'Lift entry' }).click()
  expect((await asked).postDataJSON()).toMatchObject({ since: expect.stringMatching(/^20/) })
  await page.keyboard.press('Escape')
  expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
  answer.resolve()
  await page.getByText('the domain of ann@twice.example is suppressed as well').waitFor()
  expect(await page.getByText('can be written to again').count()).toBe(0)

  await page.getByRole('button', { name: 'Lift twice.example' }).click()
  await dialog.getByText('go on where they were').click()
  await dialog.getByRole('button', { name: 'Lift entry' }).click()
  await page.getByText('twice.example can be written to again; 0 leads').waitFor()

  // What has to be activated first is a click away.
  const { body: winter } = await application.asOwner('POST', '/app/api/v2/campaigns', {
    name: 'Winter',
  })
  const undone = {
    ...{ address: 'carl@rest.example', still_suppressed_by: null, leads: [] },
    resting_campaigns: [
      { id: '01a1771d-c62f-7286-ba4e-9042e3007000', name: 'Autumn', status: 'completed' },
      { id: winter.id, name: 'Winter', status: 'completed' },
    ],
  }
  await page.unrouteAll()
  await page.route('**/app/suppressions/undo', (route) => route.fulfill({ json: undone }))
  await application.asOwner('POST', '/app/suppressions', { value: undone.address })
  await page.getByRole('button', { name: `Lift ${undone.address}` }).click()
  await dialog.getByText('go on where they were').click()
  await dialog.getByRole('button', { name: 'Lift entry' }).click()
  await page.getByText('until you activate them: Autumn, Winter').waitFor()
  // However many notices stay until they are closed, the next one is told at once.
  const lift = page.getByRole('button', { name: `Lift ${undone.address}` })
  const resting = page.getByText('until you activate them: Autumn, Winter')
  for (let told = 2; told <= 6; told++) {
    await lift.click()
    await dialog.getByText('go on where they were').click()
    await dialog.getByRole('button', { name: 'Lift entry' }).click()
    await expect.poll(() => resting.count()).toBe(told)
  }
  await page.getByRole('link', { name: 'Winter' }).last().click()
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/w/default/campaigns/${winter.id}`)
})

test('an erased person is in the list without a name, and cannot be lifted', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, path)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const entry = `sha256:${'ab'.repeat(32)},address,unsubscribed`
  await page.getByRole('textbox', { name: 'Or paste lines' }).fill(entry)
  await page.getByRole('button', { name: 'Import list' }).click()
  await page.getByText('1 entry is added.').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: 'Erased person' })
  await row.waitFor()
  expect(await row.getByRole('button').count()).toBe(0)
})
