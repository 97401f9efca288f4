import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Browser, setUp } from '../../../test/browser.ts'
import { type Sending, testSending } from '../../../test/sending.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { listAudit } from '../audit/index.ts'
import { unknownId } from '../daily-counts/step-days.ts'
import { type LeadActivity, recordActivities } from '../leads/index.ts'
import { setPlan } from '../workspaces/index.ts'
import { recordRefusedCopies } from './index.ts'

let sending: Sending
let browser: Browser
beforeEach(async () => {
  sending = await testSending()
  browser = await setUp(sending)
})
afterEach(() => sending[Symbol.asyncDispose]())

const call = (method: string, url: string, body?: object, headers = {}) =>
  browser.call(method, url, {
    body,
    headers: { 'x-workspace-id': sending.workspaceId, ...headers },
  })

const create = async (body: object = { name: 'Founders' }) =>
  (await call('POST', '/app/api/v2/campaigns', body)).body

const actions = async () => {
  const page = { limit: 20, startingAfter: undefined }
  const { items } = await listAudit(sending.ctx, sending.workspaceId, page, { action: 'campaign.' })
  return items.map(({ action, actor_type }) => `${action} ${actor_type}`).toReversed()
}

test('who changes what somebody else has changed meanwhile is told, and changes nothing', async () => {
  const campaign = await create()
  const path = `/app/api/v2/campaigns/${campaign.id}`
  const seen = { 'if-match': `"${campaign.timestamp_updated}"` }
  const first = await call('PATCH', path, { daily_limit: 10 }, seen)
  expect(first.status).toBe(200)
  const second = await call('PATCH', path, { daily_limit: 20 }, seen)
  expect([second.status, second.body.code]).toEqual([409, 'version_conflict'])
  const again = { 'if-match': `"${first.body.timestamp_updated}"` }
  expect((await call('PATCH', path, { name: 'Founders 2' }, again)).body).toMatchObject({
    ...{ name: 'Founders 2', daily_limit: 10 },
  })
  expect((await call('PATCH', path, {}, { 'if-match': 'W/"1"' })).body.code).toBe('invalid_field')
  // The public door knows no versions.
  const open = await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, {
    body: { daily_limit: 30 },
    headers: seen,
  })
  expect(open.status).toBe(200)
  expect(await actions()).toEqual([
    ...['campaign.created user', 'campaign.updated user', 'campaign.updated user'],
    'campaign.updated key',
  ])
})

test('the list of the application and Home read no texts of mails', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const { id } = await sending.createCampaign([mailbox])
  const read = vi.spyOn(JSON, 'parse')
  const list = await call('GET', '/app/campaigns')
  const home = await call('GET', '/app/home')
  const texts = read.mock.calls.filter(([text]) => text.includes('<p>Hi</p>'))
  read.mockRestore()
  expect(texts).toEqual([])
  expect(list.body.items).toMatchObject([{ id, steps: 1, mailboxes: 1 }])
  expect(home.body.attention).toContainEqual(
    expect.objectContaining({ kind: 'campaign', id, reason: 'no_leads' }),
  )
})

test('what a key makes, starts, changes and pauses is in the audit log, with the names of what changed', async () => {
  const { id } = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  const path = `/api/v2/campaigns/${id}`
  await sending.call('PATCH', path, { body: { bcc_list: ['x@example.com'], daily_limit: 9 } })
  await sending.call('PATCH', path, { body: { daily_limit: 9 } })
  await sending.call('PATCH', path, { body: { status: 'paused' } })
  const made = ['created', 'activated', 'updated', 'paused']
  expect(await actions()).toEqual(made.map((action) => `campaign.${action} key`))
  const page = { limit: 1, startingAfter: undefined }
  const { items } = await listAudit(sending.ctx, sending.workspaceId, page, {
    action: 'campaign.updated',
  })
  expect(items).toMatchObject([
    { subject_id: id, details: { changed: ['bcc_list', 'daily_limit'] } },
  ])
})

