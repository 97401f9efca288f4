import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Inbox, letter, testInbox } from '../../../../test/inbox.ts'
import { keepInboxRead } from '../../../../test/sending.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { operator } from '../../audit/index.ts'
import { startErasure } from '../../erasure/erase.ts'
import { runErasures } from '../../erasure/index.ts'
import { changeMany } from '../bulk/jobs.ts'
import { takeBackSteps } from './take-back.ts'

const email = 'ada@lead.example'
let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

/** As if its only mail so far had never been sent. */
async function takeBack(leadId: string) {
  const { sent_step_ids } = await inbox.lead(leadId)
  const [stepId = ''] = sent_step_ids as string[]
  const day = inbox.ctx.now().toISOString().slice(0, 10)
  const { variant_id } = await inbox.ctx.database.peek
    .selectFrom('sends')
    .select('variant_id')
    .where('lead_id', '=', leadId)
    .$narrowType<{ variant_id: string }>()
    .executeTakeFirstOrThrow()
  const taken = { leadId, stepId, variantId: variant_id, day, sentBefore: null }
  await transaction(inbox.ctx, (tx) => takeBackSteps(tx, inbox.workspaceId, [taken]))
  return inbox.lead(leadId)
}

test('a lead that got its last mail, and did not, gets it', async () => {
  const steps = [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }]
  const { leadId } = await inbox.contact([email], { sequences: [{ steps }] })
  expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'finished', status: 'completed' })
  expect(await takeBack(leadId)).toMatchObject({
    ...{ sending_state: 'pending', sent_step_ids: [], current_step: 0 },
    ...{ timestamp_next_send: expect.any(Date), timestamp_last_contact: null },
  })
})

test('who is erased gets no mail anew, though the last one was never sent', async () => {
  const steps = [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }]
  const { ctx, workspaceId } = inbox
  const [one, other] = [
    await inbox.contact([email], { sequences: [{ steps }] }),
    await inbox.contact([email], { sequences: [{ steps }] }),
  ]
  await startErasure(ctx, workspaceId, one.leadId, operator)
  const rests = { sending_state: 'finished', sent_step_ids: [], timestamp_next_send: null }
  expect(await takeBack(one.leadId)).toMatchObject(rests)
  await runErasures(ctx)
  expect(await takeBack(other.leadId)).toMatchObject(rests)
})

/** What the campaign is, and what was told of it. */
async function standingOf(campaignId: string) {
  const { body } = await inbox.call('GET', `/api/v2/campaigns/${campaignId}`)
  const { peek } = inbox.ctx.database
  const told = peek.selectFrom('events').select('type').where('type', 'like', 'campaign.%')
  return [body.status, (await told.orderBy('id').execute()).at(-1)?.type]
}

test('a campaign that was completed goes on with a lead that did not get its last mail', async () => {
  const sequences = [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }]
  const { leadId, campaign } = await inbox.contact([email], { sequences })
  expect(await standingOf(campaign.id)).toEqual(['completed', 'campaign.completed'])
  await takeBack(leadId)
  expect(await standingOf(campaign.id)).toEqual(['active', 'campaign.activated'])
})

test('leads that were added to a completed campaign wait for a person, whoever comes back to it', async () => {
  const sequences = [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }]
  const { leadId, campaign } = await inbox.contact([email], { sequences })
  await inbox.addLeads(campaign.id, ['late@lead.example'])
  await takeBack(leadId)
  expect(await standingOf(campaign.id)).toEqual(['completed', 'campaign.completed'])
})

test('a follow-up that was never sent waits no longer than from the mail before it', async () => {
  const { leadId } = await inbox.contact([email])
  const { sent_step_ids, timestamp_last_contact: first } = await inbox.lead(leadId)
  const followUp = inbox.ctx.newId()
  const { peek } = inbox.ctx.database
  const thought = {
    sent_step_ids: [...(sent_step_ids as string[]), followUp],
    ...{ current_step: 2, timestamp_last_contact: inbox.ctx.now() },
  }
  await peek.updateTable('leads').set(thought).where('id', '=', leadId).execute()
  const day = inbox.ctx.now().toISOString().slice(0, 10)
  const taken = { leadId, stepId: followUp, variantId: inbox.ctx.newId(), day }
  const sentBefore = first as Date
  await transaction(inbox.ctx, (tx) =>
    takeBackSteps(tx, inbox.workspaceId, [{ ...taken, sentBefore }]),
  )
  expect(await inbox.lead(leadId)).toMatchObject({
    ...{ sent_step_ids, current_step: 1, timestamp_last_contact: first },
  })
})

test('a lead that the service has paused stays so for the same reason', async () => {
  const { leadId } = await inbox.contact([email])
  const held = { sending_state: 'paused', skip_reason: 'template_failed: city' }
  await inbox.ctx.database.peek.updateTable('leads').set(held).where('id', '=', leadId).execute()
  expect(await takeBack(leadId)).toMatchObject({ ...held, sent_step_ids: [] })
})

