import type { AnyContext } from '../../../kernel/context.ts'
import { column } from '../../../kernel/db/column.ts'
import { afterDelay, nextStep, zoneOf } from '../../campaigns/index.ts'
import { isSending, type LeadActivity, recordActivities } from '../../leads/index.ts'
import type { CachedCampaign } from '../next-mail/campaign-cache.ts'
import { inEachWorkspace } from './in-each-workspace.ts'
import { findSentSteps, type LedgerRow } from './settle-queries.ts'
import { type Settled, type Settlement, sentAt } from './settlement.ts'

/**
 * Records what the results mean for their leads: states, events, counters, the suppression list. A lead that
 * was changed while its mail failed for what it was before is tried again.
 */
export async function recordLeadActivities(
  tx: AnyContext,
  settled: Settled[],
  campaigns: Map<string, CachedCampaign>,
) {
  const followUps = settled.filter(({ row, transition }) => transition.records && !row.is_new)
  const sentSteps =
    followUps.length === 0
      ? new Map<string, string[]>()
      : await findSentSteps(
          tx.db,
          followUps.map(({ row }) => row),
        )
  const activities = settled.flatMap((each) => {
    const activity = activityOf(each, campaigns, sentSteps)
    return activity ? [{ workspaceId: each.row.workspace_id, activity, settled: each }] : []
  })
  await inEachWorkspace(
    tx,
    activities,
    ({ workspaceId }) => workspaceId,
    async (own, workspaceId, rows) => {
      const leads = await recordActivities(own, workspaceId, column(rows, 'activity'))
      for (const { activity, settled } of rows) {
        const isTriedAnew =
          activity.kind === 'skipped' && isSending(leads.get(activity.leadId)?.sending_state)
        if (isTriedAnew) settled.transition = { ...settled.transition, effect: { kind: 'again' } }
      }
    },
  )
}

function activityOf(
  { settlement, row, transition }: Settled,
  campaigns: Map<string, CachedCampaign>,
  sentSteps: Map<string, string[]>,
): LeadActivity | undefined {
  const leadId = row.lead_id
  const { mail, message } = mailOf(settlement, row)
  const { effect } = transition
  if (effect?.kind === 'bounce') {
    return { kind: 'bounced', leadId, mail, message, bounce: effect.bounce }
  }
  if (effect?.kind === 'skip') {
    return { ...effect, kind: 'skipped', leadId }
  }
  if (!transition.records) return undefined
  const campaign = campaigns.get(row.campaign_id)
  const sent = sentOf(settlement, row)
  const next = campaign ? nextOf(campaign, row, sentSteps, sent.at) : null
  const mayBeTakenBack = settlement.outcome.kind === 'abandoned'
  return { kind: 'sent', leadId, ...sent, next, mayBeTakenBack }
}

/** What its lead got. */
export const sentOf = (settlement: Settlement, row: LedgerRow) => ({
  ...mailOf(settlement, row),
  at: sentAt(settlement, row),
  day: row.campaign_day,
  stepId: row.step_id,
  mailboxId: row.mailbox_id,
  threadSubject: (row.starts_thread ? row.subject : settlement.threadSubject) ?? '',
})

const mailOf = ({ mailbox }: Settlement, row: LedgerRow) => ({
  mail: { step_id: row.step_id, variant_id: row.variant_id },
  message: {
    message_id: row.message_id,
    subject: row.subject ?? '',
    step: row.step,
    variant: row.variant,
    mailbox,
  },
})

function nextOf(
  { steps, planned }: CachedCampaign,
  row: LedgerRow,
  sentSteps: Map<string, string[]>,
  at: Date,
) {
  const sent_step_ids = row.is_new ? [row.step_id] : (sentSteps.get(row.lead_id) ?? [row.step_id])
  const next = nextStep(steps, { sent_step_ids, current_step: row.step })
  return next ? { notBefore: afterDelay(zoneOf(planned.schedule), next, at) } : null
}
