import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { WebhookEvent } from '../../api/generated/types.gen.ts'
import type { Column } from '../../ui/DataTable/column.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { StateBadge } from '../../ui/StateBadge.tsx'
import { attemptStateOf, attemptTones } from './attempt-state.ts'
import { ErrorText } from './ErrorText.tsx'
import { TestBadge } from './TestBadge.tsx'
import { useEventNames } from './useEventNames.ts'

export function useLogColumns(isActive: boolean): Column<WebhookEvent>[] {
  const { t } = useTranslation()
  const { nameOf } = useEventNames()
  return useMemo(
    () => [
      {
        id: 'state',
        header: t(($) => $.webhooks.log.state),
        width: 7,
        cell: (attempt) => {
          const state = attemptStateOf(attempt, isActive)
          return (
            <StateBadge tone={attemptTones[state]}>
              {t(($) => $.webhooks.attempt[state])}
            </StateBadge>
          )
        },
      },
      {
        id: 'event',
        header: t(($) => $.webhooks.log.event),
        width: 5.25,
        grow: 2,
        cell: ({ event_type, payload }) => (
          <>
            {nameOf(event_type)} <TestBadge payload={payload} />
          </>
        ),
      },
      {
        id: 'lead',
        header: t(($) => $.webhooks.log.lead),
        width: 10,
        grow: 2,
        isWideOnly: true,
        cell: ({ lead_email }) => lead_email ?? '–',
      },
      {
        id: 'why',
        header: t(($) => $.webhooks.log.answer),
        width: 9,
        grow: 2,
        isWideOnly: true,
        cell: (attempt) =>
          attempt.success ? attempt.status_code : <ErrorText attempt={attempt} />,
      },
      {
        id: 'try',
        header: t(($) => $.webhooks.log.try),
        width: 3.5,
        isNumber: true,
        isWideOnly: true,
        cell: ({ retry_count }) => retry_count + 1,
      },
      {
        id: 'time',
        header: t(($) => $.webhooks.log.duration),
        width: 5,
        isNumber: true,
        isWideOnly: true,
        cell: ({ response_time_ms: ms }) =>
          ms === null ? '–' : t(($) => $.webhooks.log.ms, { count: ms }),
      },
      {
        id: 'when',
        header: t(($) => $.webhooks.log.when),
        width: 5,
        isNumber: true,
        cell: ({ timestamp_created }) => <RelativeTime at={timestamp_created} />,
      },
    ],
    [t, nameOf, isActive],
  )
}
