import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { operator } from '../../../server/src/features/audit/index.ts'
import { recordRefusedCopies } from '../../../server/src/features/campaigns/index.ts'
import { addMailbox, removeMailbox } from '../../../server/src/features/mailboxes/index.ts'
import { createWorkspace } from '../../../server/src/features/workspaces/index.ts'
import { password } from '../../../server/test/browser.ts'
import { createMember, createPerson, join } from '../../../server/test/people.ts'
import type { Campaign } from '../../src/api/generated/types.gen.ts'
import type { Application } from '../application.ts'
import { allowFailures, expectFailures, installClock } from '../browser.ts'
import { refusal } from '../refusal.ts'
import { test } from './fixture.ts'

const path = '/w/default/campaigns'
const server = { host: '127.0.0.1', username: 'anna', password: 'secret', security: 'none' }

const sequences = (body = '<p>Hi {{first_name}},\n{what about|how is} lunch?</p>') => [
  {
    steps: [
      { variants: [{ subject: 'Hello {{first_name}}', body }] },
      { delay: 3, variants: [{ subject: '', body: '<p>Did you see my mail?</p>' }] },
    ],
  },
]

async function createCampaign({ asOwner }: Application, body: object) {
  const answer = await asOwner('POST', '/app/api/v2/campaigns', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body as Campaign
}

const address = 'anna@example.com'
const mailbox = { address, display_name: 'Anna Example', smtp: server, imap: server }

/** The one that there is, whichever test comes first. */
async function prepareMailbox({ api }: Application): Promise<string> {
  const mailboxes = api.ctx.database.peek.selectFrom('mailboxes').select('id')
  const { id } =
    (await mailboxes.executeTakeFirst()) ??
    (await addMailbox(api.ctx, api.workspaceId, mailbox, operator))
  return id
}

const addLead = ({ asOwner }: Application, campaign_id: string) =>
  asOwner('POST', '/app/api/v2/lead/add', {
    campaign_id,
    leads: [{ email: 'ada@lead.example', first_name: 'Ada <b>' }],
  })

const saved = (page: Page) => page.locator('[data-saving=saved]').waitFor()

test('a campaign is made, written, scheduled, looked at and launched', async ({
  application,
  open,
}) => {
  const { api } = application
  await prepareMailbox(application)
  // Of two mailboxes somebody has to choose.
  const other = { address: 'bela@example.com', smtp: server, imap: server }
  await addMailbox(api.ctx, api.workspaceId, other, operator)
  const page = await open(application.visitor, path)
  await page.getByText('No campaigns yet').waitFor()
  await page.getByRole('button', { name: 'New campaign' }).first().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Founders')
  await page.getByRole('button', { name: 'Create campaign' }).click()
  await page.getByRole('heading', { name: 'Founders' }).waitFor()
  await expect.poll(() => page.title()).toBe('Founders · Outrider')

  await page.getByRole('textbox', { name: 'Subject' }).fill('Hello {{first_name}}')
  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  await text.click()
  await page.keyboard.type('Hi {{first_name}}, {lunch|coffee}?')
  await page.locator('.variable', { hasText: 'first_name' }).waitFor()
  await saved(page)
  await page.getByText('Source', { exact: true }).click()
  const source = page.getByRole('textbox', { name: 'Source of the mail' })
  expect(await source.inputValue()).toBe('<p>Hi {{first_name}}, {lunch|coffee}?</p>')

  await page.getByRole('link', { name: 'Schedule' }).click()
  const monday = await page.locator('[data-day="1"]').boundingBox()
  const friday = await page.locator('[data-day="5"]').boundingBox()
  if (!monday || !friday) throw new Error('There is no week.')
  await page.mouse.move(monday.x + (monday.width * 10) / 24 + 2, monday.y + 5)
  await page.mouse.down()
  await page.mouse.move(friday.x + (friday.width * 16) / 24 - 2, friday.y + 5, { steps: 4 })
  await page.mouse.up()
  expect(await page.getByRole('textbox', { name: 'From' }).inputValue()).toBe('10:00')
  expect(await page.getByRole('textbox', { name: 'To', exact: true }).inputValue()).toBe('16:00')
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Kathmandu')
  await page.getByRole('option', { name: 'Asia/Kathmandu' }).click()

  await page.getByRole('button', { name: 'Launch' }).click()
  await page.getByText('It has no mailbox that works').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'no mailbox' }).getByRole('link').click()
  await page.getByRole('combobox', { name: 'Mailboxes' }).click()
  await page.getByRole('option', { name: address }).click()
  await saved(page)
  const [stored] = await api.ctx.database.peek.selectFrom('campaigns').selectAll().execute()
  await addLead(application, stored?.id ?? '')
  await page.getByRole('button', { name: 'Launch' }).click()
  await page.getByText('Everything it needs is there').waitFor()
  await page.getByText('1 lead gets mail').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Launch' }).click()
  await page.getByText('Launched. Mails go out').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).click()
  const resuming = page.getByRole('dialog', { name: /^Resume “/ })
  await resuming.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Resumed. Mails go out').waitFor()
})

test('two people who change one campaign are put together, or choose', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Shared', sequences: sequences() })
  const page = await open(application.visitor, `${path}/${id}?tab=options`)
  const change = (body: object) => application.asOwner('PATCH', `/app/api/v2/campaigns/${id}`, body)
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.waitFor()
  await change({ daily_limit: 7 })
  await name.fill('Mine')
  await saved(page)
  await expect.poll(() => page.getByRole('textbox', { name: 'Mails a day' }).inputValue()).toBe('7')
  // Somebody else is a moment earlier.
  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id 409')
  let theirs: object | undefined = { name: 'Theirs' }
  await page.route(`**/app/api/v2/campaigns/${id}`, async (route) => {
    if (route.request().method() === 'PATCH' && theirs) {
      const other = theirs
      theirs = undefined
      await change(other)
    }
    await route.fallback()
  })
  await name.fill('Mine again')
  await page.getByRole('dialog').getByText('Theirs', { exact: true }).waitFor()
  await page.getByRole('dialog').getByText('Keep mine').click()
  await page.getByRole('button', { name: 'Save this version' }).click()
  await saved(page)
  await page.getByRole('heading', { name: 'Mine again' }).waitFor()
  // What is no text is told in words, too.
  const choose = async (field: string, [mine, other]: [string, string]) => {
    const versionOf = (whose: string) =>
      page.getByRole('region', { name: `${field}: ${whose}` }).textContent()
    expect(await versionOf('Yours')).toBe(mine)
    expect(await versionOf('Theirs, saved meanwhile')).toBe(other)
    await page.getByRole('dialog').getByText('Take theirs').click()
    await page.getByRole('button', { name: 'Save this version' }).click()
    await saved(page)
  }
  theirs = { daily_limit: null }
  const limit = page.getByRole('textbox', { name: 'Mails a day' })
  await limit.fill('8')
  await limit.blur()
  await choose('Mails a day', ['8', 'None'])
  theirs = { cc_list: ['one@copy.example', 'two@copy.example'] }
  const copies = page.getByLabel('Copy to', { exact: true }).first()
  await copies.fill('mine@copy.example')
  await copies.press('Enter')
  await choose('Copy to', ['mine@copy.example', 'one@copy.example\ntwo@copy.example'])
  await change({ cc_list: [] })
  await page.getByText('two@copy.example').waitFor({ state: 'detached' })
  // Who is about to leave learns of it as well, and of what is refused.
  theirs = { name: 'Theirs once more' }
  await name.fill('Spring ')
  await page.getByRole('link', { name: 'All campaigns' }).click()
  await page.getByRole('dialog').getByText('Theirs once more', { exact: true }).waitFor()
  await page.getByRole('dialog').getByText('Keep mine').click()
  await page.getByRole('button', { name: 'Save this version' }).click()
  await saved(page)
  // The server takes the name without the space, which is that before the next word.
  await name.press('End')
  await page.keyboard.type('campaign')
  await saved(page)
  await page.getByRole('heading', { name: 'Spring campaign' }).waitFor()
  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id 400')
  await name.fill('')
  // Of what somebody leaves behind each refusal is told, and what is not refused is saved.
  await limit.fill('44')
  await limit.blur()
  await copies.fill('nobody')
  await copies.press('Enter')
  await page.getByRole('link', { name: 'All campaigns' }).click()
  await page.getByText('Not saved:').waitFor()
  await page.getByRole('alert').filter({ hasText: 'Name must' }).waitFor()
  await page.getByRole('alert').filter({ hasText: 'Copy to must be an e-mail address' }).waitFor()
  const { body: left } = await application.asOwner('GET', `/app/api/v2/campaigns/${id}`)
  expect(left).toMatchObject({ name: 'Spring campaign', daily_limit: 44, cc_list: [] })
  await page.getByRole('heading', { name: 'General' }).waitFor()
  await page.getByRole('button', { name: 'Launch' }).click()
  const launch = page.getByRole('dialog')
  await launch.getByText(/not saved: Name must .*; Copy to must be an e-mail address/).waitFor()
  await launch.getByRole('button', { name: 'Cancel' }).click()
  await launch.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'All campaigns' }).click()
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
})

test('whoever types while somebody else saves the same text chooses nothing by the next key', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Typed', sequences: sequences() })
  const url = `/app/api/v2/campaigns/${id}`
  const stored = async () => (await application.asOwner('GET', url)).body.name
  const page = await open(application.visitor, `${path}/${id}?tab=options`)
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.waitFor()
  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id 409')
  let isFirst = true
  await page.route(`**${url}`, async (route) => {
    if (route.request().method() === 'PATCH' && isFirst) {
      isFirst = false
      await application.asOwner('PATCH', url, { name: 'Theirs' })
    }
    await route.fallback()
  })
  await name.fill('Mine')
  const dialog = page.getByRole('dialog')
  await dialog.locator(':focus').waitFor()
  await page.keyboard.type('and on \n')
  await dialog.getByText('Theirs', { exact: true }).waitFor()
  expect(await stored()).toBe('Theirs')
  const save = dialog.getByRole('button', { name: 'Save this version' })
  expect(await save.isDisabled()).toBe(true)
  await dialog.getByText('Take theirs').click()
  await save.click()
  await saved(page)
  await page.getByRole('heading', { name: 'Theirs' }).waitFor()
})

const midweek = {
  ...{ name: 'Midweek', timing: { from: '14:00', to: '17:00' }, timezone: 'UTC' },
  days: { 0: false, 1: false, 2: true, 3: true, 4: true, 5: false, 6: false },
}

const waitBefore = (page: Page) => page.getByRole('textbox', { name: 'Wait after the step before' })

