import { useQuery } from '@tanstack/react-query'
import { countThreadsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useCountInTitle } from '../../lib/tab-title.ts'
import { snoozeMs } from './refresh.ts'

/** How many conversations wait, in the title of the tab, on whatever page one is. */
export function InboxTitle() {
  const { data } = useQuery({
    ...countThreadsOptions(),
    refetchInterval: (query) => (query.state.data?.snoozed ? snoozeMs : false),
    // Whoever works in another tab sees the title.
    refetchIntervalInBackground: true,
  })
  useCountInTitle(data?.waiting ?? 0)
  return null
}