test('a copy has steps and options and no leads; a draft can be deleted with its leads', async () => {
  const sequences = [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }]
  const campaign = await create({ name: 'Founders', sequences, daily_limit: 7 })
  await sending.addLeads(campaign.id, ['ada@lead.example'])
  const copy = await call('POST', `/app/campaigns/${campaign.id}/duplicate`)
  expect(copy.status).toBe(201)
  expect(copy.body).toMatchObject({
    ...{ name: 'Founders (copy)', status: 'draft', daily_limit: 7, lead_counts: { total: 0 } },
    sequences: [{ steps: [{ variants: [{ subject: 'Hello' }] }] }],
  })
  expect(copy.body.sequences[0].steps[0].id).not.toBe(campaign.sequences[0].steps[0].id)

  expect((await call('DELETE', `/app/campaigns/${campaign.id}`)).status).toBe(200)
  expect((await call('GET', `/app/api/v2/campaigns/${campaign.id}`)).status).toBe(404)
  const leads = sending.ctx.database.peek.selectFrom('leads').select('id')
  expect(await leads.execute()).toEqual([])
  const byUser = (await actions()).filter((action) => action.endsWith('user'))
  expect(byUser.slice(-2)).toEqual(['campaign.created user', 'campaign.deleted user'])
})

test('a campaign that was started and never sent is deleted once it is paused; what has sent, or got an answer, is kept', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const { id } = await sending.createCampaign([mailbox])
  const [lead = ''] = await sending.addLeads(id, ['ada@lead.example'])
  const remove = async (each: string) => {
    const { status, body } = await call('DELETE', `/app/campaigns/${each}`)
    return status === 200 ? status : [status, body.code, body.message.split(/[;,]/)[0]]
  }
  expect(await remove(id)).toEqual([409, 'invalid_transition', 'The campaign runs'])
  const pause = (each: string) =>
    call('PATCH', `/app/api/v2/campaigns/${each}`, { status: 'paused' })
  await pause(id)
  const kept = [409, 'invalid_transition', 'The campaign has begun to send mails']
  const { peek } = sending.ctx.database
  const now = sending.ctx.now()
  await peek
    .insertInto('threads')
    .values({
      ...{ workspace_id: sending.workspaceId, id: lead, campaign_id: id, mailbox_id: mailbox.id },
      ...{
        kind: 'reply',
        from_address: 'ada@lead.example',
        subject: 'Hello',
        snippet: 'Who is it?',
      },
      ...{ last_message_id: lead, sort_id: lead, unread: true },
      ...{ timestamp_created: now, timestamp_updated: now },
    })
    .execute()
  expect(await remove(id)).toEqual(kept)
  await peek.deleteFrom('threads').execute()
  const attempt = {
    ...{ workspace_id: sending.workspaceId, lead_id: lead, step_id: sending.ctx.newId() },
    ...{ id: sending.ctx.newId(), campaign_id: id, mailbox_id: mailbox.id },
  }
  await peek
    .insertInto('missing_marks')
    .values({ ...attempt, timestamp_marked: now })
    .execute()
  expect(await remove(id)).toEqual(kept)
  await peek.deleteFrom('missing_marks').execute()
  const day = now.toISOString().slice(0, 10)
  await peek
    .insertInto('sends')
    .values({
      ...{ ...attempt, kind: 'step', step: 1, variant: 1, variant_id: attempt.step_id },
      ...{ message_id: '<1@example.com>', starts_thread: true, claim_token: '1', is_new: true },
      ...{ campaign_day: day, mailbox_day: day, timestamp_claimed: now, state: 'claimed' },
    })
    .execute()
  expect(await remove(id)).toEqual(kept)
  // What was claimed when it was paused is given back: no server was asked to take it.
  await peek.updateTable('sends').set({ state: 'failed', error_stage: 'claim' }).execute()
  expect(await remove(id)).toBe(200)
  expect(await peek.selectFrom('leads').select('id').execute()).toEqual([])

  const { id: sent } = await sending.createCampaign([mailbox])
  await sending.addLeads(sent, ['bob@lead.example'])
  await sending.startRunner()
  await sending.waitForMails(1)
  await sending.waitForLedger((entries) => entries.some(({ state }) => state === 'sent'))
  await pause(sent)
  expect(await remove(sent)).toEqual(kept)
  expect((await call('GET', `/app/api/v2/campaigns/${sent}`)).body.lead_counts.total).toBe(1)
})