test('a running campaign is given a wait, a limit and a schedule whole, never half of one', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, {
    ...{ name: 'Running', sequences: sequences(), daily_limit: 7 },
    campaign_schedule: { start_date: '2099-12-20', schedules: [midweek] },
  })
  const peek = application.api.ctx.database.peek
  await peek.updateTable('campaigns').set({ status: 'active' }).where('id', '=', id).execute()
  const page = await open(application.visitor, `${path}/${id}?step=2`)
  await waitBefore(page).waitFor()
  await installClock(page)
  const changes: Partial<Campaign>[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') changes.push(request.postDataJSON())
  })
  const isUnsaved = page.getByText('Not saved yet')
  const unit = page.getByRole('combobox', { name: 'Unit of the wait' })
  await unit.focus()
  await unit.selectOption('hours')
  await page.clock.fastForward(5000)
  await waitBefore(page).fill('36')
  // As when another window is looked at: the field still has the focus of its own.
  await waitBefore(page).dispatchEvent('focusout')
  await page.clock.fastForward(5000)
  await page.keyboard.press('Tab')
  await page.clock.fastForward(5000)
  await isUnsaved.waitFor()
  await page.keyboard.press('Tab')
  await page.clock.fastForward(5000)
  await saved(page)
  const waits = changes.map(({ sequences: [sequence] = [] }) => sequence?.steps[1])
  expect(waits).toMatchObject([{ delay: 36, delay_unit: 'hours' }])

  await page.getByRole('link', { name: 'Options' }).click()
  const limit = page.getByRole('textbox', { name: 'Mails a day' })
  await limit.fill('')
  await page.clock.fastForward(5000)
  await isUnsaved.waitFor()
  await limit.fill('30')
  await page.clock.fastForward(5000)
  await page.keyboard.press('Enter')
  await page.clock.fastForward(5000)
  await saved(page)
  expect(changes.slice(1)).toEqual([{ daily_limit: 30 }])
  await limit.fill('')
  await limit.blur()
  await page.clock.fastForward(5000)
  await saved(page)
  expect(changes.slice(2)).toEqual([{ daily_limit: null }])

  changes.length = 0
  await page.getByRole('link', { name: 'Schedule' }).click()
  const start = page.getByLabel('First day')
  const type = async (...keys: string[]) => {
    for (const key of keys) {
      await page.keyboard.press(key)
      await page.clock.fastForward(5000)
    }
    await isUnsaved.waitFor()
  }
  await start.focus()
  await type('0', '1', 'Backspace', '1', '0', '2', '1', '0', '0')
  expect(changes).toEqual([])
  await start.blur()
  await page.clock.fastForward(5000)
  await saved(page)
  expect(changes.map((each) => each.campaign_schedule?.start_date)).toEqual(['2100-01-10'])
  await start.focus()
  await type('Backspace')
  await start.blur()
  await page.clock.fastForward(5000)
  await saved(page)
  expect([changes.length, await start.inputValue()]).toEqual([1, '2100-01-10'])
  await start.focus()
  await type('Backspace', 'ArrowRight', 'Backspace', 'ArrowRight', 'Backspace')
  await start.blur()
  await page.clock.fastForward(5000)
  await saved(page)
  expect(changes.slice(1).map((each) => each.campaign_schedule?.start_date)).toEqual([null])

  const to = page.getByRole('textbox', { name: 'To', exact: true })
  await page.getByRole('textbox', { name: 'From' }).fill('9:00')
  await page.keyboard.press('Tab')
  await page.clock.fastForward(5000)
  await to.fill('11:00')
  await page.clock.fastForward(5000)
  await isUnsaved.waitFor()
  await to.blur()
  await page.clock.fastForward(5000)
  await saved(page)
  const morning = { ...midweek, timing: { from: '09:00', to: '11:00' } }
  const schedules = () => changes.slice(2).map((each) => each.campaign_schedule?.schedules)
  expect(schedules()).toEqual([[morning]])
  // Another that is open for anything else would send before anybody has said when.
  await page.getByRole('button', { name: 'Add schedule' }).click()
  await page.clock.fastForward(5000)
  await saved(page)
  expect(schedules().slice(1)).toEqual([[morning, { ...morning, name: 'Schedule 2' }]])
})

test('a running campaign is given a text once its writer has left it, and sends no half of a sentence', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Text', sequences: sequences() })
  const peek = application.api.ctx.database.peek
  await peek.updateTable('campaigns').set({ status: 'active' }).where('id', '=', id).execute()
  const page = await open(application.visitor, `${path}/${id}`)
  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  await text.waitFor()
  await installClock(page)
  const changes: Partial<Campaign>[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') changes.push(request.postDataJSON())
  })
  const written = () =>
    changes.map(({ sequences: [sequence] = [] }) => sequence?.steps[0]?.variants[0])
  await text.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' We can offer you')
  await page.clock.fastForward(5000)
  await page.getByText('Not saved yet').waitFor()
  // What belongs to the editor is no other place.
  await page.getByRole('button', { name: 'Insert a variable' }).click()
  await page.clock.fastForward(5000)
  await page.getByRole('menuitem', { name: 'last_name' }).click()
  await page.clock.fastForward(5000)
  await page.keyboard.type(' a rebate.')
  const subject = page.getByRole('textbox', { name: 'Subject' })
  await subject.fill('Hello again')
  await page.clock.fastForward(5000)
  expect(changes).toEqual([])
  await subject.blur()
  await page.clock.fastForward(5000)
  await saved(page)
  const body = expect.stringContaining('We can offer you{{last_name}} a rebate.')
  expect(written()).toMatchObject([{ subject: 'Hello again', body }])

  await text.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' Write')
  await page.clock.fastForward(5000)
  await page.getByRole('link', { name: 'Options' }).click()
  await page.clock.fastForward(5000)
  await saved(page)
  expect(written()[1]?.body).toContain('rebate. Write')

  await page.getByRole('link', { name: 'Steps' }).click()
  await text.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' to us')
  await page.clock.fastForward(5000)
  expect(changes).toHaveLength(2)
  // It was left, so that what was typed is taken over and saved.
  await page.reload()
  await text.getByText('rebate. Write to us').waitFor()
  await expect.poll(() => changes.length).toBe(3)
  expect(written()[2]?.body).toContain('rebate. Write to us')
})

test('a text that is held meets what a colleague did meanwhile as any other change does', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Met', sequences: sequences() })
  const peek = application.api.ctx.database.peek
  await peek.updateTable('campaigns').set({ status: 'active' }).where('id', '=', id).execute()
  const page = await open(application.visitor, `${path}/${id}`)
  const stored = async () => {
    const { body } = await application.asOwner('GET', `/app/api/v2/campaigns/${id}`)
    return body as Campaign
  }
  const change = async (changes: object) =>
    application.asOwner('PATCH', `/app/api/v2/campaigns/${id}`, changes)
  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  const write = async (words: string) => {
    await text.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(words)
  }
  await write(' Half a')
  await page.getByText('Not saved yet').waitFor()
  // Another field: both stay, and what is held stays held.
  await change({ name: 'Met again' })
  await page.getByRole('heading', { name: 'Met again' }).waitFor()
  expect((await stored()).sequences[0]?.steps[0]?.variants[0]?.body).not.toContain('Half a')
  await page.keyboard.type(' sentence.')
  await page.getByRole('textbox', { name: 'Subject' }).focus()
  await page.getByRole('textbox', { name: 'Subject' }).blur()
  await saved(page)
  const [first] = (await stored()).sequences[0]?.steps[0]?.variants ?? []
  expect(first?.body).toContain('Half a sentence.')
  expect((await stored()).name).toBe('Met again')

  // The same text: a person chooses.
  await write(' Mine')
  const { sequences: now } = await stored()
  const [step, ...others] = now[0]?.steps ?? []
  const variants = [{ ...step?.variants[0], body: '<p>Theirs</p>' }]
  expect(
    (await change({ sequences: [{ steps: [{ ...step, variants }, ...others] }] })).status,
  ).toBe(200)
  await page.getByRole('dialog', { name: 'Somebody else changed the same thing' }).waitFor()
  expect((await stored()).sequences[0]?.steps[0]?.variants[0]?.body).toBe('<p>Theirs</p>')
})

test('a dash in the field of a number is none, and the campaign is saved all the same', async ({
  application,
  open,
}) => {
  const body = { name: 'Dash', sequences: sequences(), daily_limit: 30 }
  const { id } = await createCampaign(application, body)
  const page = await open(application.visitor, `${path}/${id}?tab=options`)
  const limit = page.getByRole('textbox', { name: 'Mails a day' })
  await limit.waitFor()
  await installClock(page)
  const changes: Partial<Campaign>[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') changes.push(request.postDataJSON())
  })
  const typeDash = async (field: Locator) => {
    await field.focus()
    await field.selectText()
    await page.keyboard.press('-')
    await field.blur()
    for (let second = 0; second < 5; second++) await page.clock.fastForward(1000)
    await saved(page)
  }
  await typeDash(limit)
  expect(changes).toEqual([{ daily_limit: null }])
  await page.getByRole('link', { name: 'Steps' }).click()
  await page.getByRole('button', { name: /^Step 2/ }).click()
  await typeDash(waitBefore(page))
  expect(await waitBefore(page).inputValue()).toBe('3')
  expect(changes).toHaveLength(1)
})

