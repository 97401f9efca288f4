import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { listCampaignsQueryKey } from '../../api/generated/@tanstack/react-query.gen.ts'
import { listCampaigns } from '../../api/generated/sdk.gen.ts'
import { everyItem } from '../../lib/every-item.ts'

/** Every campaign by its id, to be named and chosen. */
export function useCampaigns(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: [...listCampaignsQueryKey(), 'names'],
    queryFn: ({ signal }) =>
      everyItem(async (query) => {
        const { data: page } = await listCampaigns({ query, signal, throwOnError: true })
        return page
      }),
  })
  return useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data])
}
