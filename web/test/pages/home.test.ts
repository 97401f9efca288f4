import { expect } from 'vitest'
import { emit } from '../../../server/src/features/events/index.ts'
import { holdSending } from '../../../server/src/features/sending/index.ts'
import { transaction } from '../../../server/src/kernel/db/transaction.ts'
import { createMember } from '../../../server/test/people.ts'
import { expectFailures, installClock } from '../browser.ts'
import { fillInbox } from '../inbox-world.ts'
import { refusal } from '../refusal.ts'
import { test } from './fixture.ts'

const path = '/w/default'

test('a new workspace is told what to do first, and what does not run', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, '/')
  await page.getByRole('heading', { name: 'Get going' }).waitFor()
  expect(await page.getByText('0 of 7').count()).toBe(1)
  const first = page.getByRole('link', { name: 'Connect a mailbox' })
  expect(await first.getAttribute('href')).toBe('/w/default/settings/mailboxes/connect')
  await page.getByText('No service sends or reads mails').waitFor()
  await page.getByText('Nobody waits for an answer.').waitFor()
  await page.getByText('Nothing was sent in these days.').waitFor()
  // The only draft is opened at once; of two one has to choose.
  const write = page.getByRole('link', { name: 'Write the first mail' })
  expect(await write.getAttribute('href')).toBe('/w/default/campaigns')
  const create = (name: string) => application.asOwner('POST', '/app/api/v2/campaigns', { name })
  const { body: draft } = await create('First')
  await expect.poll(() => write.getAttribute('href')).toBe(`/w/default/campaigns/${draft.id}`)
  const { body: second } = await create('Second')
  await expect.poll(() => write.getAttribute('href')).toBe('/w/default/campaigns')
  for (const { id } of [draft, second]) {
    await application.asOwner('DELETE', `/app/campaigns/${id}`)
  }
  expectFailures(page, 'GET /app/home 409')
  await page.route('**/app/home', (route) => route.fulfill(refusal(409, 'It cannot be told now.')))
  await page.reload()
  await page.getByText('It cannot be told now.').waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Get going' }).waitFor()
})

test('a held installation is let go on by whoever runs it, who sees before what leaves', async ({
  application,
  open,
}) => {
  const { api } = application
  await holdSending(api.ctx)
  const admin = await createMember(api, 'admin@team.example', 'admin')
  const page = await open(admin.browser, path)
  await page.getByText('Whoever runs it checks what was sent since').waitFor()
  expect(await page.getByRole('button', { name: 'Go on sending' }).count()).toBe(0)
  const asOperator = await open(application.visitor, path)
  await asOperator.getByRole('button', { name: 'Go on sending' }).click()
  const dialog = asOperator.getByRole('dialog', { name: 'Go on sending from this database?' })
  await dialog.getByText('It knows of no mail that was sent.').waitFor()
  await dialog.getByText('0 leads are due within the hour.').waitFor()
  await dialog.getByRole('button', { name: 'Go on sending' }).click()
  await asOperator.getByText('Sending goes on.').waitFor()
  await asOperator.getByText('Nothing leaves this installation').waitFor({ state: 'detached' })
})

test('a webhook that was switched off stands there with what it missed', async ({
  application,
  open,
}) => {
  const { api, asOwner } = application
  const { body: hook } = await asOwner('POST', '/app/api/v2/webhooks', {
    ...{ name: 'CRM', target_hook_url: 'https://hooks.example.com/a', event_type: 'all_events' },
  })
  await api.ctx.database.peek
    .updateTable('webhooks')
    .set({ status: 'disabled', disabled_reason: 'failing', timestamp_disabled: new Date() })
    .where('id', '=', hook.id)
    .execute()
  const missed = {
    ...{ type: 'lead.interested' as const, campaign: null, data: {} },
    leadEmail: 'ann@lead.example',
  }
  await transaction(api.ctx, (tx) => emit(tx, api.workspaceId, [missed]))
  const page = await open(application.visitor, path)
  await page.getByText('The webhook CRM is switched off').waitFor()
  await page.getByText('1 event was missed.').waitFor()
  // Counting may read a month of events: it ends soon, and not every visit asks for it.
  const counts: string[] = []
  await page.route('**/missed', (route) => {
    counts.push(new URL(route.request().url()).search)
    return route.fulfill({
      json: { deliveries: 7, is_estimate: true, from: null, ended_from: null },
    })
  })
  await page.getByRole('link', { name: 'Leads', exact: true }).click()
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByText('1 event was missed.').waitFor()
  expect(counts).toEqual([])
  await page.reload()
  await page.getByText('At least 7 events were missed.').waitFor()
  await asOwner('DELETE', `/app/api/v2/webhooks/${hook.id}`)
})

