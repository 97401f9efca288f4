import type { Db } from '../../kernel/db/db.ts'
import { findOptedOutContacts } from '../directory/index.ts'
import { isErased } from '../leads/index.ts'
import { findErased } from '../suppression/index.ts'

interface Person {
  contact_id: string
  /** What the directory knows them by. */
  key?: string | undefined
  /** Null where none is known. */
  email_folded: string | null
}

/**
 * The contacts of those whom the workspace may not be shown: they asked to be removed, by whatever is
 * known of them here, or were erased from it.
 */
export async function findUnwilling(
  db: Db,
  workspaceId: string,
  people: Person[],
): Promise<Set<string>> {
  const unwilling = await findOptedOutContacts(db, people)
  const addresses = people.flatMap(({ email_folded }) => email_folded ?? [])
  const erased = addresses.length > 0 ? await findErased(db, workspaceId, addresses) : new Set()
  for (const { contact_id, email_folded } of people) {
    if (email_folded === null) continue
    if (erased.has(email_folded) || isErased({ email_folded })) unwilling.add(contact_id)
  }
  return unwilling
}
