import { useTranslation } from 'react-i18next'
import { StateBadge } from '../../ui/StateBadge.tsx'
import { sentimentTones, statusTones, useOwnLabels } from '../labels/index.ts'
import { statuses } from './search.ts'

/** What a lead means to people: a status of ours, or the value of a label. */
export function LeadStatus({ status }: { status: string }) {
  const { t } = useTranslation()
  const known = statuses.find((each) => each === status)
  if (!known) return <OwnLabel value={status} />
  return <StateBadge tone={statusTones[known]}>{t(($) => $.leads.statuses[known])}</StateBadge>
}

// Apart, so that the many rows without a label of somebody's own do not ask for labels.
function OwnLabel({ value }: { value: string }) {
  const label = useOwnLabels().find(value)
  return (
    <StateBadge tone={label ? sentimentTones[label.sentiment] : 'gray'}>
      {label?.name ?? value.replaceAll('_', ' ')}
    </StateBadge>
  )
}
