import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Inbox, letter, report, testInbox } from '../../../test/inbox.ts'
import { keepInboxRead } from '../../../test/sending.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator } from '../audit/index.ts'
import { optOut } from '../directory/index.ts'
import { startErasure } from '../erasure/erase.ts'
import { runErasures } from '../erasure/index.ts'
import { createLabel } from '../labels/index.ts'
import { changeMany, recordActivities } from '../leads/index.ts'
import {
  addSuppression,
  findSuppressed,
  removeSuppression,
  showSuppression,
} from '../suppression/index.ts'
import { undoSuppression } from './index.ts'

const address = 'ada@lead.example'

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

const undo = (
  options: Parameters<typeof undoSuppression>[3] = { unsubscribed: false },
  of = address,
) => undoSuppression(inbox.ctx, inbox.workspaceId, of, options, operator)
const suppressed = async () =>
  (await findSuppressed(inbox.ctx.db, inbox.workspaceId, [address])).get(address)
const audit = () =>
  inbox.ctx.database.peek
    .selectFrom('audit_log')
    .select(['actor_type', 'details'])
    .where('action', '=', 'suppression.undone')
    .orderBy('id')
    .execute()

async function sentTwice() {
  const second = await inbox.contact([address])
  return { first: await inbox.contact([address]), second }
}

/** Two campaigns have written to her, and a report said that she is gone. */
async function bounced() {
  const { first, second } = await sentTwice()
  inbox.startReader()
  inbox.arrive(report({ recipient: address, messageId: first.messageId }))
  await inbox.waitForEvents('email.bounced')
  return { first, second }
}

test('a wrong bounce is undone: the address is free, and its leads go on in every campaign', async () => {
  const { first, second } = await bounced()
  expect(await inbox.lead(first.leadId)).toMatchObject({ stop_reason: 'bounced' })
  expect(await inbox.lead(second.leadId)).toMatchObject({ stop_reason: 'blocked' })

  const undone = await undo()
  expect(undone).toMatchObject({ address, reason: 'bounced', still_suppressed: null })
  expect(undone.campaign_id).toBe(first.campaign.id)
  // All of their leads were stopped.
  expect(undone.resting_campaigns.map(({ status }) => status)).toEqual(['completed', 'completed'])
  expect(undone.leads.map((lead) => [lead.lead_id, lead.previous_stop_reason]).sort()).toEqual(
    [
      [first.leadId, 'bounced'],
      [second.leadId, 'blocked'],
    ].sort(),
  )
  expect(await suppressed()).toBeUndefined()
  for (const { leadId } of [first, second]) {
    const lead = await inbox.lead(leadId)
    expect(lead).toMatchObject({ status: 'contacted', sending_state: 'active', stop_reason: null })
    expect(lead.timestamp_next_send).not.toBeNull()
  }
  const counts = await inbox.call('GET', `/api/v2/campaigns/${first.campaign.id}`)
  expect(counts.body.lead_counts).toMatchObject({ active: 1, bounced: 0 })
  const entries = await audit()
  expect(entries).toHaveLength(1)
  expect(entries[0]).toMatchObject({ actor_type: 'operator', details: { reason: 'bounced' } })
  expect(JSON.stringify(entries)).not.toContain(address)
  await expect(undo()).rejects.toMatchObject({ code: 'not_found' })
})

test('a block that somebody has set stands when the bounce of the address is undone', async () => {
  const { first } = await bounced()
  await addSuppression(inbox.ctx, inbox.workspaceId, address, operator)
  const still = { still_suppressed: 'blocked', still_suppressed_by: 'address' }
  expect(await undo()).toMatchObject({ reason: 'bounced', ...still, leads: [] })
  expect(await suppressed()).toBe('blocked')
  expect(await inbox.lead(first.leadId)).toMatchObject({ sending_state: 'stopped' })
})

test.each([
  ['an address', address],
  ['a domain', 'lead.example'],
])('an entry of %s that is not the one that was seen stays', async (_what, value) => {
  const { ctx, workspaceId } = inbox
  const add = async () => {
    await addSuppression(ctx, workspaceId, value, operator)
    return (await showSuppression(ctx, workspaceId, value)).since ?? undefined
  }
  const seen = await add()
  await removeSuppression(ctx, workspaceId, value, { force: false }, operator)
  ctx.clock.advance(60_000)
  const since = await add()
  const undoSeen = (since: Date | undefined) => undo({ unsubscribed: false, since }, value)
  await expect(undoSeen(seen)).rejects.toMatchObject({ code: 'version_conflict' })
  expect(await showSuppression(ctx, workspaceId, value)).toMatchObject({ since })
  expect(await undoSeen(since)).toMatchObject({ reason: 'blocked', since })
})

