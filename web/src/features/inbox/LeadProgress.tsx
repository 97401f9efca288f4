import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { getCampaignOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Lead } from '../../api/generated/types.gen.ts'
import { NextMail } from '../leads/index.ts'

/** Where the lead is in the sequence, and what comes next. */
export function LeadProgress({ lead, campaignName }: { lead: Lead; campaignName: string | null }) {
  const { t } = useTranslation()
  const { campaign_id, current_step, sending_state, timestamp_next_send } = lead
  const campaign = useQuery(getCampaignOptions({ path: { id: campaign_id } }))
  const steps = campaign.data?.sequences[0]?.steps.length
  const after =
    steps === undefined
      ? t(($) => $.inbox.lead.step, { step: current_step })
      : t(($) => $.inbox.lead.stepOf, { step: current_step, steps })
  const isGoingOn = sending_state === 'active' || sending_state === 'pending'
  const isDue = isGoingOn && campaign.data?.status === 'active'
  return (
    <div>
      <Text size="xs" c="dimmed">
        {t(($) => $.inbox.lead.campaign)}
      </Text>
      <Text size="sm">{campaignName ?? t(($) => $.inbox.lead.noCampaign)}</Text>
      {current_step > 0 && <Text size="sm">{after}</Text>}
      <Text size="sm">{t(($) => $.inbox.lead.states[sending_state])}</Text>
      {isDue && timestamp_next_send && (
        <Text size="sm">
          {t(($) => $.inbox.lead.next)} <NextMail at={timestamp_next_send} />
        </Text>
      )}
    </div>
  )
}
