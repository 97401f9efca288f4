import { type Static, Type } from 'typebox'
import { Nullable, ref, Timestamp, Uuid } from '../../kernel/http/schema.ts'

const attentionKinds = [
  ...(['held', 'no_runner', 'mailbox', 'mailbox_unread', 'campaign'] as const),
  ...(['uncertain', 'uncertain_reply', 'webhook'] as const),
] as const

const NullableText = Nullable(Type.String())

export const AttentionItem = Type.Object(
  {
    kind: Type.Enum([...attentionKinds]),
    id: Nullable(Type.Unsafe<string>({ ...Uuid, description: 'Of the record that mends it.' })),
    name: NullableText,
    reason: Nullable(
      Type.String({ description: 'A word, or of a mailbox and of the hold a sentence.' }),
    ),
    count: Nullable(Type.Integer({ description: 'How many mails, leads or events it concerns.' })),
    since: Nullable(Timestamp),
  },
  { $id: 'AttentionItem', description: 'Something that does not work until a person mends it.' },
)

const done = Type.Boolean()

export const Home = Type.Object(
  {
    attention: Type.Array(ref(AttentionItem), { description: 'The most urgent first.' }),
    checklist: Type.Object(
      {
        ...{ mailbox: done, leads: done, step: done, launch: done },
        ...{ key: done, webhook: done, verified: done },
      },
      { description: 'What was done, by facts.' },
    ),
  },
  {
    $id: 'Home',
    description: 'What needs attention, and what a new workspace has still to do.',
    examples: [
      {
        attention: [],
        checklist: {
          ...{ mailbox: true, leads: true, step: true, launch: false },
          ...{ key: false, webhook: false, verified: false },
        },
      },
    ],
  },
)

const count = Type.Integer()

export const Analytics = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        day: Type.String({ description: 'YYYY-MM-DD.' }),
        ...{ sent: count, opened: count, clicked: count, replied: count, auto_replied: count },
        ...{ bounced: count, interested: count, unsubscribed: count },
      }),
      { description: 'Days without anything are left out.' },
    ),
  },
  {
    $id: 'Analytics',
    description: 'What mails of campaigns came to, day by day.',
    examples: [
      {
        items: [
          {
            ...{ day: '2026-11-20', sent: 120, opened: 40, clicked: 6, replied: 9 },
            ...{ auto_replied: 3, bounced: 1, interested: 2, unsubscribed: 1 },
          },
        ],
      },
    ],
  },
)

export type AttentionItem = Static<typeof AttentionItem>
export type Checklist = Static<typeof Home>['checklist']
