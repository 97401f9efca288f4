import { costs } from './balance.ts'
import type { FoundList, ListEntry } from './queries.ts'
import type { Address, ContactSnapshot, StoredContact } from './record.ts'

export type ListChoice = { id: string } | { name: string; folded: string }

/** A contact whose address was found, on its way to being acquired. */
export interface FoundContact extends Address {
  company_id: string | null
  contact: ContactSnapshot
}

/** One request to acquire a contact, after everything that needs no lock. */
export interface Reveal {
  contactId: string
  /** What the directory knows the contact by, if it does. */
  key: string | undefined
  /**
   * Of its ledger entry. Made under the lock, as entries are listed by id, and kept: a batch that is
   * run again, since nobody knows whether it was committed, tells its own charges by it.
   */
  chargeId?: string
  requestId: string | null
  list: ListChoice | undefined
  /** Undefined for a contact that was acquired before. */
  found: FoundContact | undefined
}

export type Settled =
  | {
      kind: 'acquired'
      contact: StoredContact
      listId: string | null
      creditsCharged: number
      /** After this reveal, in the order of the batch. */
      balance: number
    }
  | { kind: 'not_found'; balance: number }
  | { kind: 'opted_out' | 'insufficient_credits' | 'no_such_list' }
  | { kind: 'failed'; error: unknown }

export interface RevealPlan {
  /** In the order of the reveals. */
  settled: Settled[]
  contacts: { contact: StoredContact; reveal: Reveal; list: FoundList | undefined }[]
  lists: FoundList[]
  entries: ListEntry[]
}

/** What the plan is made of: read under the lock, so it stays true until it is written. */
export interface Standing {
  balance: number
  acquired: StoredContact[]
  /** The proposed addresses, folded, by which somebody was acquired. */
  taken: string[]
  lists: FoundList[]
  /** Contacts who may be revealed no more. */
  unwilling: Set<string>
}

/** Decides a batch of one workspace as if its reveals came one after the other. */
export function planReveals(
  reveals: Reveal[],
  standing: Standing,
  { now, newId }: { now: () => Date; newId: () => string },
): RevealPlan {
  const plan: RevealPlan = { settled: [], contacts: [], lists: [], entries: [] }
  const acquired = new Map(standing.acquired.map((contact) => [contact.contact_id, contact]))
  const taken = new Set(standing.taken)
  const lists = [...standing.lists]
  let { balance } = standing

  for (const reveal of reveals) {
    if (standing.unwilling.has(reveal.contactId)) {
      plan.settled.push({ kind: 'opted_out' })
      continue
    }
    const known = acquired.get(reveal.contactId)
    const list = findList(lists, reveal.list)
    if (reveal.list && 'id' in reveal.list && !list) {
      plan.settled.push({ kind: 'no_such_list' })
      continue
    }
    const { found } = reveal
    // Of two who are called the same one has another address, and who is there twice is paid for once.
    if (!known && found?.source === 'pattern' && taken.has(found.email_folded)) {
      plan.settled.push({ kind: 'not_found', balance })
      continue
    }
    if (!known && balance < costs.acquire_email) {
      plan.settled.push({ kind: 'insufficient_credits' })
      continue
    }
    reveal.chargeId ??= newId()
    const contact = known ?? newContact(reveal, reveal.chargeId, now())
    const into = list ?? newList(reveal.list, newId)
    if (into && !list) {
      lists.push(into)
      plan.lists.push(into)
    }
    if (!known) {
      balance -= costs.acquire_email
      acquired.set(contact.contact_id, contact)
      taken.add(contact.email_folded)
      plan.contacts.push({ contact, reveal, list: into })
    }
    if (into) {
      plan.entries.push({ id: newId(), list_id: into.id, contact_id: contact.contact_id })
    }
    plan.settled.push({
      kind: 'acquired',
      contact,
      listId: into?.id ?? null,
      creditsCharged: contact.charge_id === reveal.chargeId ? costs.acquire_email : 0,
      balance,
    })
  }
  return plan
}

const findList = (lists: FoundList[], choice: ListChoice | undefined) =>
  choice &&
  lists.find((list) =>
    'id' in choice ? list.id === choice.id : list.name_folded === choice.folded,
  )

function newList(choice: ListChoice | undefined, newId: () => string): FoundList | undefined {
  if (!choice || 'id' in choice) return
  return { id: newId(), name: choice.name, name_folded: choice.folded }
}

function newContact(reveal: Reveal, chargeId: string, at: Date): StoredContact {
  if (!reveal.found) throw new Error('A contact that was acquired is gone.')
  return {
    ...reveal.found,
    contact_id: reveal.contactId,
    charge_id: chargeId,
    timestamp_created: at,
  }
}