test('who has answered before is not written to again', async () => {
  const { leadId, messageId } = await inbox.contact([address])
  inbox.startReader()
  inbox.arrive(letter({ headers: ['Message-ID: <a@x.example>', `In-Reply-To: ${messageId}`] }))
  await inbox.waitForEvents('lead.replied')
  inbox.arrive(report({ recipient: address, messageId }))
  await inbox.waitForEvents('email.bounced')
  const { leads } = await undo()
  expect(leads).toMatchObject([{ sending_state: 'stopped', stop_reason: 'replied' }])
  expect(await inbox.lead(leadId)).toMatchObject({ status: 'replied', stop_reason: 'replied' })
})

test('whose colleague has answered meanwhile stays stopped where that stops them', async () => {
  const bob = 'bob@lead.example'
  const { leadId: bobId, messageId } = await inbox.contact([address, bob], {
    stop_for_company: true,
  })
  const hers = (await inbox.ledger()).find(({ lead_id }) => lead_id !== bobId)
  inbox.startReader()
  inbox.arrive(report({ recipient: address, messageId: hers?.message_id ?? '' }))
  await inbox.waitForEvents('email.bounced')
  const headers = ['Message-ID: <b@x.example>', `In-Reply-To: ${messageId}`]
  inbox.arrive(letter({ from: bob, headers }))
  await inbox.waitForEvents('lead.replied')
  const { leads } = await undo()
  expect(leads).toMatchObject([{ sending_state: 'stopped', stop_reason: 'company_replied' }])
  expect(await inbox.lead(hers?.lead_id ?? '')).toMatchObject({ status: 'contacted' })
})

const setTo = (campaign_id: string, new_status: string) =>
  inbox.call('POST', '/api/v2/lead/update/status', {
    body: { email: address, campaign_id, new_status },
  })

test.each([
  ['not_interested', { sending_state: 'stopped', stop_reason: 'manual' }],
  ['completed', { sending_state: 'finished', stop_reason: null }],
  ['paused', { sending_state: 'paused', stop_reason: null }],
] as const)('a lead that a person had set to %s before is as it was', async (status, was) => {
  const { first, second } = await sentTwice()
  for (const { campaign } of [first, second]) await setTo(campaign.id, status)
  inbox.startReader()
  inbox.arrive(report({ recipient: address, messageId: first.messageId }))
  await inbox.waitForEvents('email.bounced')
  expect(await inbox.lead(first.leadId)).toMatchObject({ stop_reason: 'bounced' })
  const { leads } = await undo()
  expect(leads).toHaveLength(status === 'paused' ? 2 : 1)
  for (const { leadId } of [first, second]) expect(await inbox.lead(leadId)).toMatchObject(was)
})

test.each([
  ['template_failed: city', { sending_state: 'active', skip_reason: null }],
  ['message_refused: 550 No', { sending_state: 'paused', skip_reason: 'message_refused: 550 No' }],
])(
  'a lead that was held back for %s before waits for no person who has not paused it',
  async (skip_reason, is) => {
    const { leadId, messageId } = await inbox.contact([address])
    const { peek } = inbox.ctx.database
    const held = { sending_state: 'paused', skip_reason }
    await peek.updateTable('leads').set(held).where('id', '=', leadId).execute()
    inbox.startReader()
    inbox.arrive(report({ recipient: address, messageId }))
    await inbox.waitForEvents('email.bounced')
    expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'stopped' })
    await undo()
    expect(await inbox.lead(leadId)).toMatchObject(is)
  },
)

const labels = {
  stop: 'a label that stops',
  pause: 'a label that pauses',
  none: 'a label that does nothing',
}

