import { Batcher } from '../../kernel/batcher.ts'
import { type Context, processOf } from '../../kernel/context.ts'
import type { AnyDb } from '../../kernel/db/db.ts'
import { type DirectoryContact, findContacts, readOptOuts } from '../directory/index.ts'
import { isErased } from '../leads/index.ts'
import type { Reveal, Settled } from './plan.ts'
import * as queries from './queries.ts'
import type { Address, StoredContact } from './record.ts'
import { settleReveals } from './settle.ts'

/** What this process does together for a workspace. */
export interface Desk {
  /** Keeps track of who is at work on a contact. */
  visit: <T>(contactId: string, work: (visit: Visit) => Promise<T>) => Promise<T>
  read: (request: CandidateRequest) => Promise<Candidate>
  settle: (reveal: Reveal) => Promise<Settled>
  /** Contacts whose addresses are looked up, or found and not charged yet. */
  countLookUps: () => number
}

/** Reveals of one contact that overlap: they share one look-up, so that no provider is asked twice. */
export interface Visit {
  visitors: number
  lookUp?: Promise<Address | undefined>
}

interface CandidateRequest {
  contactId: string
  listId: string | undefined
}

/** What is known of a contact before anything is looked up. */
interface Candidate {
  contact: DirectoryContact | undefined
  acquired: StoredContact | undefined
  hasOptedOut: boolean
  /** True when none was named by its id. */
  hasList: boolean
}

/** The same for everybody who asks on one database. */
export function deskOf(ctx: Context, workspaceId: string): Desk {
  // Each request has a handle of its own.
  const { db } = ctx.db.isTransaction ? ctx : processOf(ctx)
  const open = desks.get(db) ?? new Map<string, Desk>()
  desks.set(db, open)
  // Everything is done within a visit: after the last one nobody needs the desk.
  const desk = open.get(workspaceId) ?? openDesk(ctx, workspaceId, () => open.delete(workspaceId))
  open.set(workspaceId, desk)
  return desk
}

const desks = new WeakMap<AnyDb, Map<string, Desk>>()

/** Keeps a transaction, and what waits for it, short. */
const batchMax = 100

function openDesk(ctx: Context, workspaceId: string, onEmpty: () => void): Desk {
  const visits = new Map<string, Visit>()
  const reads = new Batcher<CandidateRequest, Candidate>(
    ctx,
    'candidates',
    (requests) => readCandidates(ctx, workspaceId, requests),
    { itemsMax: batchMax, gather: 'turn' },
  )
  const settlements = new Batcher<Reveal, Settled>(
    ctx,
    'reveals',
    (reveals) => settleReveals(ctx, workspaceId, reveals),
    { itemsMax: batchMax, gather: 'turn' },
  )
  return {
    async visit(contactId, work) {
      const visit = visits.get(contactId) ?? { visitors: 0 }
      visits.set(contactId, visit)
      visit.visitors += 1
      try {
        return await work(visit)
      } finally {
        visit.visitors -= 1
        if (visit.visitors === 0) visits.delete(contactId)
        if (visits.size === 0) onEmpty()
      }
    },
    read: (request) => reads.add(request),
    settle: (reveal) => settlements.add(reveal),
    countLookUps: () => [...visits.values()].filter(({ lookUp }) => lookUp !== undefined).length,
  }
}

async function readCandidates(
  ctx: Context,
  workspaceId: string,
  requests: CandidateRequest[],
): Promise<Candidate[]> {
  const ids = [...new Set(requests.map(({ contactId }) => contactId))]
  const listIds = [...new Set(requests.flatMap(({ listId }) => listId ?? []))]
  const [contacts, acquired, lists] = await Promise.all([
    findContacts(ctx.db, ids),
    queries.findAcquired(ctx.db, workspaceId, ids),
    listIds.length > 0 ? queries.findLists(ctx.db, workspaceId, listIds, []) : [],
  ])
  const addresses = [...contacts, ...acquired].flatMap(({ email_folded }) => email_folded ?? [])
  // Where a shard was put back, its directory has somebody again who asked the others to be removed.
  const keys = contacts.map(({ key }) => key)
  const { hasAddress, hasKey } = await readOptOuts(ctx.db, { addresses, keys })
  const contactById = new Map(contacts.map((contact) => [contact.id, contact]))
  const acquiredById = new Map(acquired.map((contact) => [contact.contact_id, contact]))
  const known = new Set(lists.map((list) => list.id))
  return requests.map(({ contactId, listId }) => {
    const contact = contactById.get(contactId)
    const acquired = acquiredById.get(contactId)
    return {
      ...{ contact, acquired },
      hasOptedOut:
        [contact, acquired].some((each) => each?.email_folded && hasAddress(each.email_folded)) ||
        (contact !== undefined && hasKey(contact.key)) ||
        (acquired !== undefined && isErased(acquired)),
      hasList: listId === undefined || known.has(listId),
    }
  })
}