test('campaigns have names and states, the newest first, also where the plan lacks the API', async () => {
  const { id: first } = await create()
  const { id: second } = await create({ name: 'Buyers' })
  await setPlan(sending.ctx, sending.workspaceId, { api: false })
  expect((await call('GET', '/app/api/v2/campaigns')).status).toBe(403)
  const { status, body } = await call('GET', '/app/campaigns/names')
  const items = [
    { id: second, name: 'Buyers', status: 'draft' },
    { id: first, name: 'Founders', status: 'draft' },
  ]
  expect([status, body]).toEqual([200, { items }])
})

test('every problem that keeps a campaign from starting is told with its place', async () => {
  const { id } = await create()
  const { body } = await call('GET', `/app/campaigns/${id}/readiness`)
  expect(body.ready).toBe(false)
  expect(body.problems.map(({ path }: { path: string }) => path)).toEqual([
    '/sequences',
    '/email_list',
  ])
})

test('copies that mail servers refuse are listed until somebody changes who gets them', async () => {
  const cc_list = ['boss@copy.example', 'peer@copy.example']
  const { id: campaign_id } = await create({ name: 'Founders', cc_list })
  const { id: another } = await create({ name: 'Others', cc_list })
  const path = `/app/campaigns/${campaign_id}/refused-copies`
  expect((await call('GET', path)).body).toEqual({ items: [] })
  const reason = { code: '550 5.1.1', message: 'No such user' }
  const refused = { campaign_id, address: 'boss@copy.example', ...reason }
  await transaction(sending.ctx, (tx) =>
    recordRefusedCopies(tx, sending.workspaceId, [
      ...[refused, refused, { ...refused, campaign_id: another }],
    ]),
  )
  const { status, body } = await call('GET', path)
  expect([status, body.items]).toEqual([
    200,
    [
      {
        ...{ address: 'boss@copy.example', ...reason, mails: 2 },
        timestamp_last: expect.stringMatching(/Z$/),
      },
    ],
  ])
  await call('PATCH', `/app/api/v2/campaigns/${campaign_id}`, { cc_list: ['peer@copy.example'] })
  expect((await call('GET', path)).body).toEqual({ items: [] })
})