test.each([
  ['not_interested', { sending_state: 'stopped', stop_reason: 'manual' }],
  ['out_of_office', { sending_state: 'paused', stop_reason: null }],
  ['completed', { sending_state: 'finished', stop_reason: null }],
  ['a label that stops', { sending_state: 'stopped', stop_reason: 'manual' }],
  ['a label that pauses', { sending_state: 'paused', stop_reason: null }],
  ['a label that does nothing', { sending_state: 'active', stop_reason: null }],
] as const)(
  'what a person says of a lead while it is wrongly stopped holds afterwards: %s',
  async (name, is) => {
    const { first, second } = await bounced()
    const { ctx, workspaceId } = inbox
    for (const effect of ['stop', 'pause', 'none'] as const) {
      await createLabel(ctx, workspaceId, { name: labels[effect], effect }, operator)
    }
    for (const { campaign } of [first, second]) await setTo(campaign.id, name)
    for (const { leadId } of [first, second]) {
      expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'stopped' })
    }
    await undo()
    for (const { leadId } of [first, second]) {
      const lead = await inbox.lead(leadId)
      expect(lead).toMatchObject(is)
      expect(lead.status).not.toBe('contacted')
    }
  },
)

test('a lead that a person set to lost while its domain was wrongly blocked stays stopped', async () => {
  const [ada, bob] = await blockedDomain()
  const { campaign_id } = await inbox.lead(ada)
  await setTo(String(campaign_id), 'lost')
  const { leads } = await undoDomain()
  expect(leads.map(({ lead_id }) => lead_id).sort()).toEqual([ada, bob].sort())
  expect(await inbox.lead(ada)).toMatchObject({ status: 'lost', stop_reason: 'manual' })
  expect(await inbox.lead(bob)).toMatchObject({ sending_state: 'active' })
})

test('a lead that was stopped before its owner unsubscribed stays stopped', async () => {
  const { leadId, campaign } = await inbox.contact([address])
  await setTo(campaign.id, 'lost')
  await setTo(campaign.id, 'unsubscribed')
  await undo({ unsubscribed: true })
  expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'manual' })
  // A second time it is known as well.
  await setTo(campaign.id, 'unsubscribed')
  await undo({ unsubscribed: true })
  expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'manual' })
})

test('an unsubscribe is undone only by who says so', async () => {
  const { leadId, campaign } = await inbox.contact([address])
  await setTo(campaign.id, 'unsubscribed')
  expect(await suppressed()).toBe('unsubscribed')
  await expect(undo()).rejects.toMatchObject({ code: 'invalid_transition' })
  expect(await suppressed()).toBe('unsubscribed')
  expect(await undo({ unsubscribed: true })).toMatchObject({ reason: 'unsubscribed' })
  expect(await inbox.lead(leadId)).toMatchObject({ status: 'contacted', sending_state: 'active' })
})

test.each([
  ['erased', 'erased from this workspace'],
  ['opt-out', 'removed from the whole installation'],
] as const)(
  'whose address is suppressed as %s besides stays stopped, and the domain is not blamed',
  async (by, told) => {
    const { first } = await bounced()
    const { ctx, workspaceId } = inbox
    if (by === 'erased') await startErasure(ctx, workspaceId, first.leadId, operator)
    else await optOut(ctx, address)
    expect(await undo({ unsubscribed: true })).toMatchObject({
      ...{ still_suppressed: 'unsubscribed', still_suppressed_by: by, leads: [] },
    })
    await expect(undo()).rejects.toMatchObject({ message: expect.stringContaining(told) })
  },
)

test('what stands for the address of somebody who was erased brings no lead of theirs back', async () => {
  const { first, second } = await bounced()
  const { ctx, workspaceId } = inbox
  await startErasure(ctx, workspaceId, first.leadId, operator)
  await runErasures(ctx)
  const { email } = await inbox.lead(second.leadId)
  for (const of of [`${email}`, 'erased.invalid']) {
    await expect(undo({ unsubscribed: true }, of)).rejects.toMatchObject({ code: 'not_found' })
  }
})

test('while its domain is suppressed, the leads of an address stay stopped', async () => {
  const { first } = await bounced()
  await addSuppression(inbox.ctx, inbox.workspaceId, 'lead.example', operator)
  expect(await undo()).toMatchObject({ still_suppressed: 'blocked', leads: [] })
  expect(await inbox.lead(first.leadId)).toMatchObject({ sending_state: 'stopped' })
  await expect(undo()).rejects.toMatchObject({ message: expect.stringContaining('domain') })
})