test('of a wait that somebody is still typing nothing is lost, and nothing of another’s', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Half', sequences: sequences() })
  const url = `/app/api/v2/campaigns/${id}`
  const read = async () => (await application.asOwner('GET', url)).body as Campaign
  const stored = async () => (await read()).sequences[0]?.steps[1]?.delay
  const page = await open(application.visitor, `${path}?search=Half`)
  const openStep = async () => {
    await page.getByRole('link', { name: 'Half' }).click()
    await page.getByRole('button', { name: /^Step 2/ }).click()
  }
  await openStep()
  await waitBefore(page).fill('70')
  await page.goBack()
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  expect(await stored()).toBe(70)

  await openStep()
  await waitBefore(page).fill('36')
  await page.getByRole('button', { name: 'Launch' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  expect(await stored()).toBe(36)

  await waitBefore(page).fill('40')
  const asked = page.waitForEvent('dialog')
  const reload = page.reload().catch(() => undefined)
  await (await asked).accept()
  await reload
  await expect.poll(stored).toBe(40)
  await saved(page)

  // Whether it is saved or hears of theirs first.
  allowFailures(page, 'PATCH /app/api/v2/campaigns/:id 409')
  await waitBefore(page).fill('50')
  const [sequence] = (await read()).sequences
  const steps = sequence?.steps.map((step, at) => (at === 1 ? { ...step, delay: 60 } : step))
  await application.asOwner('PATCH', url, { sequences: [{ steps }] })
  const dialog = page.getByRole('dialog', { name: 'Somebody else changed the same thing' })
  await dialog.getByText(/60/).waitFor()
  expect(await stored()).toBe(60)
  await dialog.getByText('Keep mine').click()
  await dialog.getByRole('button', { name: 'Save this version' }).click()
  await expect.poll(stored).toBe(50)
  await saved(page)
})

test('a removed step comes back, what the editor would flatten is shown as its source, and nothing starts unlike it is shown', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Mended', sequences: sequences() })
  const url = `/app/api/v2/campaigns/${id}`
  const stored = async () => {
    const { body } = await application.asOwner('GET', url)
    const { sequences: found } = body as { sequences: ReturnType<typeof sequences> }
    return found[0]?.steps ?? []
  }
  const page = await open(application.visitor, `${path}/${id}`)
  const before = await stored()
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') changes.push(request.url())
  })
  const undo = page.getByRole('alert').getByRole('button', { name: 'Undo' })
  const doTo = async (step: number, name: string) => {
    await page.getByRole('button', { name: `Actions for step ${step}` }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  // Nothing of it is saved as long as it can be undone: a campaign that runs acts upon it at once.
  await installClock(page)
  await doTo(2, 'Remove')
  await page.getByRole('textbox', { name: 'Subject' }).fill('Hello again')
  await page.clock.fastForward(5000)
  await page.getByText('Not saved yet').waitFor()
  await undo.click()
  await page.clock.fastForward(5000)
  await saved(page)
  await doTo(1, 'Move down')
  await page.clock.fastForward(5000)
  await page.getByText('Not saved yet').waitFor()
  await undo.click()
  // The step that was moved is the one that is looked at, as before.
  const subject = page.getByRole('textbox', { name: 'Subject' })
  expect(await subject.inputValue()).toBe('Hello again')
  await page.waitForURL((address) => address.searchParams.get('step') !== '2')
  await page.clock.fastForward(5000)
  await saved(page)
  await doTo(1, 'Remove')
  await undo.click()
  await expect.poll(() => subject.inputValue()).toBe('Hello again')
  await page.clock.fastForward(5000)
  await saved(page)
  const [first, second] = await stored()
  const idsOf = (steps: object[]) => steps.map((step) => 'id' in step && step.id)
  expect(idsOf(await stored())).toEqual(idsOf(before))
  // Once the notice has gone, or the page is left, it is saved.
  await doTo(1, 'Move down')
  await page.clock.fastForward(9000)
  await undo.waitFor({ state: 'detached' })
  await page.clock.fastForward(5000)
  await saved(page)
  expect(idsOf(await stored())).toEqual(idsOf(before).reverse())
  await doTo(2, 'Move up')
  await page.getByRole('link', { name: 'Leads', exact: true }).first().click()
  await page.waitForURL(/\/leads/)
  expect(idsOf(await stored())).toEqual(idsOf(before))
  expect(changes).toHaveLength(5)
  await page.goto(`${application.address}${path}/${id}`)
  expect(first?.variants[0]?.subject).toBe('Hello again')
  expect(second?.variants[0]?.body).toBe('<p>Did you see my mail?</p>')

  await page.locator('.variable', { hasText: 'first_name' }).waitFor()
  const body = '<table><tr><td>Theirs</td></tr></table>'
  const variants = first?.variants.map((variant) => ({ ...variant, body }))
  const steps = [{ ...first, variants }, second]
  await application.asOwner('PATCH', url, { sequences: [{ steps }] })
  await page.getByText('its source is edited').waitFor()
  expect(await page.getByRole('textbox', { name: 'Source of the mail' }).inputValue()).toBe(body)

  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id lost')
  await page.route(`**${url}`, (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
  )
  await page.getByRole('textbox', { name: 'Subject' }).fill('Not saved')
  await page.getByRole('button', { name: 'Launch' }).click()
  const launch = page.getByRole('dialog')
  await launch.getByText('without your last changes').waitFor()
  expect(await launch.getByRole('button', { name: 'Launch' }).isDisabled()).toBe(true)
  await launch.getByRole('button', { name: 'Cancel' }).click()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Launch' }).click()
  await saved(page)
  await launch.getByText('without your last changes').waitFor({ state: 'detached' })
})

test('the step whose removal or move is undone is looked at then, also after its tab was left', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Undone', sequences: sequences() })
  const page = await open(application.visitor, `${path}/${id}`)
  await installClock(page)
  const subject = page.getByRole('textbox', { name: 'Subject' })
  const undo = page.getByRole('alert').getByRole('button', { name: 'Undo' })
  const doToSecond = async (name: string) => {
    await page.getByRole('button', { name: 'Actions for step 2' }).click()
    await page.getByRole('menuitem', { name }).click()
    await undo.waitFor()
  }
  const goTo = (tab: string) => page.getByRole('link', { name: tab }).click()
  const undoAndLook = async () => {
    await undo.click()
    await page.waitForURL((address) => address.searchParams.get('step') === '2')
    await expect.poll(() => subject.inputValue()).toBe('')
    await page.clock.fastForward(5000)
    await saved(page)
  }
  for (const change of ['Remove', 'Move up']) {
    await doToSecond(change)
    await goTo('Schedule')
    await page.getByRole('button', { name: 'Add schedule' }).waitFor()
    await goTo('Steps')
    await subject.waitFor()
    await undoAndLook()
  }
  await doToSecond('Move up')
  await page.getByRole('button', { name: /^Step 2/ }).click()
  await expect.poll(() => subject.inputValue()).toBe('Hello {{first_name}}')
  await undoAndLook()
  // Nobody is brought back to it from another tab.
  await doToSecond('Remove')
  await goTo('Schedule')
  await page.getByRole('button', { name: 'Add schedule' }).waitFor()
  await undo.click()
  await page.clock.fastForward(5000)
  await saved(page)
  expect(new URL(page.url()).searchParams.get('tab')).toBe('schedule')
})

