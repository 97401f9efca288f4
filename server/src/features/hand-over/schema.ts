import { type Static, Type } from 'typebox'
import { Nullable, Timestamp, Uuid } from '../../kernel/http/schema.ts'

const Address = Type.String({ minLength: 3, maxLength: 320, 'x-trim': true })

export const HandOverInput = Type.Object(
  {
    from: { ...Address, description: 'Whose conversations; it may have been removed.' },
    to: { ...Address, description: 'Who goes on with them.' },
    preview: Type.Optional(
      Type.Boolean({ default: false, description: 'Only count them; nothing is changed.' }),
    ),
  },
  {
    $id: 'HandOverInput',
    description: 'Two mailboxes of the workspace, by their addresses.',
    additionalProperties: false,
    examples: [{ from: 'anna@example.com', to: 'bert@example.com', preview: true }],
  },
)

export const HandOverResult = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    campaigns: Type.Array(
      Type.Object({ campaign_id: Uuid, campaign_name: Type.String(), leads: Type.Integer() }),
      { description: 'Where leads wait for a follow-up, and how many.' },
    ),
    moved: Nullable(
      Type.Integer({ description: 'Leads that were moved, finished ones too; null: a preview.' }),
    ),
    left: Type.Integer({ description: 'Leads with a mail under way: hand them over again.' }),
    // Follow-ups wait until answers were read; where nobody reads them, the other mailbox writes over them.
    is_read: Type.Boolean({ description: 'Whether answers that come to `from` are read.' }),
    last_read: Nullable(Timestamp),
  },
  {
    $id: 'HandOverResult',
    description: 'What was moved, or would be.',
    examples: [
      {
        ...{ from: 'anna@example.com', to: 'bert@example.com', moved: null, left: 0 },
        campaigns: [
          {
            campaign_id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
            ...{ campaign_name: 'Autumn', leads: 12 },
          },
        ],
        ...{ is_read: true, last_read: '2026-11-20T09:37:00.123Z' },
      },
    ],
  },
)

export type HandOverInput = Static<typeof HandOverInput>
export type HandOverResult = Static<typeof HandOverResult>
