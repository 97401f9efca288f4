import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator } from '../audit/index.ts'
import { takeBackSteps } from '../leads/index.ts'
import { erasedEntry, findSuppressed, removeSuppression } from '../suppression/index.ts'
import { undoSuppression } from '../undo-suppression/index.ts'
import { importSuppressions } from './index.ts'

const ann = 'ann@lead.example'

let sending: Sending
beforeEach(async () => {
  sending = await testSending()
})
afterEach(() => sending[Symbol.asyncDispose]())

async function* lines(...texts: string[]) {
  yield* texts
}

const importLines = (texts: AsyncIterable<string> = lines(`${erasedEntry(ann)},unsubscribed`)) =>
  importSuppressions(sending.ctx, sending.workspaceId, texts, 'blocked', operator)

const campaignOf = async (...addresses: string[]) => {
  const mailbox = await sending.createMailbox(`anna${sending.ctx.newId()}@example.com`)
  const campaign = await sending.createCampaign([mailbox])
  await sending.addLeads(campaign.id, addresses)
  return campaign.id as string
}

const stateOf = (campaignId: string, email: string) =>
  sending.ctx.database.peek
    .selectFrom('leads')
    .select(['status', 'sending_state', 'stop_reason'])
    .where('campaign_id', '=', campaignId)
    .where('email', '=', email)
    .executeTakeFirst()

test('nobody writes to whom another workspace has erased, once its list is read in', async () => {
  const campaigns = [await campaignOf(ann, 'bob@lead.example'), await campaignOf(ann)] as const
  expect(await importLines()).toMatchObject({ added: 1 })
  await sending.startRunner()
  await sending.waitForMails(1)
  await sending.untilAsleep()
  expect(sending.outbox.map(({ to }) => to)).toEqual(['bob@lead.example'])
  for (const id of campaigns) {
    expect(await stateOf(id, ann)).toMatchObject({
      ...{ status: 'new', sending_state: 'stopped', stop_reason: 'blocked' },
    })
  }
})

test('who was erased elsewhere has not unsubscribed here, also where their erasure is under way', async () => {
  const campaigns = [await campaignOf(ann), await campaignOf(ann)] as const
  const { ctx, workspaceId } = sending
  const { peek } = ctx.database
  const stopped = { sending_state: 'stopped', stop_reason: 'blocked' }
  await peek.updateTable('leads').set(stopped).where('campaign_id', '=', campaigns[0]).execute()
  await importLines()
  for (const id of campaigns) {
    expect(await stateOf(id, ann)).toEqual({ status: 'new', ...stopped })
    const { body } = await sending.call('GET', `/api/v2/campaigns/${id}`)
    expect(body.lead_counts).toMatchObject({ unsubscribed: 0 })
  }
  const events = peek.selectFrom('events').select('type')
  expect(await events.where('type', '=', 'lead.unsubscribed').execute()).toEqual([])
  const entries = peek.selectFrom('suppressions').select('value')
  expect(await entries.where('workspace_id', '=', workspaceId).execute()).toEqual([
    { value: erasedEntry(ann) },
  ])
})

test('who was erased elsewhere is not brought back, whatever else is lifted', async () => {
  const id = await campaignOf(ann)
  const { ctx, workspaceId } = sending
  await importLines(lines(`${ann},bounced`, `${erasedEntry(ann)},unsubscribed`))
  const undone = await undoSuppression(ctx, workspaceId, ann, { unsubscribed: true }, operator)
  expect(undone).toMatchObject({ reason: 'bounced', leads: [] })
  expect(await stateOf(id, ann)).toMatchObject({ sending_state: 'stopped' })
  const found = await findSuppressed(ctx.db, workspaceId, [ann])
  expect(found.get(ann)).toBe('unsubscribed')
  await expect(
    removeSuppression(ctx, workspaceId, ann, { force: true }, operator),
  ).rejects.toMatchObject({ code: 'not_found' })
})

test('who has got every step gets none again, also where a mail turns out not to have left', async () => {
  const id = await campaignOf(ann)
  const { ctx, workspaceId } = sending
  await sending.startRunner()
  await sending.waitForMails(1)
  await sending.untilAsleep()
  expect(await stateOf(id, ann)).toMatchObject({ sending_state: 'finished' })
  await importLines()
  const sent = await ctx.database.peek.selectFrom('sends').selectAll().executeTakeFirstOrThrow()
  const { lead_id: leadId, step_id: stepId, variant_id, campaign_day } = sent
  const taken = { leadId, stepId, variantId: variant_id ?? '', day: campaign_day ?? '' }
  await transaction(ctx, (tx) => takeBackSteps(tx, workspaceId, [{ ...taken, sentBefore: null }]))
  expect(await stateOf(id, ann)).toMatchObject({ sending_state: 'finished' })
})

test('an entry that was known stops leads as well, also of an upload that breaks off', async () => {
  await importLines()
  const id = await campaignOf('bob@lead.example')
  // As a version that stopped nobody has left her.
  await sending.ctx.database.peek
    .updateTable('leads')
    .set({ email: ann, email_folded: ann })
    .where('campaign_id', '=', id)
    .execute()
  async function* broken() {
    yield* lines(`${erasedEntry(ann)},unsubscribed`)
    throw new Error('gone')
  }
  await expect(importLines(broken())).rejects.toThrow('gone')
  expect(await stateOf(id, ann)).toMatchObject({ stop_reason: 'blocked' })
})
