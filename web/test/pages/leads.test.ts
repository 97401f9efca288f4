import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { runErasures } from '../../../server/src/features/erasure/index.ts'
import { runLeadJobs } from '../../../server/src/features/leads/index.ts'
import { setPlan } from '../../../server/src/features/workspaces/index.ts'
import type { Application } from '../application.ts'
import { expectFailures } from '../browser.ts'
import { refusal } from '../refusal.ts'
import { test } from './fixture.ts'

const path = '/w/default/leads'
const leads = '**/app/leads?**'

const hostile = '<img src=x onerror=alert(1)>{{7*7}}'

/** A campaign with leads, in the order in which they are given. */
async function addLeads(
  { asOwner }: Application,
  name: string,
  added: Record<string, unknown>[],
): Promise<string> {
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', { name })
  const answer = await asOwner('POST', '/app/api/v2/lead/add', {
    ...{ campaign_id: campaign.id, leads: added },
  })
  expect(answer.status).toBe(200)
  return campaign.id
}

test('without leads it says what they are; while it loads and when it fails, what to expect', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, path)
  await page.getByText('No leads yet').waitFor()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  expectFailures(page, 'GET /app/leads 503')
  await page.route(leads, async (route) => {
    await held
    await route.fulfill(refusal(503, 'The database does not answer; try again.'))
  })
  await page.reload()
  await page.getByRole('grid', { name: 'Leads' }).waitFor()
  await page.getByText('Loading').waitFor({ state: 'attached' })
  release()
  await page.getByText('The database does not answer; try again.').waitFor()
  await page.unroute(leads)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No leads yet').waitFor()
})

test('leads are found, opened, changed many at a time, and changed back', async ({
  application,
  open,
}) => {
  const autumn = await addLeads(application, `Autumn ${hostile}`, [
    { email: 'carla@example.net', first_name: 'Carla', company_name: 'Example Net' },
    { email: 'bob@example.org', first_name: 'Bob', last_name: 'Meier', company_name: hostile },
    {
      ...{ email: 'ann@example.com', first_name: hostile, last_name: '田中', job_title: hostile },
      ...{
        phone: hostile,
        website: hostile,
        custom_variables: { [hostile.slice(0, 60)]: hostile },
      },
    },
  ])
  await addLeads(application, 'Winter', [{ email: 'bob@example.org', first_name: 'Bob' }])
  const page = await open(application.visitor, path)
  const rows = page.locator('[data-index]')
  await page.getByText('4 leads', { exact: true }).waitFor()
  await expect.poll(() => rows.count()).toBe(4)

  // Found by a word of the name and one of the address.
  await page.getByRole('searchbox').fill('meier example')
  await expect.poll(() => rows.count()).toBe(1)
  expect(page.url()).toContain('q=meier')
  await page.getByRole('searchbox').fill('nobody like that')
  await page.getByText('No lead matches').waitFor()
  await page.getByRole('button', { name: 'Reset filters' }).first().click()
  await expect.poll(() => rows.count()).toBe(4)

  // Two are paused, one of them twice: the second time says why not.
  await page.getByLabel('Select bob@example.org').first().check()
  await page.getByLabel('Select carla@example.net').check()
  await page.getByRole('status').getByText('2 leads selected').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('2 leads paused.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone: 2 leads are as they were.').waitFor()
  await page.getByText('2 leads paused.').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Sending' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Paused' }).click()
  await page.keyboard.press('Escape')
  await page.getByText('No lead matches').waitFor()
  await page.getByRole('button', { name: 'Reset filters' }).first().click()

  // Everything that matches, but for one; those that were never written to go.
  await page.getByLabel('Select all').check()
  await page.getByRole('status').getByText('4 leads selected').waitFor()
  await page.getByLabel('Select carla@example.net').uncheck()
  await page.getByRole('button', { name: 'Set status' }).click()
  await page.getByRole('menuitem', { name: 'Completed' }).click()
  await page.getByText('Status of 3 leads set.').waitFor()
  await page.getByLabel('Select bob@example.org').first().check()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: '1 left as it is: see why' }).click()
  await page.getByText('only one that is still sent to can be paused').waitFor()
  await page.keyboard.press('Escape')

  // A label of the workspace's own is set, shown and looked for by its name.
  const ownLabel = { name: `Call back ${hostile}`, effect: 'none', sentiment: 'positive' }
  const created = await application.asOwner('POST', '/app/labels', ownLabel)
  expect(created.status).toBe(201)
  await page.getByLabel('Select carla@example.net').check()
  await page.getByRole('button', { name: 'Set status' }).click()
  await page.getByRole('menuitem', { name: ownLabel.name }).click()
  await rows.getByText(ownLabel.name, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Label', exact: true }).click()
  await page.getByRole('menuitemcheckbox', { name: ownLabel.name }).click()
  await expect.poll(() => rows.count()).toBe(1)
  // Leads keep one that is archived, by its name; nobody sets it any more.
  await application.asOwner('DELETE', `/app/labels/${created.body.id}`)
  await page.reload()
  await rows.getByText(ownLabel.name, { exact: true }).waitFor()
  await page.getByLabel('Select carla@example.net').check()
  await page.getByRole('button', { name: 'Set status' }).click()
  await page.getByRole('menuitem', { name: 'Not interested' }).waitFor()
  expect(await page.getByRole('menuitem', { name: ownLabel.name }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.getByLabel('Select carla@example.net').uncheck()
  await page.getByRole('button', { name: 'Reset filters' }).first().click()
  await expect.poll(() => rows.count()).toBe(4)

  // Her history has the label by its name, what was set, a pause as one, and what was done to her with Bob.
  const carla = { campaign_id: autumn, email: 'carla@example.net' }
  for (const new_status of ['paused', 'active', 'lost']) {
    const body = { ...carla, new_status }
    const answer = await application.asOwner('POST', '/app/api/v2/lead/update/status', body)
    expect([new_status, answer.status]).toEqual([new_status, 200])
  }
  await page.getByText('carla@example.net').click()
  const history = page.getByRole('dialog').locator('section').filter({ hasText: 'History' })
  await history.getByText(ownLabel.name, { exact: true }).first().waitFor()
  const told = () => history.textContent()
  await expect.poll(told).toContain('Status set Lost')
  // Where no person did it, the key is named.
  await application.api.call('POST', '/api/v2/lead/update/status', {
    ...{
      key: await application.api.createKey(['all:*']),
      body: { ...carla, new_status: 'closed' },
    },
  })
  await expect.poll(told).toContain('by test')
  expect(await told()).toContain('Paused')
  expect(await told()).toContain('Resumed')
  expect(await told()).toContain('Paused, in a change of 2 leads')
  expect(await told()).toContain('A change of 2 leads was undone')
  expect(await told()).not.toContain(created.body.id)
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  // By keyboard from row to row, and into one.
  await rows.first().focus()
  await page.keyboard.press('j')
  await page.locator('[data-index="1"]:focus').waitFor()
  await page.keyboard.press('k')
  await page.keyboard.press('Enter')
  const panel = page.getByRole('dialog')
  await panel.getByText('In 2 campaigns').waitFor()
  await panel.getByText('Completed').first().waitFor()
  await panel.getByLabel('Last name').fill('Meier-Huber')
  // What somebody else changes meanwhile is shown, and neither wipes what is typed nor is undone by it.
  const opened = new URL(page.url()).searchParams.get('lead')
  await application.asOwner('PATCH', `/app/leads/${opened}`, { company_name: 'Acme' })
  await expect.poll(() => panel.getByLabel('Company', { exact: true }).inputValue()).toBe('Acme')
  await panel.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: 'Bob Meier-Huber' }).waitFor()
  await panel.getByText('Updated').first().waitFor()
  await page.goBack()
  await panel.waitFor({ state: 'detached' })
})

