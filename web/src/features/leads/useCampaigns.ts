import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { listCampaignNamesOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useNotRead } from '../../lib/useNotRead.ts'

/** Every campaign by its id, to be named and chosen. */
export function useCampaigns() {
  const query = useQuery(listCampaignNamesOptions())
  const { data } = query
  const campaigns: ReadonlyMap<string, string> = useMemo(
    () => new Map(data?.items.map(({ id, name }) => [id, name])),
    [data],
  )
  return { campaigns, query, notRead: useNotRead(query) }
}

/** Campaigns that write to nobody until somebody starts them. */
export function useIdleCampaigns(): ReadonlySet<string> {
  const { data } = useQuery(listCampaignNamesOptions())
  return useMemo(() => {
    const idle = data?.items.filter(({ status }) => status !== 'active') ?? []
    return new Set(idle.map(({ id }) => id))
  }, [data])
}
