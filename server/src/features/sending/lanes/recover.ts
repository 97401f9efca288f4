import type { ProcessContext } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { takeLanes } from '../../mailbox-lanes/index.ts'
import type { Settlements } from '../settle/settlements.ts'
import type { Lane } from './lane.ts'
import { findOpenSends } from './lane-queries.ts'

/**
 * Makes lanes this process's own. Whoever had them before claims nothing more; what it was in the
 * middle of is given back where nothing was sent yet, and else counts as sent until somebody knows
 * better. It may still be alive: if it is, its results count, and nothing is finished that was given
 * back.
 *
 * @returns leads of which a mail was open: this process may have been in the middle of it itself
 */
export async function recoverOpenSends(
  ctx: ProcessContext,
  lanes: Lane[],
  settlements: Settlements,
): Promise<string[]> {
  const keys = lanes.map(({ workspaceId, mailboxId, token }) => ({
    ...{ workspace_id: workspaceId, mailbox_id: mailboxId, token },
  }))
  await transaction(ctx, (tx) => takeLanes(tx.db, keys))
  const open = await findOpenSends(ctx.db, keys)
  await Promise.all(
    open.map((send) =>
      settlements.add({
        workspace_id: send.workspace_id,
        lead_id: send.lead_id,
        step_id: send.step_id,
        id: send.id,
        campaign_id: send.campaign_id,
        outcome: { kind: 'abandoned' },
        at: ctx.now(),
        mailbox: send.address ?? '',
        recipient: send.email ?? '',
        threadSubject: send.thread_subject,
        mail: null,
        gapSeconds: send.gap_seconds ?? 0,
      }),
    ),
  )
  for (const lane of lanes) lane.isRecovered = true
  return open.map(({ lead_id }) => lead_id)
}