test('a removed step in which somebody else writes comes back once, as they wrote it', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Met', sequences: sequences() })
  const url = `/app/api/v2/campaigns/${id}`
  const stored = async () => {
    const { body } = await application.asOwner('GET', url)
    return (body as Campaign).sequences[0]?.steps ?? []
  }
  const page = await open(application.visitor, `${path}/${id}`)
  const choice = page.getByRole('dialog')
  for (const subject of ['Chosen by nobody', 'Chosen before']) {
    await page.getByRole('button', { name: 'Actions for step 2' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    const undo = page.getByRole('alert').getByRole('button', { name: 'Undo' })
    await undo.hover()
    const [first, second] = await stored()
    const variants = second?.variants.map((variant) => ({ ...variant, subject }))
    const theirs = [first, { ...second, variants }]
    await application.asOwner('PATCH', url, { sequences: [{ steps: theirs }] })
    await choice.getByText(subject).waitFor()
    if (subject === 'Chosen before') {
      await choice.getByText('Take theirs').click()
      await choice.getByRole('button', { name: 'Save this version' }).click()
    }
    await undo.click()
    await choice.waitFor({ state: 'detached' })
    await undo.waitFor({ state: 'detached' })
    await saved(page)
    await page.getByRole('button', { name: 'Actions for step 2' }).waitFor()
    expect(await stored()).toEqual(theirs)
  }
})

test('of a step that one removed and the other wrote in both versions are told in words, and scrolled by keyboard', async ({
  application,
  open,
}) => {
  const [sequence] = sequences('<p>A long mail</p>\n'.repeat(30))
  const { id } = await createCampaign(application, { name: 'Told', sequences: [sequence] })
  const url = `/app/api/v2/campaigns/${id}`
  const page = await open(application.visitor, `${path}/${id}`)
  await page.getByRole('button', { name: 'Actions for step 2' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alert').getByRole('button', { name: 'Undo' }).hover()
  const { body } = await application.asOwner('GET', url)
  const [first, second] = (body as Campaign).sequences[0]?.steps ?? []
  const variants = second?.variants.map((variant) => ({ ...variant, subject: 'Theirs' }))
  await application.asOwner('PATCH', url, {
    sequences: [{ steps: [first, { ...second, variants }] }],
  })
  const textOf = async (whose: string) => {
    const region = page.getByRole('region', { name: `Steps: ${whose}` })
    return (await region.textContent())?.replaceAll(/A long mail(\s+(?=A long))?/g, '')
  }
  const [mine, theirs] = [await textOf('Yours'), await textOf('Theirs, saved meanwhile')]
  const firstText = 'Step 1, 0 days\nVariant A\nHello {{first_name}}\n'
  const secondText = 'Variant A\nDid you see my mail?'
  expect(mine).toBe(`${firstText}\n\nRemoved: what was step 2, 3 days\n${secondText}`)
  expect(theirs).toBe(`${firstText}\n\nStep 2, 3 days\n${secondText.replace('\n', '\nTheirs\n')}`)
  await page.getByRole('region', { name: 'Steps: Yours' }).focus()
  await page.keyboard.press('End')
  await expect.poll(() => page.evaluate('document.activeElement.scrollTop')).toBeGreaterThan(0)
})

test('of a mail that two have written the words are shown with what differs, and the source where the formatting does', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Compared', sequences: sequences() })
  const url = `/app/api/v2/campaigns/${id}`
  const page = await open(application.visitor, `${path}/${id}`)
  await page.getByText('Source', { exact: true }).click()
  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id 409')
  let theirs: { subject: string } | { body: string } | undefined
  await page.route(`**${url}`, async (route) => {
    if (route.request().method() === 'PATCH' && theirs) {
      const { body } = await application.asOwner('GET', url)
      const [first, ...others] = (body as Campaign).sequences[0]?.steps ?? []
      const variants = first?.variants.map((variant) => ({ ...variant, ...theirs }))
      theirs = undefined
      await application.asOwner('PATCH', url, {
        sequences: [{ steps: [{ ...first, variants }, ...others] }],
      })
    }
    await route.fallback()
  })
  const source = page.getByRole('textbox', { name: 'Source of the mail' })
  const dialog = page.getByRole('dialog')
  const write = async (mine: string, other: string, isMore = false) => {
    theirs = { body: `<p>${other}</p>` }
    await source.fill(`<p>${mine}</p>`)
    const version = dialog.getByRole('region', { name: /Yours$/ })
    await version.waitFor()
    expect(await dialog.getByText('They differ by more than their words').isVisible()).toBe(isMore)
    if (isMore) await dialog.getByRole('switch', { name: 'Source' }).click()
    const shown = [await version.textContent(), await version.locator('mark').textContent()]
    await dialog.getByText('Keep mine').click()
    await dialog.getByRole('button', { name: 'Save this version' }).click()
    await saved(page)
    return shown
  }
  expect(await write('Hi <b>Ann</b>, lunch?', 'Hi <b>Bo</b>, lunch?')).toEqual([
    'Hi Ann, lunch?',
    'Ann, ',
  ])
  const [words] = await write('Hi Ed', 'Hi Cy<br>lunch?</p><p>Yours')
  expect(words).toBe('Hi Ed')
  expect(await write('Hi <u>Ann</u>', 'Hi <i>Ann</i>')).toEqual([
    '<p>Hi <u>Ann</u></p>',
    '<u>Ann</u></p>',
  ])
  expect(
    await write(
      '<img src="https://x.example/a">Hi Al',
      '<img src="https://x.example/b">Hi Bo',
      true,
    ),
  ).toEqual(['<p><img src="https://x.example/a">Hi Al</p>', 'src="https://x.example/a">Hi Al</p>'])

  theirs = { subject: 'For <Bo>' }
  await page.getByRole('textbox', { name: 'Subject' }).fill('For <Al>')
  await dialog.getByRole('region', { name: /Yours$/ }).waitFor()
  expect(await dialog.getByText('They differ by more than their words').isVisible()).toBe(false)
})

test('of weekly schedules that two have changed both versions are told in words', async ({
  application,
  open,
}) => {
  const evening = { ...midweek, name: 'Evening', timing: { from: '18:00', to: '20:00' } }
  const { id } = await createCampaign(application, {
    ...{ name: 'Two weeks', sequences: sequences() },
    campaign_schedule: { schedules: [midweek, evening] },
  })
  const url = `/app/api/v2/campaigns/${id}`
  const page = await open(application.visitor, `${path}/${id}?tab=schedule`)
  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id 409')
  let isFirst = true
  await page.route(`**${url}`, async (route) => {
    if (route.request().method() === 'PATCH' && isFirst) {
      isFirst = false
      const theirs = { ...evening, timezone: 'Asia/Kathmandu' }
      await application.asOwner('PATCH', url, { campaign_schedule: { schedules: [theirs] } })
    }
    await route.fallback()
  })
  await page.getByRole('button', { name: 'Fri' }).click()
  const textOf = (whose: string) =>
    page.getByRole('region', { name: `Weekly schedules: ${whose}` }).textContent()
  expect(await textOf('Yours')).toBe(
    'Midweek\nTue, Wed, Thu, Fri\n14:00 - 17:00, UTC\n\nEvening\nTue, Wed, Thu\n18:00 - 20:00, UTC',
  )
  expect(await textOf('Theirs, saved meanwhile')).toBe(
    'Evening\nTue, Wed, Thu\n18:00 - 20:00, Asia/Kathmandu',
  )
})

test('a zone that was typed and not chosen is told, and schedules of two zones stand where they are open', async ({
  application,
  open,
}) => {
  const days = { 0: false, 1: true, 2: true, 3: true, 4: true, 5: true, 6: false }
  const timing = { from: '09:00', to: '17:00' }
  const { id } = await createCampaign(application, {
    name: 'Around the world',
    campaign_schedule: {
      schedules: [
        { name: 'West', timing, days, timezone: 'America/Los_Angeles' },
        { name: 'East', timing, days, timezone: 'Asia/Kolkata' },
      ],
    },
  })
  const page = await open(application.visitor, `${path}/${id}?tab=schedule`)
  const bars = page.locator('[data-day="1"] > span')
  await expect.poll(() => bars.count()).toBe(3)
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  await zone.fill('Nowhere')
  await page.getByText('No zone of that name.').waitFor()
  await page.keyboard.press('Tab')
  const told = page.getByText('“Nowhere” was not chosen from the list')
  await told.waitFor()
  expect(await zone.inputValue()).toBe('America/Los_Angeles')
  await zone.fill('Mumbai')
  await page.getByRole('option', { name: 'Asia/Kolkata' }).click()
  await told.waitFor({ state: 'detached' })
  await expect.poll(() => bars.count()).toBe(2)
  await saved(page)
})

test('the next seven days follow what somebody else changes of the schedule', async ({
  application,
  open,
}) => {
  await prepareMailbox(application)
  const { id } = await createCampaign(application, {
    ...{ name: 'A week ahead', sequences: sequences(), email_list: [address] },
    campaign_schedule: { start_date: '2099-01-05', schedules: [midweek] },
  })
  await addLead(application, id)
  const page = await open(application.visitor, `${path}/${id}?tab=schedule`)
  await page.getByText('Nothing in these seven days; 2 mails are left for later.').waitFor()
  const campaign_schedule = { end_date: '2020-01-05', schedules: [midweek] }
  await application.asOwner('PATCH', `/app/api/v2/campaigns/${id}`, { campaign_schedule })
  await page.getByText('Nothing more: the schedule ends, and 2 mails').waitFor()
})

test('what the editor of a link offers has names, and an address of no image is refused with a sentence', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Linked', sequences: sequences() })
  const page = await open(application.visitor, `${path}/${id}`)
  await page.getByRole('button', { name: 'Link', exact: true }).click()
  await page.getByLabel('Enter URL').waitFor()
  await page.getByRole('button', { name: 'Open link in a new tab' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Insert image' }).click()
  await page.getByLabel('Address').fill('www.example.com/picture.png')
  await page.keyboard.press('Enter')
  await page.getByText('The address of an image begins with https:// or http://').waitFor()
})

test('an image is seen where it is written, and keeps what is said of it', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Seen', sequences: sequences() })
  const page = await open(application.visitor, `${path}/${id}`)
  const src = 'https://pictures.example/team.gif'
  await page.route('https://pictures.example/*', (route) =>
    route.fulfill({ contentType: 'image/gif', body: Buffer.from(gif, 'base64') }),
  )
  const button = page.getByRole('button', { name: 'Insert image' })
  const stored = async () => {
    const { body } = await application.asOwner('GET', `/app/api/v2/campaigns/${id}`)
    return (body as Campaign).sequences[0]?.steps[0]?.variants[0]?.body
  }
  await button.click()
  await page.getByLabel('Address').fill(src)
  await page.getByLabel('Description').fill('Our "team"')
  await page.keyboard.press('Enter')
  const picture = page.getByRole('img', { name: 'Our "team"' })
  const seen = page.frameLocator('[role=img] iframe').locator('img')
  await picture.waitFor()
  await seen.waitFor()
  await expect.poll(stored).toContain(`<img src="${src}" alt="Our &quot;team&quot;">`)
  await page.reload()
  await seen.waitFor()
  await picture.click()
  await button.click()
  const description = page.getByLabel('Description')
  expect(await description.inputValue()).toBe('Our "team"')
  await description.fill('All of us')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(stored).toContain(`<img src="${src}" alt="All of us">`)
  await page.getByText('Plain text', { exact: true }).click()
  await page.locator('pre').getByText('All of us').waitFor()
})

// One pixel.
const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

test('an image that cannot be had is told of by its description and address', async ({
  application,
  open,
}) => {
  const src = 'https://pictures.example/gone.png'
  const { id } = await createCampaign(application, {
    ...{ name: 'Gone', sequences: sequences(`<p>Hi <img src="${src}" alt="Logo"></p>`) },
  })
  const page = await open(application.visitor, path)
  await page.route('https://pictures.example/*', (route) => route.abort())
  expectFailures(page, 'GET /gone.png lost')
  await page.goto(`${application.address}${path}/${id}`)
  await page.getByText(`Logo · ${src}`).waitFor()
})

/** Into the editor, as the programs of other makers copy it. */
const paste = (page: Page, html: string) =>
  page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/html', ${JSON.stringify(html)})
    const options = { clipboardData, bubbles: true, cancelable: true }
    document.querySelector('[contenteditable]').dispatchEvent(new ClipboardEvent('paste', options))
  }`)

const inCell = (words: string) => `<td><p class=MsoNormal>${words}<o:p></o:p></p></td>`

const ofList = (level: number, marker: string, words: string, id = 0) =>
  `<p class=MsoListParagraph style='text-indent:-18.0pt;mso-list:l${id} level${level} lfo1'>
  <![if !supportLists]><span style='font-family:Symbol;mso-list:Ignore'>${marker}<span
  style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span><![endif]>${words}</p>`

test.for([
  [
    'a row of a table is a line whose cells are told apart',
    `<table><colgroup><col width=64></colgroup>
      <tr><td height=20 class=xl63>Plan</td><td>Price</td></tr>
      <tr><td>S</td><td align=right>10</td></tr></table>
    <table><tr>${inCell('M')}${inCell('20')}</tr></table>`,
    '<p>Plan | Price</p><p>S | 10</p><p>M | 20</p>',
  ],
  [
    'a table that makes the layout of a mail leaves paragraphs',
    `<table><tr><td width=20>&nbsp;</td><td>
      <table><tr><td><p>Dear Ada,</p><p>hello</p></td></tr><tr><td>&nbsp;</td></tr>
      <tr><td>Yours</td></tr><tr><td>Bo</td></tr></table>
    </td></tr></table>`,
    '<p>Dear Ada,</p><p>hello</p><p>Yours</p><p>Bo</p>',
  ],
  [
    'a cell with paragraphs of its own keeps them',
    `<table><tr><td>Bo</td><td><p>Sales</p><p>Acme</p></td></tr>
      <tr><td>Cy<div>Law</div></td><td>Acme</td></tr></table>`,
    '<p>Bo</p><p>Sales</p><p>Acme</p><p>Cy</p><p>Law</p><p>Acme</p>',
  ],
  [
    'a list of Word is a list',
    `${ofList(1, '·', 'One')}${ofList(2, 'o', 'Deep')}${ofList(1, '·', 'Two')}<p>Then</p>
    ${ofList(1, '3.', 'Three')}`,
    `<ul><li><p>One</p><ul><li><p>Deep</p></li></ul></li><li><p>Two</p></li></ul><p>Then</p>
    <ol start="3"><li><p>Three</p></li></ol>`.replaceAll(/\n\s*/g, ''),
  ],
  [
    'each list of Word counts for itself, as it is numbered',
    `${ofList(1, '1.', 'One')}${ofList(1, '2.', 'Two')}${ofList(2, '2.1.', 'First')}
    ${ofList(2, '2.2.', 'Second')}${ofList(1, '3.', 'Three')}
    ${ofList(1, '1.', 'Other', 1)}${ofList(1, 'a)', 'Letter', 2)}${ofList(1, 'b)', 'Next', 2)}`,
    `<ol><li><p>One</p></li><li><p>Two</p><ol><li><p>First</p></li><li><p>Second</p></li></ol></li>
    <li><p>Three</p></li></ol><ol><li><p>Other</p></li></ol>
    <ol type="a"><li><p>Letter</p></li><li><p>Next</p></li></ol>`.replaceAll(/\n\s*/g, ''),
  ],
])('of what is pasted %s', async ([, html = '', written], { application, open }) => {
  const { id } = await createCampaign(application, { name: 'Pasted', sequences: sequences('') })
  const page = await open(application.visitor, `${path}/${id}`)
  await page.getByRole('textbox', { name: 'Text', exact: true }).waitFor()
  await paste(page, html)
  await page.getByText('Source', { exact: true }).click()
  const source = page.getByRole('textbox', { name: 'Source of the mail' })
  expect(await source.inputValue()).toBe(written)
})

test('of what is pasted an image that many readers do not get is left out and told of, and the launch tells of others', async ({
  application,
  open,
}) => {
  await prepareMailbox(application)
  const src = 'file:///C:/Users/x/clip.png'
  const others = ['data:image/gif;base64,R0lG', 'cid:1', 'blob:https://x.example/1']
  const pasted = [src, ...others].map((each) => `<img src="${each}">`).join('')
  const { id } = await createCampaign(application, {
    ...{ name: 'Lost', email_list: [address] },
    sequences: sequences(`<p>Hi <img src='${src}' alt="Us"><img src="{{photo}}"></p>`),
  })
  await addLead(application, id)
  const page = await open(application.visitor, `${path}/${id}?panel=launch`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Many readers do not see these images').waitFor()
  expect(await dialog.getByText('is no address on the web').count()).toBe(1)
  expect(await dialog.getByText('Everything it needs is there').count()).toBe(0)
  // Once the forecast is there.
  await dialog.getByRole('button', { name: 'Launch' }).and(page.locator(':enabled')).waitFor()
  await dialog.getByRole('listitem').filter({ hasText: src }).getByRole('link').click()

  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  await text.press('Control+a')
  await paste(page, `<p>Before ${pasted}after</p>`)
  await page.getByText('An image was left out').waitFor()
  await page.getByText('Source', { exact: true }).click()
  const source = page.getByRole('textbox', { name: 'Source of the mail' })
  expect(await source.inputValue()).toBe('<p>Before after</p>')
  await source.fill('<p>Hi <img src="https://x.example/a.png"></p><!-- <img src="old.png"> -->')
  await saved(page)
  await page.getByRole('button', { name: 'Launch' }).click()
  await dialog.getByText('Everything it needs is there').waitFor()
})

test('who signs out while somebody else has changed the same is asked first, and chooses', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Met', sequences: sequences() })
  const person = await createMember(application.api, 'meets@team.example', 'member')
  const page = await open(person.browser, `${path}/${id}`)
  const url = `/app/api/v2/campaigns/${id}`
  const { body } = await application.asOwner('GET', url)
  const [first, second] = (body as Campaign).sequences[0]?.steps ?? []
  const variants = second?.variants.map((variant) => ({ ...variant, subject: 'Theirs' }))
  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id 409')
  let isFirst = true
  await page.route(`**${url}`, async (route) => {
    if (route.request().method() === 'PATCH' && isFirst) {
      isFirst = false
      const steps = [first, { ...second, variants }]
      await application.asOwner('PATCH', url, { sequences: [{ steps }] })
    }
    await route.fallback()
  })
  await page.getByRole('button', { name: 'Actions for step 2' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByText('Not saved yet').waitFor()
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  const asked = page.getByRole('dialog', { name: 'Sign out now?' })
  await asked.getByText('What you changed of the campaign is not saved.').waitFor()
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').getByText('Keep mine').click()
  await page.getByRole('button', { name: 'Save this version' }).click()
  await saved(page)
  const { body: kept } = await application.asOwner('GET', url)
  expect((kept as Campaign).sequences[0]?.steps).toHaveLength(1)
})

test('what the server was too busy to save is asked about when its author signs out of another page, and not saved by who signs in next', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Busy', sequences: sequences() })
  const person = await createMember(application.api, 'busy@team.example', 'member')
  const next = await createMember(application.api, 'next@team.example', 'member')
  const page = await open(person.browser, `${path}/${id}?tab=options`)
  await installClock(page)
  const url = `**/app/api/v2/campaigns/${id}`
  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id 429')
  await page.route(url, (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ ...refusal(429, 'Wait 9 s.'), headers: { 'retry-after': '9' } })
      : route.fallback(),
  )
  await page.getByRole('textbox', { name: 'Name' }).fill('Not mine')
  await page.getByRole('link', { name: 'All campaigns' }).click()
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  allowFailures(page, /^GET \/app\/.* 401$/)
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  const asked = page.getByRole('dialog', { name: 'Sign out now?' })
  await asked.getByText('What you changed of the campaign is not saved.').waitFor()
  await asked.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail address').fill(next.email)
  await page.unroute(url)
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') changes.push(request.url())
  })
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Campaigns', exact: true }).first().waitFor()
  await page.clock.fastForward(10_000)
  await page.getByRole('link', { name: 'Campaigns', exact: true }).first().click()
  await page.getByRole('link', { name: 'Busy' }).click()
  await page.getByRole('heading', { name: 'Busy' }).waitFor()
  expect(changes).toEqual([])
})

test('what the server was too busy to save is saved in its own workspace after another was opened, and signing out asks nobody then', async ({
  application,
  open,
}) => {
  const { api } = application
  const { id } = await createCampaign(application, { name: 'Stays here', sequences: sequences() })
  const person = await createPerson(api, { email: 'moves@team.example' })
  const other = await createWorkspace(api.ctx, 'Elsewhere')
  for (const workspaceId of [api.workspaceId, other.id]) {
    await join(api, workspaceId, person, 'member')
  }
  const page = await open(person.browser, `${path}/${id}?tab=options`)
  await installClock(page)
  const url = `**/app/api/v2/campaigns/${id}`
  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id 429')
  await page.route(url, (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ ...refusal(429, 'Wait 9 s.'), headers: { 'retry-after': '9' } })
      : route.fallback(),
  )
  await page.getByRole('textbox', { name: 'Name' }).fill('Stayed here')
  await page.getByRole('link', { name: 'All campaigns' }).click()
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  await page.getByRole('button', { name: 'Workspace default' }).click()
  await page.getByRole('menuitem', { name: 'Elsewhere' }).click()
  await page.getByRole('button', { name: 'Workspace Elsewhere' }).waitFor()
  await page.unroute(url)
  const answer = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.clock.fastForward(10_000)
  expect((await answer).status()).toBe(200)
  const { body } = await application.asOwner('GET', `/app/api/v2/campaigns/${id}`)
  expect((body as Campaign).name).toBe('Stayed here')
  allowFailures(page, /^GET \/app\/.* 401$/)
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail address').waitFor()
})

test('a save that hangs keeps nobody on the page of its campaign, and who signs out is asked', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Hanging', sequences: sequences() })
  const person = await createMember(application.api, 'hangs@team.example', 'member')
  const page = await open(person.browser, `${path}/${id}?tab=options`)
  await installClock(page)
  const answer = Promise.withResolvers<void>()
  const url = `/app/api/v2/campaigns/${id}`
  await page.route(`**${url}`, async (route) => {
    if (route.request().method() === 'PATCH') await answer.promise
    await route.fallback()
  })
  const held = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.getByRole('textbox', { name: 'Name' }).fill('Not hanging')
  await held
  await page.getByRole('link', { name: 'All campaigns' }).click()
  await page.clock.fastForward(5000)
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.clock.fastForward(5000)
  const asked = page.getByRole('dialog', { name: 'Sign out now?' })
  await asked.getByText('What you changed of the campaign is not saved.').waitFor()
  await asked.getByRole('button', { name: 'Cancel' }).click()
  answer.resolve()
  const name = async () => (await application.asOwner('GET', url)).body.name
  await expect.poll(name).toBe('Not hanging')
})

test('what the server was too busy to save is saved once where its campaign is opened again', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Once', sequences: sequences() })
  const page = await open(application.visitor, `${path}/${id}?tab=options`)
  await installClock(page)
  const url = `**/app/api/v2/campaigns/${id}`
  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id 429')
  const bodies: object[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') bodies.push(request.postDataJSON())
  })
  await page.route(url, (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({ ...refusal(429, 'Wait 9 s.'), headers: { 'retry-after': '9' } })
      : route.fallback(),
  )
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('Only once')
  await page.getByRole('link', { name: 'All campaigns' }).click()
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  await page.unroute(url)
  await page.getByRole('link', { name: 'Once', exact: true }).click()
  await page.getByRole('heading', { name: 'Only once' }).waitFor()
  await page.getByRole('link', { name: 'Options' }).click()
  await saved(page)
  await page.clock.fastForward(10_000)
  await name.fill('Then twice')
  await page.getByText('Not saved yet').waitFor()
  await saved(page)
  const [once, twice] = [{ name: 'Only once' }, { name: 'Then twice' }]
  expect(bodies).toEqual([once, once, twice])
})

test('a removed variant, a removed weekly schedule and hours before others were drawn come back', async ({
  application,
  open,
}) => {
  const variants = ['One', 'Two', 'Three'].map((subject) => ({ subject, body: '<p>Hi</p>' }))
  const { id } = await createCampaign(application, {
    name: 'Undone',
    sequences: [{ steps: [{ variants }] }],
  })
  const stored = async () => {
    const { body } = await application.asOwner('GET', `/app/api/v2/campaigns/${id}`)
    const { sequences: found, campaign_schedule } = body as {
      sequences: ReturnType<typeof sequences>
      campaign_schedule: { schedules: { name: string; timing: object }[] }
    }
    const [step] = found[0]?.steps ?? []
    return {
      subjects: step?.variants.map(({ subject }) => subject),
      schedules: campaign_schedule.schedules,
    }
  }
  const page = await open(application.visitor, `${path}/${id}?variant=2`)
  const undo = page.getByRole('alert').getByRole('button', { name: 'Undo' })
  await page.getByRole('button', { name: 'Remove variant' }).click()
  await page.getByRole('button', { name: 'Variant C' }).waitFor({ state: 'detached' })
  const variantA = page.getByRole('button', { name: 'Variant A' })
  // Whoever has no mouse goes on beside what they removed.
  await variantA.and(page.locator(':focus')).waitFor()
  // What is written meanwhile stays.
  await variantA.click()
  await page.getByRole('textbox', { name: 'Subject' }).fill('First')
  await undo.click()
  await expect.poll(async () => (await stored()).subjects).toEqual(['First', 'Two', 'Three'])

  await page.getByRole('link', { name: 'Schedule' }).click()
  await page.getByRole('button', { name: 'Add schedule' }).click()
  await page.getByRole('textbox', { name: 'From' }).fill('06:00')
  // Hours are taken when somebody has left both of their fields.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect
    .poll(async () => (await stored()).schedules[1]?.timing)
    .toEqual({ from: '06:00', to: '17:00' })
  const { schedules } = await stored()
  // Nothing of what follows is saved as long as it can be undone: a campaign that runs acts upon it at once.
  const changes: object[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') {
      changes.push(request.postDataJSON().campaign_schedule.schedules)
    }
  })
  await installClock(page)
  const undoUnsaved = async () => {
    await page.clock.fastForward(5000)
    await page.getByText('Not saved yet').waitFor()
    await undo.click()
    await page.clock.fastForward(5000)
    await saved(page)
  }
  await page.getByRole('button', { name: 'Remove schedule' }).click()
  await page.getByRole('button', { name: 'Schedule 2' }).waitFor({ state: 'detached' })
  await undoUnsaved()
  await page.getByRole('button', { name: 'Schedule 2' }).click()
  const wednesday = await page.locator('[data-day="3"]').boundingBox()
  if (!wednesday) throw new Error('There is no week.')
  const at = (hour: number) =>
    [wednesday.x + (wednesday.width * hour) / 24, wednesday.y + 9] as const
  const from = page.getByRole('textbox', { name: 'From' })
  // Whoever presses a day has drawn nothing.
  await page.mouse.click(...at(13.2))
  await saved(page)
  expect(await from.inputValue()).toBe('06:00')
  const draw = async () => {
    await page.mouse.move(...at(10.2))
    await page.mouse.down()
    await page.mouse.move(...at(11.8), { steps: 4 })
    await page.mouse.up()
    expect(await from.inputValue()).toBe('10:00')
  }
  await draw()
  await undoUnsaved()
  expect(changes).toEqual([schedules, schedules])
  await draw()
  await page.clock.fastForward(9000)
  await undo.waitFor({ state: 'detached' })
  await page.clock.fastForward(5000)
  await saved(page)
  const [first, second] = (await stored()).schedules
  const tenToTwelve = { from: '10:00', to: '12:00' }
  expect(second).toMatchObject({ timing: tenToTwelve, days: { 2: false, 3: true } })

  // What was drawn goes with its schedule, and whatever takes its place stays as it is.
  await page.getByRole('button', { name: first?.name ?? '', exact: true }).click()
  await draw()
  await page.getByRole('button', { name: 'Remove schedule' }).click()
  const drawn = page.getByRole('alert').filter({ hasText: 'other days and hours' })
  await drawn.getByRole('button', { name: 'Undo' }).click()
  await page.mouse.move(0, 0)
  await page.clock.fastForward(9000)
  await undo.waitFor({ state: 'detached' })
  await page.clock.fastForward(5000)
  await saved(page)
  expect((await stored()).schedules).toEqual([second])
})

test('a variable goes into the subject where somebody writes, and what is filled in is marked', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, {
    name: 'Marked',
    sequences: [{ steps: [{ variants: [{ subject: '{Hello|Hi} , lunch?', body: '<p>Hi</p>' }] }] }],
  })
  await addLead(application, id)
  const page = await open(application.visitor, `${path}/${id}`)
  const subject = page.getByRole('textbox', { name: 'Subject' })
  await subject.focus()
  await page.keyboard.press('Home')
  for (const _ of '{Hello|Hi} ') await page.keyboard.press('ArrowRight')
  await page.getByRole('button', { name: 'Variable in the subject' }).click()
  await page.getByRole('menuitem', { name: 'company_name' }).getByText('1 lead lacks it').waitFor()
  await page.getByRole('menuitem', { name: 'first_name' }).click()
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.keyboard.type('!')
  expect(await subject.inputValue()).toBe('{Hello|Hi} {{first_name}}!, lunch?')
  for (const part of ['{Hello|Hi}', 'first_name']) {
    await page.getByText(part, { exact: true }).waitFor()
  }
  await saved(page)
  const { body } = await application.asOwner('GET', `/app/api/v2/campaigns/${id}`)
  expect(body.sequences[0].steps[0].variants[0].subject).toBe('{Hello|Hi} {{first_name}}!, lunch?')
})

test('a variable that no lead has looks wrong while it is written, and is told with what to do', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Misspelt', sequences: sequences() })
  await addLead(application, id)
  const page = await open(application.visitor, `${path}/${id}`)
  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  const chip = (name: string) => text.locator('.variable', { hasText: name })
  await chip('first_name').waitFor()
  await text.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' {{comapny}}')
  await page.locator('.variable.unknown', { hasText: 'comapny' }).waitFor()
  await page.getByText('No lead has “comapny”, so this mail is sent to nobody.').waitFor()
  expect(await text.locator('.variable.unknown').count()).toBe(1)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Hi {{comapny | default: "you"}}')
  await chip('default').waitFor()
  await page.getByText('so this mail is sent to nobody').waitFor({ state: 'detached' })
  expect(await text.locator('.variable.unknown').count()).toBe(0)
  await page.getByRole('textbox', { name: 'Subject' }).fill('Hello {{frist_name}}')
  await page.getByText('No lead has “frist_name”').waitFor()
  await saved(page)
})

test('where others are written to than the newest leads, no variable is told to be one that no lead has', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Many', sequences: sequences() })
  await addLead(application, id)
  await application.asOwner('POST', '/app/api/v2/lead/add', {
    ...{
      campaign_id: id,
      leads: [{ email: 'bob@many.example', custom_variables: { city: 'Ulm' } }],
    },
  })
  const page = await open(application.visitor, path)
  const url = `**/app/campaigns/${id}/variables`
  // As of the newest 10,000.
  await page.route(url, (route) => route.fulfill({ json: { leads: 1, items: [] } }))
  const told = page.waitForResponse(url)
  await page.goto(`${application.address}${path}/${id}`)
  await told
  const text = page.getByRole('textbox', { name: 'Text', exact: true })
  await text.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' {{city}}')
  await text.locator('.variable', { hasText: 'city' }).waitFor()
  await saved(page)
  expect(await text.locator('.variable.unknown').count()).toBe(0)
  expect(await page.getByText('so this mail is sent to nobody').count()).toBe(0)
})

test('who lacks a variable is counted before the launch, which is not kept from going on', async ({
  application,
  open,
}) => {
  await prepareMailbox(application)
  const { id } = await createCampaign(application, {
    ...{ name: 'With a hole', sequences: sequences(), email_list: [address] },
  })
  const leads = [{ email: 'a@lead.example', first_name: 'Ada' }, { email: 'b@lead.example' }]
  await application.asOwner('POST', '/app/api/v2/lead/add', { campaign_id: id, leads })
  const page = await open(application.visitor, `${path}/${id}?panel=launch`)
  const dialog = page.getByRole('dialog')
  const lacking = dialog.getByRole('listitem').filter({ hasText: 'first_name: 1 lead lacks it' })
  await lacking.waitFor()
  await dialog.getByText('{{first_name | default: "…"}}').waitFor()
  await dialog.getByText('At most 1 of 2 leads gets mail: the others lack').waitFor()
  await dialog.getByText('4 mails if no lead lacked a variable').waitFor()
  // In a low window, too, its button is in sight.
  await page.setViewportSize({ width: 1280, height: 480 })
  const { y = 0, height = 0 } =
    (await dialog.getByRole('button', { name: 'Launch' }).boundingBox()) ?? {}
  expect(y).toBeGreaterThan(0)
  expect(y + height).toBeLessThanOrEqual(480)
  // With nothing below it but its own margin.
  expect(y + height).toBeGreaterThan(480 - 20)
  await page.setViewportSize({ width: 1280, height: 720 })
  expect(await dialog.getByRole('button', { name: 'Launch' }).isEnabled()).toBe(true)
  await lacking.getByRole('link').click()
  await page.getByText('unless it has a default, as in {{first_name | default: "there"}}').waitFor()
  await page.getByRole('textbox', { name: 'Subject' }).fill('Hello')
  await page.getByText('Source', { exact: true }).click()
  const source = page.getByRole('textbox', { name: 'Source of the mail' })
  await source.fill('<p>Hi {{first_name | default: "there"}}</p>')
  await saved(page)
  await page.getByRole('button', { name: 'Launch' }).click()
  await dialog.getByText('2 leads get mail').waitFor()
  expect(await lacking.count()).toBe(0)
})

test('of mails with conditions the launch says that they were not looked through', async ({
  application,
  open,
}) => {
  await prepareMailbox(application)
  const steps = [
    { variants: [{ subject: 'Hello', body: '<p>{% if x %}A{% endif %} {{city}}</p>' }] },
  ]
  const { id } = await createCampaign(application, {
    ...{ name: 'With conditions', sequences: [{ steps }], email_list: [address] },
  })
  await addLead(application, id)
  const page = await open(application.visitor, `${path}/${id}?panel=launch`)
  await page.getByText('Mails with conditions are not looked through').waitFor()
  await page.getByText('At most 1 lead gets mail').waitFor()
  await page.getByText('1 mail if no lead lacked a variable').waitFor()
})

test('no mail is promised before the launch where every lead lacks what the first one says', async ({
  application,
  open,
}) => {
  await prepareMailbox(application)
  const steps = [{ variants: [{ subject: 'Hello {{nobody_has_it}}', body: '<p>Hi</p>' }] }]
  const { id } = await createCampaign(application, {
    ...{ name: 'All lack it', sequences: [{ steps }], email_list: [address] },
  })
  const leads = ['a', 'b', 'c'].map((name) => ({ email: `${name}@lack.example` }))
  await application.asOwner('POST', '/app/api/v2/lead/add', { campaign_id: id, leads })
  const page = await open(application.visitor, `${path}/${id}?panel=launch`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('nobody_has_it: 3 leads lack it').waitFor()
  await dialog.getByText('Nobody: every lead lacks a variable of step 1.').waitFor()
  // Its buttons are at the edge, too, where there is little above them.
  const { y = 0, height = 0 } =
    (await dialog.getByRole('button', { name: 'Launch' }).boundingBox()) ?? {}
  expect(y + height).toBeGreaterThan((page.viewportSize()?.height ?? 0) - 20)
  expect(await dialog.getByText(/Everything it needs is there|get mail|3 mails/).count()).toBe(0)
})

test('who starts a campaign whose leads are done or paused is told what becomes of it', async ({
  application,
  open,
}) => {
  const { asOwner } = application
  await prepareMailbox(application)
  const { id } = await createCampaign(application, {
    ...{ name: 'Done with', sequences: sequences(), email_list: [address] },
    campaign_schedule: { start_date: '2099-01-05', schedules: [midweek] },
  })
  const add = (...leads: object[]) =>
    asOwner('POST', '/app/api/v2/lead/add', { campaign_id: id, leads })
  const done = { campaign_id: id, email: 'done@lead.example', new_status: 'not_interested' }
  await add({ email: done.email })
  expect((await asOwner('POST', '/app/api/v2/lead/update/status', done)).status).toBe(200)
  const db = application.api.ctx.database.peek
  await db.updateTable('campaigns').set({ status: 'paused' }).where('id', '=', id).execute()
  const page = await open(application.visitor, `${path}/${id}?panel=launch`)
  const dialog = page.getByRole('dialog')
  const resume = dialog.getByRole('button', { name: 'Resume' })
  await dialog.getByText('Every lead of it is done, so it is completed at once').waitFor()
  await resume.click()
  await page.getByText('Completed at once: every lead of it is done.').waitFor()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Resume' }).click()
  await dialog.getByText('Every lead of it is done: add leads first').waitFor()
  expect(await resume.isDisabled()).toBe(true)

  await add(
    { email: 'next@lead.example', first_name: 'Ada' },
    { email: 'paused@lead.example', first_name: 'Bob' },
    { email: 'blocked@nowhere.example', first_name: 'Eve' },
  )
  const entry = { value: 'nowhere.example' }
  expect((await asOwner('POST', '/app/suppressions', entry)).status).toBe(200)
  const pausing = db.updateTable('leads').set({ sending_state: 'paused' })
  await pausing.where('campaign_id', '=', id).where('email', 'like', 'paused@%').execute()
  await page.reload()
  await dialog.getByText('1 lead gets mail').waitFor()
  await dialog.getByText('No mail to 1 lead: paused.').waitFor()
  await dialog.getByText('No mail to 1 lead: on the suppression list.').waitFor()
  // Who is done lacks it, and is sent nothing any more.
  expect(await dialog.getByText('lacks it').count()).toBe(0)
  expect(await resume.isEnabled()).toBe(true)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Schedule' }).click()
  await page.getByText('Nothing in these seven days; 2 mails are left for later.').waitFor()
})

test('of a long list is said that only the newest leads were looked at for variables, or that they could not be', async ({
  application,
  open,
}) => {
  await prepareMailbox(application)
  const { id } = await createCampaign(application, {
    ...{ name: 'A long list', sequences: sequences(), email_list: [address] },
  })
  const leads = ['a', 'b'].map((name) => ({ email: `${name}@long.example`, first_name: 'Ada' }))
  await application.asOwner('POST', '/app/api/v2/lead/add', { campaign_id: id, leads })
  const page = await open(application.visitor, path)
  const known = { leads: 1, items: [{ name: 'first_name', missing: 0 }] }
  let answer: object = refusal(409, 'They cannot be counted now.')
  await page.route(`**/campaigns/${id}/variables`, (route) => route.fulfill(answer))
  expectFailures(page, 'GET /app/campaigns/:id/variables 409')
  await page.goto(`${application.address}${path}/${id}?tab=options&panel=launch`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('They cannot be counted now.').waitFor()
  answer = { json: known }
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByText('among the newest 1 leads').waitFor()
})

test('nothing starts that somebody else changed since it was looked at', async ({
  application,
  open,
}) => {
  await prepareMailbox(application)
  const { id } = await createCampaign(application, {
    ...{ name: 'Looked at', sequences: sequences(), email_list: [address] },
  })
  await addLead(application, id)
  const url = `/app/api/v2/campaigns/${id}`
  const status = async () => (await application.asOwner('GET', url)).body.status
  const page = await open(application.visitor, `${path}/${id}`)
  await page.getByRole('button', { name: 'Launch' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Everything it needs is there').waitFor()
  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id 409')
  // A live update shows it before the button is pressed.
  await application.asOwner('PATCH', url, { name: 'Another' })
  await page.getByRole('dialog', { name: 'Launch “Another”' }).waitFor()
  const forecast = page.waitForResponse(`**/campaigns/${id}/forecast`)
  await dialog.getByRole('button', { name: 'Launch' }).click()
  await dialog.getByText('Somebody changed it a moment ago').waitFor()
  await forecast
  expect(await status()).toBe('draft')
  // And once more between the press and the server.
  let isChanged = false
  await page.route(`**${url}`, async (route) => {
    if (route.request().method() === 'PATCH' && !isChanged) {
      isChanged = true
      await application.asOwner('PATCH', url, { name: 'A third' })
    }
    await route.fallback()
  })
  await dialog.getByRole('button', { name: 'Launch' }).click()
  await page.getByRole('dialog', { name: 'Launch “A third”' }).waitFor()
  expect(await status()).toBe('draft')
  await dialog.getByRole('button', { name: 'Launch' }).click()
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect.poll(status).toBe('paused')
})

test('a draft is deleted with its leads, and says how many', async ({ application, open }) => {
  const { id } = await createCampaign(application, { name: 'Thrown away' })
  await application.asOwner('POST', '/app/api/v2/lead/add', {
    ...{ campaign_id: id, leads: [{ email: 'a@lead.example' }, { email: 'b@lead.example' }] },
  })
  const page = await open(application.visitor, path)
  await page.getByRole('button', { name: 'Actions for Thrown away' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete “Thrown away”?' })
  // Whether it ever tried to send, the server alone knows.
  await dialog.getByText(/^Its 2 leads are deleted with it\./).waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('The campaign is deleted.').waitFor()
  expect((await application.asOwner('GET', `/app/api/v2/campaigns/${id}`)).status).toBe(404)
})

test('a question names what it is about until it is gone', async ({ application, open }) => {
  await createCampaign(application, { name: 'Kept after all' })
  const page = await open(application.visitor, path)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.getByRole('button', { name: 'Actions for Kept after all' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  const titles = await page.evaluateHandle(`(() => {
    const title = document.querySelector('[role=dialog] h2')
    const seen = [title.textContent]
    const observer = new MutationObserver(() => seen.push(title.textContent))
    observer.observe(document.body, { childList: true, subtree: true, characterData: true })
    return seen
  })()`)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  const seen = (await titles.jsonValue()) as string[]
  expect(new Set(seen)).toEqual(new Set(['Delete “Kept after all”?']))
})

test('the list counts and filters by state, and a campaign is paused and resumed from its row, which says why it is not deleted', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Row one', sequences: sequences() })
  await createCampaign(application, { name: 'Row two' })
  await application.api.ctx.database.peek
    .updateTable('campaigns')
    .set({ status: 'active' })
    .where('id', '=', id)
    .execute()
  const page = await open(application.visitor, `${path}?search=Row`)
  const chip = (name: string) =>
    page.getByRole('group', { name: 'State' }).getByRole('button', { name })
  await chip('Draft 1').waitFor()
  await chip('Active 1').waitFor()
  await chip('Paused 0').waitFor()
  await chip('Draft').click()
  await page.getByRole('link', { name: 'Row one' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Row two' }).waitFor()
  expect(page.url()).toContain('status=draft')
  await chip('Draft').and(page.locator('[aria-pressed=true]')).click()
  const menu = page.getByRole('button', { name: 'Actions for Row one' })
  await menu.click()
  const remove = page.getByRole('menuitem', { name: 'Delete' })
  await remove.getByText('Pause it first').waitFor()
  expect(await remove.isDisabled()).toBe(true)
  await page.getByRole('menuitem', { name: 'Pause', exact: true }).click()
  await chip('Paused 1').waitFor()
  await menu.click()
  await remove.and(page.locator(':enabled')).waitFor()
  await page.getByRole('menuitem', { name: 'Resume' }).click()
  await page.getByRole('dialog', { name: 'Resume “Row one”' }).waitFor()
})

test('the list fits every window, with its menus in sight and room for why nothing is sent', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, {
    ...{ name: 'Autumn offers of the year', sequences: sequences() },
  })
  await addLead(application, id)
  await application.api.ctx.database.peek
    .updateTable('campaigns')
    .set({ status: 'active' })
    .where('id', '=', id)
    .execute()
  const page = await open(application.visitor, `${path}?search=Autumn`)
  const row = page.getByRole('row', { name: /Autumn offers/ })
  await row.getByText('Not sending').waitFor()
  const measured = `[
    document.documentElement.scrollWidth - document.documentElement.clientWidth > 0,
    document.querySelector('tbody button').getBoundingClientRect().right < innerWidth,
    document.querySelector('tbody td').offsetWidth > 190,
  ]`
  for (const width of [800, 1000, 1024, 1249, 1280]) {
    await page.setViewportSize({ width, height: 768 })
    // The page takes its form a moment after the window.
    await expect
      .poll(() => page.evaluate(measured), { message: `${width} px` })
      .toEqual([false, true, true])
  }
  await application.asOwner('PATCH', `/app/api/v2/campaigns/${id}`, { status: 'paused' })
})

test('a text that is no template is told by its place on the page, leads there, and keeps no other from being looked at', async ({
  application,
  open,
}) => {
  await prepareMailbox(application)
  const body = '<p>Hi</p>'
  const variants = [
    { subject: 'Sound', body },
    { subject: 'Other', body },
  ]
  const { id } = await createCampaign(application, {
    ...{ name: 'One is bad', sequences: [{ steps: [{ variants }] }], email_list: [address] },
  })
  await addLead(application, id)
  const page = await open(application.visitor, `${path}/${id}?variant=2`)
  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id 400', 'POST /app/campaigns/:id/preview 400')
  expectFailures(page, 'POST /app/campaigns/:id/test-mail 400')
  await page.getByRole('textbox', { name: 'Subject' }).fill('Hi {{first_name|there}}')
  const told =
    'Step 1, Variant B, Subject is not a template. ' +
    'An unknown filter (a default is written {{first_name | default: "there"}})'
  const saving = page.locator('[data-saving=refused]')
  await saving.getByText(`Not saved: ${told}`).waitFor()
  // Below its field, which one it is is seen.
  await page.getByText(/^Subject is not a template/).waitFor()
  await page.getByRole('link', { name: 'Preview' }).click()
  await page.getByRole('combobox', { name: 'Variant' }).selectOption('2')
  await page.getByRole('alert').getByText(told).waitFor()
  expect(await page.getByText('Try again').count()).toBe(0)
  await page.getByRole('button', { name: 'Send test' }).click()
  const panel = page.getByRole('dialog')
  await panel.getByRole('button', { name: 'Send test' }).click()
  await panel.getByRole('alert').getByText(told).waitFor()
  await panel.getByRole('button', { name: 'Cancel' }).click()
  await panel.waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Variant' }).selectOption('1')
  await page.getByRole('definition').getByText('Sound').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await saving.getByRole('link', { name: 'Show' }).click()
  const subject = page.getByRole('textbox', { name: 'Subject' })
  await expect.poll(() => subject.inputValue()).toBe('Hi {{first_name|there}}')
})

test('a mail is shown as it leaves, whatever is in it, and what the editor would change it does not open', async ({
  application,
  open,
}) => {
  // A picture without a host is nowhere in a mail; asked of our server it would fail, or answer for it.
  const picture = '<img alt="Logo" src="x" srcset="https://127.0.0.1:9/, x 2x" onerror="alert(1)">'
  const styles = `color: #123456; background: url( 'x' ); background-image: url(x)`
  const body = `<style>p { background: url(x) }</style><p>Hi</p><table background="x"><tr><td style="${styles}" onclick="alert(1)">{{first_name}} ${picture}</td></tr></table>`
  await prepareMailbox(application)
  const { id } = await createCampaign(application, {
    name: '<img src=x onerror=alert(1)>',
    sequences: sequences(body),
    email_list: [address],
  })
  await addLead(application, id)
  const [lead] = await application.api.ctx.database.peek
    .selectFrom('leads')
    .select('id')
    .where('campaign_id', '=', id)
    .execute()
  const page = await open(application.visitor, `${path}/${id}?tab=preview&lead=${lead?.id}`)
  const mail = page.frameLocator('iframe')
  await mail.getByText('Ada <b>').waitFor()
  await mail.getByAltText('Logo').waitFor()
  const color = "getComputedStyle(document.querySelector('td')).color"
  expect(await page.frames().at(-1)?.evaluate(color)).toBe('rgb(18, 52, 86)')
  expect(await mail.locator('[onclick], [onerror], [src], [srcset], script').count()).toBe(0)
  await page.getByText('Headers', { exact: true }).click()
  await page.getByText(/List-Unsubscribe/).waitFor()
  // The address shows whoever gets it the same.
  await page.reload()
  await page.getByText(/List-Unsubscribe/).waitFor()
  await page.getByRole('link', { name: 'Steps' }).click()
  await page.getByText('its source is edited').waitFor()
  expect(await page.getByRole('textbox', { name: 'Source of the mail' }).inputValue()).toBe(body)
  // A lead that was corrected meanwhile is looked at as it is now.
  const corrected = await application.asOwner('PATCH', `/app/leads/${lead?.id}`, {
    first_name: 'Grace',
  })
  expect(corrected.status, JSON.stringify(corrected.body)).toBe(200)
  await page.getByRole('link', { name: 'Preview' }).click()
  await mail.getByText('Grace').waitFor()
})

