import { Type } from 'typebox'
import { Nullable, Timestamp } from '../../kernel/http/schema.ts'

export const Usage = Type.Object(
  {
    period_start: Type.Unsafe<Date>({
      ...Timestamp,
      description: 'The first of this month by UTC: from then on mails and deliveries are counted.',
    }),
    leads: Type.Integer(),
    leads_max: Nullable(Type.Integer({ description: 'Of the plan; null: unlimited.' })),
    mailboxes: Type.Integer(),
    mailboxes_active: Type.Integer({ description: 'That may send.' }),
    mails_today: Type.Integer({
      description: 'Of campaigns, each mailbox by the day of its zone.',
    }),
    mails_today_max: Type.Integer({
      description: 'What was sent today and what active mailboxes may still send.',
    }),
    mails: Type.Integer({ description: 'Of campaigns, each by the days of its zone.' }),
    deliveries_succeeded: Type.Integer(),
    deliveries_failed: Type.Integer(),
    database_bytes: Nullable(
      Type.Integer({
        description:
          'Of the database that it lies on, with all workspaces there, for the operator; else null.',
      }),
    ),
  },
  {
    $id: 'Usage',
    description: 'What a workspace uses, and what limits it.',
    examples: [
      {
        ...{ period_start: '2026-11-01T00:00:00.000Z', leads: 1200, leads_max: 5000 },
        ...{
          mailboxes: 4,
          mailboxes_active: 3,
          mails_today: 80,
          mails_today_max: 120,
          mails: 1900,
        },
        ...{ deliveries_succeeded: 950, deliveries_failed: 3, database_bytes: null },
      },
    ],
  },
)
