import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { CampaignSummary, HeldBack } from '../../api/generated/types.gen.ts'
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx'
import { useWorkspace } from '../users/index.ts'
import classes from './CampaignPage.module.css'

type Shown = Pick<CampaignSummary, 'id' | 'status' | 'sending_status'>

interface SendingStateProps {
  campaign: Shown
  /** Why leads are held back, where that was asked. */
  heldBack?: HeldBack | undefined
}

/** A badge, and in words why nothing is sent just now: the server's own reason. */
export function SendingState({ campaign, heldBack }: SendingStateProps) {
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
          {heldBack && heldBack.reasons.length > 1 ? (
            <HeldBackBy {...heldBack} />
          ) : held_back_for === null ? (
            t(($) => $.campaigns.heldBackRefused)
          ) : held === 1 || heldBack ? (
            held_back_for
          ) : (
            t(($) => $.campaigns.heldBackFirst, { why: held_back_for })
          )}
        </Text>
      )}
    </>
  )
}

/** How many there are of each reason. */
function HeldBackBy({ leads, reasons }: HeldBack) {
  const { t } = useTranslation()
  const others = reasons.reduce((left, reason) => left - reason.leads, leads)
  const told = reasons.map(({ leads: count, reason, missing }) =>
    missing.length > 0
      ? t(($) => $.campaigns.heldBackBy.lack, { count, names: missing.join(', ') })
      : t(($) => $.campaigns.heldBackBy.reason, { leads: count, why: reason.replace(/\.$/, '') }),
  )
  if (others > 0) told.push(t(($) => $.campaigns.heldBackBy.others, { count: others }))
  const first = leads < 1000 ? '' : `${t(($) => $.campaigns.heldBackBy.many, { count: leads })} `
  return `${first}${told.join('; ')}`
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