test('results stay with their variant and step when others are removed or change places', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const variant = (subject: string) => ({ subject, body: `<p>${subject}</p>` })
  const steps = [
    { variants: [variant('A'), variant('B'), variant('C')] },
    { delay: 3, variants: [variant('D')] },
  ]
  const campaign = await sending.createCampaign([mailbox], { sequences: [{ steps }] })
  const path = `/api/v2/campaigns/${campaign.id}`
  const leads = (name: string) => Array.from({ length: 20 }, (_, n) => `${name}${n}@lead.example`)
  const sent = async (count: number) => {
    await sending.waitForLedger(
      (all) => all.filter(({ state }) => state === 'sent').length === count,
    )
    return Object.groupBy(
      sending.outbox,
      ({ source }) => source.toString().match(/^Subject: (.*?)\r$/m)?.[1] ?? '',
    )
  }
  const items = async () => {
    const { body } = await call('GET', `/app/campaigns/${campaign.id}/analytics`)
    return body.items.map((item: Record<string, unknown>) => [
      ...[item.step, item.variant, item.sent, item.interested],
    ])
  }
  const runner = await sending.startRunner()
  await sending.addLeads(campaign.id, leads('a'))
  const first = await sent(20)
  const [toA] = first.A ?? []
  const set = (new_status: string) =>
    sending.call('POST', '/api/v2/lead/update/status', {
      body: { email: toA?.to, campaign_id: campaign.id, new_status },
    })
  expect((await set('interested')).status).toBe(200)

  const [opening, followUp] = campaign.sequences[0].steps
  const change = (changed: object[]) =>
    sending.call('PATCH', path, { body: { sequences: [{ steps: changed }] } })
  const withoutA = { ...opening, variants: opening.variants.slice(1) }
  expect((await change([withoutA, followUp])).status).toBe(200)
  await sending.addLeads(campaign.id, leads('b'))
  const { A, B, C } = await sent(40)
  await runner.stop()
  expect(await items()).toEqual([
    [1, 1, B?.length, 0],
    [1, 2, C?.length, 0],
    [1, null, A?.length, 1],
  ])
  // Taken back from the variant that is no more.
  expect((await set('none')).status).toBe(200)
  expect(
    (
      await change([
        { ...followUp, delay: 0 },
        { ...withoutA, delay: 3 },
      ])
    ).status,
  ).toBe(200)
  expect(await items()).toEqual([
    [2, 1, B?.length, 0],
    [2, 2, C?.length, 0],
    [2, null, A?.length, 0],
  ])
  expect((await change([followUp])).status).toBe(200)
  expect(await items()).toEqual([[null, null, 40, 0]])
})

test('results of mails are asked for by days that there are', async () => {
  const { body } = await call('POST', '/app/api/v2/campaigns', { name: 'Days' })
  const days = (query: string) => call('GET', `/app/campaigns/${body.id}/analytics?${query}`)
  expect((await days('to=2020-03-01')).body).toMatchObject({ from: '2020-02-01', items: [] })
  for (const query of ['from=2021-02-30', 'to=0000-01-15', 'from=0000-01-15&to=0001-01-10'])
    expect((await days(query)).body.code).toBe('invalid_field')
  expect((await days('to=0001-01-10')).body.code).toBe('invalid_field')
})

