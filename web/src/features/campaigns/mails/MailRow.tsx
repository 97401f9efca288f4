import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Send } from '../../../api/generated/types.gen.ts'
import { MailAddress } from '../../../ui/MailAddress.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { StateBadge, type Tone } from '../../../ui/StateBadge.tsx'
import { letterOf } from '../steps/edit-steps.ts'
import { useDraft } from '../useDraft.ts'
import { DecideUncertain } from './DecideUncertain.tsx'

const tones: Record<Send['state'], Tone> = {
  claimed: 'blue',
  transmitting: 'blue',
  sent: 'green',
  failed: 'red',
  waiting: 'gray',
  uncertain: 'amber',
}

export function MailRow({ mail }: { mail: Send }) {
  const { t } = useTranslation()
  const { mayChange } = useDraft()
  const { state, step, variant, attempt, error_message } = mail
  const decision = state === 'uncertain' && mayChange && (
    <DecideUncertain id={mail.id} name={mail.lead_email ?? ''} />
  )
  return (
    <tr>
      <th scope="row">
        {mail.lead_email ? (
          <MailAddress value={mail.lead_email} />
        ) : (
          t(($) => $.campaigns.mails.erased)
        )}
        <Text size="xs" c="dimmed" fw={400} lineClamp={1}>
          {mail.subject}
        </Text>
      </th>
      <td className="wide-only">
        {variant !== null && t(($) => $.campaigns.mails.step, { step, variant: letterOf(variant) })}
      </td>
      <td className="wide-only">
        {mail.mailbox ? <MailAddress value={mail.mailbox} /> : t(($) => $.campaigns.mails.removed)}
      </td>
      <td>
        <StateBadge tone={tones[state]}>{t(($) => $.campaigns.mails.states[state])}</StateBadge>
        {mail.bounced && state === 'sent' && (
          <>
            {' '}
            <StateBadge tone="red">{t(($) => $.campaigns.mails.bounced)}</StateBadge>
          </>
        )}
        {attempt > 1 && (
          <Text size="xs" c="dimmed">
            {t(($) => $.campaigns.mails.attempt, { attempt })}
          </Text>
        )}
        {error_message && (
          <Text size="xs" c="dimmed" maw="22rem">
            {error_message}
          </Text>
        )}
        {decision && <div className="narrow-only">{decision}</div>}
      </td>
      <td className="end wide-only">
        <RelativeTime at={mail.timestamp_settled ?? mail.timestamp_claimed} />
      </td>
      <td className="end wide-only">{decision}</td>
    </tr>
  )
}