test.each([
  ['bounced', 'the address', address],
  ['bounced', 'its domain', 'lead.example'],
  ['unsubscribed', 'the address', address],
] as const)(
  'leads whose %s entry was undone while a block of %s stood go on once that is undone, too',
  async (reason, _, block) => {
    const { ctx, workspaceId } = inbox
    const { first, second } = reason === 'bounced' ? await bounced() : await sentTwice()
    if (reason === 'unsubscribed') await setTo(first.campaign.id, 'unsubscribed')
    await addSuppression(ctx, workspaceId, block, operator)
    const options = { unsubscribed: reason === 'unsubscribed' }
    expect(await undo(options)).toMatchObject({ reason, still_suppressed: 'blocked', leads: [] })
    expect(await inbox.lead(first.leadId)).toMatchObject({
      ...{ status: 'contacted', sending_state: 'stopped', stop_reason: 'blocked' },
    })
    const counts = await inbox.call('GET', `/api/v2/campaigns/${first.campaign.id}`)
    expect(counts.body.lead_counts).toMatchObject({ bounced: 0, unsubscribed: 0 })

    const undone = await undo({ unsubscribed: false }, block)
    expect(undone).toMatchObject({ reason: 'blocked', still_suppressed: null })
    for (const { leadId } of [first, second]) {
      expect(undone.leads.map(({ lead_id }) => lead_id)).toContain(leadId)
      expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'active', stop_reason: null })
    }
  },
)

test('a lead that had got every step before a wrong bounce is finished again once a block besides is undone', async () => {
  const { first, second } = await sentTwice()
  for (const { campaign } of [first, second]) await setTo(campaign.id, 'completed')
  inbox.startReader()
  inbox.arrive(report({ recipient: address, messageId: first.messageId }))
  await inbox.waitForEvents('email.bounced')
  await addSuppression(inbox.ctx, inbox.workspaceId, address, operator)
  await undo()
  await undo()
  expect(await inbox.lead(first.leadId)).toMatchObject({
    ...{ status: 'completed', sending_state: 'finished', stop_reason: null },
  })
})

const domain = 'lead.example'
const undoDomain = () => undo({ unsubscribed: false }, domain)
/** Two that a block of their domain has stopped, as the sender does it. */
async function blockedDomain() {
  const other = 'bob@lead.example'
  const { leadId: last } = await inbox.contact([address, other])
  await addSuppression(inbox.ctx, inbox.workspaceId, domain, operator)
  const { peek } = inbox.ctx.database
  const leads = await peek.selectFrom('leads').select(['id', 'email']).orderBy('email').execute()
  expect(leads.map(({ email }) => email)).toEqual([address, other])
  expect(leads.map(({ id }) => id)).toContain(last)
  const ids = leads.map(({ id }) => id)
  await stopAsBlocked(ids)
  return ids as [string, string]
}

const stopAsBlocked = (ids: string[]) =>
  transaction(inbox.ctx, (tx) =>
    recordActivities(
      tx,
      inbox.workspaceId,
      ids.map((id) => ({ kind: 'skipped', leadId: id, reason: 'suppressed', detail: '' })),
    ),
  )

test('a domain that was blocked by mistake is undone: its leads go on, but who is suppressed besides', async () => {
  const [ada, bob] = await blockedDomain()
  await addSuppression(inbox.ctx, inbox.workspaceId, 'bob@lead.example', operator)
  const undone = await undoDomain()
  expect(undone).toMatchObject({ address: domain, reason: 'blocked', still_suppressed: null })
  expect(undone.leads.map(({ lead_id }) => lead_id)).toEqual([ada])
  expect(await inbox.lead(ada)).toMatchObject({ sending_state: 'active', stop_reason: null })
  expect(await inbox.lead(bob)).toMatchObject({ stop_reason: 'blocked' })
  await expect(undoDomain()).rejects.toMatchObject({ code: 'not_found' })
})

test('the audit log tells what of a domain was brought back before the process ended', async () => {
  const { ctx, workspaceId } = inbox
  const { peek } = ctx.database
  const { campaign } = await inbox.contact([address])
  // With hers one more than are brought back at once.
  const leads = Array.from({ length: 1000 }, (_, n) => ({ email: `n${n}@${domain}` }))
  await inbox.call('POST', '/api/v2/lead/add', { body: { campaign_id: campaign.id, leads } })
  await addSuppression(ctx, workspaceId, domain, operator)
  await stopAsBlocked((await peek.selectFrom('leads').select('id').execute()).map(({ id }) => id))
  await sql`alter table leads add constraint ending
    check (email <> 'n999@lead.example' or sending_state = 'stopped')`.execute(peek)
  await expect(undoDomain()).rejects.toThrow()
  const told = { reason: 'blocked', kind: 'domain', leads: 1000 }
  expect(await audit()).toMatchObject([{ actor_type: 'operator', details: told }])
  await sql`alter table leads drop constraint ending`.execute(peek)
  expect((await undoDomain()).leads).toHaveLength(1)
  expect(await audit()).toMatchObject([{ details: told }, { details: { leads: 1 } }])
})