test('what mails come to is counted by day, step and variant, each thing once', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const steps = [
    { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] },
    { delay: 3, variants: [{ subject: '', body: '<p>Again</p>' }] },
  ]
  const campaign = await sending.createCampaign([mailbox], { sequences: [{ steps }] })
  await sending.startRunner()
  const [ada, bob] = await sending.addLeads(campaign.id, ['ada@lead.example', 'bob@lead.example'])
  await sending.waitForMails(2)
  await sending.waitForLedger((all) => all.every(({ state }) => state === 'sent'))

  const { ctx, workspaceId } = sending
  const message = {
    ...{ message_id: '<1@example.com>', subject: 'Hello', step: 1, variant: 1 },
    mailbox: 'anna@example.com',
  }
  const reply = { message_id: null, subject: 'Re: Hello', text: 'Hi', html: null, snippet: 'Hi' }
  const opened = { kind: 'opened', leadId: ada as string, message, isMachine: false } as const
  const replied = { kind: 'replied', leadId: ada as string, message, reply } as const
  const away = { kind: 'auto_replied', isOutOfOffice: true, resumeAt: null } as const
  const activities: LeadActivity[] = [
    ...[opened, opened, { ...opened, leadId: bob as string, isMachine: true }],
    ...[replied, replied, { ...away, leadId: bob as string, message, reply }],
    { kind: 'unsubscribed', leadId: bob as string },
  ]
  await transaction(ctx, (tx) => recordActivities(tx, workspaceId, activities))
  const set = (new_status: string) =>
    call('POST', '/app/api/v2/lead/update/status', {
      ...{ campaign_id: campaign.id, email: 'ada@lead.example', new_status },
    })
  await set('interested')
  await set('meeting_booked')

  const { body } = await call('GET', `/app/campaigns/${campaign.id}/analytics`)
  const day = ctx.now().toISOString().slice(0, 10)
  expect(body).toMatchObject({ timezone: 'UTC', to: day })
  expect(body.items).toEqual([
    {
      ...{ day, step: 1, variant: 1, sent: 2, opened: 1, clicked: 0, replied: 1, auto_replied: 1 },
      ...{ bounced: 0, interested: 1, unsubscribed: 1 },
    },
  ])
  const [listed] = (await call('GET', '/app/campaigns')).body.items
  expect(listed).toMatchObject({
    ...{ contacted: 2, replied: 1, auto_replied: 1, interested: 1 },
    ...{ steps: 2, mailboxes: 1, sending_status: { state: 'waiting' } },
  })
  // The migrations that fill the table from what was there before come to the same.
  const counted = () => ctx.database.peek.selectFrom('campaign_step_days').selectAll().execute()
  const before = await counted()
  await sql`drop table campaign_step_days`.execute(ctx.database.peek)
  await sql`alter table leads drop outcomes_counted`.execute(ctx.database.peek)
  const migrate = (file: string) => {
    const migration = readFileSync(new URL(`../../../migrations/${file}`, import.meta.url), 'utf8')
    return sql.raw(migration).execute(ctx.database.peek)
  }
  await migrate('0068_campaign_step_days.sql')
  // And the one that notes at its leads where each was counted, and the one that goes by ids.
  await migrate('0102_outcomes_counted.sql')
  // Whoever is given a status by hand was noted without a variant; and three numbers are no more.
  await sql`
    update leads set outcomes_counted = jsonb_set(outcomes_counted, '{interested,variant}', 'null')
    where id = ${ada}`.execute(ctx.database.peek)
  await sql`
    insert into campaign_step_days (workspace_id, campaign_id, day, step, variant, sent)
    select ${workspaceId}::uuid, ${campaign.id}::uuid, ${day}::date, k.step, k.variant, k.sent
    from (values (1, 2, 3), (3, 1, 4), (4, 1, 5)) as k (step, variant, sent)`.execute(
    ctx.database.peek,
  )
  await migrate('0104_counts_by_variant.sql')
  const [step] = campaign.sequences[0].steps
  const gone = await ctx.database.peek
    .deleteFrom('campaign_step_days')
    .where('variant_id', '=', unknownId)
    .returning(['step_id', 'sent'])
    .execute()
  expect(gone.toSorted((a, b) => a.sent - b.sent)).toEqual([
    { step_id: step.id, sent: 3 },
    { step_id: unknownId, sent: 9 },
  ])
  // Of automatic replies it knows by the messages, and here none was read.
  expect(await counted()).toEqual(before.map((row) => ({ ...row, auto_replied: 0 })))
  await sql`update campaign_step_days set auto_replied = 1`.execute(ctx.database.peek)
  const place = { day, step_id: step.id, variant_id: step.variants[0].id }
  expect(
    await ctx.database.peek.selectFrom('leads').select(['id', 'outcomes_counted']).execute(),
  ).toEqual(
    expect.arrayContaining([
      { id: ada, outcomes_counted: { replied: place, interested: place } },
      { id: bob, outcomes_counted: { unsubscribed: place } },
    ]),
  )
  // Who takes it back takes it out of the sum.
  await set('not_interested')
  expect((await call('GET', '/app/campaigns')).body.items[0].interested).toBe(0)

  const sends = await call('GET', `/app/sends?campaign_id=${campaign.id}&limit=1`)
  expect(sends.body.items).toMatchObject([{ state: 'sent', mailbox: 'anna@example.com' }])
  const cursor = sends.body.next_starting_after
  const rest = await call('GET', `/app/sends?campaign_id=${campaign.id}&starting_after=${cursor}`)
  expect(rest.body.items).toHaveLength(1)
  const endless = await call('GET', `/app/campaigns/${campaign.id}/forecast?days=1e309`)
  expect(endless).toMatchObject({ status: 400, body: { code: 'invalid_field' } })
  const forecast = await call('GET', `/app/campaigns/${campaign.id}/forecast?days=7`)
  expect(forecast.body).toMatchObject({ timezone: 'UTC', sends: 0 })
})

