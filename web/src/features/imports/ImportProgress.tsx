import { Progress, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Import } from '../../api/generated/types.gen.ts'
import { Counts } from './Counts.tsx'

/** How far it is and how fast; it goes on without this page. */
export function ImportProgress({ data }: { data: Import }) {
  const { t } = useTranslation()
  const { state, bytes_done, file_bytes, timestamp_started, timestamp_updated } = data
  const outcome = state === 'checking' ? data.checked : data.result
  // Both by the server's clock.
  const seconds =
    (Date.parse(timestamp_updated) - Date.parse(timestamp_started ?? timestamp_updated)) / 1000
  const rate = outcome && seconds > 0 ? Math.round(outcome.rows / seconds) : undefined
  return (
    <div>
      <Text size="sm" role="status" className="numbers">
        {t(($) => $.imports.under[state === 'checking' ? 'checking' : 'running'])}{' '}
        {rate !== undefined && t(($) => $.imports.rate, { count: rate })}
      </Text>
      <Progress
        value={(100 * bytes_done) / file_bytes}
        my="xs"
        aria-label={t(($) => $.imports.progress)}
      />
      {outcome && <Counts outcome={outcome} isCheck={state === 'checking'} />}
      <Text size="sm" c="dimmed" mt="xs">
        {t(($) => $.imports.mayClose)}
      </Text>
    </div>
  )
}
