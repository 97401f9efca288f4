import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { findOptedOut } from '../../directory/index.ts'
import { lockSuppressions } from '../../suppression/index.ts'
import { recordActivities } from '../activity/record-activity.ts'
import { listNotUnsubscribed } from '../queries.ts'

const leadsAtOnce = 5000

/**
 * Stops the leads of a workspace whose people are opted out already: opt-outs that were copied from
 * another database tell by hashes who is meant, and have stopped nobody here.
 */
export async function stopOptedOut(ctx: Context, workspaceId: string): Promise<void> {
  const stopBehind = (after: string) =>
    transaction(ctx, async (tx) => {
      // Whoever adds one from here on knows of the opt-outs.
      await lockSuppressions(tx, workspaceId)
      const leads = await listNotUnsubscribed(tx.db, workspaceId, after, leadsAtOnce)
      const optedOut = await findOptedOut(
        tx.db,
        leads.map(({ email_folded }) => email_folded),
      )
      const stopping = leads.filter(({ email_folded }) => optedOut.has(email_folded))
      await recordActivities(
        tx,
        workspaceId,
        stopping.map(({ id }) => ({ kind: 'unsubscribed', leadId: id })),
      )
      return leads.length < leadsAtOnce ? undefined : leads.at(-1)?.id
    })
  let place = await stopBehind(beforeAll)
  while (place) place = await stopBehind(place)
}

const beforeAll = '00000000-0000-0000-0000-000000000000'
