import { expect } from 'vitest'
import { importer } from '../../../server/test/imports.ts'
import { createPerson, join } from '../../../server/test/people.ts'
import { test } from './fixture.ts'

const path = '/w/default/leads/import'
const hostile = '<img src=x onerror=alert(1)>'

test('a file becomes leads: columns, check, import, report, and what was imported before', async ({
  application,
  open,
}) => {
  const { api, asOwner } = application
  await asOwner('POST', '/app/api/v2/campaigns', { name: `Autumn ${hostile}` })
  const { run } = importer(api)
  const page = await open(application.visitor, path)
  await page.getByText('Nothing imported yet').waitFor()
  const rows = [
    `E-Mail;Vorname;Größe;${hostile}`,
    'jürgen@example.com;Jürgen;groß;1',
    `ann@example.com;${hostile};klein;2`,
    'no address;Bob;mittel;3',
  ].join('\r\n')
  await page.locator('input[type=file]').setInputFiles({
    ...{ name: `${hostile}.csv`, mimeType: 'text/csv', buffer: Buffer.from(rows, 'latin1') },
  })
  await page.getByRole('heading', { name: `${hostile}.csv` }).waitFor()
  await page.getByText('jürgen@example.com').waitFor()
  expect(await page.getByLabel('Encoding').inputValue()).toBe('windows-1252')
  expect(await page.getByLabel('What “E-Mail” becomes').inputValue()).toBe('email')
  expect(await page.getByLabel('What “Vorname” becomes').inputValue()).toBe('first_name')
  expect(await page.getByRole('button', { name: 'Check the file' }).isDisabled()).toBe(true)

  await page
    .getByRole('combobox', { name: 'Campaign' })
    .or(page.getByLabel('Campaign'))
    .first()
    .click()
  await page.getByRole('option', { name: `Autumn ${hostile}` }).click()
  await page.getByLabel(`What “${hostile}” becomes`).selectOption('skip')
  await page.getByLabel('Name of the variable for “Größe”').fill('size')
  await page.getByLabel('Name of the variable for “Größe”').blur()
  const update = page.getByLabel('Update them with what the file says')
  await update.click()
  await expect.poll(() => update.isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByText('Looking at every row').waitFor()
  await run()
  const result = page.getByRole('region', { name: 'Result of the check' })
  await result.getByText('Will be added').waitFor()
  await result.getByRole('cell', { name: 'no address' }).waitFor()
  await result.getByRole('cell', { name: 'without a valid address (E-Mail)' }).waitFor()

  await page.getByRole('button', { name: 'Import 2 leads' }).click()
  await page.getByText('Importing …').waitFor()
  // Another visit shows the same: nothing depends on the page.
  await page.reload()
  await page.getByText('Importing …').waitFor()
  await run()
  await page.getByText('Finished').waitFor()
  const report = page.getByRole('link', { name: 'Download all with their reasons' })
  const [download] = await Promise.all([page.waitForEvent('download'), report.click()])
  expect(download.suggestedFilename()).toBe('import-report.csv')
  await page.getByRole('link', { name: 'Show leads' }).click()
  await page.getByText('jürgen@example.com').waitFor()
  await page.goto(`${application.address}${path}`)
  await page.getByRole('table', { name: 'Imports' }).getByText('Finished').waitFor()
})

test('what cannot be imported says what to do, and a lost part is sent again', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, path)
  const choose = (name: string, buffer: Buffer) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer })
  await choose('leads.csv', Buffer.from('504b0304140006000800', 'hex'))
  await page.getByText('This is an Excel workbook.').waitFor()
  await page.getByRole('button', { name: 'Cancel import' }).click()
  await page.getByText('Cancelled').waitFor()

  await page.goto(`${application.address}${path}`)
  let lost = 0
  await page.route('**/parts/*', (route) => {
    lost += 1
    return lost === 1 ? route.abort() : route.fallback()
  })
  await choose('again.csv', Buffer.from('email\nzoe@example.com\n'))
  await page.getByText('zoe@example.com').waitFor()
  expect(lost).toBe(2)
})

test('a viewer imports nothing', async ({ application, open }) => {
  const { api } = application
  const viewer = await createPerson(api, { email: 'viewer@imports.example' })
  await join(api, api.workspaceId, viewer, 'viewer')
  const page = await open(viewer.browser, path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.locator('input[type=file]').count()).toBe(0)
})