test('a preview says who a mail is from and to as they read it', async ({ application, open }) => {
  await prepareMailbox(application)
  const { id } = await createCampaign(application, {
    ...{ name: 'From and to', sequences: sequences('<p>Hi</p>'), email_list: [address] },
    ...{ cc_list: ['boss@copy.example'], bcc_list: ['crm@copy.example', 'BOSS@copy.example'] },
  })
  const leads = [{ email: 'eve@exämple.example', first_name: 'Eve' }]
  await application.asOwner('POST', '/app/api/v2/lead/add', { campaign_id: id, leads })
  const page = await open(application.visitor, `${path}/${id}?tab=preview`)
  await page.getByRole('definition').getByText(`Anna Example <${address}>`).waitFor()
  await page.getByRole('definition').getByText('eve@exämple.example', { exact: true }).waitFor()
  const shown = await page.locator('article dl').textContent()
  expect(shown).toMatch(/Toeve@exämple\.exampleCopy toboss@copy\.exampleBlind/)
  expect(shown).toMatch(/Blind copy tocrm@copy\.exampleSubject/)
})

test('the paper of a mail is as long as the mail, also after a longer one', async ({
  application,
  open,
}) => {
  await prepareMailbox(application)
  const long = '<p>Hello</p>'.repeat(20)
  const [sequence] = sequences(long)
  const { id } = await createCampaign(application, {
    ...{ name: 'Short after long', sequences: [sequence], email_list: [address] },
  })
  await addLead(application, id)
  const page = await open(application.visitor, `${path}/${id}?tab=preview`)
  const height = async () => (await page.locator('iframe').boundingBox())?.height
  await expect.poll(height).toBeGreaterThan(500)
  await page.getByRole('button', { name: 'Next step' }).click()
  await expect.poll(height).toBeLessThan(130)
})

