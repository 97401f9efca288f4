import { afterAll, expect, test } from 'vitest'
import { operator } from '../../src/features/audit/index.ts'
import { standardEventTypes } from '../../src/features/events/catalogue/index.ts'
import { createLabel, type LabelEffect } from '../../src/features/labels/index.ts'
import { type Lead, type LeadActivity, recordActivities } from '../../src/features/leads/index.ts'
import { transaction } from '../../src/kernel/db/transaction.ts'
import { createReadyCampaign } from '../campaigns.ts'
import { testDelivering } from '../delivering.ts'
import { insertCompany, insertPerson } from '../directory-rows.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { createSentMail } from '../sent-mail.ts'
import { createJudge, readDocument } from './document.ts'

// Before any test is named: the document says which events there are.
const api = await testDelivering()
const receiver = await startReceiver()
const document = await readDocument(api.app)
const judge = createJudge(document)
const events = Object.keys(document.webhooks)

afterAll(async () => {
  await receiver.close()
  await api[Symbol.asyncDispose]()
})

test('every event type that something sends is described', () => {
  expect(events.toSorted()).toEqual([...standardEventTypes, 'lead.label'].toSorted())
})

test.each(events)('the sample of %s is as its description says', async (type) => {
  const label = type === 'lead.label' ? await makeLabel() : undefined
  const { id } = await api.createWebhook(receiver.url, {
    event_type: label ? `lead.label.${label.id}` : type,
    custom_interest_value: label?.value ?? null,
  })
  const next = receiver.next()
  const { body } = await api.call('POST', `/api/v2/webhooks/${id}/test`)
  expect(body.success).toBe(true)
  expect(problemsOf(type, await next)).toEqual([])
  await api.call('DELETE', `/api/v2/webhooks/${id}`)
})

test('so is what really happens', async () => {
  const campaign = await createReadyCampaign(api)
  const email = 'ann@example.com'
  const body = { campaign_id: campaign.id, leads: [{ email, first_name: 'Ann' }] }
  await api.call('POST', '/api/v2/lead/add', { body })
  const label = await makeLabel()
  await api.createWebhook(receiver.url)
  const happens = async (type: string, method: string, url: string, body: object) => {
    const next = receiver.next()
    const { status } = await api.call(method, url, { body })
    expect([type, status]).toEqual([type, 200])
    expect([type, problemsOf(type, await next)]).toEqual([type, []])
  }
  const url = `/api/v2/campaigns/${campaign.id}`
  const setStatus = (type: string, new_status: string) =>
    happens(type, 'POST', '/api/v2/lead/update/status', {
      campaign_id: campaign.id,
      email,
      new_status,
    })
  await happens('campaign.activated', 'PATCH', url, { status: 'active' })
  await setStatus('lead.neutral', 'neutral')
  await setStatus('lead.label', label.value)
  await setStatus('lead.out_of_office', 'out_of_office')
  await happens('campaign.paused', 'PATCH', url, { status: 'paused' })
  await setStatus('lead.interested', 'interested')
  await setStatus('lead.unsubscribed', 'unsubscribed')
  const contact_id = await insertPerson(api.ctx, { company_id: await insertCompany(api.ctx) })
  await happens('contact.acquired', 'POST', '/api/v1/leadbank/acquire_email', {
    contact_id,
    list_name: 'happened',
  })
})

test.each(['replied', 'auto_replied'] as const)(
  'so is an answer without a Message-ID that was %s',
  async (kind) => {
    const mail = await createSentMail(api)
    await using own = await startReceiver()
    await api.createWebhook(own.url, { event_type: `lead.${kind}` })
    const reply = { message_id: null, subject: '', text: 'Yes', html: null, snippet: 'Yes' }
    const { messageId: message_id, subject, mailbox, leadId } = mail
    const message = { message_id, subject, step: 1, variant: 1, mailbox }
    const next = own.next()
    await transaction(api.ctx, (tx) =>
      recordActivities(tx, api.workspaceId, [
        kind === 'replied'
          ? { kind, leadId, message, reply, provesAddress: true }
          : { kind, leadId, message, reply, isOutOfOffice: false, resumeAt: null },
      ]),
    )
    expect(problemsOf(`lead.${kind}`, await next)).toEqual([])
  },
)