test('each lead is counted once for a variable, also where it has none, or a field of its name', async () => {
  const { id } = await sending.createCampaign([await sending.createMailbox('twice@example.com')])
  const variables = async () => (await call('GET', `/app/campaigns/${id}/variables`)).body
  await sending.addLeads(id, [{ email: 'neither@lead.example' }])
  expect(await variables()).toEqual({ leads: 1, items: [] })
  await sending.addLeads(id, [
    { email: 'both@lead.example', first_name: 'Ada', custom_variables: { first_name: 'Ada' } },
    { email: 'own@lead.example', custom_variables: { first_name: 'Bob' } },
  ])
  expect(await variables()).toEqual({ leads: 3, items: [{ name: 'first_name', missing: 1 }] })
  // Who is sent nothing any more lacks nothing.
  const done = { campaign_id: id, email: 'neither@lead.example', new_status: 'not_interested' }
  await call('POST', '/app/api/v2/lead/update/status', done)
  expect(await variables()).toEqual({ leads: 2, items: [{ name: 'first_name', missing: 0 }] })
})

test('a test mail is what the lead would get, and counts nowhere', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const body = '<p>Hi {{first_name}} <a href="{{unsubscribe_url}}">no more</a></p>'
  const variants = [
    { subject: 'One', body },
    { subject: 'Two {{first_name}}', body: `${body}\n<p>You are {{email}}.</p>` },
  ]
  const more = { sequences: [{ steps: [{ variants }] }], cc_list: ['boss@example.com'] }
  const { id } = await sending.createCampaign([mailbox], { ...more, open_tracking: true })
  await call('PATCH', `/app/api/v2/campaigns/${id}`, { status: 'paused' })
  const [lead_id] = await sending.addLeads(id, [{ email: 'ada@lead.example', first_name: 'Ada' }])
  const known = (await call('GET', `/app/campaigns/${id}/variables`)).body
  expect(known).toEqual({ leads: 1, items: [{ name: 'first_name', missing: 0 }] })
  const draft = {
    sequences: [{ steps: [{ variants: [{ subject: 'Draft {{first_name}}', body }] }] }],
  }
  const preview = await call('POST', `/app/campaigns/${id}/preview`, { lead_id, draft })
  expect(preview.body).toMatchObject({ mail: { subject: 'Draft Ada' }, refusal: null })
  expect(preview.body.mail.headers).toContain('Subject: Draft Ada')

  const asked = { lead_id, step: 1, variant: 2, mailbox_id: mailbox.id, to: 'me@example.com' }
  const answer = await call('POST', `/app/campaigns/${id}/test-mail`, asked)
  expect(answer.body).toMatchObject({ success: true, subject: 'Two Ada', to: 'me@example.com' })
  const [mail] = await sending.waitForMails(1)
  const source = String(mail?.source)
  expect(mail?.to).toBe('me@example.com')
  expect(source).toContain('\r\nTo: me@example.com\r\n')
  expect(source).toContain('You are ada@lead.example.')
  expect(source.replaceAll('You are ada@lead', '')).not.toMatch(/ada@lead|boss@example|\.gif/)
  expect(await sending.ledger()).toEqual([])
  for (let sent = 1; sent < 20; sent++) {
    expect((await call('POST', `/app/campaigns/${id}/test-mail`, asked)).status).toBe(200)
  }
  const refused = await call('POST', `/app/campaigns/${id}/test-mail`, asked)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])

  // Nobody in the workspace writes to who is suppressed.
  await call('POST', '/app/suppressions', { value: 'gone@example.com' })
  const toGone = { ...asked, to: 'Gone@example.com' }
  const held = await call('POST', `/app/campaigns/${id}/test-mail`, toGone)
  expect(held.body).toMatchObject({
    ...{ success: false, error: expect.stringContaining('it is suppressed (blocked)') },
  })
  expect(sending.outbox.filter(({ to }) => to === 'gone@example.com')).toEqual([])
})
