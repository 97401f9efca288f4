import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { recordActivities } from '../leads/index.ts'
import { isByMachine, type Visit } from './machine.ts'
import { findSentMail } from './queries.ts'
import type { Token } from './token.ts'

/** An open or a click becomes part of the lead's history. Of a lead that is gone nothing is kept. */
export async function recordVisit(
  ctx: Context,
  kind: 'open' | 'click',
  { workspaceId, leadId, stepId, text: url }: Token,
  visit: Visit,
): Promise<void> {
  await transaction(ctx, async (tx) => {
    const mail = await findSentMail(tx.db, workspaceId, leadId, stepId)
    if (!mail) return
    const { sent_at: sentAt, last_click_at: lastClickAt, ...message } = mail
    const isMachine = isByMachine(kind, visit, { now: tx.now(), sentAt, lastClickAt })
    const common = { leadId, message, isMachine }
    await recordActivities(tx, workspaceId, [
      kind === 'open' ? { kind: 'opened', ...common } : { kind: 'clicked', ...common, url },
    ])
  })
}
