import type { Label } from '../../api/generated/types.gen.ts'
import type { Tone } from '../../ui/StateBadge.tsx'

export const sentimentTones: Record<Label['sentiment'], Tone> = {
  positive: 'green',
  neutral: 'gray',
  negative: 'red',
}

const automatic = {
  ...{ new: 'gray', contacted: 'blue', opened: 'cyan', clicked: 'cyan', replied: 'violet' },
  bounced: 'red',
} satisfies Record<string, Tone>

/** The statuses that can be set; the first nine of them have a key, in this order. */
const settable = {
  ...{ interested: 'green', meeting_booked: 'green', meeting_completed: 'green', closed: 'green' },
  ...{ not_interested: 'gray', wrong_person: 'gray', lost: 'gray', no_show: 'amber' },
  ...{ neutral: 'gray', out_of_office: 'amber', completed: 'gray' },
} satisfies Record<string, Tone>

/**
 * What a lead is in each workspace, in the order of every list. Red says that a mail has failed or that
 * nobody may write to them: a no is no failure.
 */
export const statusTones = { ...automatic, ...settable, unsubscribed: 'red' } as const

type BuiltinStatus = keyof typeof statusTones

export const statuses = Object.keys(statusTones) as BuiltinStatus[]
/** What a person may say of a lead; the others follow from what happens. */
export const settableStatuses = Object.keys(settable) as (keyof typeof settable)[]

export const isBuiltin = (status: string): status is BuiltinStatus =>
  Object.hasOwn(statusTones, status)

/** What a lead is by itself says nothing in an inbox: everybody there has answered. */
export const isAutomatic = (status: string) => Object.hasOwn(automatic, status)

/** Nobody says these of somebody who has answered. */
const seldom = new Set<string>(['out_of_office', 'completed'])

/**
 * What a person may say of a lead who has answered, and how many of the first have a key, from 1 on. The
 * first five are the same in each workspace; then come its own labels, and until those are read nobody
 * knows which keys they have.
 */
export function labelChoices(own: string[] | undefined): { choices: string[]; keys: number } {
  const ofAll = settableStatuses.filter((status) => !seldom.has(status))
  const choices = [...ofAll.slice(0, 5), ...(own ?? []), ...ofAll.slice(5)]
  return { choices, keys: own ? 9 : 5 }
}
