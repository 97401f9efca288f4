import { listCampaignSummariesInfiniteOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import type { CampaignFilter } from './search.ts'

/** The list as it is shown, and as its states are counted: without a state both are one reading. */
export const summariesOptions = ({ status, search }: CampaignFilter) => ({
  ...listCampaignSummariesInfiniteOptions({
    query: { limit: 50, ...(status ? { status } : {}), ...(search ? { search } : {}) },
  }),
  ...keysetPaging,
  // Schedules open and limits end by the clock alone.
  refetchInterval: 60_000,
})
