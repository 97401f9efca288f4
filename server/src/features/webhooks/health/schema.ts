import { type Static, Type } from 'typebox'
import { Nullable, Page, Timestamp, Uuid } from '../../../kernel/http/schema.ts'

const id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'

export const WebhookHealth = Type.Object(
  {
    id: Type.Unsafe<string>({ ...Uuid, description: 'The webhook.' }),
    failing_since: Nullable(
      Type.Unsafe<Date>({ ...Timestamp, description: 'The first failure after the last success.' }),
    ),
    failures: Type.Integer({ description: 'Since then.' }),
    timestamp_next_probe: Nullable(
      Type.Unsafe<Date>({
        ...Timestamp,
        description: 'When the receiver is asked again; null unless it pauses.',
      }),
    ),
    pending: Type.Integer({ description: 'Deliveries that wait, retries included.' }),
    timestamp_oldest_pending: Nullable(Timestamp),
    recent: Type.Array(
      Type.Object({ id: Uuid, success: Type.Boolean(), status_code: Nullable(Type.Integer()) }),
      { description: 'The last 30 attempts, newest first.' },
    ),
  },
  {
    $id: 'WebhookHealth',
    description: 'How a webhook does.',
    examples: [
      {
        id,
        failing_since: '2026-11-20T09:37:00.123Z',
        failures: 3,
        timestamp_next_probe: '2026-11-20T09:42:00.123Z',
        pending: 12,
        timestamp_oldest_pending: '2026-11-20T09:37:00.123Z',
        recent: [{ id, success: false, status_code: 503 }],
      },
    ],
  },
)

export const WebhookHealthPage = Page(WebhookHealth)

export const WebhookDayList = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        date: Type.String({ description: 'A UTC day.' }),
        succeeded: Type.Integer(),
        failed: Type.Integer(),
      }),
    ),
  },
  {
    $id: 'WebhookDayList',
    description: 'The attempts of a webhook on each of the last 30 days.',
    examples: [{ items: [{ date: '2026-11-20', succeeded: 7, failed: 1 }] }],
  },
)

export const webhookHealthSchemas = [WebhookHealth, WebhookHealthPage, WebhookDayList]

export type WebhookHealth = Static<typeof WebhookHealth>
