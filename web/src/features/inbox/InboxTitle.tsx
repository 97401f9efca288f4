import { useQuery } from '@tanstack/react-query'
import { countThreadsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useCountInTitle } from '../../lib/tab-title.ts'

/** How many conversations wait, in the title of the tab, on whatever page one is. */
export default function InboxTitle() {
  useCountInTitle(useQuery(countThreadsOptions()).data?.waiting ?? 0)
  return null
}
