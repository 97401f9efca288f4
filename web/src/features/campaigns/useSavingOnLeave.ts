import { notifications } from '@mantine/notifications'
import { useBlocker } from '@tanstack/react-router'
import { useRef } from 'react'
import { briefly } from '../../lib/briefly.ts'
import type { CampaignDraft } from './campaign-draft.ts'
import { sentencesOf } from './save-accepted.ts'
import type { UncommittedInput } from './uncommitted-input.ts'
import { useInWords } from './useFieldName.ts'

/** What is typed is in the browser already; leaving only hurries it to the server. */
export function useSavingOnLeave(draft: CampaignDraft, uncommitted: UncommittedInput, id: string) {
  const inWords = useInWords()
  const toldOf = useRef<string>(undefined)
  useBlocker({
    shouldBlockFn: async ({ next }) => {
      if (next.pathname.endsWith(id)) return false
      uncommitted.commit()
      // What hangs goes on behind, as what the server was too busy for does.
      await briefly(draft.flush())
      const { saving, fault, campaign } = draft.state()
      if (saving === 'conflict') return true
      // What has to be written otherwise is told once; whoever leaves again knows.
      if (saving !== 'refused' || fault?.statusCode !== 400) return false
      const sentences = sentencesOf(inWords(fault, campaign))
      const all = sentences.join(' ')
      const isTold = toldOf.current === all
      toldOf.current = all
      if (!isTold) for (const message of sentences) notifications.show({ color: 'red', message })
      return !isTold
    },
    enableBeforeUnload: () => uncommitted.isPending() || draft.state().saving !== 'saved',
  })
}
