import { type AnyContext, inWorkspace } from '../../../kernel/context.ts'
import { codeOf } from '../../../kernel/errors.ts'
import { recordActivities } from '../../leads/index.ts'
import type { CampaignCache } from '../next-mail/campaign-cache.ts'
import type { SendError } from '../transmit/outcome.ts'
import { settleSends } from './settle.ts'
import { sentOf } from './settle-leads.ts'
import * as queries from './settle-queries.ts'
import type { Settlement } from './settlement.ts'

/** The stage of an error that kept a result from being recorded. */
const stage = 'ledger'

/**
 * Ends an attempt whose result the database refuses to record: what was certainly not sent has failed,
 * everything else is `uncertain`, and counts as sent, for its lead, too. That is paused and says why:
 * nothing is sent to it until a person has looked.
 *
 * @returns whether its row changed
 */
export async function setAside(
  tx: AnyContext,
  cache: CampaignCache,
  settlement: Settlement,
  cause: unknown,
): Promise<boolean> {
  const error = refusalOf(cause)
  const skip = { kind: 'skip', reason: 'message_refused', detail: error.message } as const
  if (settlement.outcome.kind === 'failed') {
    const outcome = { kind: 'failed', error, effect: skip } as const
    const [isSettled = false] = await settleSends(tx, cache, [
      { ...settlement, mail: null, outcome },
    ])
    return isSettled
  }
  const own = inWorkspace(tx, settlement.workspace_id)
  const row = await queries.setSendAside(own.db, settlement, error, tx.now())
  if (!row || row.reply) return row !== undefined
  const { workspace_id, lead_id: leadId } = settlement
  const sent = sentOf(settlement, row)
  await recordActivities(own, workspace_id, [{ ...skip, kind: 'skipped', leadId, sent }])
  return true
}

function refusalOf(cause: unknown): SendError {
  return {
    stage,
    code: codeOf(cause) || null,
    message: 'The database refused to record what became of the mail; see the log.',
  }
}
