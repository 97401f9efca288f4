import { useQuery } from '@tanstack/react-query'
import { listMailboxesQueryKey } from '../../api/generated/@tanstack/react-query.gen.ts'
import { listMailboxes } from '../../api/generated/sdk.gen.ts'
import { everyItem } from '../../lib/every-item.ts'

/** Every mailbox, to choose one to send from. */
export function useMailboxes() {
  const { data = [] } = useQuery({
    queryKey: [...listMailboxesQueryKey(), 'every'],
    queryFn: ({ signal }) =>
      everyItem(async (query) => {
        const { data: page } = await listMailboxes({ query, signal, throwOnError: true })
        return page
      }),
  })
  return data
}
