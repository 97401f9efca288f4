import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { recordActivities } from '../leads/index.ts'
import { isByMachine, type Visit } from './machine.ts'
import { lockSentMail } from './queries.ts'
import type { Token } from './token.ts'

/**
 * An open or a click becomes part of the lead's history. Of a lead that is gone nothing is kept, and
 * of the same again within a second neither: that is a double click, a scanner that follows every
 * link, or somebody who would like to flood us.
 */
export async function recordVisit(
  ctx: Context,
  kind: 'open' | 'click',
  { workspaceId, leadId, stepId, text: url }: Token,
  visit: Visit,
): Promise<void> {
  await transaction(ctx, async (tx) => {
    const mail = await lockSentMail(tx.db, workspaceId, leadId, stepId)
    if (!mail) return
    const { sent_at, last_open_at, last_click_at, step_id, variant_id, ...message } = mail
    const sinceMs = (time: Date | null) =>
      time === null ? Number.POSITIVE_INFINITY : tx.now().getTime() - time.getTime()
    if (sinceMs(kind === 'open' ? last_open_at : last_click_at) < againAfterMs) return
    const isMachine = isByMachine(kind, visit, sinceMs(sent_at))
    const common = { leadId, mail: { step_id, variant_id }, message, isMachine }
    await recordActivities(tx, workspaceId, [
      kind === 'open' ? { kind: 'opened', ...common } : { kind: 'clicked', ...common, url },
    ])
  })
}

const againAfterMs = 1000
