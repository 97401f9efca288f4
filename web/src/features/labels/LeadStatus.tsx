import { useTranslation } from 'react-i18next'
import { StateBadge } from '../../ui/StateBadge.tsx'
import { isBuiltin, sentimentTones, statusTones } from './statuses.ts'
import { useOwnLabels } from './useOwnLabels.ts'
import { withSpaces } from './useStatusName.ts'

/** What a lead means to people: a status of ours, or the value of a label. */
export function LeadStatus({ status }: { status: string }) {
  const { t } = useTranslation()
  if (!isBuiltin(status)) return <OwnLabel value={status} />
  return <StateBadge tone={statusTones[status]}>{t(($) => $.labels.statuses[status])}</StateBadge>
}

// Apart, so that the many rows without a label of somebody's own do not ask for labels.
function OwnLabel({ value }: { value: string }) {
  const label = useOwnLabels().find(value)
  return (
    <StateBadge tone={label ? sentimentTones[label.sentiment] : 'gray'}>
      {label?.name ?? withSpaces(value)}
    </StateBadge>
  )
}
