import type { BuiltinStatus } from '../labels/index.ts'

const oftenSet = [
  ...(['interested', 'meeting_booked', 'meeting_completed', 'closed', 'not_interested'] as const),
] satisfies BuiltinStatus[]
const seldomSet = ['wrong_person', 'lost', 'no_show', 'neutral'] as const satisfies BuiltinStatus[]

/**
 * What a person may say of a lead: the first nine have a key, 1 to 9. The first five keys are the same
 * in each workspace; then come its own labels, and until those are read nobody knows what comes next.
 */
export const labelChoices = (own: string[] | undefined): string[] =>
  own ? [...oftenSet, ...own, ...seldomSet] : [...oftenSet]

export const keysOfLabels = 9

/** What a lead is by itself says nothing in an inbox: everybody there has answered. */
export const isAutomatic = (status: string) =>
  ['new', 'contacted', 'opened', 'clicked', 'replied', 'bounced'].includes(status)
