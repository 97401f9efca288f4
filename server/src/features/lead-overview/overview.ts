import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { type Campaign, getCampaign, hasRoomForNewLeads, stepsBehind } from '../campaigns/index.ts'
import { findLeadById, isErased, isSending, leadRecord, whyNotSent } from '../leads/index.ts'
import { findThread } from '../messages/index.ts'
import { whyMailboxWaits } from '../previews/index.ts'
import * as queries from './queries.ts'
import type { LeadOverview } from './schema.ts'
import { variablesOf } from './variables.ts'

/** A lead, where it is in its sequence, and what keeps it from getting the next mail. */
export async function getLeadOverview(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<LeadOverview> {
  const lead = await findLeadById(ctx.db, workspaceId, id)
  if (!lead) throw notFound('lead')
  const campaign = await getCampaign(ctx, workspaceId, lead.campaign_id)
  const [ownReasons, mailboxReasons, campaigns, thread] = await Promise.all([
    whyNotSent(ctx, lead),
    whyMailboxWaits(ctx, campaign, lead),
    queries.listCampaignsOf(ctx.db, workspaceId, lead.email_folded),
    findThread(ctx.db, workspaceId, id),
  ])
  const steps = campaign.sequences[0]?.steps ?? []
  const isSentTo = isSending(lead.sending_state)
  const step = stepsBehind(steps, lead)
  const reasons = [
    ...ownReasons,
    ...(isSentTo && lead.sent_step_ids.length > 0 && steps.length > 0 && step === steps.length
      ? [noStepLeft]
      : []),
    ...mailboxReasons,
    ...(isSentTo ? whyCampaignWaits(campaign, mailboxReasons.length > 0) : []),
    ...(lead.sending_state === 'pending' && campaign.daily_max_leads === 0
      ? ['The campaign writes to no new leads: raise New leads a day under Options.']
      : []),
  ]
  const isDue = lead.timestamp_next_send !== null && lead.timestamp_next_send <= ctx.now()
  const isReady =
    isSentTo && isDue && reasons.length === 0 && campaign.sending_status.reason === null
  return {
    lead: leadRecord(lead),
    label_id: lead.label_id,
    campaign_name: campaign.name,
    step,
    steps_total: steps.length,
    mailbox_id: lead.mailbox_id,
    reasons,
    variables: variablesOf(lead, campaign),
    mailbox_sends_at: isReady ? await findTurn(ctx, campaign, lead) : null,
    campaigns,
    has_conversation: thread !== undefined,
    is_erased: isErased(lead),
  }
}

/** Of a lead that is due: what the campaign sends to others now may be nothing that this one gets. */
async function findTurn(
  ctx: Context,
  campaign: Campaign,
  { sending_state, mailbox_id }: { sending_state: string; mailbox_id: string | null },
) {
  const isNew = sending_state === 'pending'
  if (isNew && !(await hasRoomForNewLeads(ctx, campaign))) return null
  const { workspace_id, email_list } = campaign
  return queries.findTurn(ctx.db, workspace_id, { isNew, mailbox_id }, email_list, ctx.now())
}

const noStepLeft =
  'No step is left for this lead: it is completed ten minutes after the edit that took the others away.'

/** What passes by itself is left out. */
const lasting: Partial<Record<NonNullable<Campaign['sending_status']['reason']>, string>> = {
  draft: 'The campaign is a draft: launch it, and it writes to this lead.',
  paused: 'The campaign is paused: resume it, and it goes on.',
  completed: 'The campaign is completed: resume it, and it goes on.',
  bounce_protection:
    'The campaign paused itself, because too many mails bounced: check its list, then resume it.',
  schedule_ended: 'The last day of the campaign has passed: move the end of its schedule.',
  no_mailbox: 'The campaign has no mailbox to send from: choose one under Options.',
  mailboxes_unhealthy:
    'The mailboxes of the campaign that should send now do not work: look at Mailboxes.',
  plan_required: 'The plan of the workspace does not include sending.',
  restore_unconfirmed: 'Nothing is sent after a restore until the operator confirms it.',
  workspace_moving:
    'Nothing is sent while the workspace is moved to another database: if that lasts, ask the operator to run "npx outrider doctor".',
}

function whyCampaignWaits(
  { status, sending_status: { reason } }: Campaign,
  isMailboxNamed: boolean,
): string[] {
  // Of a campaign that is active it says that the leads that are left are paused, and this one is not.
  if (reason === null || (reason === 'paused' && status !== 'paused')) return []
  if (reason === 'no_mailbox' && isMailboxNamed) return []
  const sentence = lasting[reason]
  return sentence ? [sentence] : []
}