test('leads that wait for a removed mailbox are told with what cures it, and the mailbox is marked as removed', async ({
  application,
  open,
}) => {
  const { api, asOwner, visitor } = application
  await prepareMailbox(application)
  const gone = { address: 'gone@example.com', smtp: server, imap: server }
  const { id: mailbox_id } = await addMailbox(api.ctx, api.workspaceId, gone, operator)
  const { id } = await createCampaign(application, {
    ...{ name: 'Left behind', sequences: sequences(), email_list: [address, gone.address] },
  })
  await addLead(application, id)
  expect((await asOwner('PATCH', `/app/api/v2/campaigns/${id}`, { status: 'active' })).status).toBe(
    200,
  )
  // As after the first of its two mails.
  await api.ctx.database.peek
    .updateTable('leads')
    .set({ mailbox_id, current_step: 1, sending_state: 'active' })
    .where('campaign_id', '=', id)
    .execute()
  await removeMailbox(api.ctx, api.workspaceId, mailbox_id, operator)

  const page = await open(visitor, `${path}/${id}?tab=options`)
  await page.getByText('There is nobody else that it may write to.').waitFor()
  await page.getByText('1 lead waits for its mailbox, which does not send for it').waitFor()
  expect(await page.getByText('choose one under Options').count()).toBe(0)
  await page.getByText('gone@example.com (removed)', { exact: true }).waitFor()
  await page.getByText('gone@example.com was removed.').waitFor()
  await page.goto(`${application.address}/w/default`)
  await page.getByText('Left behind sends nothing').waitFor()
  await page
    .getByText('All leads that it may write to wait for mailboxes that do not send')
    .waitFor()
  await page.goto(`${application.address}${path}/${id}`)
  await page.getByRole('link', { name: 'Open the mailboxes' }).click()
  await page.getByRole('combobox', { name: 'From which mailbox?' }).click()
  await page.getByRole('option', { name: gone.address }).waitFor()
  await page.keyboard.press('Escape')
})

