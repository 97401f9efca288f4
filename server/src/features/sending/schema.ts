import { Type } from 'typebox'
import { Nullable, Page, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { heldLeadReasons } from './forecast/forecast-backlog.ts'
import { dayLimits } from './forecast/forecast-days.ts'

const count = (description: string) => Type.Integer({ description })
const uuid = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'

export const CampaignForecast = Type.Object(
  {
    timezone: Type.String({ description: 'Whose days these are.' }),
    sends: count('Mails in all.'),
    recipients: count('Leads that get a mail, however many days it takes.'),
    unsent: count('Mails that would not be sent before it ends.'),
    last_send_at: Nullable(Timestamp),
    ends: Type.Enum(['all_sent', 'schedule_ended', 'days_max']),
    held: Type.Array(
      Type.Object({ reason: Type.Enum([...heldLeadReasons]), leads: Type.Integer() }),
      {
        description: 'Leads that get nothing more until something changes.',
      },
    ),
    mailboxes: Type.Array(
      Type.Object({
        id: Uuid,
        address: Type.String(),
        status: Type.String(),
        shared_with: count('Other active campaigns that send from it.'),
      }),
    ),
    days: Type.Array(
      Type.Object({
        date: Type.String(),
        sends: Type.Integer(),
        new_leads: Type.Integer(),
        mailboxes: Type.Array(Type.Object({ mailbox_id: Uuid, sends: Type.Integer() })),
        limited_by: Nullable(Type.Enum([...dayLimits])),
      }),
    ),
  },
  {
    $id: 'CampaignForecast',
    description: 'What a campaign would send on which day, as if nobody answered.',
    examples: [
      {
        ...{ timezone: 'Europe/Berlin', sends: 40, unsent: 0, ends: 'all_sent', held: [] },
        recipients: 40,
        last_send_at: '2026-11-20T14:37:00.000Z',
        mailboxes: [{ id: uuid, address: 'anna@example.com', status: 'connected', shared_with: 0 }],
        days: [
          {
            ...{ date: '2026-11-20', sends: 40, new_leads: 40, limited_by: null },
            mailboxes: [{ mailbox_id: uuid, sends: 40 }],
          },
        ],
      },
    ],
  },
)

export const sendStates = ['claimed', 'transmitting', 'sent', 'failed', 'uncertain'] as const

const sendExample = {
  ...{ id: uuid, lead_id: uuid, campaign_id: uuid, campaign_name: 'Founders' },
  ...{ lead_email: 'ada@lead.example', mailbox: 'anna@example.com', step: 1, variant: 1 },
  ...{ bounced: false, state: 'sent', attempt: 1, message_id: '<1@example.com>', subject: 'Hello' },
  ...{ error_code: null, error_message: null },
  ...{
    timestamp_claimed: '2026-11-20T09:37:00.123Z',
    timestamp_transmitting: '2026-11-20T09:37:01.123Z',
    timestamp_settled: '2026-11-20T09:37:01.456Z',
  },
}

export const Send = Type.Object(
  {
    id: Uuid,
    lead_id: Uuid,
    campaign_id: Uuid,
    campaign_name: Nullable(Type.String()),
    lead_email: Nullable(Type.String({ description: 'Null: the lead was erased.' })),
    mailbox: Nullable(Type.String({ description: 'It really sent; null: nobody knows any more.' })),
    bounced: Type.Boolean({ description: 'It came back for good, which stopped its lead.' }),
    step: Nullable(Type.Integer({ description: "Null: a person's answer." })),
    variant: Nullable(Type.Integer()),
    state: Type.Enum([...sendStates, 'waiting'], {
      description: '`waiting`: an answer that is sent again as soon as its mailbox is free.',
    }),
    attempt: Type.Integer(),
    message_id: Type.String(),
    subject: Nullable(Type.String()),
    error_code: Nullable(Type.String()),
    error_message: Nullable(Type.String()),
    timestamp_claimed: Timestamp,
    timestamp_transmitting: Nullable(Timestamp),
    timestamp_settled: Nullable(Timestamp),
  },
  {
    $id: 'Send',
    description: 'A mail of a campaign in the ledger.',
    examples: [sendExample],
  },
)

export const SendPage = Page(Send)

export const SentAgain = Type.Object(
  {
    ...Send.properties,
    reasons: Type.Array(Type.String(), {
      description: 'What keeps it from being sent for now, each as a sentence.',
    }),
  },
  {
    $id: 'SentAgain',
    description: 'A mail that is sent again, and what it waits for.',
    examples: [
      {
        ...sendExample,
        ...{ state: 'failed', error_message: 'A person decided to send it again.' },
        reasons: ['Nothing is sent to this lead for now: it is paused.'],
      },
    ],
  },
)
