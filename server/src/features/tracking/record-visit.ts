import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { isErased, recordActivities } from '../leads/index.ts'
import { isByMachine, type Visit } from './machine.ts'
import { lockSentMail } from './queries.ts'
import type { Token } from './token.ts'

/**
 * An open or a click becomes part of the lead's history. Of a lead that is gone nothing is kept, nor of
 * one whose person was erased, whom the link itself may name; and of the same again within a second
 * neither: that is a double click, a scanner that follows every link, or somebody who would like to
 * flood us.
 */
export async function recordVisit(
  ctx: Context,
  kind: 'open' | 'click',
  token: Token,
  visit: Visit,
): Promise<void> {
  const { workspaceId, leadId, text: url } = token
  await transaction(ctx, async (tx) => {
    const nowMs = tx.now().getTime()
    const before = new Date(nowMs - againAfterMs)
    const mail = await lockSentMail(tx.db, token, { kind, before })
    if (!mail || isErased(mail)) return
    const { sent_at, step_id, variant_id, email_folded: _, ...message } = mail
    const sinceSentMs = sent_at === null ? Number.POSITIVE_INFINITY : nowMs - sent_at.getTime()
    const isMachine = isByMachine(kind, visit, sinceSentMs)
    const common = { leadId, mail: { step_id, variant_id }, message, isMachine }
    await recordActivities(tx, workspaceId, [
      kind === 'open' ? { kind: 'opened', ...common } : { kind: 'clicked', ...common, url },
    ])
  })
}

const againAfterMs = 1000