test('leads of an entry that was lifted without them are brought back afterwards', async () => {
  const [ada, bob] = await blockedDomain()
  const { ctx, workspaceId } = inbox
  await removeSuppression(ctx, workspaceId, domain, { force: false }, operator)
  expect(await undo()).toMatchObject({ reason: null, leads: [{ lead_id: ada }] })
  expect(await undoDomain()).toMatchObject({ reason: null, leads: [{ lead_id: bob }] })
  expect(await inbox.lead(bob)).toMatchObject({ sending_state: 'active', stop_reason: null })
  await expect(undo()).rejects.toMatchObject({ code: 'not_found' })
})

test.each([
  ['bounced', { unsubscribed: false }],
  ['unsubscribed', { unsubscribed: true }],
] as const)(
  'a lead that was stopped as %s goes on after its entry was lifted without it',
  async (reason, options) => {
    const { ctx, workspaceId } = inbox
    const { leadId, campaign } =
      reason === 'bounced' ? (await bounced()).first : await inbox.contact([address])
    if (reason === 'unsubscribed') await setTo(campaign.id, 'unsubscribed')
    await removeSuppression(ctx, workspaceId, address, { force: true }, operator)
    expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: reason })
    if (reason === 'unsubscribed') {
      await expect(undo()).rejects.toMatchObject({ code: 'invalid_transition' })
    }
    expect(await undo(options)).toMatchObject({ reason: null, still_suppressed: null })
    expect(await inbox.lead(leadId)).toMatchObject({ status: 'contacted', sending_state: 'active' })
    await expect(undo(options)).rejects.toMatchObject({ code: 'not_found' })
  },
)

test('who has unsubscribed after a bounce is brought back by nobody who does not say so, also once the entry was lifted', async () => {
  const { first } = await bounced()
  const { ctx, workspaceId } = inbox
  await setTo(first.campaign.id, 'unsubscribed')
  const lift = () => removeSuppression(ctx, workspaceId, address, { force: true }, operator)
  for (const [reason, still] of [
    ['unsubscribed', 'bounced'],
    ['bounced', null],
  ]) {
    expect(await lift()).toMatchObject({ reason, still_suppressed: still })
    expect(await inbox.lead(first.leadId)).toMatchObject({ stop_reason: 'bounced' })
    await expect(undo()).rejects.toMatchObject({ code: 'invalid_transition' })
    expect(await inbox.lead(first.leadId)).toMatchObject({ stop_reason: 'bounced' })
    expect(await suppressed()).toBe(still ?? undefined)
  }
})

test('a bounce that was undone while its domain was suppressed is undone for the leads after that', async () => {
  const { first, second } = await bounced()
  const { ctx, workspaceId } = inbox
  await addSuppression(ctx, workspaceId, domain, operator)
  expect(await undo()).toMatchObject({ reason: 'bounced', leads: [] })
  await removeSuppression(ctx, workspaceId, domain, { force: false }, operator)
  const { leads } = await undo()
  expect(leads.map(({ lead_id }) => lead_id).sort()).toEqual([first.leadId, second.leadId].sort())
  expect(await inbox.lead(first.leadId)).toMatchObject({ sending_state: 'active' })
})

test('an unsubscribe that is undone leaves the bounce that it took the place of', async () => {
  const { first, second } = await bounced()
  await setTo(first.campaign.id, 'unsubscribed')
  const still = { still_suppressed: 'bounced', still_suppressed_by: 'address', leads: [] }
  expect(await undo({ unsubscribed: true })).toMatchObject({ reason: 'unsubscribed', ...still })
  expect(await suppressed()).toBe('bounced')
  for (const { leadId } of [first, second]) {
    expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'stopped' })
  }
  const { leads } = await undo()
  expect(leads.map(({ lead_id }) => lead_id).sort()).toEqual([first.leadId, second.leadId].sort())
  expect(await suppressed()).toBeUndefined()
})

