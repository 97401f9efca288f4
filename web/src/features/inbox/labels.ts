import type texts from '../../texts/en.json'
import type { Tone } from '../../ui/StateBadge.tsx'

type LabelText = keyof typeof texts.inbox.labels

/** What a person may say of a lead, in the order of their keys, 1 to 9. */
export const labelChoices = [
  'interested',
  'meeting_booked',
  'meeting_completed',
  'closed',
  'not_interested',
  'wrong_person',
  'lost',
  'no_show',
  'neutral',
] as const satisfies LabelText[]

const tones: Record<string, Tone> = {
  ...{ interested: 'green', meeting_booked: 'green', meeting_completed: 'green', closed: 'green' },
  ...{ replied: 'violet', contacted: 'blue', opened: 'cyan', clicked: 'cyan' },
  ...{ out_of_office: 'amber', paused: 'amber', no_show: 'amber' },
  ...{
    bounced: 'red',
    unsubscribed: 'red',
    not_interested: 'red',
    lost: 'red',
    wrong_person: 'red',
  },
}

/** What a lead is by itself says nothing in an inbox: everybody there has answered. */
export const isAutomatic = (status: string) =>
  ['new', 'contacted', 'opened', 'clicked', 'replied', 'bounced'].includes(status)

/** A label that somebody made has none of its own. */
export const toneOf = (status: string): Tone => tones[status] ?? 'gray'

export const isKnownLabel = (status: string, known: object): status is LabelText =>
  Object.hasOwn(known, status)
