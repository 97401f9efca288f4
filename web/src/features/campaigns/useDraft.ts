import { notifications } from '@mantine/notifications'
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Campaign } from '../../api/generated/types.gen.ts'
import { named } from '../../lib/text.ts'
import { showUndo, undoMs } from '../../ui/showUndo.tsx'
import type { CampaignDraft } from './campaign-draft.ts'
import type { Edits } from './edits.ts'
import type { UncommittedInput } from './uncommitted-input.ts'
import { useFieldLabels, useInWords } from './useFieldName.ts'

interface Shared {
  draft: CampaignDraft
  uncommitted: UncommittedInput
  mayChange: boolean
}

export const DraftContext = createContext<Shared | undefined>(undefined)

/** The campaign of the page as it is being written. */
export function useDraft() {
  const shared = useContext(DraftContext)
  if (!shared) throw new Error('There is no campaign around this.')
  const { draft, uncommitted, mayChange } = shared
  const {
    campaign,
    base,
    saving,
    fault: refusal,
    conflicts,
  } = useSyncExternalStore(draft.subscribe, draft.state)
  const inWords = useInWords()
  const labelsOf = useFieldLabels()
  const fault = refusal && inWords(refusal, campaign)
  const isUncommitted = useSyncExternalStore(uncommitted.subscribe, uncommitted.isPending)
  return {
    ...{ campaign, base, fault, conflicts, mayChange, uncommitted },
    saving: isUncommitted && saving === 'saved' ? 'unsaved' : saving,
    ...{ set: draft.set, hold: draft.hold, resolve: draft.resolve, keyOf: draft.keyOf },
    flush() {
      uncommitted.commit()
      return draft.flush()
    },
    /** What was changed just now is saved once it cannot be undone any more. */
    offerUndo(text: string, back: (mine: Campaign, saved: Campaign) => Edits) {
      const release = draft.hold(undoMs, () => notifications.hide(notice))
      const notice = showUndo(text, () => draft.undo(back), release)
    },
    /** As it is at this moment, for what happens after the page was drawn. */
    now: () => draft.state().campaign,
    /** What the server says is wrong at a place, given as a JSON pointer; who reads it there sees which it is. */
    problemAt(path: string) {
      const problem = refusal?.details?.find((detail) => detail.path === path)
      return problem && named(problem, labelsOf(path, campaign).at(-1) ?? '')
    },
  }
}
