import type { QueryClient } from '@tanstack/react-query'
import {
  getAcquisitionBalanceQueryKey,
  listAcquireListsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { acquireEmail } from '../../api/generated/sdk.gen.ts'
import type { AcquiredEmail } from '../../api/generated/types.gen.ts'

export const addressKey = (contactId: string) => ['address of contact', contactId]

interface Wanted {
  contactId: string
  /** By its name; it is made when there is none. */
  list: string
  headers?: Record<string, string>
}

/** Asks for an address, and keeps the answer beside the contact. */
export async function reveal(
  cache: QueryClient,
  { contactId, list, headers = {} }: Wanted,
): Promise<AcquiredEmail> {
  const body = { contact_id: contactId, ...(list.trim() === '' ? {} : { list_name: list.trim() }) }
  const { data } = await acquireEmail({ body, headers })
  cache.setQueryData(addressKey(contactId), data)
  void cache.invalidateQueries({ queryKey: getAcquisitionBalanceQueryKey() })
  void cache.invalidateQueries({ queryKey: listAcquireListsQueryKey() })
  return data
}
