import { useTranslation } from 'react-i18next'
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx'
import { sentimentTones, useOwnLabels } from '../labels/index.ts'
import { statuses } from './search.ts'

const tones: Record<(typeof statuses)[number], Tone> = {
  ...{ new: 'gray', contacted: 'blue', opened: 'cyan', clicked: 'cyan', replied: 'violet' },
  ...{ bounced: 'red', interested: 'green', meeting_booked: 'green', meeting_completed: 'green' },
  ...{ closed: 'green', not_interested: 'gray', lost: 'gray', wrong_person: 'gray' },
  ...{ no_show: 'amber', neutral: 'gray', out_of_office: 'amber', completed: 'gray' },
  unsubscribed: 'red',
}

/** What a lead means to people: a status of ours, or the value of a label. */
export function LeadStatus({ status }: { status: string }) {
  const { t } = useTranslation()
  const known = statuses.find((each) => each === status)
  if (!known) return <OwnLabel value={status} />
  return <StateBadge tone={tones[known]}>{t(($) => $.leads.statuses[known])}</StateBadge>
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
