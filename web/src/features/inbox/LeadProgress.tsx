import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { getLeadOverviewOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Lead } from '../../api/generated/types.gen.ts'
import { NextMail } from '../leads/index.ts'

/** Where the lead is in the sequence, and what comes next. */
export function LeadProgress({ lead, campaignName }: { lead: Lead; campaignName: string | null }) {
  const { t } = useTranslation()
  const { id, current_step, sending_state, timestamp_next_send } = lead
  const { data: overview } = useQuery(getLeadOverviewOptions({ path: { id } }))
  const after = overview
    ? t(($) => $.inbox.lead.stepOf, { step: overview.step, steps: overview.steps_total })
    : t(($) => $.inbox.lead.step, { step: current_step })
  const isGoingOn = sending_state === 'active' || sending_state === 'pending'
  const isDue = isGoingOn && overview?.reasons.length === 0
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