test('copies that a mail server refuses are told on the page, until their address is taken off', async ({
  application,
  open,
}) => {
  const { api } = application
  const { id } = await createCampaign(application, {
    ...{ name: 'Copied', cc_list: ['boss@copy.example'] },
  })
  const refused = {
    ...{ campaign_id: id, address: 'boss@copy.example' },
    ...{ code: '550 5.1.1', message: '<b>No such user' },
  }
  await recordRefusedCopies(api.ctx, api.workspaceId, [refused, refused])
  const page = await open(application.visitor, `${path}/${id}`)
  const notice = page.getByRole('status').filter({ hasText: 'A copy of its mails is refused' })
  await notice
    .getByText('boss@copy.example: 550 5.1.1 <b>No such user. 2 mails went out without this copy.')
    .waitFor()
  await notice.getByText('Take the address off the copies').waitFor()
  await notice.getByRole('link', { name: 'Open the options' }).click()
  await page.getByRole('combobox', { name: 'Copy to', exact: true }).focus()
  await page.keyboard.press('Backspace')
  await notice.waitFor({ state: 'detached' })
  await saved(page)
  const { body } = await application.asOwner('GET', `/app/campaigns/${id}/refused-copies`)
  expect(body.items).toEqual([])
})

test('what came of the mails is counted, and an uncertain one is decided', async ({
  application,
  open,
}) => {
  const { api } = application
  const created = await createCampaign(application, { name: 'Sent', sequences: sequences() })
  const { id } = created
  const [step] = created.sequences[0]?.steps ?? []
  const step_id = step?.id ?? ''
  await addLead(application, id)
  const db = api.ctx.database.peek
  const leads = db.selectFrom('leads').select('id').where('campaign_id', '=', id)
  const { id: lead_id } = await leads.executeTakeFirstOrThrow()
  const mailbox_id = await prepareMailbox(application)
  const day = new Date().toISOString().slice(0, 10)
  const dayBefore = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  await db
    .insertInto('sends')
    .values({
      ...{ workspace_id: api.workspaceId, lead_id, step_id: api.ctx.newId(), id: api.ctx.newId() },
      ...{ campaign_id: id, mailbox_id, kind: 'step', step: 1, variant: 1 },
      ...{ variant_id: api.ctx.newId(), message_id: '<1@example.com>', starts_thread: true },
      ...{ state: 'uncertain', claim_token: '1', is_new: true, campaign_day: day },
      ...{
        mailbox_day: day,
        timestamp_claimed: new Date(),
        subject: '"><script>alert(1)</script>',
      },
    })
    .execute()
  await db
    .insertInto('campaign_step_days')
    .values([
      {
        ...{ workspace_id: api.workspaceId, campaign_id: id, day, step_id },
        ...{ variant_id: step?.variants[0]?.id ?? '', sent: 20, opened: 10, replied: 4 },
        ...{ auto_replied: 2, bounced: 3, interested: 1 },
      },
      {
        ...{ workspace_id: api.workspaceId, campaign_id: id, day, step_id },
        ...{ variant_id: api.ctx.newId(), sent: 8, replied: 2 },
      },
      { workspace_id: api.workspaceId, campaign_id: id, day, sent: 2 },
      { workspace_id: api.workspaceId, campaign_id: id, day: dayBefore, sent: 1, replied: 6 },
    ])
    .execute()
  const page = await open(application.visitor, `${path}/${id}?tab=analytics`)
  const row = page.getByRole('row', { name: /Step 1 A/ })
  await row.getByText('20.0%').waitFor()
  // Some of those that bounced may have been refused, and so never sent.
  expect(await row.getByRole('cell', { name: '3', exact: true }).textContent()).toBe('3')
  const removed = page.getByRole('row', { name: /Step 1, removed variants/ })
  await removed.getByText('25.0%').waitFor()
  // What came stands on its day, whenever the mail was sent that it is about.
  const old = page.getByRole('row', { name: /^Removed 3/ })
  expect(await old.textContent()).not.toContain('%')
  expect(await page.getByRole('table', { name: 'By day' }).textContent()).not.toContain('%')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^Sent .*\.csv$/)
  // Variants are called as on the page.
  const rows = (await readFile(await file.path(), 'utf8')).split('\r\n')
  expect(rows).toEqual(
    expect.arrayContaining([`${day},1,A,20,10,0,4,2,3,1,0`, `${day},1,,8,0,0,2,0,0,0,0`]),
  )
  await page.getByRole('link', { name: 'Mails' }).click()
  await page.getByText('"><script>alert(1)</script>').waitFor()
  await page.getByRole('button', { name: 'It arrived: the mail to ada@lead.example' }).click()
  await page.getByText('Sent', { exact: true }).last().waitFor()
  expect(await page.getByRole('button', { name: /arrived/ }).count()).toBe(0)

  // To who is paused it is not sent before they are resumed.
  await db.updateTable('sends').set({ state: 'uncertain' }).where('lead_id', '=', lead_id).execute()
  await db.updateTable('leads').set({ sending_state: 'paused' }).where('id', '=', lead_id).execute()
  await page.reload()
  await page.getByRole('button', { name: 'Send again: the mail to ada@lead.example' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click()
  await page.getByText('It is sent again once the lead is resumed.').waitFor()

  // One that was sent and came back says both.
  const ledger = db.updateTable('sends').set({ state: 'sent' }).where('lead_id', '=', lead_id)
  const { step_id: sent } = await ledger.returning('step_id').executeTakeFirstOrThrow()
  const outcomes = { bounced: { day, step_id: sent, variant_id: null } }
  await db
    .updateTable('leads')
    .set({ ...{ sending_state: 'stopped', stop_reason: 'bounced' }, outcomes_counted: outcomes })
    .where('id', '=', lead_id)
    .execute()
  await page.reload()
  await page.getByRole('row').getByText('Bounced', { exact: true }).waitFor()
})

test('that a campaign has no mails is not said while nobody can know it', async ({
  application,
  open,
}) => {
  const { id } = await createCampaign(application, { name: 'Unread' })
  const page = await open(application.visitor, `${path}/${id}?tab=mails`)
  const none = page.getByText('No mails yet')
  await none.waitFor()
  expectFailures(page, 'GET /app/sends 409')
  await page.route('**/app/sends?**', (route) => route.fulfill(refusal(409, 'Not now.')))
  await application.asOwner('PATCH', `/app/api/v2/campaigns/${id}`, { name: 'Still unread' })
  await page.getByRole('alert').getByText('Not now.').waitFor()
  expect(await none.count()).toBe(0)
})

test('while it loads, when it cannot be read, and when there is none of that id', async ({
  application,
  open,
}) => {
  await createCampaign(application, { name: 'One' })
  const page = await open(application.visitor, '/account')
  await page.route('**/app/campaigns?**', () => new Promise(() => undefined))
  await page.goto(`${application.address}${path}`)
  await page.getByRole('status').waitFor()
  await page.unrouteAll()
  expectFailures(page, 'GET /app/campaigns 429', 'GET /app/api/v2/campaigns/:id 404')
  await page.route('**/app/campaigns?**', (route) =>
    route.fulfill(refusal(429, 'Too many requests; wait 3 s.')),
  )
  await page.reload()
  await page.getByRole('alert').getByText('Too many requests').waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('table', { name: 'Campaigns' }).waitFor()
  await page.getByPlaceholder('Search by name').fill('nothing like it')
  await page.getByText('No campaign matches').waitFor()
  await page.getByRole('button', { name: 'Reset filters' }).click()
  await page.getByRole('table', { name: 'Campaigns' }).waitFor()
  await page.goto(`${application.address}${path}/${application.api.workspaceId}`)
  await page.getByText('There is no such campaign here').waitFor()
})

test('leads whose mail cannot be made are counted with what they lack, and one click away', async ({
  application,
  open,
}) => {
  const { api, asOwner } = application
  await prepareMailbox(application)
  const { id } = await createCampaign(application, {
    ...{ name: 'Lacking', sequences: sequences(), email_list: [address] },
  })
  const leads = ['gone', 'held', 'goes'].map((name) => ({ email: `${name}@lead.example` }))
  await asOwner('POST', '/app/api/v2/lead/add', { campaign_id: id, leads })
  await asOwner('PATCH', `/app/api/v2/campaigns/${id}`, { status: 'active' })
  const setLead = (email: string, change: object) =>
    api.ctx.database.peek.updateTable('leads').set(change).where('email', '=', email).execute()
  const paused = { sending_state: 'paused' }
  await setLead('gone@lead.example', paused)
  const why = 'The lead has no first_name, and the template gives no default.'
  await setLead('held@lead.example', { ...paused, skip_reason: `template_failed: ${why}` })
  const page = await open(application.visitor, '/w/default')
  const link = page.getByRole('link', { name: 'Open leads' })
  await page.getByText('Some leads of Lacking wait').waitFor()
  await page.getByText('1 lead gets nothing: its mail could not be made, or was refused.').waitFor()
  await link.click()
  const held = page.getByRole('row', { name: /held@lead.example/ })
  await held.getByText('Held back').waitFor()
  expect(await page.getByText(/@lead.example/).count()).toBe(1)
  await page.getByText(why).waitFor()
  const others = 'The lead has no deal_size, and the template gives no default.'
  await setLead('gone@lead.example', { ...paused, skip_reason: `template_failed: ${others}` })
  await setLead('goes@lead.example', { ...paused, skip_reason: 'message_refused: 550 no mail.' })
  await page.reload()
  const link3 = page.getByRole('link', { name: '3 leads are held back.' })
  await link3.locator('..').getByText('1 lacks first_name').waitFor()
  expect(await link3.locator('..').textContent()).toBe(
    '3 leads are held back. 1: 550 no mail; 1 lacks deal_size; 1 lacks first_name',
  )
  await page.getByRole('link', { name: 'Campaigns', exact: true }).first().click()
  const row = page.getByRole('row', { name: /Lacking/ })
  await row.getByText(`The first of them: ${others}`).waitFor()
  await row.getByRole('link', { name: '3 leads are held back.' }).click()
  await held.getByText('Held back').waitFor()
  await asOwner('PATCH', `/app/api/v2/campaigns/${id}`, { status: 'paused' })
})
