import { createContext, useContext, useSyncExternalStore } from 'react'
import type { CampaignDraft } from './draft-store.ts'

export const DraftContext = createContext<{ draft: CampaignDraft; mayChange: boolean } | undefined>(
  undefined,
)

/** The campaign of the page as it is being written. */
export function useDraft() {
  const shared = useContext(DraftContext)
  if (!shared) throw new Error('There is no campaign around this.')
  const { draft, mayChange } = shared
  const { campaign, base, saving, fault, conflicts } = useSyncExternalStore(
    draft.subscribe,
    draft.state,
  )
  return {
    ...{ campaign, base, saving, fault, conflicts, mayChange },
    ...{ set: draft.set, flush: draft.flush, resolve: draft.resolve, keyOf: draft.keyOf },
    /** As it is at this moment, for what happens after the page was drawn. */
    now: () => draft.state().campaign,
    /** What the server says is wrong at a place, given as a JSON pointer. */
    problemAt: (path: string) =>
      fault?.details?.find((detail) => detail.path === path)?.message ?? undefined,
  }
}