test('Back and Forward lead through pages, panels and what was searched for, as they were', async ({
  application,
  open,
}) => {
  await addLeads(application, 'Wandering', [
    { email: 'ida@wandering.example', first_name: 'Ida' },
    { email: 'jon@wandering.example', first_name: 'Jon' },
  ])
  const page = await open(application.visitor, path)
  const rows = page.locator('[data-index]')
  const field = page.getByRole('searchbox')
  const panel = page.getByRole('dialog', { name: 'Ida' })
  const isFound = async () => {
    await expect.poll(() => rows.count()).toBe(1)
    expect(await field.inputValue()).toBe('ida wandering')
  }
  await field.fill('ida wandering')
  await isFound()
  await page.getByText('ida@wandering.example').click()
  await panel.waitFor()
  await page.goBack()
  await panel.waitFor({ state: 'detached' })
  await isFound()
  await page.goForward()
  await panel.waitFor()
  await page.goBack()
  await panel.waitFor({ state: 'detached' })

  await page.getByRole('link', { name: 'Campaigns' }).click()
  await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor()
  await page.goBack()
  await isFound()
  await page.goForward()
  await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor()
})

test('on a telephone a notice covers neither the head of an open panel nor the buttons at its edge', async ({
  application,
  open,
}) => {
  await addLeads(application, 'Covered', [{ email: 'eve@covered.example' }])
  const page = await open(application.visitor, `${path}?q=covered.example`)
  await page.setViewportSize({ width: 360, height: 740 })
  // Where they are shown, also while there is none.
  const notices = page.locator('[class*=notices][data-position=bottom-left]')
  const bottom = async () => {
    const { y = 0, height = 0 } = (await notices.boundingBox()) ?? {}
    return y + height
  }
  expect(await bottom()).toBeLessThan(100)
  await page.locator('[data-index]').getByText('eve@covered.example').click()
  const panel = page.getByRole('dialog')
  await panel.waitFor()
  expect(await bottom()).toBeGreaterThan(600)
  expect(await bottom()).toBeLessThan(740 - 60)
  await panel.getByRole('button', { name: 'Close' }).click()
  await panel.waitFor({ state: 'detached' })
  expect(await bottom()).toBeLessThan(100)
})

