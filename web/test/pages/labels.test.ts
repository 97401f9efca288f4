import { expect } from 'vitest'
import { patience } from '../../../server/test/patience.ts'
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

test('on a telephone what integrations know a label by stands in one line', async ({
  application,
  open,
}) => {
  await application.asOwner('POST', '/app/labels', { name: 'Uses a competitor' })
  const page = await open(application.visitor, path)
  await page.setViewportSize({ width: 360, height: 740 })
  const value = page.getByRole('rowheader').getByText('uses_a_competitor')
  await value.waitFor()
  expect((await value.boundingBox())?.height).toBeLessThan(25)
})

test('a label that two people change keeps what each of them changed', async ({
  application,
  open,
}) => {
  const { asOwner } = application
  const fields = { name: 'Shared', effect: 'none', sentiment: 'neutral' }
  const { id } = (await asOwner('POST', '/app/labels', fields)).body
  const page = await open(application.visitor, `${path}?panel=${id}`)
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.waitFor()
  // What somebody else changes is shown until something is typed, and not put back afterwards.
  await asOwner('PATCH', `/app/labels/${id}`, { effect: 'pause' })
  const paused = page.getByRole('radio', { name: 'The lead is paused' })
  await expect.poll(() => paused.isChecked(), patience).toBe(true)
  await name.fill('Shared by two')
  await asOwner('PATCH', `/app/labels/${id}`, { effect: 'stop' })
  await page.getByRole('button', { name: 'Save' }).click()
  await name.waitFor({ state: 'detached' })
  const { items } = (await asOwner('GET', '/app/labels')).body
  expect(items.find((label: { id: string }) => label.id === id)).toMatchObject({
    ...{ name: 'Shared by two', effect: 'stop', sentiment: 'neutral' },
  })
})

test('a button pressed twice does it once, and a late answer neither closes what is open by then nor loses what was typed since', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, `${path}?panel=new`)
  const held: (() => void)[] = []
  await page.route(/\/app\/labels/, async (route) => {
    if (route.request().method() !== 'GET') await new Promise<void>((go) => held.push(go))
    await route.fallback()
  })
  const arrives = (count: number) => expect.poll(() => held.length).toBe(count)
  const leaving = page.getByRole('dialog', { name: 'Leave without saving?' })
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('Late')
  await page.keyboard.press('Enter')
  await arrives(1)
  await name.pressSequentially('r')
  held[0]?.()
  await leaving.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('row', { name: /^Late / }).waitFor()

  await page.getByRole('button', { name: 'Edit Late' }).click()
  await name.fill('Latest')
  await page.keyboard.press('Enter')
  await arrives(2)
  await page.goBack()
  await leaving.getByRole('button', { name: 'Leave' }).click()
  await name.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('button', { name: 'Invite' }).first().click()
  await page.getByRole('textbox', { name: 'E-mail' }).waitFor()
  const places: string[] = []
  page.on('framenavigated', (frame) => places.push(new URL(frame.url()).pathname))
  const answered = page.waitForResponse(/\/app\/labels\//)
  held[1]?.()
  await answered
  await page.goBack()
  await page.getByRole('link', { name: 'Labels' }).click()
  await page.getByRole('row', { name: /^Latest / }).waitFor()
  expect(places).toEqual(['/w/default/settings/members', path])

  await page.getByRole('button', { name: 'Archive Latest' }).evaluate(pressTwice)
  await arrives(3)
  held[2]?.()
  await page.getByRole('row', { name: /^Latest / }).waitFor({ state: 'detached' })
  expect(held).toHaveLength(3)
})

/** As two clicks that waited while the page was at work: promises are kept between them, timers are not. */
async function pressTwice(button: { click: () => void }) {
  button.click()
  for (let turn = 0; turn < 50; turn++) await undefined
  button.click()
}
