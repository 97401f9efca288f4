import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { CampaignSummary } from '../../api/generated/types.gen.ts'
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx'
import { useWorkspace } from '../users/index.ts'
import classes from './CampaignPage.module.css'

type Shown = Pick<CampaignSummary, 'id' | 'status' | 'sending_status'>

/** A badge, and in words why nothing is sent just now: the server's own reason. */
export function SendingState({ campaign }: { campaign: Shown }) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { id, status, sending_status } = campaign
  const { state, reason, leads_waiting_for_mailbox: waiting } = sending_status
  const { leads_held_back: held, held_back_for } = sending_status
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
      {held > 0 && (
        <Text size="xs" c="var(--amber-text)">
          <Link
            to="/w/$handle/campaigns/$id"
            params={{ handle, id }}
            search={{ tab: 'leads', sending: 'held_back' }}
            className={classes.linkInNotice}
          >
            {t(($) => $.campaigns[held < 1000 ? 'heldBack' : 'heldBackMany'], { count: held })}
          </Link>{' '}
          {held_back_for ?? t(($) => $.campaigns.heldBackRefused)}
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
