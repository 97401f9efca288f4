import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** A count and its part of those contacted; without anybody contacted there is no rate. */
export function Share({ count, of }: { count: number; of: number }) {
  const { t } = useTranslation()
  if (of === 0) return <span className="numbers">{count.toLocaleString('en')}</span>
  const share = percent.format(count / of)
  return (
    <span className="numbers" title={t(($) => $.campaigns.perContacted, { share, count: of })}>
      {count.toLocaleString('en')}{' '}
      <Text span size="xs" c="dimmed">
        {share}
      </Text>
    </span>
  )
}
