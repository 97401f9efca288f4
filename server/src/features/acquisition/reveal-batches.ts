import { Batcher } from '../../kernel/batcher.ts'
import { type Context, processOf } from '../../kernel/context.ts'
import type { AnyDb } from '../../kernel/db/db.ts'
import { type DirectoryContact, findContacts } from '../directory/index.ts'
import type { Reveal, Settled } from './plan.ts'
import * as queries from './queries.ts'
import type { Address, StoredContact } from './record.ts'
import { settleReveals } from './settle.ts'
import { findUnwilling } from './unwilling.ts'

/** What this process does together for a workspace. */
export interface RevealBatches {
  /** Keeps track of who is at work on a contact. */
  whileRevealing: <T>(contactId: string, work: (reveal: RevealUnderWay) => Promise<T>) => Promise<T>
  read: (request: ReadRequest) => Promise<KnownContact>
  settle: (reveal: Reveal) => Promise<Settled>
  /** Contacts whose addresses are looked up, or found and not charged yet. */
  countLookUps: () => number
}

/** Reveals of one contact that overlap: they share one look-up, so that no provider is asked twice. */
export interface RevealUnderWay {
  requests: number
  lookUp?: Promise<Address | undefined>
}

interface ReadRequest {
  contactId: string
  listId: string | undefined
}

/** What is known of a contact before anything is looked up. */
interface KnownContact {
  contact: DirectoryContact | undefined
  acquired: StoredContact | undefined
  isUnwilling: boolean
  /** True when none was named by its id. */
  hasList: boolean
}

/** The batches are shared by everybody who asks on one database. */
export function revealBatchesOf(ctx: Context, workspaceId: string): RevealBatches {
  // Each request has a handle of its own.
  const { db } = ctx.db.isTransaction ? ctx : processOf(ctx)
  const open = batchesByDb.get(db) ?? new Map<string, RevealBatches>()
  batchesByDb.set(db, open)
  // Everything is done while a contact is being revealed: after the last one nobody needs them.
  const batches =
    open.get(workspaceId) ?? openBatches(ctx, workspaceId, () => open.delete(workspaceId))
  open.set(workspaceId, batches)
  return batches
}

const batchesByDb = new WeakMap<AnyDb, Map<string, RevealBatches>>()

/** Keeps a transaction, and what waits for it, short. */
const batchMax = 100

function openBatches(ctx: Context, workspaceId: string, onEmpty: () => void): RevealBatches {
  const underWay = new Map<string, RevealUnderWay>()
  const reads = new Batcher<ReadRequest, KnownContact>(
    ctx,
    'known contacts',
    (requests) => readKnownContacts(ctx, workspaceId, requests),
    { itemsMax: batchMax, gather: 'turn' },
  )
  const settlements = new Batcher<Reveal, Settled>(
    ctx,
    'reveals',
    (reveals) => settleReveals(ctx, workspaceId, reveals),
    { itemsMax: batchMax, gather: 'turn' },
  )
  return {
    async whileRevealing(contactId, work) {
      const reveal = underWay.get(contactId) ?? { requests: 0 }
      underWay.set(contactId, reveal)
      reveal.requests += 1
      try {
        return await work(reveal)
      } finally {
        reveal.requests -= 1
        if (reveal.requests === 0) underWay.delete(contactId)
        if (underWay.size === 0) onEmpty()
      }
    },
    read: (request) => reads.add(request),
    settle: (reveal) => settlements.add(reveal),
    countLookUps: () => [...underWay.values()].filter(({ lookUp }) => lookUp !== undefined).length,
  }
}

async function readKnownContacts(
  ctx: Context,
  workspaceId: string,
  requests: ReadRequest[],
): Promise<KnownContact[]> {
  const ids = [...new Set(requests.map(({ contactId }) => contactId))]
  const listIds = [...new Set(requests.flatMap(({ listId }) => listId ?? []))]
  const [contacts, acquired, lists] = await Promise.all([
    findContacts(ctx.db, ids),
    queries.findAcquired(ctx.db, workspaceId, ids),
    listIds.length > 0 ? queries.findLists(ctx.db, workspaceId, listIds, []) : [],
  ])
  // Where a shard was put back, its directory has somebody again who asked the others to be removed.
  const unwilling = await findUnwilling(ctx.db, workspaceId, [
    ...ids.map((contact_id) => ({ contact_id, email_folded: null })),
    ...contacts.map(({ id, key, email_folded }) => ({ contact_id: id, key, email_folded })),
    ...acquired,
  ])
  const contactById = new Map(contacts.map((contact) => [contact.id, contact]))
  const acquiredById = new Map(acquired.map((contact) => [contact.contact_id, contact]))
  const known = new Set(lists.map((list) => list.id))
  return requests.map(({ contactId, listId }) => {
    return {
      contact: contactById.get(contactId),
      acquired: acquiredById.get(contactId),
      isUnwilling: unwilling.has(contactId),
      hasList: listId === undefined || known.has(listId),
    }
  })
}
