import type { ProcessContext } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { describeError } from '../../../kernel/log.ts'
import { takeLanes } from '../../mailbox-lanes/index.ts'
import type { Settlement } from '../settle/settlement.ts'
import type { Lane } from './lane.ts'
import { findOpenSends, type OpenSend } from './lane-queries.ts'
import type { SenderParts } from './sender-parts.ts'

/**
 * Makes lanes this process's own. Whoever had them before claims nothing more; what it was in the
 * middle of is given back where nothing was sent yet, and else counts as sent until somebody knows
 * better. It may still be alive: if it is, its results count, and nothing is finished that was given
 * back.
 *
 * A lane of which a mail was open is recovered once that is written. The others do not wait for it: what
 * is locked in its workspace is no matter of theirs.
 */
export async function recoverLanes(
  ctx: ProcessContext,
  lanes: Lane[],
  parts: Pick<SenderParts, 'settlements' | 'prefetch'>,
) {
  const keys = lanes.map(({ workspaceId, mailboxId, token }) => ({
    ...{ workspace_id: workspaceId, mailbox_id: mailboxId, token },
  }))
  await transaction(ctx, (tx) => takeLanes(tx.db, keys))
  const open = Map.groupBy(await findOpenSends(ctx.db, keys), ({ mailbox_id }) => mailbox_id)
  for (const lane of lanes) {
    const sends = open.get(lane.mailboxId)
    if (sends) settleOpen(ctx, lane, sends, parts)
    else lane.isRecovered = true
  }
}

const settleAgainMs = 1_000

/** What broke off on the way is offered again: else nobody writes to these leads any more. */
function settleOpen(
  ctx: ProcessContext,
  lane: Lane,
  sends: OpenSend[],
  { settlements, prefetch }: Pick<SenderParts, 'settlements' | 'prefetch'>,
) {
  const done = Promise.all(sends.map((send) => settlements.add(abandoned(ctx, send))))
    .then(() => {
      lane.isRecovered = true
    })
    .catch((error) => {
      ctx.log.error(describeError(error), 'what a mailbox was in the middle of is settled later')
      return ctx.sleep(settleAgainMs)
    })
    .finally(() => {
      for (const { lead_id } of sends) prefetch.release(lead_id)
      lane.settling.delete(done)
    })
  lane.settling.add(done)
}

const abandoned = (ctx: ProcessContext, send: OpenSend): Settlement => ({
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
})
