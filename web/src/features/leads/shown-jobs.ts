import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import {
  getLeadJobQueryKey,
  listLeadJobsOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { LeadJob } from '../../api/generated/types.gen.ts'
import { readStored, writeStored } from '../../lib/browser-storage.ts'
import { useMay, useSignedIn } from '../users/index.ts'

const queryKey = ['shown lead jobs']
const none: LeadJob[] = []
const listedMax = 20

/**
 * Jobs that the page shows: those started in this tab, all that are running, so that anybody can stop them,
 * and the person's own failed ones until they are closed.
 */
export function useShownJobs() {
  const cache = useQueryClient()
  const { user } = useSignedIn()
  const mayChange = useMay('member')
  const { data: jobs = none } = useQuery<LeadJob[]>({
    ...{ queryKey, queryFn: skipToken, gcTime: Number.POSITIVE_INFINITY },
  })
  const { data: listed } = useQuery({
    ...listLeadJobsOptions({ query: { limit: listedMax } }),
    enabled: mayChange,
  })
  const change = useCallback(
    (work: (shown: LeadJob[]) => LeadJob[]) =>
      cache.setQueryData<LeadJob[]>(queryKey, (shown = none) => work(shown)),
    [cache],
  )
  /** A list that was read before may have a job as running that is over meanwhile. */
  const stateOf = useCallback(
    (job: LeadJob) =>
      (cache.getQueryData<LeadJob>(getLeadJobQueryKey({ path: { id: job.id } })) ?? job).state,
    [cache],
  )
  const userId = user?.id
  useEffect(() => {
    const closed = readClosed()
    const toShow = (listed?.items ?? []).filter((job) => {
      const state = stateOf(job)
      if (closed.includes(closedKeyOf(job, state))) return false
      return state === 'running' || (state === 'failed' && job.user_id === userId)
    })
    change((shown) => [...shown, ...toShow.filter(({ id }) => shown.every((job) => job.id !== id))])
  }, [listed, userId, change, stateOf])
  // What is over was shown.
  useEffect(
    () => () => void change((shown) => shown.filter((job) => stateOf(job) === 'running')),
    [change, stateOf],
  )
  return {
    jobs,
    /** In place of those that are over. */
    show: (job: LeadJob) =>
      change((shown) => [
        ...shown.filter((each) => each.id !== job.id && stateOf(each) === 'running'),
        job,
      ]),
    close(job: LeadJob) {
      keepClosed(closedKeyOf(job, stateOf(job)))
      change((shown) => shown.filter(({ id }) => id !== job.id))
    },
  }
}

/** One that was closed while it was under way is shown again when it fails. */
const closedKeyOf = ({ id }: LeadJob, state: LeadJob['state']) => `${id} ${state}`

const closedName = 'outrider-lead-jobs-closed'

const readClosed = () => readStored(closedName)?.split(',') ?? []

/** As many as are listed, and as many again of other workspaces. */
const keepClosed = (key: string) =>
  writeStored(closedName, [key, ...readClosed()].slice(0, 2 * listedMax).join())
