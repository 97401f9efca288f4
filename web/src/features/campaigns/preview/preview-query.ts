import { queryOptions } from '@tanstack/react-query'
import type { Fault } from '../../../api/fault.ts'
import { previewMail } from '../../../api/generated/sdk.gen.ts'
import type { MailPreview } from '../../../api/generated/types.gen.ts'
import type { DraftState } from '../campaign-draft.ts'
import { toBody } from '../edits.ts'

interface Asked {
  lead: string | undefined
  step: number
  variant: number | undefined
}

type Draft = Pick<DraftState, 'campaign' | 'base' | 'saving'>

/** What of the campaign decides how its mails look. */
export const draftOf = ({ campaign, base }: Draft) =>
  toBody(
    {
      sequences: campaign.sequences,
      text_only: campaign.text_only,
      first_email_text_only: campaign.first_email_text_only,
      insert_unsubscribe_header: campaign.insert_unsubscribe_header,
      cc_list: campaign.cc_list,
      bcc_list: campaign.bcc_list,
    },
    base,
  )

/** Once all is saved, the server's own record is what is looked at. */
export const previewQuery = (draft: Draft, { lead, step, variant }: Asked) => {
  const { id, timestamp_updated } = draft.base
  const isSaved = draft.saving === 'saved'
  const asked = [lead, step, variant, isSaved, timestamp_updated, draftOf(draft)]
  return queryOptions<MailPreview, Fault>({
    // Found by what reads operations again.
    queryKey: [{ _id: 'previewMail' }, id, ...asked],
    queryFn: async ({ signal }) => {
      const body = {
        ...{ lead_id: lead ?? '', step },
        ...(variant === undefined ? {} : { variant }),
        ...(isSaved ? {} : { draft: draftOf(draft) }),
      }
      return (await previewMail({ path: { id }, body, signal })).data
    },
    // The lead and the mailbox may be others by now.
    staleTime: 0,
  })
}
