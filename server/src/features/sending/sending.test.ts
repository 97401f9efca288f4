import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'

let sending: Sending
beforeEach(async () => {
  sending = await testSending()
})
afterEach(() => sending[Symbol.asyncDispose]())

test('a lead that is added to an active campaign gets its mail, and the event tells so', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  await sending.startRunner()
  const [leadId] = await sending.addLeads(campaign.id, ['ann@lead.example'])
  const [mail] = await sending.waitForMails(1)
  expect(mail).toMatchObject({ from: 'anna@example.com', to: 'ann@lead.example' })
  expect(mail?.source.toString()).toContain('Subject: Hello Ann')

  const [entry] = await sending.waitForLedger(([first]) => first?.state === 'sent')
  expect(entry).toMatchObject({ lead_id: leadId, step: 1, attempt: 1, mailbox_id: mailbox.id })
  expect(mail?.source.toString()).toContain(`Message-ID: ${entry?.message_id}`)
  const events = await sending.ctx.database.peek
    .selectFrom('events')
    .selectAll()
    .orderBy('id')
    .execute()
  const sent = events.find(({ type }) => type === 'email.sent')
  expect(JSON.parse(sent?.body ?? '{}')).toMatchObject({
    lead_email: 'ann@lead.example',
    data: {
      lead: { id: leadId, status: 'contacted', current_step: 1 },
      message: { message_id: entry?.message_id, subject: 'Hello Ann', mailbox: 'anna@example.com' },
    },
  })
})
