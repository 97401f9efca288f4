import { type Context, inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { forgetAnswers } from '../../kernel/http/kept-answers.ts'
import { askAllShards } from '../../kernel/shards/ask.ts'
import {
  addressKey,
  findMeant,
  noteOptOut,
  type OptedOut,
  type OptOutRequest,
  optOut,
  readOptOut,
} from '../directory/index.ts'
import { stopOptedOut } from '../leads/index.ts'
import { listWorkspaces } from '../workspaces/index.ts'
import { findRevealed, findRevealedAddresses, findShown } from './cross-workspace.ts'

export interface OptedOutEverywhere extends Omit<OptedOut, 'contact_ids'> {
  /** Of all workspaces, that were still written to. */
  leads_stopped: number
}

/**
 * Removes a person, or everybody of a domain: also those whose address the directory does not know,
 * because a reveal found it. No workspace writes to them again, whoever of them is a lead there.
 *
 * All databases are asked what the person is known by, and all have noted it, before one of them forgets
 * it: where one fails, the repetition finds who is still to be stopped by what was noted.
 */
export async function optOutEverywhere(
  ctx: ProcessContext,
  addressOrDomain: string,
): Promise<OptedOutEverywhere> {
  const request = readOptOut(addressOrDomain)
  const known = await askAllShards(ctx, (shard) => findKeysHere(shard, request))
  const keys = [...new Set(known.flat())]
  await askAllShards(ctx, (shard) => noteOptOut(shard, request, keys))
  const done = await askAllShards(ctx, (shard) => optOutHere(shard, addressOrDomain, keys))
  const [first] = done
  if (!first) throw new Error('There is no database.')
  return {
    kind: first.kind,
    contacts_removed: first.contacts_removed,
    leads_stopped: done.reduce((total, one) => total + one.leads_stopped, 0),
  }
}

/** Each has a copy of the directory, and what its own workspaces revealed tells it more of who is meant. */
async function findKeysHere({ db }: ProcessContext, request: OptOutRequest): Promise<string[]> {
  const revealed = await findRevealed(db, request)
  const shown = request.kind === 'domain' ? [] : await findShown(db, request)
  const { keys, contactIds } = await findMeant(db, request, revealed, shown)
  // The directory may know them by no address, or by another than they were written to.
  const addresses = await findRevealedAddresses(db, contactIds)
  return [...keys, ...addresses.map(addressKey)]
}

async function optOutHere(
  ctx: ProcessContext,
  addressOrDomain: string,
  keys: string[],
): Promise<OptedOutEverywhere> {
  const request = readOptOut(addressOrDomain)
  const revealed = await findRevealed(ctx.db, request)
  const { contact_ids, ...optedOut } = await optOut(ctx, addressOrDomain, revealed, keys)
  const contacts = new Set([...contact_ids, ...revealed])
  let leads_stopped = 0
  for (const { id } of await listWorkspaces(ctx)) {
    const own = inWorkspace(ctx, id)
    if (contacts.size > 0) await forgetContacts(own, id, contacts)
    // All who are known to be opted out by now: after a kill nothing else knows their other addresses.
    leads_stopped += await stopOptedOut(own, id)
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
