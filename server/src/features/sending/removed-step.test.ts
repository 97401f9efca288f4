import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Inbox, testInbox } from '../../../test/inbox.ts'
import { keepInboxRead } from '../../../test/sending.ts'

let inbox: Inbox
beforeAll(async () => {
  inbox = await testInbox()
})
afterAll(() => inbox[Symbol.asyncDispose]())

test('a lead whose steps were removed when it was due is completed ten minutes later, with its event', async () => {
  const { leadId, campaign, mailbox } = await inbox.contact(['ada@lead.example'])
  const { ctx } = inbox
  await keepInboxRead(ctx.database.peek, mailbox.id)
  ctx.clock.advance(3 * 86_400_000)
  const [first] = campaign.sequences[0].steps
  const { status } = await inbox.call('PATCH', `/api/v2/campaigns/${campaign.id}`, {
    body: { sequences: [{ steps: [first] }] },
  })
  expect(status).toBe(200)
  // No follower of edited steps runs: the sender comes first.
  await inbox.startRunner()
  const waiting = await ctx.database.until(async () => {
    const found = await inbox.lead(leadId)
    return (found.timestamp_next_send as Date) > ctx.now() && found
  })
  expect(waiting).toMatchObject({ status: 'contacted', sending_state: 'active' })
  await inbox.untilAsleep()
  await keepInboxRead(ctx.database.peek, mailbox.id)
  ctx.clock.advance(600_000)
  const lead = await ctx.database.until(async () => {
    const found = await inbox.lead(leadId)
    return found.sending_state === 'finished' && found
  })
  expect(lead).toMatchObject({ status: 'completed', skip_reason: null })
  const events = await ctx.database.peek
    .selectFrom('events')
    .select(['type', 'body'])
    .where('type', '=', 'lead.completed')
    .execute()
  expect(events.map(({ body }) => JSON.parse(body).data)).toMatchObject([
    { previous_status: 'contacted', lead: { id: leadId, status: 'completed' } },
  ])
})
