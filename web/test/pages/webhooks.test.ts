import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import {
  type DeliveryRunner,
  startDeliveryRunner,
} from '../../../server/src/features/deliveries/index.ts'
import type { EventType } from '../../../server/src/features/events/catalogue/index.ts'
import { emit } from '../../../server/src/features/events/index.ts'
import { findDestination, openDestination } from '../../../server/src/features/webhooks/index.ts'
import { listen } from '../../../server/src/kernel/db/listen.ts'
import { transaction } from '../../../server/src/kernel/db/transaction.ts'
import { hintChannel } from '../../../server/src/kernel/runner/hint.ts'
import { patience } from '../../../server/test/patience.ts'
import { answerWith, type Receiver, startReceiver } from '../../../server/test/receiver.ts'
import type { Application } from '../application.ts'
import { allowFailures, expectFailures } from '../browser.ts'
import { refusal } from '../refusal.ts'
import { test } from './fixture.ts'

const path = '/w/default/settings/webhooks'
const image = '<img src=x onerror=alert(1)>'
const script = '"><script>alert(1)</script>'
const letters = '山田 太郎 {{name}}'

let good: Receiver
let bad: Receiver
let runner: DeliveryRunner | undefined
beforeAll(async () => {
  good = await startReceiver(answerWith(200, image))
  bad = await startReceiver(answerWith(503, script))
})
afterAll(async () => {
  await runner?.stop(1000)
  await Promise.all([good.close(), bad.close()])
})

/** The part of the service that delivers. */
async function startDelivering({ api: { ctx } }: Application) {
  runner ??= await startDeliveryRunner(ctx, {
    listen: (onHint) => listen(ctx.database.url, hintChannel, onHint, ctx.log),
  })
}

const create = async (application: Application, name: string, url: string, more = {}) => {
  const body = { name, target_hook_url: url, event_type: 'all_events', ...more }
  const answer = await application.asOwner('POST', '/app/api/v2/webhooks', body)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body as { id: string }
}

const happen = (
  { api }: Application,
  count: number,
  leadEmail = 'ann@lead.example',
  type: EventType = 'lead.interested',
) =>
  transaction(api.ctx, (tx) =>
    emit(
      tx,
      api.workspaceId,
      Array.from({ length: count }, () => ({
        ...{ type, campaign: null, leadEmail, data: {} },
      })),
    ),
  )

async function countAttempts({ api, visitor }: Application, webhookId: string) {
  const path = `/app/api/v2/webhook-events?limit=100&webhook_id=${webhookId}`
  const headers = { 'x-workspace-id': api.workspaceId }
  return (await visitor?.call('GET', path, { headers }))?.body.items.length
}

const at = '2026-01-02T03:04:05.000Z'

const rows = (page: Page) => page.getByRole('grid', { name: 'Deliveries' }).getByRole('row')

