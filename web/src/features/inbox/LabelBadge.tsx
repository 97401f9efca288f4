import { StateBadge } from '../../ui/StateBadge.tsx'
import { toneOf } from './labels.ts'
import { useLabelName } from './useLabelName.ts'

/** What the lead is to people, in a word. */
export function LabelBadge({ status }: { status: string }) {
  const nameOf = useLabelName()
  return <StateBadge tone={toneOf(status)}>{nameOf(status)}</StateBadge>
}
