import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CampaignSummary } from '../../api/generated/types.gen.ts'
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx'

type Shown = Pick<CampaignSummary, 'status' | 'sending_status'>

/** A badge, and in words why nothing is sent just now: the server's own reason. */
export function SendingState({ campaign }: { campaign: Shown }) {
  const { t } = useTranslation()
  const { status, sending_status } = campaign
  const { state, reason, leads_waiting_for_mailbox: waiting } = sending_status
  const told = reason === 'paused' && status === 'active' ? 'leadsPaused' : reason
  const why = told !== null && status !== 'draft' ? t(($) => $.campaigns.reasons[told]) : ''
  return (
    <>
      <StateBadge tone={toneOf(campaign)}>
        {state === 'sending'
          ? t(($) => $.campaigns.states.sending)
          : status !== 'active'
            ? t(($) => $.campaigns.statuses[status])
            : reason !== null && passing.has(reason)
              ? t(($) => $.campaigns.states.waiting)
              : t(($) => $.campaigns.states.stuck)}
      </StateBadge>
      {why && (
        <Text size="xs" c="dimmed" mt={2}>
          {why}
        </Text>
      )}
      {waiting > 0 && (
        <Text size="xs" c="var(--amber-text)">
          {t(($) => $.campaigns.waitingForMailbox, { count: waiting })}
        </Text>
      )}
    </>
  )
}

type Reason = NonNullable<CampaignSummary['sending_status']['reason']>

/** What is over by itself. */
const passing = new Set<Reason>([
  'outside_schedule',
  'waiting_for_step_delay',
  'campaign_daily_limit',
  'mailbox_daily_limits',
])

function toneOf({ status, sending_status: { state, reason } }: Shown): Tone {
  if (state === 'sending') return 'green'
  if (status === 'draft' || status === 'completed') return 'gray'
  if (status === 'paused') return 'amber'
  return reason !== null && passing.has(reason) ? 'blue' : 'red'
}
