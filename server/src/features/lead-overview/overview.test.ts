import { expect, test } from 'vitest'
import { testApi } from '../../../test/app.ts'
import { createMailbox, createReadyCampaign } from '../../../test/campaigns.ts'
import { alwaysOpen } from '../../../test/sending.ts'
import { operator } from '../audit/index.ts'
import { removeMailbox } from '../mailboxes/index.ts'
import { missingVariables } from '../messages/mail-refused.ts'
import { getHeldBack } from './held-back.ts'
import { getLeadOverview } from './overview.ts'

test('a lead that goes on in a campaign that is completed says what it waits for', async () => {
  await using api = await testApi()
  const { id: campaign_id } = await createReadyCampaign(api)
  const url = `/api/v2/campaigns/${campaign_id}`
  const add = async (email: string): Promise<string> => {
    const body = { campaign_id, leads: [{ email }] }
    return (await api.call('POST', '/api/v2/lead/add', { body })).body.created_leads[0].id
  }
  await add('ann@lead.example')
  await api.call('PATCH', url, { body: { status: 'active' } })
  await api.call('POST', '/api/v2/lead/update/status', {
    body: { campaign_id, email: 'ann@lead.example', new_status: 'lost' },
  })
  expect((await api.call('GET', url)).body.status).toBe('completed')
  const id = await add('bob@lead.example')
  const { reasons } = await getLeadOverview(api.ctx, api.workspaceId, id)
  expect(reasons).toEqual(['The campaign is completed: resume it, and it goes on.'])
})

test('a new lead of a campaign that writes to none says which setting to change', async () => {
  await using api = await testApi()
  const { id: campaign_id } = await createReadyCampaign(api)
  const body = { status: 'active', daily_max_leads: 0 }
  await api.call('PATCH', `/api/v2/campaigns/${campaign_id}`, { body })
  const leads = [{ email: 'ann@lead.example' }]
  const added = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  const { reasons } = await getLeadOverview(
    api.ctx,
    api.workspaceId,
    added.body.created_leads[0].id,
  )
  expect(reasons).toEqual([
    'The campaign writes to no new leads: raise New leads a day under Options.',
  ])
})

test('a lead of a workspace whose move was left says that it is being moved, and what to do', async () => {
  await using api = await testApi()
  const { id: campaign_id } = await createReadyCampaign(api)
  await api.call('PATCH', `/api/v2/campaigns/${campaign_id}`, { body: { status: 'active' } })
  const leads = [{ email: 'ann@lead.example' }]
  const added = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  const { peek } = api.ctx.database
  await peek.updateTable('workspaces').set({ moving_to: 'b' }).execute()
  const { id } = added.body.created_leads[0]
  const { reasons } = await getLeadOverview(api.ctx, api.workspaceId, id)
  expect(reasons).toEqual([expect.stringContaining('"npx outrider doctor"')])
})

test('a lead whose mailbox no longer sends says so, and what to do', async () => {
  await using api = await testApi()
  const { id: campaign_id, email_list } = await createReadyCampaign(api)
  const other = await createMailbox(api.ctx, api.workspaceId)
  const url = `/api/v2/campaigns/${campaign_id}`
  const body = { status: 'active', email_list: [...email_list, other.address] }
  await api.call('PATCH', url, { body })
  const leads = [{ email: 'ann@lead.example' }, { email: 'new@lead.example' }]
  const added = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  const id: string = added.body.created_leads[0].id
  const { peek } = api.ctx.database
  const begun = { sending_state: 'active', current_step: 1, mailbox_id: other.id }
  await peek.updateTable('leads').set(begun).where('id', '=', id).execute()
  const reasons = async () => (await getLeadOverview(api.ctx, api.workspaceId, id)).reasons
  expect(await reasons()).toEqual([])

  const set = (status: string) =>
    peek.updateTable('mailboxes').set({ status }).where('id', '=', other.id).execute()
  await set('paused')
  expect(await reasons()).toEqual([expect.stringContaining(`${other.address}, which is paused`)])
  await set('error')
  expect(await reasons()).toEqual([
    expect.stringContaining(`${other.address}, which does not work`),
  ])
  await set('connected')
  await api.call('PATCH', url, { body: { email_list } })
  expect(await reasons()).toEqual([expect.stringContaining('does not send from any more')])
  await removeMailbox(api.ctx, api.workspaceId, other.id, operator)
  expect(await reasons()).toEqual([expect.stringContaining('was removed')])

  await peek.updateTable('mailboxes').set({ status: 'error' }).execute()
  expect(await reasons()).toContain(
    'The mailboxes of the campaign that should send now do not work: look at Mailboxes.',
  )
})