test('a lead that has got a later mail goes on from there, whatever it did not get before', async () => {
  const { leadId } = await inbox.contact([email])
  const { sent_step_ids } = await inbox.lead(leadId)
  const { peek } = inbox.ctx.database
  const later = inbox.ctx.newId()
  const thought = { sent_step_ids: [...(sent_step_ids as string[]), later], current_step: 2 }
  await peek.updateTable('leads').set(thought).where('id', '=', leadId).execute()
  const { sending_state, status, mailbox_id, timestamp_next_send, timestamp_last_contact } =
    await inbox.lead(leadId)
  expect(await takeBack(leadId)).toMatchObject({
    ...{ sent_step_ids: [later], current_step: 2, sending_state, status, mailbox_id },
    ...{ timestamp_next_send, timestamp_last_contact },
  })
})

test('a lead that a person has completed stays so when a mail to it was never sent', async () => {
  const { leadId, campaign } = await inbox.contact([email])
  const body = { email, campaign_id: campaign.id, new_status: 'completed' }
  await inbox.call('POST', '/api/v2/lead/update/status', { body })
  expect(await takeBack(leadId)).toMatchObject({
    ...{ sending_state: 'finished', status: 'completed', sent_step_ids: [] },
    timestamp_next_send: null,
  })
})

test('who is absent gets the mail that was never sent on return', async () => {
  const { leadId, messageId } = await inbox.contact([email])
  const until = new Date(inbox.ctx.now().getTime() + 5 * 86_400_000)
  inbox.startReader()
  const headers = ['Message-ID: <away@x.example>', `In-Reply-To: ${messageId}`]
  const away = `I am out of the office until ${until.toISOString().slice(0, 10)}.`
  inbox.arrive(letter({ headers: [...headers, 'Auto-Submitted: auto-replied'], body: away }))
  await inbox.waitForEvents('lead.auto_replied')
  const { postponed_until } = await inbox.lead(leadId)
  expect(postponed_until).not.toBeNull()
  const lead = await takeBack(leadId)
  expect(lead).toMatchObject({ sending_state: 'pending', timestamp_next_send: postponed_until })
})

test.each([
  ['replied', { stop_for_company: false }, { from: email }],
  ['company_replied', { stop_for_company: true }, { from: 'bob@lead.example' }],
  ['auto_replied', { stop_on_auto_reply: true }, { from: email, isAutomatic: true }],
] as const)(
  'an answer since the last mail of a lead, which was never sent, stops the lead: %s',
  async (reason, settings, { from, ...answer }) => {
    const sequences = [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }]
    const campaign = { ...settings, sequences }
    const { leadId, messageId } = await inbox.contact(['bob@lead.example', email], campaign)
    const [other] = (await inbox.ledger()).filter(({ lead_id }) => lead_id !== leadId)
    const answered = from === email ? messageId : other?.message_id
    inbox.startReader()
    const headers = ['Message-ID: <a@x.example>', `In-Reply-To: ${answered}`]
    const automatic = 'isAutomatic' in answer
    if (automatic) headers.push('Auto-Submitted: auto-replied')
    inbox.arrive(letter({ from, headers, body: automatic ? 'I am away.' : 'Yes.' }))
    await inbox.waitForEvents(automatic ? 'lead.auto_replied' : 'lead.replied')
    expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'finished' })
    expect(await takeBack(leadId)).toMatchObject({
      ...{ sending_state: 'stopped', stop_reason: reason, sent_step_ids: [] },
      timestamp_next_send: null,
    })
  },
)

test('a lead that a person has given a status that stops it since gets nothing any more', async () => {
  const sequences = [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }]
  const { leadId, campaign } = await inbox.contact([email], { sequences })
  const body = { email, campaign_id: campaign.id, new_status: 'not_interested' }
  await inbox.call('POST', '/api/v2/lead/update/status', { body })
  expect(await takeBack(leadId)).toMatchObject({
    ...{ sending_state: 'stopped', stop_reason: 'manual', status: 'not_interested' },
    timestamp_next_send: null,
  })
})

test('a lead that was moved on since is written to by the other campaign alone', async () => {
  const { ctx, workspaceId } = inbox
  const sequences = [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }]
  const { leadId, mailbox } = await inbox.contact([email], { sequences })
  await keepInboxRead(ctx.database.peek, mailbox.id)
  const { body } = await inbox.call('POST', '/api/v2/campaigns', { body: { name: 'other' } })
  const change = { action: 'move' as const, ids: [leadId], to_campaign_id: body.id }
  const user = { type: 'user', id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d' } as const
  expect(await changeMany(ctx, workspaceId, change, { actor: user })).toMatchObject({ changed: 1 })
  expect(await takeBack(leadId)).toMatchObject({ sending_state: 'stopped', stop_reason: 'manual' })
})

test('an answer from before its last mail stops no lead whom a person had written to again', async () => {
  const sequences = [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }]
  const { leadId, messageId } = await inbox.contact([email], { sequences })
  inbox.startReader()
  const headers = ['Message-ID: <a@x.example>', `In-Reply-To: ${messageId}`]
  inbox.arrive(letter({ from: email, headers }))
  await inbox.waitForEvents('lead.replied')
  inbox.ctx.clock.advance(3_600_000)
  const { peek } = inbox.ctx.database
  const again = { timestamp_last_contact: inbox.ctx.now() }
  await peek.updateTable('leads').set(again).where('id', '=', leadId).execute()
  expect(await takeBack(leadId)).toMatchObject({ sending_state: 'pending', stop_reason: null })
})