test('a webhook is made with a try-out receiver, tested and seen verified, without any code', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, path)
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  await page.getByRole('button', { name: 'Use a try-out receiver' }).click()
  await expect.poll(() => page.getByLabel('Address').inputValue()).toMatch(/\/app\/try\/[\w-]{64}$/)
  await page.getByRole('button', { name: 'Create webhook' }).click()
  const secret = page.getByRole('textbox', { name: 'Signing secret of Try-out' })
  expect(await secret.inputValue()).toMatch(/^whsec_/)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('heading', { name: 'Try-out', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Send test' }).click()
  await page.getByText('Verified').waitFor()
  await page.getByRole('button', { name: 'Send test' }).click()
  // The newer one is open, and this opens the other.
  await page.getByText('Verified').nth(1).click()
  for (const number of [1, 2]) {
    await page.getByRole('region', { name: `Call ${number}: arrived` }).waitFor()
  }
  const delivered = rows(page).getByText('Delivered').first()
  await delivered.waitFor()
  // Its lead is nobody, and that is said wherever it stands.
  await rows(page).getByText('Test', { exact: true }).first().waitFor()
  await delivered.click()
  await page.getByRole('dialog').getByText('Test', { exact: true }).waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // Back leads to where it was begun, and not into another one.
  await page.goBack()
  await page.waitForURL(`**${path}`)
  await page.getByRole('row').getByText('Try-out').waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('a call of a try-out receiver keeps its number when more arrive', async ({
  application,
  open,
}) => {
  const { body: receiver } = await application.asOwner('POST', '/app/webhooks/try')
  const { id } = await create(application, 'Numbered', receiver.url)
  const address = `${application.address}${new URL(receiver.url).pathname}`
  const call = (body: string) => fetch(address, { method: 'POST', body })
  await call('the first')
  const page = await open(application.visitor, `${path}/${id}`)
  const first = page.getByRole('region', { name: 'Call 1: arrived' })
  await first.getByText('the first').waitFor()
  await call('the second')
  await page.getByRole('region', { name: 'Call 2: arrived' }).getByText('the second').waitFor()
  await page.getByText('Not signed').nth(1).click()
  await first.getByText('the first').waitFor()
})

test('where types of events cannot be read, the filter of deliveries says so, and reads them again', async ({
  application,
  open,
}) => {
  const { id } = await create(application, 'Unnamed', good.url)
  const types = '**/api/v2/webhooks/event-types'
  const why = 'Types of events cannot be read now.'
  const page = await open(application.visitor, path)
  expectFailures(page, 'GET /app/api/v2/webhooks/event-types 409')
  await page.route(types, (route) => route.fulfill(refusal(409, why)))
  await page.goto(`${application.address}${path}/${id}`)
  await page.getByRole('button', { name: 'Event', exact: true }).click()
  const menu = page.getByRole('menu')
  await menu.getByRole('alert').getByText(why).waitFor()
  await page.unroute(types)
  await menu.getByRole('button', { name: 'Try again' }).click()
  await menu.getByRole('menuitemcheckbox', { name: 'Lead interested' }).waitFor()
})

const scrollTop = `document.querySelector('[role=grid]').scrollTop`

test('deliveries appear while they are made: at the top at once, further down as a number', async ({
  application,
  open,
}) => {
  await startDelivering(application)
  const { id } = await create(application, 'Live', good.url)
  const page = await open(application.visitor, `${path}/${id}`)
  await page.getByText('Nothing was sent yet').first().waitFor()
  await happen(application, 60)
  await rows(page).getByText('ann@lead.example').first().waitFor()
  // Those that come later would be counted with the twelve.
  await expect.poll(() => countAttempts(application, id), patience).toBe(60)
  await page.reload()
  await rows(page).getByText('ann@lead.example').first().waitFor()
  const grid = page.getByRole('grid', { name: 'Deliveries' })
  await grid.hover()
  // Rows come while somebody scrolls.
  const scroll = async () => {
    await page.mouse.wheel(0, 300)
    return page.evaluate(scrollTop)
  }
  await expect.poll(scroll).toBeGreaterThan(300)
  await happen(application, 12, 'bob@lead.example')
  await page.getByRole('button', { name: '12 new' }).click()
  await rows(page).getByText('bob@lead.example').first().waitFor()
  await page.getByText('Healthy: the last 30 attempts were delivered.').waitFor()
})

test('the first rows of a log wait for nothing that takes longer', async ({
  application,
  open,
}) => {
  await startDelivering(application)
  const { id } = await create(application, 'In order', good.url)
  await happen(application, 1)
  await expect.poll(() => countAttempts(application, id), patience).toBe(1)
  const page = await open(application.visitor, path)
  const seen: string[] = []
  page.on('response', (response) => {
    if (response.url().includes('/webhook-events?')) seen.push('rows')
  })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(new RegExp(`/webhooks/${id}(/health|/days)?$`), async (route) => {
    if (route.request().url().endsWith('/days')) seen.push('days')
    await held
    await route.fallback()
  })
  await page.getByRole('link', { name: 'In order' }).click()
  await rows(page).getByText('ann@lead.example').first().waitFor()
  release()
  await page.getByText('Healthy: the last attempt was delivered.').waitFor()
  await page.getByText('Attempts a day (UTC)').first().waitFor()
  expect(seen.indexOf('rows')).toBeLessThan(seen.indexOf('days'))
})

test('a failure is found by its chip, and its panel says why and what was sent', async ({
  application,
  open,
}) => {
  await startDelivering(application)
  const { id } = await create(application, script, bad.url, {
    headers: { 'X-Token': 'of the receiver' },
  })
  const page = await open(application.visitor, `${path}/${id}`)
  await happen(application, 1)
  await rows(page).getByText('Retrying').first().waitFor()
  await page.getByRole('button', { name: 'Result' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Delivered' }).click()
  await page.getByText('No attempt matches').waitFor()
  await page.getByRole('button', { name: 'Reset filters' }).last().click()
  // Enter asks, and leaves the field to be typed on in.
  const lead = page.getByRole('searchbox', { name: 'Address of the lead' })
  await lead.fill('nobody@lead.example')
  await lead.press('Enter')
  await page.getByText('No attempt matches').waitFor()
  await lead.and(page.locator(':focus')).waitFor()
  await page.getByRole('button', { name: 'Reset filters' }).last().click()
  await expect.poll(() => lead.inputValue()).toBe('')
  await page.getByRole('button', { name: 'Result' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Failed' }).click()
  await expect.poll(() => page.url()).toContain('result=failed')
  await rows(page).getByText('Answered 503').first().click()
  const panel = page.getByRole('dialog', { name: 'Lead interested' })
  await panel.getByText('Next attempt').waitFor()
  await panel.getByText(script, { exact: true }).waitFor()
  await panel.getByText('X-Token: ••••').waitFor()
  expect(await panel.textContent()).not.toContain('of the receiver')
  const replay = panel.getByRole('button', { name: 'Replay' })
  await replay.click()
  await page.getByText('It is delivered again.').waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await page.goBack()
  await panel.waitFor()
  // Nothing is tried while it is off.
  await application.asOwner('PATCH', `/app/api/v2/webhooks/${id}`, { status: 'disabled' })
  await panel.getByText('Once the webhook is resumed').waitFor()
  await panel.getByText('The webhook does not send now: resume it first.').waitFor()
  await panel.getByText('Waits', { exact: true }).waitFor()
  await rows(page).getByText('Waits').first().waitFor()
  expect(await page.getByText('Retrying').count()).toBe(0)
})

test('an attempt of which an erasure has left no reason says so', async ({ application, open }) => {
  await startDelivering(application)
  const { id } = await create(application, 'Erased', bad.url)
  await happen(application, 1)
  await expect.poll(() => countAttempts(application, id), patience).toBe(1)
  await application.api.ctx.database.peek
    .updateTable('webhook_events')
    .set({ error_message: null, response_body: null, lead_email: null })
    .where('webhook_id', '=', id)
    .execute()
  const page = await open(application.visitor, `${path}/${id}`)
  await rows(page).getByText('The person was erased').first().click()
  const panel = page.getByRole('dialog', { name: 'Lead interested' })
  await panel.getByText('The person was erased').waitFor()
})

test('the history of a lead leads to the attempt that told of it', async ({
  application,
  open,
}) => {
  const { asOwner } = application
  await startDelivering(application)
  const { id } = await create(application, 'History', good.url)
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', { name: 'Told' })
  const { body: added } = await asOwner('POST', '/app/api/v2/lead/add', {
    ...{ campaign_id: campaign.id, leads: [{ email: 'eva@lead.example' }] },
  })
  await happen(application, 1, 'eva@lead.example')
  await expect.poll(() => countAttempts(application, id), patience).toBe(1)
  const lead = added.created_leads[0].id
  const page = await open(application.visitor, `/w/default/leads?lead=${lead}`)
  await page.getByRole('link', { name: 'Look at the attempt' }).first().click()
  await page.waitForURL(/settings\/webhooks\/[\da-f-]{36}\?attempt=[\da-f-]{36}/)
  await page.getByRole('dialog').getByText('eva@lead.example').first().waitFor()
})

test('a webhook whose health cannot be read says so, and is not called well', async ({
  application,
  open,
}) => {
  const { id } = await create(application, 'Unread', good.url)
  const page = await open(application.visitor, path)
  const well = page.locator('[data-tone=green]', { hasText: /^Active$/ })
  const readings = '**/app/webhooks/**health*'
  const message = 'Cannot be read.'
  const json = { statusCode: 400, error: 'Bad Request', code: 'invalid_request', message }
  expectFailures(page, 'GET /app/webhooks/health 400', 'GET /app/webhooks/:id/health 400')
  await page.route(readings, (route) =>
    route.fulfill({ status: 400, json: { ...json, request_id: 'req_1' } }),
  )
  await page.reload()
  await page.getByRole('alert').getByText(message).waitFor()
  expect(await well.count()).toBe(0)
  await page.goto(`${application.address}${path}/${id}`)
  await page.getByRole('alert').getByText(message).waitFor()
  await page.getByText('Active', { exact: true }).waitFor()
  expect(await well.count()).toBe(0)
  await expect.poll(() => page.getByText('Loading').count(), patience).toBe(0)
  await page.unroute(readings)
  await page.getByRole('button', { name: 'Try again' }).click()
  await well.waitFor()
})

test('what the page of a webhook has read stays while it cannot be read again', async ({
  application,
  open,
}) => {
  const receiver = await application.asOwner('POST', '/app/webhooks/try')
  const { id } = await create(application, 'Read once', receiver.body.url)
  const page = await open(application.visitor, `${path}/${id}`)
  const parts = ['Attempts a day (UTC)', 'Send a test delivery to see the first one.']
  for (const part of parts) await page.getByText(part).first().waitFor()
  expectFailures(page, 'GET /app/webhooks/:id/days 409', /^GET \/app\/webhooks\/try\/.* 409$/)
  const readings = /\/app\/webhooks\/(try\/.*|[^/]*\/days)$/
  await page.route(readings, (route) => route.fulfill(refusal(409, 'Not now.')))
  await page.getByRole('button', { name: 'Pause' }).click()
  const told = page.getByRole('alert').getByText('Not now.')
  await expect.poll(() => told.count()).toBe(2)
  for (const part of parts) expect(await page.getByText(part).count(), part).toBeGreaterThan(0)
})

test('what was sent for a label that is archived is found and shown by its name', async ({
  application,
  open,
}) => {
  const { asOwner } = application
  const { body: label } = await asOwner('POST', '/app/labels', { name: 'Call me back' })
  await startDelivering(application)
  const { id } = await create(application, 'Of labels', good.url)
  const type = `lead.label.${label.id}` as const
  await happen(application, 1, 'ann@lead.example', type)
  await expect.poll(() => countAttempts(application, id)).toBe(1)
  await asOwner('DELETE', `/app/labels/${label.id}`)
  const page = await open(application.visitor, `${path}/${id}?type=${type}`)
  await rows(page).getByText('Call me back').waitFor()
  await page.getByRole('button', { name: 'Event: Call me back' }).waitFor()
})

test('who pauses a webhook is offered what was missed when it goes on', async ({
  application,
  open,
}) => {
  await startDelivering(application)
  const { id } = await create(application, 'Paused', good.url)
  const page = await open(application.visitor, `${path}/${id}`)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Nothing is sent until you resume it.').waitFor()
  await happen(application, 3)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Events are sent again.').waitFor()
  await page.getByText('3 events were missed while it was off').waitFor()
  // What comes meanwhile is sent by itself, and not a second time.
  application.api.ctx.clock.advance(10_000)
  await happen(application, 1)
  await expect.poll(() => countAttempts(application, id)).toBe(1)
  await page.getByRole('button', { name: 'Replay what was missed' }).click()
  await page.getByText('3 events are delivered again.').waitFor()
  await rows(page).getByText('Delivered').nth(3).waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  const asked = page.waitForRequest(/\/replay\?/)
  await page.getByRole('menuitem', { name: 'Replay a window' }).click()
  // Until now, which no clock in a field tells while clocks go back.
  expect([...new URL((await asked).url()).searchParams.keys()]).toEqual(['from'])
  // Whatever else has happened in this workspace is in the window as well.
  const submit = page.getByRole('button', { name: /^Replay \d+ events$/ })
  await submit.waitFor()
  await page.getByLabel('Until').fill('2020-01-01T00:00')
  await page.getByText('Choose a start before the end.').waitFor()
  await page.keyboard.press('Escape')
})

test('what was missed stays offered after a reload and a refused replay, until it is replayed', async ({
  application,
  open,
}) => {
  await startDelivering(application)
  const { id } = await create(application, 'Offered', good.url)
  const url = `/app/api/v2/webhooks/${id}`
  await application.asOwner('PATCH', url, { status: 'disabled' })
  await happen(application, 2)
  await application.asOwner('PATCH', url, { status: 'active' })
  const page = await open(application.visitor, `${path}/${id}`)
  await page.getByText('2 events were missed while it was off').waitFor()
  await page.reload()
  const other = await open(application.visitor, `${path}/${id}`)
  await other.getByText('2 events were missed while it was off').waitFor()
  const replays = `**/app/webhooks/${id}/replay`
  expectFailures(page, 'POST /app/webhooks/:id/replay lost')
  await page.route(replays, (route) => route.abort())
  const submit = page.getByRole('button', { name: 'Replay what was missed' })
  await submit.waitFor()
  // It is no fault, and is not read out as one.
  expect(await page.getByRole('alert').count()).toBe(0)
  await submit.click()
  await page.getByRole('alert').getByText('The server does not answer.').waitFor()
  await page.unroute(replays)
  await submit.click()
  await page.getByText('2 events are delivered again.').waitFor()
  await submit.waitFor({ state: 'detached' })
  // Who has it open elsewhere is not offered it any more.
  await other.getByText('missed while it was off').waitFor({ state: 'detached' })
  await expect.poll(() => countAttempts(application, id)).toBe(2)

  // A count that was over before all were read says so, here and where a window is chosen.
  let found = { deliveries: 7, is_estimate: true }
  await page.route(`**/app/webhooks/${id}/missed`, (route) =>
    route.fulfill({ json: { ...found, from: at, to: at, ended_from: at } }),
  )
  await page.route(`**/app/webhooks/${id}/replay?*`, (route) => route.fulfill({ json: found }))
  await page.goto(`${application.address}${path}/${id}?panel=replay`)
  await page.getByText('At least 7 events match.').waitFor()
  expect(await page.getByRole('button', { name: 'Replay all of them' }).isEnabled()).toBe(true)
  await page.keyboard.press('Escape')
  await page.getByText('At least 7 events were missed while it was off').waitFor()

  // None that was read in that time says nothing of the others.
  found = { deliveries: 0, is_estimate: true }
  await page.goto(`${application.address}${path}/${id}?panel=replay`)
  await page.getByText('Events may match: counting them takes too long.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Events may have been missed while it was off').waitFor()
})

test('where the answer of Resume got lost, the page says so and offers what was missed', async ({
  application,
  open,
}) => {
  const { id } = await create(application, 'Lost answer', good.url)
  const url = `/app/api/v2/webhooks/${id}`
  await application.asOwner('PATCH', url, { status: 'disabled' })
  await happen(application, 1)
  const page = await open(application.visitor, `${path}/${id}`)
  expectFailures(page, 'PATCH /app/api/v2/webhooks/:id lost')
  await page.route(`**${url}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.fallback()
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('The server does not answer.').first().waitFor()
  await page.getByText('was missed while it was off').waitFor()
})

test('what was missed is dismissed, on every open page, and offered again by Undo', async ({
  application,
  open,
}) => {
  await startDelivering(application)
  const { id } = await create(application, 'Dismissed', good.url)
  const url = `/app/api/v2/webhooks/${id}`
  await application.asOwner('PATCH', url, { status: 'disabled' })
  await happen(application, 2)
  await application.asOwner('PATCH', url, { status: 'active' })
  const page = await open(application.visitor, `${path}/${id}`)
  const other = await open(application.visitor, `${path}/${id}`)
  const notices = [page, other].map((each) =>
    each.getByText('2 events were missed while it was off'),
  )
  for (const notice of notices) await notice.waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  for (const notice of notices) await notice.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  for (const notice of notices) await notice.waitFor()
})

test('what a webhook has missed counts what ended undelivered before it was paused; of too many a window is chosen that begins with them, also after a reload', async ({
  application,
  open,
}) => {
  await startDelivering(application)
  const { id } = await create(application, 'Failed first', bad.url)
  await happen(application, 1)
  await expect.poll(() => countAttempts(application, id)).toBe(1)
  // As once its tries, or its 72 hours, are over.
  const { peek } = application.api.ctx.database
  await peek
    .updateTable('webhook_events')
    .set({ will_retry: false })
    .where('webhook_id', '=', id)
    .execute()
  await peek.deleteFrom('deliveries').where('webhook_id', '=', id).execute()
  const url = `/app/api/v2/webhooks/${id}`
  await application.asOwner('PATCH', url, { status: 'disabled' })
  const page = await open(application.visitor, `${path}/${id}`)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('1 event was missed while it was off').waitFor()

  const missed = `**/app/webhooks/${id}/missed`
  const ended_from = '2026-01-01T03:04:05.000Z'
  await page.route(missed, (route) =>
    route.fulfill({ json: { deliveries: 100_001, from: at, to: at, ended_from } }),
  )
  await page.reload()
  await page.getByText('More than 100,000 events were missed').waitFor()
  await page.getByRole('button', { name: 'Choose a window' }).click()
  await page.getByRole('dialog', { name: 'Replay a window' }).waitFor()
  const zone = new Date(ended_from).getTimezoneOffset() * 60_000
  const shown = new Date(Date.parse(ended_from) - 60_000 - zone).toISOString().slice(0, 16)
  const from = page.getByRole('dialog').getByLabel('From')
  expect(await from.inputValue()).toBe(shown)
  await page.reload()
  await from.waitFor()
  expect(await from.inputValue()).toBe(shown)
})

test('a window to replay begins where something was missed, also in the second of two equal hours', async ({
  application,
  open,
}) => {
  const { id } = await create(application, 'In the night', good.url)
  const page = await open(application.visitor, `${path}/${id}`)
  const browser = await page.context().newCDPSession(page)
  await browser.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Berlin' })
  const asked = page.waitForRequest(/\/replay\?/)
  await page.goto(`${application.address}${path}/${id}?panel=replay&since=2025-10-26T01:30:05.000Z`)
  expect(new URL((await asked).url()).searchParams.get('from')).toBe('2025-10-26T01:29:00.000Z')
  expect(await page.getByRole('dialog').getByLabel('From').inputValue()).toBe('2025-10-26T02:29')
})

test('a secret is replaced once, also when the answer got lost and it is asked for again', async ({
  application,
  open,
}) => {
  const { api } = application
  const { id } = await create(application, 'Rotated', good.url)
  const read = async () => {
    const row = await findDestination(api.ctx.db, api.workspaceId, id)
    return row ? openDestination(api.ctx, row).secrets.map((key) => key.toString('base64')) : []
  }
  const before = await read()
  const page = await open(application.visitor, `${path}/${id}?panel=secret`)
  const url = `**/api/v2/webhooks/${id}`
  expectFailures(page, 'PATCH /app/api/v2/webhooks/:id 429')
  await page.route(url, (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill(refusal(429, 'Too many requests.'))
      : route.fallback(),
  )
  await page.getByRole('button', { name: 'Replace secret' }).click()
  await page.getByText('Too many requests.').waitFor()
  await page.unroute(url)
  expectFailures(page, 'PATCH /app/api/v2/webhooks/:id lost')
  await page.route(url, async (route) => {
    if (route.request().method() !== 'PATCH') return route.fallback()
    await route.fetch()
    await route.abort()
  })
  // What was refused is not in force: its time may be another one.
  await page.getByLabel('Signs for another hour').check()
  await page.getByRole('button', { name: 'Replace secret' }).click()
  await page.getByRole('dialog').getByRole('alert').waitFor()
  const [inForce] = await read()
  await page.unroute(url)
  // Its time is that of the first request.
  expect(await page.getByLabel('Ends now').isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Replace secret' }).click()
  const shown = await page.getByRole('textbox', { name: /^Signing secret/ }).inputValue()
  expect(shown).toBe(`whsec_${inForce}`)
  expect(await read()).toEqual([inForce, ...before])
})

test('a webhook is changed, given another secret and deleted; what cannot be read says why', async ({
  application,
  open,
}) => {
  const { id } = await create(application, 'Old name', good.url, { headers: { 'X-Token': 'a' } })
  const page = await open(application.visitor, `${path}/${id}?panel=edit`)
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  expectFailures(page, 'PATCH /app/api/v2/webhooks/:id 400')
  await name.fill('tab\u0007')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Name must not contain control characters').waitFor()
  await name.fill(letters)
  const target = page.getByRole('textbox', { name: 'Address' })
  await target.fill('127.0.0.1:4240/hook')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Address must be an absolute http or https URL').waitFor()
  await target.fill(good.url)
  // A token may be as long as the server takes.
  await page.getByLabel('Value of the header').fill('a'.repeat(4097))
  expect(await page.getByLabel('Value of the header').inputValue()).toHaveLength(4096)
  // Somebody else moves it meanwhile.
  const url = `/app/api/v2/webhooks/${id}`
  const target_hook_url = `${good.url}/moved`
  await application.asOwner('PATCH', url, { target_hook_url })
  // A header without a name would not be sent, nor the first of two of a name.
  await page.getByRole('button', { name: 'Add header' }).click()
  const lastOf = (label: string) => page.getByLabel(label).last()
  await lastOf('Value of the header').fill('Bearer abc')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Give the header a name.').waitFor()
  await lastOf('Name of the header').fill('x-token')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('This header stands above already.').waitFor()
  await lastOf('Name of the header').fill('Authorization')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: letters }).waitFor()
  const { body } = await application.asOwner('GET', url)
  expect(body).toMatchObject({ name: letters, target_hook_url })
  expect(Object.keys(body.headers)).toEqual(['X-Token', 'Authorization'])

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Replace secret' }).click()
  // Left before its answer is there, nobody would ever see the secret that is in force.
  const answer = Promise.withResolvers<void>()
  const asked = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.route(`**/api/v2/webhooks/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') await answer.promise
    await route.fallback()
  })
  await page.getByRole('button', { name: 'Replace secret' }).click()
  await asked
  await page.keyboard.press('Escape')
  expect(await page.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
  answer.resolve()
  const secret = page.getByRole('textbox', { name: /^Signing secret/ })
  expect(await secret.inputValue()).toMatch(/^whsec_/)
  await page.keyboard.press('Escape')
  await page.getByRole('alert').getByText('It is shown only now').waitFor()
  expect(await secret.inputValue()).toMatch(/^whsec_/)
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await secret.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete webhook' }).click()
  // The page hears of it before it has its own answer, and reads nothing of what is gone.
  const heard = page.waitForResponse(/\/api\/v2\/webhooks\/event-types$/)
  await page.route(`**/api/v2/webhooks/${id}`, async (route) => {
    const response = await route.fetch()
    await heard
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('is deleted').waitFor()
  expect(await page.getByRole('link', { name: letters }).count()).toBe(0)

  const { id: other } = await create(application, 'Seen', good.url)
  const readings = '**/app/api/v2/webhooks/*'
  expectFailures(page, 'GET /app/api/v2/webhooks/:id lost', 'GET /app/api/v2/webhooks/:id 404')
  expectFailures(page, 'GET /app/webhooks/:id/health 404')
  allowFailures(page, 'GET /app/api/v2/webhooks/event-types lost')
  await page.unrouteAll()
  await page.route(readings, (route) => route.abort())
  await page.goto(`${application.address}${path}/${other}`)
  await page.getByRole('alert').first().waitFor()
  await page.unroute(readings)
  await page.goto(`${application.address}${path}/${id}`)
  await page.getByText('No such webhook').waitFor()
})
