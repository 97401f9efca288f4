import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { alwaysOpen, imapSettings, type Sending, testSending } from '../../../test/sending.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator } from '../audit/index.ts'
import { rescheduleLeads } from '../leads/index.ts'
import { createMarkedWaker, markLeadsDue } from '../mailbox-lanes/index.ts'
import { findMailboxes, testMailbox } from '../mailboxes/index.ts'
import { addSuppression, removeSuppression } from '../suppression/index.ts'
import { undoSuppression } from '../undo-suppression/index.ts'

let sending: Sending
afterEach(() => sending[Symbol.asyncDispose]())

async function createMailboxes(more: object = {}) {
  const mailboxes = []
  for (const name of ['anna', 'bert', 'carl', 'dora']) {
    mailboxes.push(await sending.createMailbox(`${name}@example.com`, more))
  }
  return mailboxes
}

/** Every wake-up from now on. @returns the mailboxes that were woken so far */
async function watchWakes() {
  const { peek } = sending.ctx.database
  await sql`create table woken (mailbox_id uuid)`.execute(peek)
  await sql`create function tell_woken() returns trigger language plpgsql as
    $$ begin insert into woken values (new.mailbox_id); return null; end $$`.execute(peek)
  await sql`create trigger woken after update on mailbox_lanes for each row
    when (new.seq > old.seq) execute function tell_woken()`.execute(peek)
  return async () =>
    (await sql<{ mailbox_id: string }>`select mailbox_id from woken`.execute(peek)).rows
}

const marks = () =>
  sending.ctx.database.peek.selectFrom('woken_campaigns').select('campaign_id').execute()
const untilSpread = () => sending.ctx.database.until(async () => (await marks()).length === 0)

test('a refused address wakes no mailbox but its own', async () => {
  sending = await testSending({
    smtp: {
      onRcptTo({ address }, _session, done) {
        const refusal = Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 })
        done(address.startsWith('gone') ? refusal : null)
      },
    },
  })
  const mailboxes = await createMailboxes()
  const campaign = await sending.createCampaign(mailboxes)
  await sending.addLeads(campaign.id, ['gone@lead.example'])
  await createMarkedWaker(sending.ctx)()
  const woken = await watchWakes()
  await sending.startRunner()
  const [entry] = await sending.waitForLedger((all) => all.some(({ state }) => state === 'failed'))
  await sending.untilAsleep()
  expect(await woken()).toEqual([{ mailbox_id: entry?.mailbox_id }])
})

test('who adds leads one by one writes one row, and no mailbox is touched', async () => {
  sending = await testSending()
  const campaign = await sending.createCampaign(await createMailboxes())
  const woken = await watchWakes()
  for (const name of ['ann', 'bob', 'cid', 'dan', 'eve']) {
    await sending.addLeads(campaign.id, [`${name}@lead.example`])
  }
  expect(await woken()).toEqual([])
  expect(await marks()).toEqual([{ campaign_id: campaign.id }])
  // Once for all of them.
  await createMarkedWaker(sending.ctx)()
  expect(await marks()).toEqual([])
  expect(await woken()).toHaveLength(4)
})

test('new leads wake no mailbox that rests, and are sent when it wakes', async () => {
  sending = await testSending()
  const mailboxes = await createMailboxes({ gap_seconds: 600 })
  const campaign = await sending.createCampaign(mailboxes)
  // One of them waits for a mailbox: the campaign goes on.
  const emails = [1, 2, 3, 4, 5].map((n) => `${n}@lead.example`)
  await sending.addLeads(campaign.id, emails)
  await sending.startRunner()
  await sending.waitForMails(4)
  await sending.untilAsleep()
  const woken = await watchWakes()
  await sending.addLeads(campaign.id, ['late@lead.example'])
  await untilSpread()
  expect(await woken()).toEqual([])
  sending.ctx.clock.advance(601_000)
  const mails = await sending.waitForMails(6)
  expect(mails.map(({ to }) => to)).toContain('late@lead.example')
})

const [always] = alwaysOpen.schedules
const closesAtNight = {
  ...alwaysOpen,
  schedules: [{ ...always, timing: { from: '00:00', to: '23:59' } }],
}

