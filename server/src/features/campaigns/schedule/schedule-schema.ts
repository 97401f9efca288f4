import { type Static, Type } from 'typebox'
import { Name } from '../../../kernel/http/schema.ts'

const day = (description: string) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    'x-form': 'a date as YYYY-MM-DD',
    default: null,
    description: `${description} \`YYYY-MM-DD\`, inclusive, in each schedule's own zone; null: no bound.`,
  })

const weekday = (name: string) => Type.Boolean({ default: false, description: name })

const weekdays = {
  '0': weekday('Sunday'),
  '1': weekday('Monday'),
  '2': weekday('Tuesday'),
  '3': weekday('Wednesday'),
  '4': weekday('Thursday'),
  '5': weekday('Friday'),
  '6': weekday('Saturday'),
}

/** Which times there are `problemsWithSchedule` says in words. */
const time = (times: string, description: string) =>
  Type.String({
    pattern: '^\\d{2}:\\d{2}$',
    'x-form': 'a time as HH:MM',
    'x-document': { pattern: `^(${times})$` },
    description: `\`HH:MM\`. ${description}`,
  })

const timeOfDay = '([01]\\d|2[0-3]):[0-5]\\d'

const timing = {
  from: time(timeOfDay, 'Sending starts here.'),
  to: time(`${timeOfDay}|24:00`, 'Sending stops here; later than `from`, at most `24:00`.'),
}

const weekly = {
  name: Type.Unsafe<string>({ ...Name, default: 'Schedule', description: 'Tells windows apart.' }),
  timing: Type.Object(timing, {
    additionalProperties: false,
    description: "On the zone's wall clock.",
  }),
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'An IANA zone or alias, in any case, answered as sent; no numeric offsets.',
  }),
}

const dates = {
  start_date: day('First day of sending,'),
  end_date: day('Last day of sending,'),
}

export const scheduleExample = {
  start_date: '2026-11-23',
  end_date: null,
  schedules: [
    {
      name: 'Office hours',
      timing: { from: '09:00', to: '17:00' },
      days: { 0: false, 1: true, 2: true, 3: true, 4: true, 5: true, 6: false },
      timezone: 'Europe/Berlin',
    },
  ],
}

const union = 'Open while any of them is.'

export const CampaignSchedule = Type.Object(
  {
    ...dates,
    schedules: Type.Array(
      Type.Object({ ...weekly, days: Type.Object(weekdays, { description: 'Days of sending.' }) }),
      {
        description: union,
      },
    ),
  },
  { $id: 'CampaignSchedule', description: 'When mail may be sent.', examples: [scheduleExample] },
)

export const CampaignScheduleInput = Type.Object(
  {
    ...Type.Partial(Type.Object(dates)).properties,
    schedules: Type.Array(
      Type.Object(
        {
          ...weekly,
          name: Type.Optional(weekly.name),
          days: Type.Partial(Type.Object(weekdays), {
            additionalProperties: false,
            description: 'A missing day is false; at least one must be true.',
          }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 10, description: union },
    ),
  },
  {
    $id: 'CampaignScheduleInput',
    // A description beside a $ref would not reach the document.
    description:
      'When mail may be sent; `schedule` is another name for `campaign_schedule`. ' +
      'A new campaign without one sends from Monday to Friday, 09:00 to 17:00 UTC.',
    additionalProperties: false,
    examples: [scheduleExample],
  },
)

export type CampaignSchedule = Static<typeof CampaignSchedule>

export const defaultSchedule: CampaignSchedule = {
  start_date: null,
  end_date: null,
  schedules: [
    {
      name: 'Schedule',
      timing: { from: '09:00', to: '17:00' },
      days: { 0: false, 1: true, 2: true, 3: true, 4: true, 5: true, 6: false },
      timezone: 'UTC',
    },
  ],
}
