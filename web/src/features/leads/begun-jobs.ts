import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import {
  getLeadJobQueryKey,
  listLeadJobsOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { LeadJob } from '../../api/generated/types.gen.ts'
import { readStored, writeStored } from '../../lib/browser-storage.ts'
import { isAtLeast, useSignedIn, useWorkspace } from '../users/index.ts'

const queryKey = ['lead jobs told of']
const none: LeadJob[] = []
const listedMax = 20

/**
 * Changes of many leads to tell of: those begun in this tab, all that are under way, which whoever comes
 * back to the page can stop, and the person's own that failed, until they are closed.
 */
export function useBegunJobs() {
  const cache = useQueryClient()
  const { user } = useSignedIn()
  const { role } = useWorkspace()
  const { data: begun = none } = useQuery<LeadJob[]>({
    ...{ queryKey, queryFn: skipToken, gcTime: Number.POSITIVE_INFINITY },
  })
  const { data: listed } = useQuery({
    ...listLeadJobsOptions({ query: { limit: listedMax } }),
    enabled: isAtLeast(role, 'member'),
  })
  const change = useCallback(
    (work: (jobs: LeadJob[]) => LeadJob[]) =>
      cache.setQueryData<LeadJob[]>(queryKey, (jobs = none) => work(jobs)),
    [cache],
  )
  /** A list that was read before may tell of a job that is over meanwhile. */
  const stateOf = useCallback(
    (job: LeadJob) =>
      (cache.getQueryData<LeadJob>(getLeadJobQueryKey({ path: { id: job.id } })) ?? job).state,
    [cache],
  )
  const userId = user?.id
  useEffect(() => {
    const closed = readClosed()
    const told = (listed?.items ?? []).filter((job) => {
      const state = stateOf(job)
      if (closed.includes(markOf(job, state))) return false
      return state === 'running' || (state === 'failed' && job.user_id === userId)
    })
    change((jobs) => [...jobs, ...told.filter(({ id }) => jobs.every((job) => job.id !== id))])
  }, [listed, userId, change, stateOf])
  // What is over was told of.
  useEffect(
    () => () => void change((jobs) => jobs.filter((job) => stateOf(job) === 'running')),
    [change, stateOf],
  )
  return {
    begun,
    /** It takes the place of those that are over. */
    begin: (job: LeadJob) =>
      change((jobs) => [
        ...jobs.filter((each) => each.id !== job.id && stateOf(each) === 'running'),
        job,
      ]),
    forget(job: LeadJob) {
      keepClosed(markOf(job, stateOf(job)))
      change((jobs) => jobs.filter(({ id }) => id !== job.id))
    },
  }
}

/** One that was closed while it was under way is told of again when it fails. */
const markOf = ({ id }: LeadJob, state: LeadJob['state']) => `${id} ${state}`

const closedName = 'outrider-lead-jobs-closed'

const readClosed = () => readStored(closedName)?.split(',') ?? []

/** As many as are listed, and as many again of other workspaces. */
const keepClosed = (mark: string) =>
  writeStored(closedName, [mark, ...readClosed()].slice(0, 2 * listedMax).join())