test.each([
  ['the mailboxes have sent all of their day', { mailbox: 1, campaign: null }, closesAtNight],
  ['the mailboxes have, and the window never closes', { mailbox: 1, campaign: null }, alwaysOpen],
  ['the campaign has sent all of its day', { mailbox: 100, campaign: 4 }, closesAtNight],
  ['the campaign has, and its window never closes', { mailbox: 100, campaign: 4 }, alwaysOpen],
])('new leads wake nobody when %s', async (_when, limits, campaign_schedule) => {
  sending = await testSending()
  const mailboxes = await createMailboxes({ daily_limit: limits.mailbox })
  const campaign = await sending.createCampaign(mailboxes, {
    ...{ campaign_schedule, daily_limit: limits.campaign },
  })
  // Nobody is left in it to tell that the mailboxes of another may send no more.
  if (limits.mailbox === 1) await sending.createCampaign(mailboxes)
  await sending.startRunner()
  const emails = [1, 2, 3, 4, 5].map((n) => `${n}@lead.example`)
  await sending.addLeads(campaign.id, emails)
  await sending.waitForMails(4)
  await sending.untilAsleep()
  const woken = await watchWakes()
  await sending.addLeads(campaign.id, ['late@lead.example'])
  await untilSpread()
  expect(await woken()).toEqual([])
  sending.ctx.clock.advance(24 * 3600_000)
  const mails = await sending.waitForMails(6)
  expect(mails.map(({ to }) => to)).toContain('late@lead.example')
})

test('a mailbox that has sent all of its day goes on with its follow-ups on the next', async () => {
  sending = await testSending()
  const mailbox = await sending.createMailbox('anna@example.com', { daily_limit: 1 })
  const step = { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }
  const steps = [step, { delay: 1, ...step }]
  const campaign = await sending.createCampaign([mailbox], { sequences: [{ steps }] })
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['ann@lead.example'])
  await sending.waitForMails(1)
  await sending.untilAsleep()
  sending.ctx.clock.advance(24 * 3600_000)
  await sending.untilAsleep()
  sending.ctx.clock.advance(24 * 3600_000)
  await sending.waitForMails(2)
})

test.each([
  ['tomorrow by the clock of the campaign, which is still today by its own', 3, false],
  ['never, since the campaign ends today', 50, true],
])('a mailbox wakes for a follow-up although new leads may be sent %s', async (_, most, ends) => {
  sending = await testSending()
  const dayMs = 24 * 3_600_000
  const startMs = sending.ctx.now().getTime()
  sending.ctx.clock.advance(dayMs - (startMs % dayMs) + 10 * 3_600_000)
  const end_date = ends ? sending.ctx.now().toISOString().slice(0, 10) : null
  const mailbox = await sending.createMailbox('anna@example.com', { daily_limit: most })
  const [always] = alwaysOpen.schedules
  const schedules = [{ ...always, timezone: 'Asia/Tokyo' }]
  const step = { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }
  const steps = [step, { delay: 5, delay_unit: 'minutes', ...step }]
  const campaign = await sending.createCampaign([mailbox], {
    ...{ sequences: [{ steps }], daily_max_leads: 2 },
    campaign_schedule: { ...alwaysOpen, schedules, end_date },
  })
  await sending.addLeads(
    campaign.id,
    ['ann', 'bob', 'cid', 'dan'].map((name) => `${name}@lead.example`),
  )
  await sending.startRunner()
  await sending.waitForMails(2)
  await sending.untilAsleep()
  sending.ctx.clock.advance(5 * 60_000)
  const [first, second, third] = await sending.waitForMails(3)
  expect([first?.to, second?.to]).toContain(third?.to)
})

test('leads that are committed late are not missed: their mailboxes are woken after the commit', async () => {
  sending = await testSending()
  const { ctx, workspaceId } = sending
  const campaign = await sending.createCampaign(await createMailboxes())
  const woken = await watchWakes()
  const mark = (isMarked?: () => void, whileOpen?: Promise<void>) =>
    transaction(ctx, async (tx) => {
      await markLeadsDue(tx, workspaceId, [campaign.id])
      isMarked?.()
      await whileOpen
    })
  await mark()
  // The mark of an earlier lead is there, and must not be deleted with the one that is still open.
  const marked = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const marking = mark(marked.resolve, goOn.promise)
  await marked.promise
  await createMarkedWaker(ctx)()
  goOn.resolve()
  await marking
  await sql`truncate woken`.execute(ctx.database.peek)
  expect(await marks()).toHaveLength(1)
  await createMarkedWaker(ctx)()
  expect(await woken()).toHaveLength(4)
  expect(await marks()).toEqual([])
})

