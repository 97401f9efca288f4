import { type Context, inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { askAllShards } from '../../kernel/shards/ask.ts'
import { type OptedOut, type OptOutRequest, optOut, readOptOut } from '../directory/index.ts'
import { findLeadsAt, recordActivities } from '../leads/index.ts'
import { lockSuppressions } from '../suppression/index.ts'
import { listWorkspaces } from '../workspaces/index.ts'
import { findRevealed } from './cross-workspace.ts'

export interface OptedOutEverywhere extends OptedOut {
  /** Of all workspaces, that were still written to. */
  leads_stopped: number
}

/**
 * Removes a person, or everybody of a domain: also those whose address the directory does not know,
 * because a reveal found it. No workspace writes to them again, whoever of them is a lead there.
 */
export async function optOutEverywhere(
  ctx: ProcessContext,
  addressOrDomain: string,
): Promise<OptedOutEverywhere> {
  const done = await askAllShards(ctx, (shard) => optOutHere(shard, addressOrDomain))
  const [first] = done
  if (!first) throw new Error('There is no database.')
  const leads_stopped = done.reduce((total, one) => total + one.leads_stopped, 0)
  // Each has a copy of the directory.
  return { ...first, leads_stopped }
}

async function optOutHere(
  ctx: ProcessContext,
  addressOrDomain: string,
): Promise<OptedOutEverywhere> {
  const request = readOptOut(addressOrDomain)
  const revealed = await findRevealed(ctx.db, request)
  const optedOut = await optOut(ctx, addressOrDomain, revealed)
  let leads_stopped = 0
  for (const { id } of await listWorkspaces(ctx))
    leads_stopped += await stopLeads(inWorkspace(ctx, id), id, request)
  return { ...optedOut, leads_stopped }
}

async function stopLeads(ctx: Context, workspaceId: string, who: OptOutRequest): Promise<number> {
  return transaction(ctx, async (tx) => {
    // Whoever is adding one of them is waited for, so that it is among those that are stopped.
    await lockSuppressions(tx, workspaceId)
    const leads = await findLeadsAt(tx.db, workspaceId, who)
    const stopping = leads.filter(({ stop_reason }) => stop_reason !== 'unsubscribed')
    await recordActivities(
      tx,
      workspaceId,
      stopping.map(({ id }) => ({ kind: 'unsubscribed', leadId: id })),
    )
    return stopping.length
  })
}
