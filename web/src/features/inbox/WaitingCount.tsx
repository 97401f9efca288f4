import { useQuery } from '@tanstack/react-query'
import { countThreadsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useTellWaiting } from '../../lib/tab-title.ts'
import { snoozePollMs } from './refresh.ts'

/** Tells how many conversations wait, for the title of the tab and the navigation, on whatever page one is. */
export function WaitingCount() {
  const { data } = useQuery({
    ...countThreadsOptions(),
    refetchInterval: (query) => (query.state.data?.snoozed ? snoozePollMs : false),
    // Whoever works in another tab sees the title.
    refetchIntervalInBackground: true,
  })
  useTellWaiting(data?.waiting ?? 0)
  return null
}
