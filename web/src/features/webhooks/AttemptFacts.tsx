import { Code, Title } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { WebhookEvent } from '../../api/generated/types.gen.ts'
import { exactTime } from '../../lib/time.ts'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { MailAddress } from '../../ui/MailAddress.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { StateBadge } from '../../ui/StateBadge.tsx'
import classes from './AttemptFacts.module.css'
import { attemptStateOf, attemptTones } from './attempt-state.ts'
import { ErrorText } from './ErrorText.tsx'
import { TestBadge } from './TestBadge.tsx'

interface AttemptFactsProps {
  attempt: WebhookEvent
  /** Of its webhook. */
  isActive: boolean
}

/** How an attempt went, and what its receiver answered. */
export function AttemptFacts({ attempt, isActive }: AttemptFactsProps) {
  const { t } = useTranslation()
  const state = attemptStateOf(attempt, isActive)
  const { status_code, response_time_ms, timestamp_next_retry, response_body } = attempt
  const facts: [label: string, value: ReactNode][] = [
    [
      t(($) => $.webhooks.log.state),
      <Fragment key="state">
        <StateBadge tone={attemptTones[state]}>{t(($) => $.webhooks.attempt[state])}</StateBadge>{' '}
        <TestBadge payload={attempt.payload} />
      </Fragment>,
    ],
    ...(!attempt.success
      ? [
          fact(
            t(($) => $.webhooks.panel.why),
            <ErrorText attempt={attempt} />,
          ),
        ]
      : []),
    fact(
      t(($) => $.webhooks.panel.at),
      exactTime(attempt.timestamp_created),
    ),
    fact(
      t(($) => $.webhooks.panel.took),
      response_time_ms === null
        ? t(($) => $.webhooks.panel.notSent)
        : t(($) => $.webhooks.log.ms, { count: response_time_ms }),
    ),
    fact(
      t(($) => $.webhooks.log.try),
      attempt.retry_count + 1,
    ),
    ...(state === 'retrying' && timestamp_next_retry !== null
      ? [
          fact(
            t(($) => $.webhooks.panel.next),
            <RelativeTime at={timestamp_next_retry} isAhead />,
          ),
        ]
      : []),
    ...(state === 'waiting'
      ? [
          fact(
            t(($) => $.webhooks.panel.next),
            t(($) => $.webhooks.panel.onceResumed),
          ),
        ]
      : []),
    ...(attempt.lead_email
      ? [
          fact(
            t(($) => $.webhooks.log.lead),
            <MailAddress value={attempt.lead_email} />,
          ),
        ]
      : []),
    fact(
      t(($) => $.webhooks.panel.event),
      <Code>{attempt.event_id}</Code>,
    ),
  ]
  return (
    <>
      <dl className={classes.facts}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Title order={3} mt="lg" mb="xs">
        {t(($) => $.webhooks.panel.response)}
        {status_code !== null && ` ${status_code}`}
      </Title>
      {response_body ? (
        <CodeBlock label={t(($) => $.webhooks.panel.response)}>{response_body}</CodeBlock>
      ) : (
        <p className={classes.nothing}>{t(($) => $.webhooks.panel.noBody)}</p>
      )}
    </>
  )
}

const fact = (label: string, value: ReactNode): [string, ReactNode] => [label, value]
