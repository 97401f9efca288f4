import { sql } from 'kysely'
import { operator } from '../../server/src/features/audit/index.ts'
import { createCampaign } from '../../server/src/features/campaigns/campaigns.ts'
import { addLeads } from '../../server/src/features/leads/index.ts'
import { addMailbox } from '../../server/src/features/mailboxes/index.ts'
import { insertMessages } from '../../server/src/features/messages/index.ts'
import { benchCampaign } from '../sending/campaign.ts'
import type { BenchService } from '../service.ts'
import { contactedLead, mailbox } from './mails.ts'

/** Leads that each were sent a mail, as the ledger has it. */
export async function contactLeads(
  { ctx, workspaceId }: BenchService,
  imapPort: number,
  count: number,
): Promise<void> {
  const login = { host: '127.0.0.1', security: 'none', username: mailbox, password: 'secret' }
  const { id: mailbox_id } = await addMailbox(
    ctx,
    workspaceId,
    {
      ...{ address: mailbox, daily_limit: 10_000 },
      smtp: { ...login, port: 9 },
      imap: { ...login, port: imapPort },
    },
    operator,
  )
  const campaign = await createCampaign(ctx, workspaceId, {
    ...benchCampaign,
    email_list: [mailbox],
  })
  const [step] = campaign.sequences[0]?.steps ?? []
  const step_id = step?.id ?? ''
  for (let done = 0; done < count; done += 1000) {
    const leads = Array.from({ length: Math.min(1000, count - done) }, (_, n) =>
      contactedLead(done + n),
    )
    const { created_leads } = await addLeads(ctx, workspaceId, {
      ...{ campaign_id: campaign.id, leads: leads.map(({ email }) => ({ email })) },
      ...{ skip_if_in_workspace: false, overwrite: false },
    })
    const sent = created_leads.map(({ index, id: lead_id }) => ({
      ...{ lead_id, id: ctx.newId() },
      message_id: leads[index]?.messageId ?? '',
      to: leads[index]?.email ?? '',
    }))
    const timestamp = new Date(ctx.now().getTime() - 3_600_000)
    const common = { workspace_id: workspaceId, mailbox_id, campaign_id: campaign.id, step_id }
    await insertMessages(
      ctx,
      sent.map(({ to, ...mail }) => ({
        ...{ ...common, ...mail, direction: 'out', kind: 'step', step: 1, variant: 1 },
        ...{ in_reply_to: null, thread_id: mail.lead_id, from_address: mailbox },
        ...{ to_addresses: [to], subject: 'Quick question', text: 'Hello', html: null },
        ...{ size_bytes: 1000, timestamp },
      })),
    )
    await ctx.db
      .insertInto('sends')
      .values(
        sent.map(({ to, ...mail }) => ({
          ...{ ...common, ...mail, step: 1, variant: 1, variant_id: step?.variants[0]?.id ?? '' },
          ...{ subject: 'Quick question', starts_thread: true, state: 'sent', claim_token: 1 },
          ...{ is_new: true, campaign_day: '2026-11-20', mailbox_day: '2026-11-20' },
          ...{ timestamp_claimed: timestamp, timestamp_settled: timestamp },
        })),
      )
      .execute()
  }
  await sql`
    update leads
    set mailbox_id = ${mailbox_id}::uuid, sending_state = 'active', status = 'contacted',
      current_step = 1, sent_step_ids = array[${step_id}::uuid],
      thread_subject = 'Quick question', timestamp_last_contact = now() - interval '1 hour'
    where workspace_id = ${workspaceId}::uuid`.execute(ctx.db)
  await sql`vacuum analyze`.execute(ctx.db)
}
