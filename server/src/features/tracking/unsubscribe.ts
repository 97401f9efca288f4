import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { AppError } from '../../kernel/errors.ts'
import { findPlace } from '../../kernel/shards/queries.ts'
import { recordActivities } from '../leads/index.ts'
import { explainSuppressed, lockSuppressions, suppress } from '../suppression/index.ts'
import { findLeadOf, hasLeadToUnsubscribe } from './queries.ts'
import type { Token } from './token.ts'

/**
 * Nobody in the workspace writes to the address again. It stands in the token, so that this holds
 * when the lead, or the whole campaign, is long gone. Again, it changes nothing.
 *
 * @throws AppError `not_found` where the workspace is gone
 */
export async function unsubscribe(ctx: Context, token: Token): Promise<void> {
  const { workspaceId, leadId, text: address } = token
  // As often as somebody likes: that keeps nobody else waiting.
  if (await isUnsubscribed(ctx, workspaceId, address)) return
  await transaction(ctx, async (tx) => {
    const lead = await findLeadOf(tx.db, workspaceId, leadId, address)
    if (lead) {
      const activity = { kind: 'unsubscribed', leadId: lead.id } as const
      // It may have been deleted since it was found.
      if ((await recordActivities(tx, workspaceId, [activity])).has(lead.id)) return
    }
    const [place] = await findPlace(tx.db, workspaceId)
    if (!place) throw new AppError('not_found', 'There is no such workspace any more.')
    await lockSuppressions(tx, workspaceId)
    const known = (await explainSuppressed(tx.db, workspaceId, [address])).get(address)
    // Nothing but a hash is to be left of them, and nobody lifts it.
    if (known?.by === 'erased' || known?.by === 'opt-out') return
    await suppress(tx, workspaceId, [
      { kind: 'address', value: address, reason: 'unsubscribed', campaignId: null },
    ])
  })
}

/** Nothing is left to be done, whoever asks for it. */
async function isUnsubscribed({ db }: Context, workspaceId: string, address: string) {
  const known = (await explainSuppressed(db, workspaceId, [address])).get(address)
  if (known?.reason !== 'unsubscribed' || known.by === 'domain') return false
  return !(await hasLeadToUnsubscribe(db, workspaceId, address))
}