const leadsWait = {
  ...{ kind: 'campaign', id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d', name: 'Autumn' },
  ...{ reason: 'leads_waiting', count: 3, since: null },
}

test('what does not work stands there with its reason and the way to mend it, for everybody, and on a page that stays open', async ({
  application,
  open,
}) => {
  const { api } = application
  await fillInbox(application)
  // Read just now, as after an outage.
  const arrived = new Date(Date.now() - 73 * 3_600_000)
  const { peek } = api.ctx.database
  await peek.updateTable('threads').set({ timestamp_last_message: arrived }).execute()
  const person = await createMember(api, 'viewer@team.example', 'viewer')
  const page = await open(person.browser, path)
  await page.getByText('anna@example.com cannot be used').waitFor()
  await page.getByText('3 days ago').first().waitFor()
  await page.getByText('Make a new app password.').waitFor()
  const { id } = await api.ctx.database.peek
    .selectFrom('mailboxes')
    .select('id')
    .executeTakeFirstOrThrow()
  const mend = page.getByRole('link', { name: 'Open mailbox' })
  expect(await mend.getAttribute('href')).toBe(`/w/default/settings/mailboxes/${id}`)
  await page.getByRole('heading', { name: 'The last 30 days' }).waitFor()
  await page.getByRole('figure').nth(3).waitFor()
  // A campaign may send while some of its leads wait. What comes by the clock alone is seen as well.
  await page.route('**/app/home', async (route) => {
    const home = await (await route.fetch()).json()
    await route.fulfill({ json: { ...home, attention: [leadsWait] } })
  })
  await installClock(page)
  await page.reload()
  await page.getByText('Some leads of Autumn wait').waitFor()
  await page.getByText('3 leads wait for a mailbox that does not send: mend it').waitFor()
  expect(await page.getByText('sends nothing').count()).toBe(0)
  await page.unrouteAll({ behavior: 'wait' })
  await page.clock.fastForward(60_000)
  await page.getByText('anna@example.com cannot be used').waitFor()
  await page.getByRole('link', { name: 'Open the inbox' }).click()
  await page.getByText('No conversation is open').waitFor()
})

test('the palette finds records by what they are called, and shows none of another text while it looks', async ({
  application,
  open,
}) => {
  const { asOwner } = application
  const evil = '<img src=x onerror=alert(1)> Orion'
  const { body } = await asOwner('POST', '/app/api/v2/campaigns', { name: evil })
  const leads = [{ email: 'rigel@lead.example', company_name: 'Orion Ltd' }]
  await asOwner('POST', '/app/api/v2/lead/add', { campaign_id: body.id, leads })
  const page = await open(application.visitor, path)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  const lookFor = async (text: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: /^Find a record/ }).fill(text)
  }
  // Nothing that is gone meanwhile is offered.
  const { body: draft } = await asOwner('POST', '/app/api/v2/campaigns', { name: 'Betelgeuse' })
  await lookFor('betelgeuse')
  await page.getByRole('button', { name: 'Betelgeuse' }).waitFor()
  await asOwner('DELETE', `/app/campaigns/${draft.id}`)
  const typed = page.getByRole('textbox', { name: /^Find a record/ })
  await typed.fill('rigel')
  await page.getByRole('button', { name: 'rigel@lead.example' }).waitFor()
  const answer = page.waitForResponse('**/app/search?q=betelgeuse')
  await typed.fill('betelgeuse')
  await answer
  await page.getByText('Nothing of that name').waitFor()
  await typed.fill('rigel')
  await page.getByRole('button', { name: 'rigel@lead.example' }).waitFor()
  const search = '**/app/search?q=quasar'
  const held = Promise.withResolvers<void>()
  await page.route(search, async (route) => {
    await held.promise
    await route.fallback()
  })
  const asked = page.waitForRequest(search)
  await typed.fill('quasar')
  await asked
  await page.getByText('Nothing of that name').waitFor()
  held.resolve()
  await typed.fill('orion')
  await page.getByRole('button', { name: 'rigel@lead.example' }).waitFor()
  await page.getByRole('button', { name: evil }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe(`${path}/campaigns/${body.id}`)
})

test('Enter in the palette opens the first record that the server found', async ({
  application,
  open,
}) => {
  const { asOwner } = application
  const { body } = await asOwner('POST', '/app/api/v2/campaigns', { name: 'Cassiopeia' })
  const page = await open(application.visitor, path)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: /^Find a record/ }).fill('cassio')
  await page.locator('[data-selected]', { hasText: 'Cassiopeia' }).waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).pathname).toBe(`${path}/campaigns/${body.id}`)
})

test('the palette does what the role may do, and nothing else', async ({ application, open }) => {
  const { api, asOwner } = application
  const member = await createMember(api, 'palette@team.example', 'member')
  const page = await open(member.browser, path)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  const ask = async (words: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: /^Find a record/ }).fill(words)
  }
  const action = (name: string) => page.getByRole('dialog').getByRole('button', { name })
  await ask('theme')
  await action('Dark colours').click()
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  await ask('connect mailbox')
  await page.getByText('Nothing of that name').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await ask('import leads')
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).pathname).toBe(`${path}/leads/import`)
  await asOwner('PATCH', `/app/members/${member.id}`, { role: 'admin' })
  await page.reload()
  await page.getByRole('heading', { name: 'Import leads' }).waitFor()
  await ask('connect mailbox')
  await action('Connect mailbox').click()
  await expect.poll(() => new URL(page.url()).pathname).toBe(`${path}/settings/mailboxes/connect`)
})
