import { inWorkspace, type ProcessContext } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { endTrouble, setTrouble } from '../../mailbox-lanes/index.ts'
import {
  lockMailboxVersion,
  reportMailboxError,
  reportMailboxRecovered,
} from '../../mailboxes/index.ts'
import type { MailboxFailure } from '../transmit/send-mail.ts'
import type { LaneRow } from './lane-queries.ts'

/** Failures in a row after which a mailbox is in error, when none of them needs a person by itself. */
const failuresMax = 3
const secondMs = 1_000
const lookAgainMs = 300_000
const pausesMs = [10, 30, 60, 300, 900, 1800].map((seconds) => seconds * secondMs)

/**
 * Puts the mailbox's work off, and says so when it goes on or needs a person. It is tried again by
 * itself, with longer and longer pauses between; at once where it was changed or resumed meanwhile.
 */
export async function recordMailboxFailure(
  ctx: ProcessContext,
  lane: LaneRow,
  { failure, trouble }: MailboxFailure,
) {
  const { workspace_id, mailbox_id, mailbox_version, failures } = lane
  const pauseMs = trouble.pauseMs ?? pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0
  const notBefore = new Date(ctx.now().getTime() + pauseMs * (0.9 + 0.2 * ctx.random()))
  await transaction(inWorkspace(ctx, workspace_id), async (tx) => {
    if (!(await lockMailboxVersion(tx.db, workspace_id, mailbox_id, mailbox_version))) return
    if (trouble.needsPerson || failures + 1 >= failuresMax) {
      await reportMailboxError(tx, workspace_id, mailbox_id, 'smtp', failure)
    }
    await setTrouble(tx.db, workspace_id, mailbox_id, failures + 1, notBefore)
  })
}

/** A login that works ends an error of the sending server; one of the reading server stays. */
export async function recordRecovery(ctx: ProcessContext, { workspace_id, mailbox_id }: LaneRow) {
  const lookAgain = new Date(ctx.now().getTime() + lookAgainMs)
  await transaction(inWorkspace(ctx, workspace_id), async (tx) => {
    await reportMailboxRecovered(tx, workspace_id, mailbox_id, 'smtp')
    await endTrouble(tx.db, workspace_id, mailbox_id, lookAgain)
  })
}
