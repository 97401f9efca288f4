import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { listCampaignNamesOptions } from '../../api/generated/@tanstack/react-query.gen.ts'

/** Every campaign by its id, to be named and chosen. */
export function useCampaigns(): ReadonlyMap<string, string> {
  const { data } = useQuery(listCampaignNamesOptions())
  return useMemo(() => new Map(data?.items.map(({ id, name }) => [id, name])), [data])
}
