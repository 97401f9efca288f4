import { type Static, Type } from 'typebox'
import { Nullable, Page, Timestamp } from '../../kernel/http/schema.ts'
import { stepOutcomes } from '../daily-counts/index.ts'
import { Campaign } from './schema.ts'

const whole = (description: string) => Type.Integer({ description })
const { id, name, status, status_reason, lead_counts, sending_status } = Campaign.properties
const { timestamp_created, timestamp_updated } = Campaign.properties
const campaignExample = (Campaign as { examples?: unknown[] }).examples?.[0] as Record<
  string,
  unknown
>

const exampleOf = (properties: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(properties).map((key) => [key, campaignExample[key]]))

const summaryOfCampaign = {
  ...{ id, name, status, status_reason, lead_counts, sending_status },
  ...{ timestamp_created, timestamp_updated },
}

export const CampaignSummary = Type.Object(
  {
    ...summaryOfCampaign,
    steps: whole('How many steps it has.'),
    mailboxes: whole('How many mailboxes it sends from.'),
    contacted: whole('Leads that got their first mail.'),
    replied: whole('Leads that replied, also those who were erased since.'),
    auto_replied: whole('Automatic replies.'),
    interested: whole('Leads that are interested, or were when they went further.'),
  },
  {
    $id: 'CampaignSummary',
    description: 'Where a campaign stands, and what it came to.',
    examples: [
      {
        ...exampleOf(summaryOfCampaign),
        ...{ steps: 3, mailboxes: 2, contacted: 80, replied: 9, auto_replied: 4, interested: 3 },
      },
    ],
  },
)

export const CampaignSummaryPage = Page(CampaignSummary)

export const CampaignNames = Type.Object(
  { items: Type.Array(Type.Object({ id, name, status })) },
  {
    $id: 'CampaignNames',
    description: 'Campaigns by their names and states, the newest first; at most 2,000.',
    examples: [{ items: [exampleOf({ id, name, status })] }],
  },
)

export const CampaignReadiness = Type.Object(
  {
    ready: Type.Boolean(),
    problems: Type.Array(
      Type.Object({
        path: Type.String({ description: 'A JSON pointer into the campaign.' }),
        message: Type.String(),
      }),
    ),
  },
  {
    $id: 'CampaignReadiness',
    description: 'Whether a campaign could start, and everything that keeps it from starting.',
    examples: [
      {
        ready: false,
        problems: [{ path: '/email_list', message: 'email_list names no mailbox to send from.' }],
      },
    ],
  },
)

export const RefusedCopies = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        address: Type.String({ description: 'Of `cc_list` or `bcc_list`.' }),
        code: Nullable(Type.String({ description: 'The mail server’s code.' })),
        message: Type.String({ description: 'Its words.' }),
        mails: whole('How many went out without this copy.'),
        timestamp_last: Timestamp,
      }),
    ),
  },
  {
    $id: 'RefusedCopies',
    description: 'Copies that mail servers refused, the latest first; at most 100.',
    examples: [
      {
        items: [
          {
            ...{ address: 'boss@example.com', code: '550 5.1.1', message: 'No such user' },
            ...{ mails: 12, timestamp_last: '2026-11-20T08:00:00.000Z' },
          },
        ],
      },
    ],
  },
)

const outcomes = Object.fromEntries(
  stepOutcomes.map((outcome) => [outcome, Type.Integer()]),
) as Record<(typeof stepOutcomes)[number], ReturnType<typeof Type.Integer>>

export const CampaignAnalytics = Type.Object(
  {
    timezone: Type.String({ description: 'Whose days these are.' }),
    from: Type.String(),
    to: Type.String(),
    items: Type.Array(
      Type.Object({
        day: Type.String(),
        step: Nullable(
          Type.Integer({ description: 'From 1, as the campaign has it now; null: removed.' }),
        ),
        variant: Nullable(
          Type.Integer({ description: 'From 1, as its step has it now; null: removed.' }),
        ),
        ...outcomes,
      }),
    ),
  },
  {
    $id: 'CampaignAnalytics',
    description: 'What the mails of a campaign came to, by day, step and variant.',
    examples: [
      {
        ...{ timezone: 'Europe/Berlin', from: '2026-10-22', to: '2026-11-20' },
        items: [
          {
            ...{ day: '2026-11-20', step: 1, variant: 1, sent: 80, opened: 40, clicked: 9 },
            ...{ replied: 7, auto_replied: 3, bounced: 1, interested: 3, unsubscribed: 1 },
          },
        ],
      },
    ],
  },
)

export type CampaignSummary = Static<typeof CampaignSummary>
export type CampaignAnalytics = Static<typeof CampaignAnalytics>
