import { type Context, inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { forgetAnswers } from '../../kernel/http/idempotency.ts'
import { askAllShards } from '../../kernel/shards/ask.ts'
import { type OptedOut, type OptOutRequest, optOut, readOptOut } from '../directory/index.ts'
import { findLeadsAt, recordActivities } from '../leads/index.ts'
import { lockSuppressions } from '../suppression/index.ts'
import { listWorkspaces } from '../workspaces/index.ts'
import { findRevealed } from './cross-workspace.ts'

export interface OptedOutEverywhere extends Omit<OptedOut, 'contact_ids' | 'keys'> {
  /** Of all workspaces, that were still written to. */
  leads_stopped: number
}

interface OptedOutHere extends OptedOutEverywhere {
  keys: string[]
}

/**
 * Removes a person, or everybody of a domain: also those whose address the directory does not know,
 * because a reveal found it. No workspace writes to them again, whoever of them is a lead there.
 */
export async function optOutEverywhere(
  ctx: ProcessContext,
  addressOrDomain: string,
): Promise<OptedOutEverywhere> {
  const optOutBy = (known: string[]) =>
    askAllShards(ctx, (shard) => optOutHere(shard, addressOrDomain, known))
  const done = await optOutBy([])
  const keys = [...new Set(done.flatMap((one) => one.keys))]
  // Each has a copy of the directory, and what its own workspaces revealed tells it more of whom is meant.
  const again = done.length > 1 && keys.length > 0 ? await optOutBy(keys) : []
  const [first] = done
  if (!first) throw new Error('There is no database.')
  return {
    kind: first.kind,
    contacts_removed: first.contacts_removed + (again[0]?.contacts_removed ?? 0),
    leads_stopped: done.reduce((total, one) => total + one.leads_stopped, 0),
  }
}

async function optOutHere(
  ctx: ProcessContext,
  addressOrDomain: string,
  known: string[],
): Promise<OptedOutHere> {
  const request = readOptOut(addressOrDomain)
  const revealed = await findRevealed(ctx.db, request)
  const { contact_ids, ...optedOut } = await optOut(ctx, addressOrDomain, revealed, known)
  const contacts = new Set([...contact_ids, ...revealed])
  let leads_stopped = 0
  for (const { id } of await listWorkspaces(ctx)) {
    const own = inWorkspace(ctx, id)
    if (contacts.size > 0) await forgetContacts(own, id, contacts)
    leads_stopped += await stopLeads(own, id, request)
  }
  return { ...optedOut, leads_stopped }
}

const answersAtOnce = 1000

/** Of answers that are kept for a while: whoever asks again by the same key is told as anybody else. */
async function forgetContacts(ctx: Context, workspaceId: string, contacts: Set<string>) {
  const isNamed = (kept: string) => kept.match(anyId)?.some((id) => contacts.has(id)) ?? false
  const forgetBehind = (after: string | null) =>
    transaction(ctx, (tx) =>
      forgetAnswers(tx, workspaceId, isNamed, { after, since: null, limit: answersAtOnce }),
    )
  let found = await forgetBehind(null)
  while (found.lookedAt === answersAtOnce) found = await forgetBehind(found.last)
}

const anyId = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g

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