test.each(events.filter((type) => /^(lead|email)\./.test(type)))(
  'the lead in the sample of %s is as in a real one',
  async (type) => {
    const label = type === 'lead.label' ? await makeLabel('stop') : undefined
    await using own = await startReceiver()
    const { id } = await api.createWebhook(own.url, {
      event_type: label ? `lead.label.${label.id}` : type,
      custom_interest_value: label?.value ?? null,
    })
    const leadOf = async (happen: () => Promise<unknown>) => {
      const next = own.next()
      await happen()
      return JSON.parse((await next).body.toString()).data.lead
    }
    const real = await leadOf(() => happen(type, label?.value ?? type))
    const sample = await leadOf(() => api.call('POST', `/api/v2/webhooks/${id}/test`))
    expect(stateOf(sample)).toEqual(stateOf(real))
  },
)

/** What has become of a lead; of times, whether there are any. */
function stateOf(lead: Lead) {
  const { status, sending_state, stop_reason, skip_reason, current_step } = lead
  const { email_open_count, email_click_count, email_reply_count } = lead
  return {
    ...{ status, sending_state, stop_reason, skip_reason, current_step },
    ...{ email_open_count, email_click_count, email_reply_count },
    isContacted: lead.timestamp_last_contact !== null && lead.last_contacted_from !== null,
    isOpened: lead.timestamp_last_open !== null,
    hasReplied: lead.timestamp_last_reply !== null,
    isSentNext: lead.timestamp_next_send !== null,
  }
}

/** Makes it so for a lead that was sent the first of two mails. */
async function happen(type: string, new_status: string) {
  const { workspaceId, campaignId: campaign_id, email, ...mail } = await createSentMail(api)
  const { messageId: message_id, subject, mailbox, leadId, stepId } = mail
  const of = { leadId, message: { message_id, subject, step: 1, variant: 1, mailbox } }
  const next = { notBefore: new Date(api.ctx.now().getTime() + 86_400_000) }
  const place = { stepId, mailboxId: api.ctx.newId(), threadSubject: subject }
  const reply = { message_id: null, subject: '', text: 'Yes', html: null, snippet: 'Yes' }
  const record = (activity: LeadActivity) =>
    transaction(api.ctx, (tx) => recordActivities(tx, workspaceId, [activity]))
  await record({ kind: 'sent', ...of, ...place, next })
  const activities: Record<string, LeadActivity | undefined> = {
    'email.opened': { kind: 'opened', ...of, isMachine: false },
    'email.clicked': { kind: 'clicked', ...of, isMachine: false, url: 'https://example.com/' },
    'email.bounced': {
      ...{ kind: 'bounced', ...of },
      bounce: { kind: 'hard', code: '5.1.1', diagnostic: 'No such mailbox' },
    },
    'lead.replied': { kind: 'replied', ...of, reply },
    'lead.auto_replied': {
      ...{ kind: 'auto_replied', ...of, reply, isOutOfOffice: false, resumeAt: null },
    },
  }
  const { [type]: activity } = activities
  if (activity) await record(activity)
  else if (type !== 'email.sent') {
    const body = { campaign_id, email, new_status }
    await api.call('POST', '/api/v2/lead/update/status', { body })
  }
}

let labels = 0
const makeLabel = (effect: LabelEffect = 'none') =>
  createLabel(api.ctx, api.workspaceId, { name: `Hot ${labels++}`, effect }, operator)

function problemsOf(type: string, { headers, body }: Receiver['requests'][number]): string[] {
  const { post } = document.webhooks[type] ?? {}
  const { schema } = post?.requestBody?.content['application/json'] ?? {}
  const parameters = (post?.parameters ?? []) as { name: string }[]
  const payload = JSON.parse(body.toString()) as { type: string; event_type: string }
  const pattern = new RegExp(`^${type.replace('lead.label', 'lead.label.[0-9a-f-]{36}')}$`)
  return [
    ...(schema ? judge.problemsWith(schema, payload) : ['no schema']),
    ...parameters.filter(({ name }) => !headers[name]).map(({ name }) => `no header ${name}`),
    ...(pattern.test(payload.type) && payload.event_type === payload.type ? [] : [payload.type]),
  ]
}