test('a lead that is due and waits for the gap of its mailbox alone says until when', async () => {
  await using api = await testApi()
  const { id: campaign_id } = await createReadyCampaign(api, { campaign_schedule: alwaysOpen })
  const leads = [{ email: 'ann@lead.example' }]
  const added = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  const [{ id }] = added.body.created_leads
  await api.call('PATCH', `/api/v2/campaigns/${campaign_id}`, { body: { status: 'active' } })
  const { peek } = api.ctx.database
  const { id: mailbox_id } = await peek
    .selectFrom('mailboxes')
    .select('id')
    .executeTakeFirstOrThrow()
  const turn = async () => (await getLeadOverview(api.ctx, api.workspaceId, id)).mailbox_sends_at
  const sentAt = api.ctx.now()
  const after = (ms: number) => new Date(sentAt.getTime() + ms)
  await peek.updateTable('mailboxes').set({ gap_seconds: 600, inbox_read_at: sentAt }).execute()
  await peek.updateTable('mailbox_lanes').set({ last_sent_at: sentAt }).execute()
  const due = { sending_state: 'active', current_step: 1, mailbox_id }
  await peek
    .updateTable('leads')
    .set({ ...due, timestamp_next_send: sentAt })
    .execute()
  expect(await turn()).toEqual(after(600_000))
  // What was settled with a longer gap, as that of the campaign, keeps it.
  await peek
    .updateTable('mailbox_lanes')
    .set({ next_send_at: after(900_000) })
    .execute()
  expect(await turn()).toEqual(after(900_000))
  await peek
    .updateTable('leads')
    .set({ timestamp_next_send: after(60_000) })
    .execute()
  expect(await turn()).toBeNull()
  await peek.updateTable('leads').set({ timestamp_next_send: sentAt }).execute()
  await api.call('PATCH', `/api/v2/campaigns/${campaign_id}`, { body: { status: 'paused' } })
  expect(await turn()).toBeNull()
  await api.call('PATCH', `/api/v2/campaigns/${campaign_id}`, { body: { status: 'active' } })
  api.ctx.clock.advance(900_000)
  expect(await turn()).toBeNull()
})

test('a mailbox that has sent all it may on the day of the service is full, whatever day the database has', async () => {
  await using api = await testApi()
  api.ctx.clock.advance(3 * 86_400_000)
  const other = await createMailbox(api.ctx, api.workspaceId)
  const { id: campaign_id, email_list } = await createReadyCampaign(api, {
    campaign_schedule: alwaysOpen,
  })
  const { peek } = api.ctx.database
  const leads = [{ email: 'ann@lead.example' }]
  const added = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  const [{ id }] = added.body.created_leads
  const body = { status: 'active', email_list: [...email_list, other.address] }
  await api.call('PATCH', `/api/v2/campaigns/${campaign_id}`, { body })
  const now = api.ctx.now()
  await peek.updateTable('mailboxes').set({ gap_seconds: 300 }).execute()
  await peek
    .updateTable('mailboxes')
    .set({ gap_seconds: 1200 })
    .where('id', '=', other.id)
    .execute()
  await peek.updateTable('mailbox_lanes').set({ last_sent_at: now }).execute()
  const turnInSeconds = async () => {
    const { mailbox_sends_at } = await getLeadOverview(api.ctx, api.workspaceId, id)
    return mailbox_sends_at && (mailbox_sends_at.getTime() - now.getTime()) / 1000
  }
  expect(await turnInSeconds()).toBe(300)
  const own = peek.selectFrom('mailboxes').select('id').where('address', '=', email_list[0])
  const { id: mailbox_id } = await own.executeTakeFirstOrThrow()
  const day = now.toISOString().slice(0, 10)
  await peek
    .insertInto('mailbox_days')
    .values({ workspace_id: api.workspaceId, mailbox_id, day, sent: 10_000 })
    .execute()
  expect(await turnInSeconds()).toBe(1200)
})

