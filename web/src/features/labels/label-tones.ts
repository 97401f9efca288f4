import type { Label } from '../../api/generated/types.gen.ts'
import type { Tone } from '../../ui/StateBadge.tsx'

export const sentimentTones: Record<Label['sentiment'], Tone> = {
  positive: 'green',
  neutral: 'gray',
  negative: 'red',
}

/** Red says that a mail has failed or that nobody may write to them: a no is no failure. */
export const statusTones = {
  ...{ new: 'gray', contacted: 'blue', opened: 'cyan', clicked: 'cyan', replied: 'violet' },
  ...{ bounced: 'red', interested: 'green', meeting_booked: 'green', meeting_completed: 'green' },
  ...{ closed: 'green', not_interested: 'gray', lost: 'gray', wrong_person: 'gray' },
  ...{ no_show: 'amber', neutral: 'gray', out_of_office: 'amber', completed: 'gray' },
  unsubscribed: 'red',
} satisfies Record<string, Tone>

export type BuiltinStatus = keyof typeof statusTones

export const isBuiltin = (status: string): status is BuiltinStatus =>
  Object.hasOwn(statusTones, status)
