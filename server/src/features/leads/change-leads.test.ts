import { expect, test } from 'vitest'
import type { TestContext } from '../../../test/context.ts'
import { report, testInbox } from '../../../test/inbox.ts'
import { keepInboxRead, testSending } from '../../../test/sending.ts'
import { ensurePartitions } from '../../partitions.ts'
import { operator } from '../audit/index.ts'
import { undoSuppression } from '../undo-suppression/index.ts'

const address = 'ada@lead.example'
const hourMs = 3_600_000

const countedDays = (ctx: TestContext) =>
  ctx.database.peek
    .selectFrom('campaign_step_days')
    .select(['day', 'step_id', 'sent', 'bounced', 'interested'])
    .orderBy('day')
    .execute()

test('what is taken back is taken from the day and the step that it was counted at', async () => {
  await using inbox = await testInbox()
  const { ctx, workspaceId } = inbox
  const { messageId, mailbox, campaign } = await inbox.contact([address])
  const [first, second] = campaign.sequences[0].steps
  await keepInboxRead(ctx.database.peek, mailbox.id)
  ctx.clock.advance(60 * hourMs)
  await ensurePartitions(ctx)
  const runner = await inbox.startRunner()
  await inbox.waitForLedger((all) => all.filter(({ state }) => state === 'sent').length === 2)
  await runner.stop()
  const before = await countedDays(ctx)
  expect(before).toMatchObject([
    { step_id: first.id, sent: 1 },
    { step_id: second.id, sent: 1 },
  ])
  // About the first mail, after the second.
  inbox.startReader()
  inbox.arrive(report({ recipient: address, messageId }))
  await inbox.waitForEvents('email.bounced')
  expect(await countedDays(ctx)).toContainEqual(
    expect.objectContaining({ day: before[1]?.day, step_id: first.id, sent: 0, bounced: 1 }),
  )
  ctx.clock.advance(30 * hourMs)
  await ensurePartitions(ctx)
  await undoSuppression(ctx, workspaceId, address, { unsubscribed: false }, operator)
  const after = await countedDays(ctx)
  expect(after).toHaveLength(3)
  expect(after.filter(({ sent }) => sent > 0)).toEqual(before)
  expect(after.map(({ bounced }) => bounced)).toEqual([0, 0, 0])
})

test('what was never counted is not taken back', async () => {
  await using sending = await testSending()
  const { ctx } = sending
  const mailbox = await sending.createMailbox('anna@example.com')
  const { id } = await sending.createCampaign([mailbox])
  // Bob keeps the campaign from being done while she is stopped.
  await sending.addLeads(id, [address, 'bob@lead.example'])
  const set = (new_status: string) =>
    sending.call('POST', '/api/v2/lead/update/status', {
      body: { email: address, campaign_id: id, new_status },
    })
  // Nothing was sent to her yet.
  await set('interested')
  await set('active')
  await sending.startRunner()
  await sending.waitForLedger((all) => all.filter(({ state }) => state === 'sent').length === 2)
  await set('none')
  expect(await countedDays(ctx)).toMatchObject([{ sent: 2, interested: 0 }])
})