test('an automatic answer that came while a lead was wrongly stopped stops it where the campaign says so', async () => {
  const second = await inbox.contact([address], { stop_on_auto_reply: true })
  const first = await inbox.contact([address])
  inbox.startReader()
  inbox.arrive(report({ recipient: address, messageId: first.messageId }))
  await inbox.waitForEvents('email.bounced')
  const answers = `In-Reply-To: ${second.messageId}`
  const headers = ['Message-ID: <away@x.example>', answers, 'Auto-Submitted: auto-replied']
  inbox.arrive(letter({ headers }))
  await inbox.waitForEvents('lead.auto_replied')
  await undo()
  expect(await inbox.lead(second.leadId)).toMatchObject({
    ...{ status: 'contacted', sending_state: 'stopped', stop_reason: 'auto_replied' },
  })
  expect(await inbox.lead(first.leadId)).toMatchObject({ sending_state: 'active' })
})

/** To another campaign. @returns the id that the lead has there */
async function moveOn(leadId: string) {
  const { ctx, workspaceId } = inbox
  const { body } = await inbox.call('POST', '/api/v2/campaigns', { body: { name: 'other' } })
  const change = { action: 'move' as const, ids: [leadId], to_campaign_id: body.id }
  const user = { type: 'user', id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d' } as const
  await changeMany(ctx, workspaceId, change, { actor: user })
  const moved = ctx.database.peek.selectFrom('leads').select('id')
  return (await moved.where('campaign_id', '=', body.id).executeTakeFirstOrThrow()).id
}

test('who was moved on while the address was wrongly suppressed is written to by the other campaign alone', async () => {
  const { ctx, workspaceId } = inbox
  const { leadId, mailbox, messageId } = await inbox.contact([address])
  inbox.startReader()
  inbox.arrive(report({ recipient: address, messageId }))
  await inbox.waitForEvents('email.bounced')
  await removeSuppression(ctx, workspaceId, address, { force: true }, operator)
  await keepInboxRead(ctx.database.peek, mailbox.id)
  const id = await moveOn(leadId)
  await undo()
  expect(await inbox.lead(leadId)).toMatchObject({
    ...{ sending_state: 'stopped', stop_reason: 'manual', timestamp_next_send: null },
  })
  expect(await inbox.lead(id)).toMatchObject({ sending_state: 'pending' })
})

test('who has answered the campaign that they were moved from stays stopped in the other', async () => {
  const { ctx, workspaceId } = inbox
  const { leadId, mailbox, messageId } = await inbox.contact([address])
  await keepInboxRead(ctx.database.peek, mailbox.id)
  const id = await moveOn(leadId)
  await addSuppression(ctx, workspaceId, domain, operator)
  const reason = 'suppressed' as const
  await transaction(ctx, (tx) =>
    recordActivities(tx, workspaceId, [{ kind: 'skipped', leadId: id, reason, detail: '' }]),
  )
  inbox.startReader()
  inbox.arrive(letter({ headers: ['Message-ID: <a@x.example>', `In-Reply-To: ${messageId}`] }))
  await inbox.waitForEvents('lead.replied')
  await undoDomain()
  expect(await inbox.lead(id)).toMatchObject({ sending_state: 'stopped', stop_reason: 'replied' })
})

test.each([
  ['undone', 'before it'],
  ['undone', 'since'],
  ['resumed', 'before it'],
  ['resumed', 'since'],
] as const)(
  'who is absent is not written to before their return when a wrong stop is %s, told of it %s',
  async (how, told) => {
    const { ctx, workspaceId } = inbox
    const { leadId, campaign, messageId } = await inbox.contact([address])
    const resumeAt = new Date(ctx.now().getTime() + 20 * 86_400_000)
    const message = { message_id: messageId, subject: '', step: 1, variant: 1, mailbox: 'm@x' }
    const reply = { message_id: null, subject: '', text: '', html: null, snippet: '' }
    const absent = { kind: 'auto_replied', isOutOfOffice: true, message, reply, resumeAt } as const
    const bounce = { kind: 'hard', code: '5.1.1', diagnostic: '' } as const
    const record = (...activities: Parameters<typeof recordActivities>[2]) =>
      transaction(ctx, (tx) => recordActivities(tx, workspaceId, activities))
    const tell = () => record({ ...absent, leadId })
    if (told === 'before it') await tell()
    if (how === 'undone') await record({ kind: 'bounced', leadId, message, bounce })
    else await setTo(campaign.id, 'lost')
    if (told === 'since') await tell()
    if (how === 'undone') await undo()
    else await setTo(campaign.id, 'active')
    expect(await inbox.lead(leadId)).toMatchObject({
      ...{ sending_state: 'active', timestamp_next_send: resumeAt },
    })
  },
)