test('a lead that something happened to since is not changed back, and it says why', async ({
  application,
  open,
}) => {
  const campaign_id = await addLeads(application, 'Undone', [
    { email: 'eve@undone.example' },
    { email: 'dan@undone.example' },
  ])
  const page = await open(application.visitor, `${path}?q=undone.example`)
  await page.getByLabel('Select eve@undone.example').check()
  await page.getByLabel('Select dan@undone.example').check()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('2 leads paused.').waitFor()
  const status = { campaign_id, email: 'eve@undone.example', new_status: 'interested' }
  await application.asOwner('POST', '/app/api/v2/lead/update/status', status)
  // No more reasons are kept than those of the first thousand.
  await page.route(/\/app\/leads\/jobs\/[^/?]+/, async (route) => {
    const job = await (await route.fetch()).json()
    await route.fulfill({ json: { ...job, refused: 1001 } })
  })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: '1,001 left as they are: see why' }).click()
  await page.getByText('Something happened to the lead since').waitFor()
  await page.getByText('1,000 more were left as they are and are not listed.').waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

test('a change whose answer got lost is done once and can be set back; more than can be named are not sent', async ({
  application,
  open,
}) => {
  await addLeads(application, 'Lost', [
    { email: 'eve@lost.example' },
    { email: 'dan@lost.example' },
  ])
  const page = await open(application.visitor, `${path}?q=lost.example`)
  expectFailures(page, 'POST /app/leads/bulk lost')
  // What does nothing until the answer is there is not offered.
  let isOffered: boolean | undefined
  await page.route(
    '**/app/leads/bulk',
    async (route) => {
      await route.fetch()
      isOffered = await page.getByRole('button', { name: 'Resume' }).isEnabled()
      await route.abort()
    },
    { times: 1 },
  )
  await page.getByLabel('Select eve@lost.example').check()
  await page.getByLabel('Select dan@lost.example').check()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('alert').waitFor()
  expect(isOffered).toBe(false)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('2 leads paused.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('2 leads paused.').waitFor({ state: 'detached' })

  // So it is in the panel of one, and with the undo itself.
  const loseAnswer = (to: string) =>
    page.route(
      to,
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
  expectFailures(page, 'POST /app/leads/bulk lost', 'POST /app/leads/jobs/:id/undo lost')
  await page.getByRole('row').filter({ hasText: 'eve@lost.example' }).click()
  const panel = page.getByRole('dialog')
  await panel.getByRole('button', { name: 'Pause' }).waitFor()
  // The page reads again once the server answers: it would show that it is done, or undone, before the
  // button is pressed again.
  const reading = Promise.withResolvers<void>()
  await page.route(/\/app\/leads/, async (route) => {
    if (route.request().method() === 'GET') await reading.promise
    await route.fallback()
  })
  await loseAnswer('**/app/leads/bulk')
  await panel.getByRole('button', { name: 'Pause' }).click()
  // What the campaign is may be said there, too, and comes a moment later.
  await panel.getByRole('alert').filter({ hasText: 'The server does not answer' }).waitFor()
  await panel.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('1 lead paused.').waitFor()
  await loseAnswer('**/undo')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('status').getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  reading.resolve()
  await page.getByText('1 lead paused.').waitFor({ state: 'detached' })
  await panel.getByRole('button', { name: 'Pause' }).waitFor()
  await page.keyboard.press('Escape')

  // The page may read the list again at any time, and what is chosen is chosen by its id.
  const ids = Array.from({ length: 10_001 }, () => application.api.ctx.newId())
  await page.route(leads, async (route) => {
    const { items } = await (await route.fetch()).json()
    const many = ids.map((id, at) => ({ ...items[0], id, email: `lead-${at}@lost.example` }))
    await route.fulfill({ json: { items: many } })
  })
  await page.reload()
  await page.getByLabel('Select lead-0@lost.example').check()
  await page.getByLabel('Select lead-0@lost.example').press('End')
  await page.getByLabel('Select lead-10000@lost.example').click({ modifiers: ['Shift'] })
  await page.getByText('10,001 leads selected').waitFor()
  await page.getByText('At most 10,000 leads can be chosen or left out one by one').waitFor()
  expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
})

test('what is chosen is the row that was pressed, and a range is whole, whatever came in or left the cache meanwhile', async ({
  application,
  open,
}) => {
  const campaign = await addLeads(
    application,
    'Range',
    Array.from({ length: 250 }, (_, at) => ({ email: `range-${at}@range.example` })),
  )
  const page = await open(application.visitor, `${path}?campaign=${campaign}`)
  await page.clock.install()
  const row = (name: string) => page.getByRole('row').filter({ hasText: `${name}@range.example` })
  await row('range-248').focus()
  await application.asOwner('POST', '/app/api/v2/lead/add', {
    ...{ campaign_id: campaign, leads: [{ email: 'new@range.example' }] },
  })
  await row('new').waitFor()
  await page.keyboard.press('x')
  await page.getByText('1 lead selected').waitFor()
  expect(await page.getByLabel('Select range-248@range.example').isChecked()).toBe(true)

  const list = `document.querySelector('[role=grid][aria-label=Leads]')`
  const toEnd = () => page.evaluate(`${list}.scrollTo(0, ${list}.scrollHeight)`)
  await expect
    .poll(async () => {
      await toEnd()
      return row('range-0').count()
    })
    .toBe(1)
  await page.clock.fastForward('10:00')
  await page.getByLabel('Select range-0@range.example').click({ modifiers: ['Shift'] })
  await page.getByText('249 leads selected').waitFor()
})

test('a row that comes up to the page before stands in the list once at every moment', async ({
  application,
  open,
}) => {
  const campaign = await addLeads(
    application,
    'Border',
    Array.from({ length: 250 }, (_, at) => ({ email: `border-${at}@border.example` })),
  )
  const page = await open(application.visitor, `${path}?campaign=${campaign}`)
  const row = (name: string) => page.getByRole('row').filter({ hasText: `${name}@border.example` })
  await row('border-249').waitFor()
  const list = `document.querySelector('[role=grid][aria-label=Leads]')`
  // To the rows on both sides of where the second page starts.
  await page.evaluate(`${list}.scrollTo(0, 95 * 40)`)
  await row('border-149').waitFor()
  await page.evaluate(`{
    const rows = () => [...${list}.querySelectorAll('[data-index] input')].map((box) => box.ariaLabel)
    globalThis.doubled = []
    new MutationObserver(() => {
      globalThis.doubled.push(...rows().filter((row, at, all) => all.indexOf(row) < at))
    }).observe(${list}, { subtree: true, childList: true, attributes: true, characterData: true })
  }`)
  const { body } = await application.asOwner('GET', `/app/leads?campaign_id=${campaign}&limit=10`)
  const { status } = await application.asOwner('POST', '/app/leads/bulk', {
    ...{ action: 'delete', ids: [body.items[9].id] },
  })
  expect(status).toBe(200)
  await page.locator('[data-index="98"]').filter({ hasText: 'border-150@' }).waitFor()
  expect(await page.evaluate('globalThis.doubled')).toEqual([])
})

test('what is written in several lines keeps them when it is corrected, a number stays one, and a yes or no as well', async ({
  application,
  open,
}) => {
  const lines = 'Dear Lina,\n\nwe met in Berlin.'
  const campaign_id = await addLeads(application, 'Lines', [
    {
      email: 'lina@lines.example',
      personalization: lines,
      custom_variables: { note: lines, vip: true, seats: 50, size: 10 },
    },
  ])
  const page = await open(application.visitor, `${path}?q=lina@lines.example`)
  await page.locator('[data-index]').first().focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('dialog')
  for (const name of ['Personalization', 'note']) {
    await panel.getByLabel(name).focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' Truly.')
  }
  await panel.getByLabel('vip').fill('false')
  await panel.getByLabel('seats').fill('51')
  await panel.getByLabel('size').fill('a dozen')
  await panel.getByRole('button', { name: 'Save' }).click()
  await panel.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  const query = new URLSearchParams({ campaign_id, email: 'lina@lines.example' })
  const { body } = await application.asOwner('GET', `/app/api/v2/lead/get?${query}`)
  const corrected = `${lines} Truly.`
  expect(body).toMatchObject({
    personalization: corrected,
    custom_variables: { note: corrected, vip: false, seats: 51, size: 'a dozen' },
  })

  // One that is emptied goes, and can be filled again while the panel is open.
  const size = panel.getByLabel('size')
  const save = async (text: string) => {
    await size.fill(text)
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    const { body: saved } = await application.asOwner('GET', `/app/api/v2/lead/get?${query}`)
    return saved.custom_variables
  }
  expect(await save('')).not.toHaveProperty('size')
  expect(await size.inputValue()).toBe('')
  expect(await save('two dozen')).toMatchObject({ size: 'two dozen' })

  // What somebody else writes into it then is theirs, and not a change of whoever emptied it.
  await save('')
  const theirs = { custom_variables: { size: 12 } }
  await application.asOwner('PATCH', `/app/leads/${body.id}`, theirs)
  await expect.poll(() => size.inputValue()).toBe('12')
  expect(await panel.getByRole('button', { name: 'Save' }).count()).toBe(0)
})

test('a variable that a mail says and the lead lacks is given on its page, which promises nothing before', async ({
  application,
  open,
}) => {
  const { api, asOwner } = application
  const email = 'lina@lacking.example'
  const campaign_id = await addLeads(application, 'Lacking a deal', [{ email }])
  const body = '<p>{{deal_size}} {{region | default: "here"}} {{company_name}}</p>'
  const variants = [{ subject: 'Hello', body }]
  const sequences = [{ steps: [{ variants }] }]
  await asOwner('PATCH', `/app/api/v2/campaigns/${campaign_id}`, { sequences })
  const why = 'The lead has no deal_size, company_name, and the template gives no default.'
  await api.ctx.database.peek
    .updateTable('leads')
    .set({ sending_state: 'paused', skip_reason: `template_failed: ${why}` })
    .where('email', '=', email)
    .execute()
  const query = new URLSearchParams({ campaign_id, email })
  const read = async () => (await asOwner('GET', `/app/api/v2/lead/get?${query}`)).body
  const { id } = await read()
  const page = await open(application.visitor, `${path}?sending=held_back&lead=${id}`)
  await page.getByText('import a file with it for many at once').waitFor()
  const panel = page.getByRole('dialog')
  await panel.getByText('It goes on by itself once its values').waitFor()
  expect(await panel.getByRole('button', { name: 'Resume' }).count()).toBe(0)
  const missing = 'Missing: the mail that is held back says it.'
  for (const [name, told] of [
    ['deal_size', missing],
    ['Company', missing],
    ['region', ''],
  ] as const) {
    const field = panel.getByLabel(name, { exact: true })
    expect(await field.inputValue()).toBe('')
    const described = await field.getAttribute('aria-describedby')
    const text = described ? await panel.locator(`[id="${described}"]`).textContent() : ''
    expect(text?.trim()).toBe(told)
  }
  await panel.getByRole('button', { name: 'Add variable' }).click()
  const name = panel.getByLabel('Name of the variable')
  await name.fill('region')
  await name.press('Enter')
  await panel.getByText('There is a field for it already.').waitFor()
  await name.fill('tier')
  await name.press('Enter')
  // The field that was added is where one types on.
  await panel.getByLabel('tier').waitFor()
  await page.keyboard.type('Gold')
  await panel.getByLabel('deal_size').fill('10000')
  await panel.getByLabel('Company', { exact: true }).fill('Acme')
  await panel.getByRole('button', { name: 'Save' }).click()
  await panel.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  expect(await read()).toMatchObject({
    custom_variables: { deal_size: '10000', tier: 'Gold' },
    sending_state: 'pending',
  })
  await panel.getByText(missing).first().waitFor({ state: 'detached' })
})

test('all leads that the filters match are exported without one being chosen', async ({
  application,
  open,
}) => {
  await addLeads(application, 'Exported', [
    { email: 'one@exported.example' },
    { email: 'two@exported.example' },
  ])
  const page = await open(application.visitor, `${path}?q=exported.example`)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export all' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
  const addresses = lines.map((line) => line.split(',')[0])
  expect(addresses).toEqual(['email', 'two@exported.example', 'one@exported.example'])
})

test('whoever corrects what somebody else corrects meanwhile sees it before it is saved, and chooses', async ({
  application,
  open,
}) => {
  const email = 'two@tabs.example'
  const variables = { city: 'Ulm' }
  const lead = { email, first_name: 'Ada', custom_variables: variables }
  const campaign_id = await addLeads(application, 'Two tabs', [lead])
  const read = async () => {
    const query = new URLSearchParams({ campaign_id, email })
    return (await application.asOwner('GET', `/app/api/v2/lead/get?${query}`)).body
  }
  const { id } = await read()
  const change = (body: object) => application.asOwner('PATCH', `/app/leads/${id}`, body)
  const page = await open(application.visitor, `${path}?lead=${id}`)
  const panel = page.getByRole('dialog')
  const name = panel.getByLabel('First name')
  await name.fill('Mine')
  await panel.getByLabel('city').fill('Bonn')
  await change({ first_name: 'Theirs', custom_variables: { city: 'Rome' } })
  const told = panel.getByText('Somebody else changed it to “Theirs”. Save keeps yours.')
  await told.waitFor()
  expect(await name.inputValue()).toBe('Mine')
  await told.getByRole('button', { name: 'Take theirs' }).click()
  expect(await name.inputValue()).toBe('Theirs')
  await panel.getByText('Somebody else changed it to “Rome”').waitFor()
  await panel.getByRole('button', { name: 'Save' }).click()
  await panel.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  expect(await read()).toMatchObject({ first_name: 'Theirs', custom_variables: { city: 'Bonn' } })
  await panel.getByText('Updated: First name, Variables').first().waitFor()

  // A variable that somebody else empties is gone, but not what is typed in it.
  await panel.getByLabel('city').fill('Kiel')
  await change({ custom_variables: { city: null } })
  await panel.getByText('Somebody else emptied it. Save keeps yours.').waitFor()
  expect(await panel.getByLabel('city').inputValue()).toBe('Kiel')
  await panel.getByRole('button', { name: 'Save' }).click()
  await panel.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  expect(await read()).toMatchObject({ custom_variables: { city: 'Kiel' } })

  // A page that was not told of it finds out when it saves.
  let isTold = false
  const before = await application.asOwner('GET', `/app/leads/${id}`)
  await page.route(`**/app/leads/${id}`, (route) =>
    isTold || route.request().method() !== 'GET'
      ? route.continue()
      : route.fulfill({ json: before.body }),
  )
  await page.reload()
  await name.fill('Mine')
  const reading = page.waitForResponse(`**/app/leads/${id}`)
  await change({ first_name: 'Silent' })
  await reading
  isTold = true
  await panel.getByRole('button', { name: 'Save' }).click()
  await panel.getByText('Somebody else changed it to “Silent”. Save keeps yours.').waitFor()
  expect(await read()).toMatchObject({ first_name: 'Silent' })
  await panel.getByRole('button', { name: 'Save' }).click()
  await panel.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  expect(await read()).toMatchObject({ first_name: 'Mine' })
})

test('a campaign shows its own leads, with what can be done on the page of all', async ({
  application,
  open,
}) => {
  const campaign = await addLeads(application, 'Of its own', [
    { email: 'one@own.example', first_name: 'One' },
    { email: 'two@own.example', first_name: 'Two' },
  ])
  await addLeads(application, 'Of another', [{ email: 'three@own.example' }])
  const page = await open(application.visitor, `/w/default/campaigns/${campaign}?tab=leads`)
  const rows = page.locator('[data-index]')
  await expect.poll(() => rows.count()).toBe(2)
  expect(await page.getByRole('button', { name: 'Campaign', exact: true }).count()).toBe(0)
  await page.getByRole('searchbox').fill('one')
  await expect.poll(() => rows.count()).toBe(1)
  await page.reload()
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('button', { name: 'Reset filters' }).click()
  await expect.poll(() => rows.count()).toBe(2)
  await page.getByLabel('Select all').check()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('2 leads paused.').waitFor()
  await page.getByText('two@own.example').click()
  await page.getByRole('dialog', { name: 'Two' }).getByText('History').waitFor()
  expect(new URL(page.url()).searchParams.get('tab')).toBe('leads')
  // What is done in the panel is told, though it is closed before the lists are read again.
  const held = Promise.withResolvers<void>()
  const readings = /\/app\/leads\?/
  await page.route(readings, async (route) => {
    await held.promise
    await route.fallback()
  })
  const changed = page.waitForResponse('**/app/leads/bulk')
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await changed
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  held.resolve()
  await page.getByText('1 lead resumed.').waitFor()

  // What an open panel says of its campaign is of this moment.
  const db = application.api.ctx.database.peek
  await db.updateTable('campaigns').set({ status: 'active' }).where('id', '=', campaign).execute()
  await page.getByText('two@own.example').click()
  await page.getByRole('dialog').getByText('no mailbox to send from').waitFor()
  const paused = { status: 'paused' }
  await application.asOwner('PATCH', `/app/api/v2/campaigns/${campaign}`, paused)
  await page.getByRole('dialog').getByText('The campaign is paused: resume it').waitFor()
})

test('a view is kept for the person, and columns are chosen, down to none', async ({
  application,
  open,
}) => {
  await addLeads(application, 'Spring', [{ email: 'ann@example.com' }])
  const page = await open(application.visitor, `${path}?q=example`)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Opens' }).click()
  await page.getByRole('columnheader', { name: 'Opens' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Keep this view …' }).click()
  await page.getByLabel('Name').last().fill(hostile)
  expectFailures(page, 'PUT /app/saved-views lost')
  await page.route('**/app/saved-views', (route) => route.abort())
  await page.getByRole('button', { name: 'Keep view' }).click()
  await page.getByRole('dialog').getByRole('alert').waitFor()
  await page.unroute('**/app/saved-views')
  // Asked for anew, it does not begin with what went wrong.
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Keep this view …' }).click()
  await page.getByRole('button', { name: 'Keep view' }).waitFor()
  expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0)
  await page.getByRole('button', { name: 'Keep view' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.goto(`${application.address}${path}`)
  // What is chosen is chosen of one list, not of the next.
  await page.getByLabel('Select all').check()
  await page.getByRole('status').getByText('selected').waitFor()
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: hostile, exact: true }).click()
  await expect.poll(() => page.url()).toContain('q=example')
  await page.getByRole('status').getByText('selected').waitFor({ state: 'detached' })
  await page.getByRole('columnheader', { name: 'Opens' }).waitFor()
  // One that was deleted by mistake comes back as it was.
  const kept = page.getByRole('menuitem', { name: hostile, exact: true })
  await page.getByRole('button', { name: 'Views' }).click()
  const remove = page.getByRole('menuitem', { name: `Delete view ${hostile}` })
  expectFailures(page, 'DELETE /app/saved-views 409')
  const refused = refusal(409, 'It is not deleted.')
  await page.route('**/app/saved-views?*', (route) => route.fulfill(refused), { times: 1 })
  await remove.click()
  await page.getByText('It is not deleted.').waitFor()
  await page.keyboard.press('Escape')
  await remove.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Views' }).click()
  await remove.waitFor()
  expect(await page.getByRole('menu').getByRole('alert').count()).toBe(0)
  await remove.click()
  await kept.waitFor({ state: 'detached' })
  // A page that is left takes its request back.
  const restored = page.waitForResponse((answer) => answer.request().method() === 'PUT')
  await page.getByRole('button', { name: 'Undo' }).click()
  await restored
  await page.goto(`${application.address}${path}`)
  await page.getByRole('button', { name: 'Views' }).click()
  await kept.click()
  await expect.poll(() => page.url()).toContain('q=example')

  // Whose delay is over is due, where something is written at all; it goes out when its turn comes.
  const { peek } = application.api.ctx.database
  const running = await addLeads(application, 'Under way', [{ email: 'bob@example.com' }])
  await peek.updateTable('campaigns').set({ status: 'active' }).where('id', '=', running).execute()
  await page.goto(`${application.address}${path}?q=example.com&columns=next`)
  const cells = (email: string) => page.getByRole('row').filter({ hasText: email })
  await cells('bob@').getByText('due', { exact: true }).waitFor()
  await cells('ann@').getByRole('gridcell').last().getByText('–', { exact: true }).waitFor()
  // Without the last column the address is left.
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { checked: true }).click()
  await page.getByRole('columnheader', { name: 'Next mail' }).waitFor({ state: 'detached' })
  await page.reload()
  await cells('ann@').first().waitFor()
  expect(await page.getByRole('columnheader', { name: 'Company' }).count()).toBe(0)
})

test('whoever is at a domain that is blocked is suppressed in an open list at once, and whoever is paused stays so', async ({
  application,
  open,
}) => {
  const emails = ['ann@blocked.example', 'pat@blocked.example', 'ann@free.example']
  const id = await addLeads(
    application,
    'Blocked',
    emails.map((email) => ({ email })),
  )
  const page = await open(application.visitor, `${path}?campaign=${id}&columns=sending`)
  const shows = (email: string, state: string) =>
    page.getByRole('row').filter({ hasText: email }).getByText(state, { exact: true }).waitFor()
  await shows('pat@blocked.example', 'Waiting')
  await application.asOwner('POST', '/app/api/v2/lead/update/status', {
    ...{ campaign_id: id, email: 'pat@blocked.example', new_status: 'paused' },
  })
  // From here on the page is told what changes.
  await shows('pat@blocked.example', 'Paused')
  await shows('ann@blocked.example', 'Waiting')
  await application.asOwner('POST', '/app/suppressions', { value: 'blocked.example' })
  await shows('ann@blocked.example', 'Suppressed')
  await shows('pat@blocked.example', 'Paused')
  await shows('ann@free.example', 'Waiting')
})

test('of more than a hundred campaigns and labels the oldest can be chosen, also without the API', async ({
  application,
  open,
}) => {
  const { asOwner, api } = application
  const campaign = await addLeads(application, 'The very first', [{ email: 'old@example.com' }])
  await asOwner('POST', '/app/labels', { name: 'Label zero', sentiment: 'neutral' })
  for (let number = 1; number <= 101; number += 1) {
    await asOwner('POST', '/app/api/v2/campaigns', { name: `Newer ${number}` })
  }
  const now = new Date()
  await api.ctx.database.peek
    .insertInto('labels')
    .values(
      Array.from({ length: 101 }, (_, at) => ({
        ...{ workspace_id: api.workspaceId, id: api.ctx.newId(), name: `Label ${at + 1}` },
        ...{ name_folded: `label ${at + 1}`, value: `label_${at + 1}` },
        ...{ effect: 'none', sentiment: 'neutral', timestamp_created: now, timestamp_updated: now },
      })),
    )
    .execute()
  await setPlan(api.ctx, api.workspaceId, { api: false })
  const page = await open(application.visitor, path)
  const chip = (name: string) => page.getByRole('button', { name, exact: true })
  await chip('Campaign').click()
  await page.getByRole('menuitemcheckbox', { name: 'The very first' }).click()
  await expect.poll(() => page.url()).toContain(campaign)
  const row = page.locator('[data-index]').filter({ hasText: 'old@example.com' })
  await row.waitFor()
  await page.getByLabel('Select old@example.com').check()
  await page.getByRole('button', { name: 'Set status' }).click()
  await page.getByRole('menuitem', { name: 'Label 101', exact: true }).waitFor()
  await page.getByRole('menuitem', { name: 'Label zero' }).click()
  await row.getByText('Label zero').waitFor()
  await setPlan(api.ctx, api.workspaceId, { api: true })
})

test('where campaigns or labels cannot be read, whoever is to choose one is told why, and not that there is none, and tries again', async ({
  application,
  open,
}) => {
  const { ctx, workspaceId: workspace_id } = application.api
  await addLeads(application, 'Unread', [{ email: 'mover@example.com' }])
  const list = ctx.newId()
  const named = { name: 'Kept', name_folded: 'kept', timestamp_created: new Date() }
  const row = { workspace_id, id: list, ...named }
  await ctx.database.peek.insertInto('acquire_lists').values(row).execute()
  const page = await open(application.visitor, `${path}?q=mover`)
  const why = 'Campaigns cannot be read now.'
  expectFailures(page, 'GET /app/campaigns/names 409', 'GET /app/api/v2/webhooks/event-types 409')
  expectFailures(page, 'GET /app/labels 409')
  const routes = ['**/campaigns/names', '**/webhooks/event-types', '**/app/labels?*']
  const refuse = async () => {
    for (const url of routes) await page.route(url, (route) => route.fulfill(refusal(409, why)))
  }
  const tryAgain = async () => {
    for (const url of routes) await page.unroute(url)
    const buttons = page.getByRole('button', { name: 'Try again' })
    for (let left = await buttons.count(); left > 0; left -= 1) {
      await buttons.first().click()
      await expect.poll(() => buttons.count()).toBe(left - 1)
    }
  }
  await refuse()
  await page.reload()
  await page.getByLabel('Select mover@example.com').check()
  for (const name of ['Label', 'Set status']) {
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('menu').getByText(why).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Move …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Campaign' }).click()
  await page.getByRole('listbox').getByText(why).waitFor()
  await tryAgain()
  await dialog.getByRole('combobox', { name: 'Campaign' }).click()
  await page.getByRole('option', { name: 'Unread' }).waitFor()

  await refuse()
  await page.goto(`${application.address}/w/default/contacts?view=lists&list=${list}`)
  const choice = page.getByRole('combobox', { name: 'Add everybody in it to a campaign' })
  await choice.waitFor()
  await page.getByText(why).waitFor()
  await tryAgain()
  await choice.selectOption('Unread')

  await refuse()
  await page.goto(`${application.address}/w/default/settings/webhooks?panel=new`)
  await expect.poll(() => dialog.getByText(why).count()).toBe(2)
  await tryAgain()
  await dialog.getByRole('combobox', { name: 'Campaign' }).selectOption('Unread')
  await dialog.getByRole('combobox', { name: 'Event' }).selectOption('E-mail sent')

  await refuse()
  await page.goto(`${application.address}/w/default/campaigns?panel=new`)
  await dialog.getByText('A copy', { exact: true }).click()
  await expect.poll(() => dialog.getByText(why).count()).toBe(1)
  await tryAgain()
  await dialog.getByRole('combobox', { name: 'Copy of' }).selectOption('Unread')
})

test('who changes more leads than can be set back, or nobody knows yet how many, is asked first, sees how far it is, and can stop it', async ({
  application,
  open,
}) => {
  const people = Array.from({ length: 1001 }, (_, at) => ({ email: `many-${at}@example.com` }))
  const campaign = await addLeads(application, 'Many', people.slice(0, 1000))
  await application.asOwner('POST', '/app/api/v2/lead/add', {
    ...{ campaign_id: campaign, leads: people.slice(1000) },
  })
  const page = await open(application.visitor, `${path}?campaign=${campaign}`)
  await page.getByText('1,001 leads', { exact: true }).waitFor()
  await page.getByLabel('Select all').check()
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/leads/bulk')) asked.push(request.postData() ?? '')
  })
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Set status' }).click()
  await page.getByRole('menuitem', { name: 'Not interested' }).click()
  await dialog.getByText('Set to “Not interested”: 1,001 leads selected?').waitFor()
  await dialog.getByText('there is no undo').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Resume' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Pause' }).click()
  await dialog.getByText('Pause: 1,001 leads selected?').waitFor()
  expect(asked).toEqual([])
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await dialog.waitFor({ state: 'detached' })
  const notice = page.getByRole('status').filter({ hasText: 'leads done' })
  await notice.getByText('0 of 1,001 leads done').waitFor()
  expect(asked).toHaveLength(1)
  await runLeadJobs(application.api.ctx, afterOneBatch())
  await notice.getByText('500 of 1,001 leads done').waitFor()
  // It can be stopped also by whoever was elsewhere meanwhile.
  await page.getByRole('link', { name: 'Labels' }).click()
  await page.getByRole('heading', { name: 'Labels', exact: true }).waitFor()
  await page.goBack()
  await notice.getByRole('button', { name: 'Stop' }).waitFor()
  await page.reload()
  await notice.getByText('500 of 1,001 leads done').waitFor()
  await notice.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('500 leads paused.').waitFor()
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  await runLeadJobs(application.api.ctx)
  const paused = await application.api.ctx.database.peek
    .selectFrom('leads')
    .select('id')
    .where('campaign_id', '=', campaign)
    .where('sending_state', '=', 'paused')
    .execute()
  expect(paused).toHaveLength(500)
  // Why it failed is told to who began it, however late they look, until it is closed.
  const becomes = (state: string, error: string | null) =>
    application.api.ctx.database.peek
      .updateTable('lead_jobs')
      .set({ state, error })
      .where('total', '=', 1001)
      .execute()
  await becomes('failed', 'The campaign is gone.')
  await page.reload()
  const failure = page.getByRole('status').filter({ hasText: 'The campaign is gone.' })
  await failure.getByText('500 leads paused.').waitFor()
  await failure.getByRole('button', { name: 'Close' }).click()
  await failure.waitFor({ state: 'detached' })
  const listed = page.waitForResponse('**/app/leads/jobs?**')
  await page.reload()
  await listed
  await page.getByText('1,001 leads', { exact: true }).waitFor()
  expect(await failure.count()).toBe(0)
  await becomes('cancelled', null)

  // A large workspace is counted long after its first rows are there.
  const counted = Promise.withResolvers<void>()
  await page.route('**/app/leads/count?**', async (route) => {
    await counted.promise
    await route.fallback()
  })
  await page.reload()
  await page.getByLabel('Select all').check()
  await page.getByRole('status').getByText('All leads that match selected').waitFor()
  await page.getByLabel('Select many-1000@example.com').uncheck()
  await page.getByRole('button', { name: 'Delete …' }).click()
  await dialog.getByText('Delete: All leads that match but 1 selected?').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  counted.resolve()
  await page.getByRole('status').getByText('1,000 leads selected').waitFor()
})

/** Of a runner that ends in the middle of its work. */
function afterOneBatch(): AbortSignal {
  let looks = 0
  return {
    get aborted() {
      return ++looks > 1
    },
  } as AbortSignal
}

test('whoever is erased is gone from the page', async ({ application, open }) => {
  const { api } = application
  await addLeads(application, 'Spring', [{ email: 'gone@example.com', first_name: 'Gone' }])
  const page = await open(application.visitor, path)
  await page.getByText('gone@example.com').click()
  await page.getByRole('button', { name: 'Erase person …' }).click()
  await page.getByRole('button', { name: 'Erase person', exact: true }).click()
  await page.getByText('A person is being erased: 0 records looked at.').waitFor()
  // Whoever comes to the page later sees it, too.
  const later = await page.context().newPage()
  await later.goto(page.url())
  await later.getByText('A person is being erased: 0 records looked at.').waitFor()
  await runErasures(api.ctx)
  await page.getByText('The person is erased.').waitFor()
  for (const each of [page, later]) {
    await each.getByText('gone@example.com').waitFor({ state: 'detached' })
  }
})
