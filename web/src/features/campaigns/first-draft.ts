import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { listMailboxesOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { CampaignInput } from '../../api/generated/types.gen.ts'
import { newSchedule } from './schedule/weekly-schedules.ts'

type Steps = NonNullable<CampaignInput['sequences']>

/** A single step, ready to be written. */
export const oneMail: Steps = [{ steps: [{ variants: [{ subject: '', body: '' }] }] }]

/** What a new campaign begins with: office hours where somebody is, and the mailbox if there is one only. */
export function useFirstDraft() {
  const { t } = useTranslation()
  const { data } = useQuery(listMailboxesOptions({ query: { limit: 2 } }))
  const email_list = data?.items.length === 1 ? data.items.map(({ address }) => address) : []
  const scheduleName = t(($) => $.campaigns.schedule.newName, { number: 1 })
  return (name: string, sequences: Steps = oneMail): CampaignInput => ({
    ...{ name, sequences, email_list },
    campaign_schedule: { schedules: [newSchedule(undefined, scheduleName)] },
  })
}
