import type texts from '../../texts/en.json'
import type { Tone } from '../../ui/StateBadge.tsx'
import { statusTones } from '../labels/index.ts'

type LabelText = keyof typeof texts.inbox.labels

const oftenSet = [
  ...(['interested', 'meeting_booked', 'meeting_completed', 'closed', 'not_interested'] as const),
] satisfies LabelText[]
const seldomSet = ['wrong_person', 'lost', 'no_show', 'neutral'] as const satisfies LabelText[]

/**
 * What a person may say of a lead: the first nine have a key, 1 to 9. The first five keys are the same
 * in each workspace; then come its own labels, and until those are read nobody knows what comes next.
 */
export const labelChoices = (own: string[] | undefined): string[] =>
  own ? [...oftenSet, ...own, ...seldomSet] : [...oftenSet]

export const keysOfLabels = 9

const tones: Partial<Record<string, Tone>> = statusTones

/** What a lead is by itself says nothing in an inbox: everybody there has answered. */
export const isAutomatic = (status: string) =>
  ['new', 'contacted', 'opened', 'clicked', 'replied', 'bounced'].includes(status)

/** None, where somebody made the label. */
export const toneOf = (status: string): Tone | undefined => tones[status]

export const isKnownLabel = (status: string, known: object): status is LabelText =>
  Object.hasOwn(known, status)
