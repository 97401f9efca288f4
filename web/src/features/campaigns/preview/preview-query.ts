import { queryOptions } from '@tanstack/react-query'
import type { Fault } from '../../../api/fault.ts'
import { previewMail } from '../../../api/generated/sdk.gen.ts'
import type { Campaign, MailPreview } from '../../../api/generated/types.gen.ts'
import { toBody } from '../draft-store.ts'

interface Asked {
  lead: string | undefined
  step: number
  variant: number | undefined
}

/** What of the campaign decides how its mails look. */
export const draftOf = (campaign: Campaign) =>
  toBody({
    sequences: campaign.sequences,
    text_only: campaign.text_only,
    first_email_text_only: campaign.first_email_text_only,
    insert_unsubscribe_header: campaign.insert_unsubscribe_header,
    cc_list: campaign.cc_list,
    bcc_list: campaign.bcc_list,
  })

/** @param isSaved then the server's own record is what is looked at */
export const previewQuery = (
  campaign: Campaign,
  { lead, step, variant }: Asked,
  isSaved: boolean,
) =>
  queryOptions<MailPreview, Fault>({
    queryKey: ['preview', campaign.id, lead, step, variant, isSaved, draftOf(campaign)],
    queryFn: async ({ signal }) => {
      const body = {
        ...{ lead_id: lead ?? '', step },
        ...(variant === undefined ? {} : { variant }),
        ...(isSaved ? {} : { draft: draftOf(campaign) }),
      }
      const path = { id: campaign.id }
      return (await previewMail({ path, body, signal, throwOnError: true })).data
    },
  })
