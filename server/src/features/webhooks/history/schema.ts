import { type Static, Type } from 'typebox'
import { Nullable, Page, pageQuery, ref, Timestamp, Uuid } from '../../../kernel/http/schema.ts'

export const WebhookEvent = Type.Object(
  {
    id: Uuid,
    webhook_id: Uuid,
    webhook_url: Type.String({ description: 'The target at the time of this attempt.' }),
    event_id: Uuid,
    event_type: Type.String(),
    campaign_id: Nullable(Uuid),
    lead_email: Nullable(Type.String()),
    payload: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    status_code: Nullable(Type.Integer()),
    success: Type.Boolean(),
    retry_count: Type.Integer({ description: '0 for the first attempt.' }),
    will_retry: Type.Boolean({ description: 'As decided at this attempt.' }),
    timestamp_next_retry: Nullable(Timestamp),
    retry_successful: Nullable(
      Type.Boolean({
        description:
          'True for a successful retry and for a failed attempt whose delivery succeeded later; ' +
          'false when it ended without success; null while it is open, and for a success at once.',
      }),
    ),
    retry_group_id: Type.Unsafe<string>({
      ...Uuid,
      description: 'The same for all attempts of one delivery.',
    }),
    error_message: Nullable(
      Type.String({ description: 'One of a closed list, with a detail after a colon.' }),
    ),
    response_time_ms: Nullable(Type.Integer({ description: 'Null when nothing was attempted.' })),
    response_body: Nullable(Type.String({ description: 'The first KiB of text.' })),
    timestamp_created: Timestamp,
    timestamp_created_date: Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      description: 'Its UTC day.',
    }),
    organization_id: Type.Unsafe<string>({ ...Uuid, description: 'The workspace.' }),
  },
  {
    $id: 'WebhookEvent',
    description:
      'One attempt to deliver an event, or the record that closed a delivery without one.',
    examples: [
      {
        id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
        webhook_id: '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d',
        webhook_url: 'https://crm.example.com/hooks/outreach',
        event_id: '019a9d5e-7f00-7c31-9d0a-5e1f6a2b3c4d',
        event_type: 'lead.interested',
        campaign_id: null,
        lead_email: 'ada@example.com',
        payload: { id: '019a9d5e-7f00-7c31-9d0a-5e1f6a2b3c4d', type: 'lead.interested', data: {} },
        status_code: 503,
        success: false,
        retry_count: 0,
        will_retry: true,
        timestamp_next_retry: '2026-11-20T09:37:05.123Z',
        retry_successful: null,
        retry_group_id: '019a9d5e-7f01-7c31-9d0a-5e1f6a2b3c4d',
        error_message: 'http_status: 503',
        response_time_ms: 87,
        response_body: 'try later',
        timestamp_created: '2026-11-20T09:37:00.123Z',
        timestamp_created_date: '2026-11-20',
        organization_id: '019a9d5e-1111-7c31-9d0a-5e1f6a2b3c4d',
      },
    ],
  },
)

export const WebhookEventPage = Page(WebhookEvent)

/** Years from 10 on; which days a month has is for the calendar to say. */
const datePattern = '([1-9]\\d{3}|0[1-9]\\d{2}|00[1-9]\\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])'
const timePattern = 'T\\d{2}:\\d{2}(:[0-5]\\d(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})'
const dayPattern = `^${datePattern}$`
const dayOrTimePattern = `^\\d{4}-\\d{2}-\\d{2}(${timePattern})?$`

const dayOrTime = (description: string) =>
  Type.Optional(Type.String({ 'x-document': { pattern: dayOrTimePattern }, description }))

export const AttemptQuery = Type.Object({
  ...pageQuery,
  success: Type.Optional(Type.Boolean({ description: 'Whether the receiver answered 2xx.' })),
  webhook_url: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Compared exactly with the URL at the time of the attempt, for the 20,000 newest webhooks that had it.',
    }),
  ),
  webhook_id: Type.Optional(
    Type.Unsafe<string>({ ...Uuid, description: 'Also of one that was deleted.' }),
  ),
  event_type: Type.Optional(Type.String({ minLength: 1, description: 'The type in the payload.' })),
  lead_email: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "A lead's address in any spelling; that of somebody who is no lead any more as in the record.",
    }),
  ),
  from: dayOrTime('A UTC day or an ISO 8601 time, inclusive; on timestamp_created.'),
  to: dayOrTime('Likewise; a day to its end.'),
  start_date: dayOrTime('Another name of `from`.'),
  end_date: dayOrTime('Another name of `to`.'),
})

const day = (description: string) =>
  Type.Optional(Type.String({ 'x-document': { pattern: dayPattern }, description }))

export const SummaryQuery = Type.Object({
  from: day('First UTC day, `YYYY-MM-DD`; 30 days up to `to` when left out.'),
  to: day('Last UTC day, inclusive; today when left out. At most 366 days.'),
  start_date: day('Another name of `from`.'),
  end_date: day('Another name of `to`.'),
})

const counts = {
  total_events: Type.Integer(),
  successful_events: Type.Integer(),
  failed_events: Type.Integer(),
  success_rate: Type.Number({ description: 'Per cent, 2 decimals; 0 when there was nothing.' }),
  failure_rate: Type.Number(),
}

const example = {
  total_events: 8,
  successful_events: 7,
  failed_events: 1,
  success_rate: 87.5,
  failure_rate: 12.5,
}

export const WebhookSummary = Type.Object(counts, {
  $id: 'WebhookSummary',
  description: 'The attempts of a window.',
  examples: [example],
})

const WebhookDaySummary = Type.Object(
  { date: Type.String(), ...counts },
  {
    $id: 'WebhookDaySummary',
    description: 'The attempts of one UTC day.',
    examples: [{ date: '2026-11-20', ...example }],
  },
)

export const WebhookDaySummaryList = Type.Object(
  { items: Type.Array(ref(WebhookDaySummary)) },
  { $id: 'WebhookDaySummaryList', description: 'Each day of a window.' },
)

export const webhookEventSchemas = [
  WebhookEvent,
  WebhookEventPage,
  WebhookSummary,
  WebhookDaySummary,
  WebhookDaySummaryList,
]

export type WebhookEvent = Static<typeof WebhookEvent>
export type AttemptQuery = Static<typeof AttemptQuery>
export type SummaryQuery = Static<typeof SummaryQuery>
