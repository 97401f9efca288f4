import { expect } from 'vitest'
import { createPerson, join } from '../../../server/test/people.ts'
import { expectFailures } from '../browser.ts'
import { test } from './fixture.ts'

const path = '/w/default/settings/labels'

test('a label is made, changed, archived and brought back, by keyboard too', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, path)
  await page.getByText('No labels yet').waitFor()
  await page.getByRole('button', { name: 'New label' }).first().click()
  expectFailures(page, 'POST /app/labels 400')
  await page.getByRole('textbox', { name: 'Name' }).fill('Interested')
  await page.keyboard.press('Enter')
  await page.getByText('Name must not be that of a built-in status').waitFor()
  const name = '<b>Call</b> back {{name}}'
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('radio', { name: 'The lead is paused' }).check()
  await page.keyboard.press('Enter')
  const row = page.getByRole('row', { name })
  await row.getByText('The lead is paused').waitFor()

  await page.getByRole('button', { name: `Edit ${name}` }).click()
  await page.getByRole('radio', { name: 'The lead is stopped' }).check()
  await page.getByText('Negative').click()
  await page.getByRole('button', { name: 'Save' }).click()
  await row.getByText('The lead is stopped').waitFor()

  await page.getByRole('button', { name: `Archive ${name}` }).click()
  await row.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.getByText('The lead is stopped').waitFor()
})

test('a viewer sees labels, and nothing to press', async ({ application, open }) => {
  const viewer = await createPerson(application.api, { email: 'viewer@team.example' })
  await join(application.api, application.api.workspaceId, viewer, 'viewer')
  const page = await open(viewer.browser, `${path}?panel=new`)
  await page.getByRole('row', { name: /Call/ }).waitFor()
  expect(await page.getByRole('button', { name: /New|Edit|Archive/ }).count()).toBe(0)
})
