import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './CampaignRow.module.css'

const number = new Intl.NumberFormat('en')
// Below each other they have their points in a line.
const percent = new Intl.NumberFormat('en', {
  ...{ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 },
})

/** A count and its part of those contacted; without anybody contacted there is no rate. */
export function Share({ count, of }: { count: number; of: number }) {
  const { t } = useTranslation()
  if (of === 0) return <span className="numbers">{count === 0 ? '–' : number.format(count)}</span>
  const share = percent.format(count / of)
  return (
    <span className="numbers" title={t(($) => $.campaigns.perContacted, { share, count: of })}>
      {number.format(count)}{' '}
      <Text span size="xs" c="dimmed" className={classes.share}>
        {share}
      </Text>
    </span>
  )
}