test('a lead that waits for tomorrow is not said to wait for the gap of a mailbox', async () => {
  await using api = await testApi()
  const other = await createMailbox(api.ctx, api.workspaceId)
  const { id: campaign_id, email_list } = await createReadyCampaign(api, {
    campaign_schedule: alwaysOpen,
  })
  const { peek } = api.ctx.database
  const leads = [{ email: 'ann@lead.example' }, { email: 'bob@lead.example' }]
  const added = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  const [begun, fresh] = added.body.created_leads
  const url = `/api/v2/campaigns/${campaign_id}`
  const body = { status: 'active', daily_max_leads: 5, email_list: [...email_list, other.address] }
  expect((await api.call('PATCH', url, { body })).status).toBe(200)
  const own = await peek
    .selectFrom('mailboxes')
    .select('id')
    .where('address', '=', email_list[0])
    .executeTakeFirstOrThrow()
  const now = api.ctx.now()
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  const setMailbox = (id: string, changes: { gap_seconds?: number; inbox_read_at?: Date | null }) =>
    peek.updateTable('mailboxes').set(changes).where('id', '=', id).execute()
  await setMailbox(own.id, { gap_seconds: 300, inbox_read_at: now })
  await setMailbox(other.id, { gap_seconds: 1200, inbox_read_at: now })
  await peek.updateTable('mailbox_lanes').set({ last_sent_at: now }).execute()
  await peek.updateTable('leads').set({ timestamp_next_send: now }).execute()
  await peek
    .updateTable('leads')
    .set({ sending_state: 'active', current_step: 1, mailbox_id: own.id })
    .where('id', '=', begun.id)
    .execute()
  const turn = async ({ id }: { id: string }) =>
    (await getLeadOverview(api.ctx, api.workspaceId, id)).mailbox_sends_at
  expect(await turn(begun)).toEqual(after(300))
  expect(await turn(fresh)).toEqual(after(300))
  // Its own mailbox has not been read, so that no follow-up leaves it.
  await setMailbox(own.id, { inbox_read_at: null })
  await peek
    .updateTable('leads')
    .set({ sending_state: 'active', current_step: 1, mailbox_id: other.id })
    .where('id', '=', fresh.id)
    .execute()
  expect(await turn(begun)).toBeNull()
  expect(await turn(fresh)).toEqual(after(1200))
  await setMailbox(own.id, { inbox_read_at: now })
  // Its own mailbox has sent all it may today, and the other has room.
  const today = now.toISOString().slice(0, 10)
  const counted = { workspace_id: api.workspaceId, day: today }
  await peek
    .insertInto('mailbox_days')
    .values({ ...counted, mailbox_id: own.id, sent: 10_000 })
    .execute()
  expect(await turn(begun)).toBeNull()
  await peek
    .updateTable('leads')
    .set({ sending_state: 'pending', current_step: 0, mailbox_id: null })
    .where('id', '=', fresh.id)
    .execute()
  expect(await turn(fresh)).toEqual(after(1200))
  // The campaign has written to all the new leads that it may today, and goes on with follow-ups.
  await peek.updateTable('leads').set({ mailbox_id: other.id }).where('id', '=', begun.id).execute()
  await peek
    .insertInto('campaign_days')
    .values({ ...counted, campaign_id, sent: 5, new_leads: 5 })
    .execute()
  expect(await turn(begun)).toEqual(after(1200))
  expect(await turn(fresh)).toBeNull()
})

test('a lead whose campaign has lost its only mailbox says so, once', async () => {
  await using api = await testApi()
  const { id: campaign_id } = await createReadyCampaign(api)
  const leads = [{ email: 'ann@lead.example' }, { email: 'new@lead.example' }]
  const added = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  const [begun, fresh] = added.body.created_leads
  await api.call('PATCH', `/api/v2/campaigns/${campaign_id}`, { body: { status: 'active' } })
  const { peek } = api.ctx.database
  const { id: mailbox_id } = await peek
    .selectFrom('mailboxes')
    .select('id')
    .executeTakeFirstOrThrow()
  const active = { sending_state: 'active', current_step: 1, mailbox_id }
  await peek.updateTable('leads').set(active).where('id', '=', begun.id).execute()
  await removeMailbox(api.ctx, api.workspaceId, mailbox_id, operator)
  const reasons = async ({ id }: { id: string }) =>
    (await getLeadOverview(api.ctx, api.workspaceId, id)).reasons
  expect(await reasons(fresh)).toEqual([
    'The campaign has no mailbox to send from: choose one under Options.',
  ])
  expect(await reasons(begun)).toEqual([expect.stringContaining('was removed')])
})

