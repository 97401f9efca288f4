import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { nilId } from '../../../kernel/ids.ts'
import { findOptedOut } from '../../directory/index.ts'
import { findErased, lockSuppressions } from '../../suppression/index.ts'
import { recordActivities } from '../activity/record-activity.ts'
import { listNotUnsubscribed } from '../queries.ts'

const leadsAtOnce = 5000

// What comes from elsewhere tells by hashes who is meant. Sending does not ask for hashes, which would cost
// each mail: the leads that are there are stopped once, and whoever adds, resumes or brings back one does ask.

/**
 * Stops the leads of a workspace whose people are opted out: by whatever address of theirs, here or in a
 * database whose opt-outs were copied.
 *
 * @returns how many were stopped
 */
export const stopOptedOut = (ctx: Context, workspaceId: string): Promise<number> =>
  stopAmong(ctx, workspaceId, 'unsubscribed', (tx, addresses) => findOptedOut(tx.db, addresses))

/** Stops the leads of a workspace whose people were erased elsewhere: by a list that was copied from there. */
export async function stopErased(ctx: Context, workspaceId: string): Promise<void> {
  await stopAmong(ctx, workspaceId, 'erased', (tx, addresses) =>
    findErased(tx.db, workspaceId, addresses),
  )
}

/**
 * All but those who have unsubscribed. Of finished ones an erasure changes nothing; an unsubscription stops
 * them, too, as they may turn out to lack a mail.
 */
async function stopAmong(
  ctx: Context,
  workspaceId: string,
  kind: 'unsubscribed' | 'erased',
  findGone: (tx: Context, addresses: string[]) => Promise<Set<string>>,
): Promise<number> {
  const stopBehind = (after: string) =>
    transaction(ctx, async (tx) => {
      // Whoever adds one from here on knows of them.
      await lockSuppressions(tx, workspaceId)
      const leads = await listNotUnsubscribed(tx.db, workspaceId, after, leadsAtOnce)
      const gone = await findGone(
        tx,
        leads.map(({ email_folded }) => email_folded),
      )
      const stopping = leads.filter(({ email_folded }) => gone.has(email_folded))
      await recordActivities(
        tx,
        workspaceId,
        stopping.map(({ id }) => ({ kind, leadId: id })),
      )
      return { stopped: stopping.length, last: leads.at(-1)?.id, lookedAt: leads.length }
    })
  let page = await stopBehind(nilId)
  let { stopped } = page
  while (page.last && page.lookedAt === leadsAtOnce) {
    page = await stopBehind(page.last)
    stopped += page.stopped
  }
  return stopped
}
