import { useQuery } from '@tanstack/react-query'
import { listMailboxesQueryKey } from '../../api/generated/@tanstack/react-query.gen.ts'
import { listMailboxes } from '../../api/generated/sdk.gen.ts'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { everyItem } from '../../lib/every-item.ts'
import { useNotRead } from '../../lib/useNotRead.ts'

const none: Mailbox[] = []

/** Every mailbox, to choose one to send from. */
export function useMailboxes() {
  const query = useQuery({
    queryKey: [...listMailboxesQueryKey(), 'every'],
    queryFn: ({ signal }) => everyItem(listMailboxes, signal),
  })
  return { mailboxes: query.data ?? none, query, notRead: useNotRead(query) }
}
