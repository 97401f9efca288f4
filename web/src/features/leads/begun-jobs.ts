import { type QueryClient, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { getLeadJobQueryKey } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { LeadJob } from '../../api/generated/types.gen.ts'

const queryKey = ['lead jobs begun here']
const none: LeadJob[] = []

/** Changes of many leads that were begun in this tab: whoever comes back to the page can still stop them. */
export function useBegunJobs() {
  const cache = useQueryClient()
  const { data: begun = none } = useQuery<LeadJob[]>({
    ...{ queryKey, queryFn: skipToken, gcTime: Number.POSITIVE_INFINITY },
  })
  const change = (work: (jobs: LeadJob[]) => LeadJob[]) =>
    cache.setQueryData<LeadJob[]>(queryKey, (jobs = none) => work(jobs))
  // What is over was told of.
  useEffect(
    () => () => {
      cache.setQueryData<LeadJob[]>(queryKey, (jobs) => jobs?.filter(isRunning(cache)))
    },
    [cache],
  )
  return {
    begun,
    /** It takes the place of those that are over. */
    begin: (job: LeadJob) => change((jobs) => [...jobs.filter(isRunning(cache)), job]),
    forget: (job: LeadJob) => change((jobs) => jobs.filter(({ id }) => id !== job.id)),
  }
}

const isRunning = (cache: QueryClient) => (job: LeadJob) => {
  const { state } = cache.getQueryData<LeadJob>(getLeadJobQueryKey({ path: { id: job.id } })) ?? job
  return state === 'running'
}
