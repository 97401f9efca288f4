import { StateBadge } from '../../ui/StateBadge.tsx'
import { sentimentTones, useOwnLabels } from '../labels/index.ts'
import { toneOf } from './labels.ts'
import { useLabelName } from './useLabelName.ts'

/** What the lead is to people, in a word. */
export function LabelBadge({ status }: { status: string }) {
  const nameOf = useLabelName()
  const own = useOwnLabels().find(status)
  const tone = toneOf(status) ?? (own ? sentimentTones[own.sentiment] : 'gray')
  return <StateBadge tone={tone}>{nameOf(status)}</StateBadge>
}
