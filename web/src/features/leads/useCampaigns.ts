import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { listCampaignsQueryKey } from '../../api/generated/@tanstack/react-query.gen.ts'
import { listCampaigns } from '../../api/generated/sdk.gen.ts'

/** Every campaign by its id, to be named and chosen. */
export function useCampaigns(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: [...listCampaignsQueryKey(), 'names'],
    queryFn: async ({ signal }) => {
      const found: [string, string][] = []
      let starting_after: string | undefined
      do {
        const query = { limit: 100, ...(starting_after ? { starting_after } : {}) }
        const { data: page } = await listCampaigns({ query, signal, throwOnError: true })
        for (const { id, name } of page.items) found.push([id, name])
        starting_after = page.next_starting_after
      } while (starting_after && found.length < 2000)
      return found
    },
  })
  return useMemo(() => new Map(data), [data])
}
