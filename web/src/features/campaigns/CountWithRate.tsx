import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { numberText } from '../../lib/number.ts'
import classes from './CampaignRow.module.css'
import { percent } from './percent.ts'

/** A count and its part of those contacted; without anybody contacted there is no rate. */
export function CountWithRate({ count, of }: { count: number; of: number }) {
  const { t } = useTranslation()
  if (of === 0) return <span className="numbers">{count === 0 ? '–' : numberText(count)}</span>
  const rate = percent.format(count / of)
  return (
    <span
      className="numbers"
      title={t(($) => $.campaigns.perContacted, { share: rate, count: of })}
    >
      {numberText(count)}{' '}
      <Text span size="xs" c="dimmed" className={classes.rate}>
        {rate}
      </Text>
    </span>
  )
}