test('a lead that an edit has left without a step says that it is completed soon', async () => {
  await using api = await testApi()
  const { id: campaign_id, sequences } = await createReadyCampaign(api)
  await api.call('PATCH', `/api/v2/campaigns/${campaign_id}`, { body: { status: 'active' } })
  const leads = [{ email: 'ann@lead.example' }]
  const added = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  const { id } = added.body.created_leads[0]
  const sent_step_ids = sequences[0].steps.map((step: { id: string }) => step.id)
  const got = { sending_state: 'active', current_step: sent_step_ids.length, sent_step_ids }
  await api.ctx.database.peek.updateTable('leads').set(got).where('id', '=', id).execute()
  const { reasons } = await getLeadOverview(api.ctx, api.workspaceId, id)
  expect(reasons).toEqual([expect.stringContaining('No step is left for this lead')])
})

test('what the mails of its campaign say of a lead is named, and what the one lacks that keeps it back', async () => {
  await using api = await testApi()
  const variants = [
    { subject: 'Hi {{firstName}}', body: '<p>{{ region | default: "here" }} {{größe}}</p>' },
    {
      subject: 'Hi',
      body: '{% assign total = seats %}{{total}} {{signature}} {{ "now" | date: "%A" }}',
    },
    { subject: 'Off', body: '{{never}}', v_disabled: true },
  ]
  const second = {
    delay: 1,
    variants: [{ subject: '', body: '<p>{{ deal_size -}} {{email}}</p>' }],
  }
  const sequences = [{ steps: [{ variants }, second] }]
  const { id: campaign_id } = await createReadyCampaign(api, { sequences })
  const leads = [{ email: 'ann@lead.example' }]
  const added = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
  const { id } = added.body.created_leads[0]
  const said = async () =>
    (await getLeadOverview(api.ctx, api.workspaceId, id)).variables.map(
      ({ name, is_missing }) => `${name}${is_missing ? ' is missing' : ''}`,
    )
  const names = ['first_name', 'region', 'größe']
  expect(await said()).toEqual([...names, 'deal_size'])
  const { message } = missingVariables(['deal_size', 'firstName', 'a.b', ...'cdefg'])
  const held = { sending_state: 'paused', skip_reason: `template_failed: ${message}` }
  await api.ctx.database.peek.updateTable('leads').set(held).where('id', '=', id).execute()
  expect(await said()).toEqual([
    ...['deal_size is missing', 'first_name is missing', 'c is missing', 'd is missing'],
    ...['region', 'größe'],
  ])
})

test('a campaign tells how many of its leads are held back for each reason, and of how many it knows', async () => {
  await using api = await testApi()
  const { id: campaign_id } = await createReadyCampaign(api)
  const read = () => getHeldBack(api.ctx, api.workspaceId, campaign_id)
  expect(await read()).toEqual({ leads: 0, reasons: [] })
  const { peek } = api.ctx.database
  const hold = async (count: number, skip_reason: string | null) => {
    const leads = Array.from({ length: count }, (_, at) => ({
      email: `${at}.${api.ctx.newId()}@lead.example`,
    }))
    const added = await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads } })
    const ids = added.body.created_leads.map(({ id }: { id: string }) => id)
    const held = { sending_state: 'paused', skip_reason }
    await peek.updateTable('leads').set(held).where('id', 'in', ids).execute()
  }
  const lack = (...names: string[]) => `template_failed: ${missingVariables(names).message}`
  await hold(2, null)
  await hold(2, lack('deal_size'))
  await hold(3, lack('first_name', 'city'))
  await hold(1, 'message_refused: 550 no such user')
  for (const name of ['a', 'b', 'c']) await hold(1, lack(name))
  const { leads, reasons } = await read()
  expect(leads).toBe(9)
  expect(reasons.map((each) => [each.leads, each.missing])).toEqual([
    [3, ['first_name', 'city']],
    [2, ['deal_size']],
    ...[[1, []] as const, [1, ['a']] as const, [1, ['b']] as const],
  ])
  expect(reasons[2]?.reason).toBe('550 no such user')
  await hold(991, lack('deal_size'))
  expect(await read()).toMatchObject({ leads: 1000, reasons: [{ leads: 993 }, {}, {}, {}, {}] })
  await hold(2, lack('deal_size'))
  expect(await read()).toMatchObject({ leads: 1000 })
})