test('whatever a person changes writes one row, and no mailbox is touched', async () => {
  sending = await testSending()
  const { ctx, call, workspaceId } = sending
  const later = { delay: 1, variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }
  const campaign = await sending.createCampaign(await createMailboxes(), {
    sequences: [{ steps: [later] }],
  })
  await sending.addLeads(campaign.id, ['ann@lead.example', 'bob@lead.example'])
  const patch = (body: object) => call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body })
  const setStatus = (new_status: string) =>
    call('POST', '/api/v2/lead/update/status', {
      body: { campaign_id: campaign.id, email: 'ann@lead.example', new_status },
    })
  const [step] = campaign.sequences[0].steps
  await createMarkedWaker(ctx)()
  const woken = await watchWakes()
  const changes = {
    limit: () => patch({ daily_limit: 7 }),
    steps: async () => {
      await patch({ sequences: [{ steps: [{ ...step, delay: 0 }] }] })
      await rescheduleLeads(ctx)
    },
    resume: async () => {
      await setStatus('paused')
      await setStatus('active')
    },
    bringBack: async () => {
      await setStatus('unsubscribed')
      await undoSuppression(ctx, workspaceId, 'ann@lead.example', { unsubscribed: true }, operator)
    },
  }
  for (const [name, change] of Object.entries(changes)) {
    await change()
    expect([name, await marks()]).toEqual([name, [{ campaign_id: campaign.id }]])
    expect([name, await woken()]).toEqual([name, []])
    await createMarkedWaker(ctx)()
    expect([name, (await woken()).length]).toEqual([name, 4])
    await sql`truncate woken`.execute(ctx.database.peek)
  }
})

test('a change of a campaign wakes who rests, but nobody who waits for its gap', async () => {
  sending = await testSending()
  const [anna, bert, ...others] = await createMailboxes()
  const slow = await sending.createMailbox('slow@example.com', { gap_seconds: 600 })
  const campaign = await sending.createCampaign([slow], { daily_limit: 10 })
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['1@lead.example', '2@lead.example'])
  await sending.waitForMails(1)
  await sending.untilAsleep()
  const patch = (body: object) =>
    sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body })
  await patch({ daily_limit: 1, email_list: [slow, anna, bert].map((box) => box?.address) })
  await untilSpread()
  // They have nothing to send on a day that is full, and rest until the next.
  await sending.untilAsleep()
  const woken = await watchWakes()
  await patch({ daily_limit: 2 })
  await sending.waitForMails(2)
  await untilSpread()
  const ids = new Set((await woken()).map(({ mailbox_id }) => mailbox_id))
  expect(ids).toEqual(new Set([anna?.id, bert?.id]))
  expect(others).toHaveLength(2)
})

test('a place that is given back on a full day wakes the campaign, where it rests', async () => {
  let refused = 0
  sending = await testSending({
    smtp: {
      onRcptTo({ address }, _session, done) {
        if (!address.startsWith('gone')) return done(null)
        refused += 1
        done(Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 }))
      },
    },
  })
  const campaign = await sending.createCampaign(await createMailboxes(), { daily_limit: 1 })
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['gone@lead.example', 'here@lead.example'])
  const [mail] = await sending.waitForMails(1)
  expect(mail?.to).toBe('here@lead.example')
  expect(refused).toBe(1)
})

test('a mailbox whose test met a trouble that passes works again by itself, with nothing to send', async () => {
  let connections = 0
  sending = await testSending({
    smtp: {
      onConnect(_session, done) {
        connections += 1
        const away = Object.assign(new Error('5.3.2 Nobody is here'), { responseCode: 554 })
        done(connections === 1 ? away : null)
      },
    },
  })
  const { ctx, workspaceId } = sending
  ctx.lookupText = async () => []
  const address = 'anna@example.com'
  const { id } = await sending.createMailbox(
    address,
    imapSettings(await sending.startImap(), address),
  )
  await sending.startRunner()
  await sending.untilAsleep()
  const { mailbox } = await testMailbox(ctx, workspaceId, id)
  expect(mailbox).toMatchObject({ status: 'error', status_reason: expect.any(String) })
  await ctx.database.until(async () => {
    const [now] = await findMailboxes(ctx.db, workspaceId, [id])
    return now?.status === 'connected'
  })
})

test('who was blocked when the sender read ahead, and no longer is, gets the mail', async () => {
  sending = await testSending()
  const mailbox = await sending.createMailbox('anna@example.com', { gap_seconds: 600 })
  const campaign = await sending.createCampaign([mailbox])
  const emails = ['ada@lead.example', 'bob@lifted.example', 'cid@blocked.example']
  await sending.addLeads(campaign.id, emails)
  const { ctx, workspaceId } = sending
  for (const domain of ['lifted.example', 'blocked.example']) {
    await addSuppression(ctx, workspaceId, domain, operator)
  }
  await sending.startRunner()
  await sending.waitForMails(1)
  await sending.untilAsleep()
  await removeSuppression(ctx, workspaceId, 'lifted.example', { force: false }, operator)
  ctx.clock.advance(600_000)
  const [, second] = await sending.waitForMails(2)
  expect(second?.to).toBe('bob@lifted.example')
  await sending.untilAsleep()
  ctx.clock.advance(600_000)
  const skipped = await ctx.database.until(async () => {
    const leads = await ctx.database.peek
      .selectFrom('leads')
      .select(['email', 'stop_reason'])
      .where('sending_state', '=', 'stopped')
      .execute()
    return leads.length > 0 && leads
  })
  expect(skipped).toEqual([{ email: 'cid@blocked.example', stop_reason: 'blocked' }])
})
