import { timeOfId } from '../src/kernel/ids.ts'
import type { TestApi } from './app.ts'
import { createReadyCampaign } from './campaigns.ts'

export interface SentMail {
  workspaceId: string
  campaignId: string
  leadId: string
  stepId: string
  email: string
  /** Address. */
  mailbox: string
  messageId: string
  subject: string
}

/** A lead that was sent the first step of a campaign a while ago, as the ledger has it. */
export async function createSentMail(
  api: TestApi,
  { email = `lead-${api.ctx.newId()}@example.com`, campaign = {} as object } = {},
): Promise<SentMail> {
  const { ctx, workspaceId } = api
  const { id: campaignId, sequences, email_list } = await createReadyCampaign(api, campaign)
  const [step] = sequences[0].steps
  const added = await api.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: campaignId, leads: [{ email }] },
  })
  const leadId = added.body.created_leads[0].id
  const { peek } = ctx.database
  const mailbox = await peek
    .selectFrom('mailboxes')
    .select(['id', 'address'])
    .where('address', '=', email_list[0])
    .executeTakeFirstOrThrow()
  const id = ctx.newId()
  const sent = { messageId: `<${id}@example.com>`, subject: 'Hello' }
  await peek
    .insertInto('sends')
    .values({
      ...{ workspace_id: workspaceId, lead_id: leadId, step_id: step.id, id },
      ...{ campaign_id: campaignId, mailbox_id: mailbox.id, step: 1, variant: 1 },
      ...{ variant_id: step.variants[0].id, message_id: sent.messageId, subject: sent.subject },
      ...{ starts_thread: true, state: 'sent', claim_token: 1, is_new: true },
      ...{ campaign_day: '2026-11-20', mailbox_day: '2026-11-20' },
      ...{ timestamp_claimed: timeOfId(id), timestamp_settled: timeOfId(id) },
    })
    .execute()
  ctx.clock.advance(60_000)
  const stepId = step.id
  return { workspaceId, campaignId, leadId, stepId, email, mailbox: mailbox.address, ...sent }
}
