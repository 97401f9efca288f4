import { type Static, Type } from 'typebox'
import { roles } from '../../kernel/http/access.ts'
import { Nullable, Timestamp, Uuid } from '../../kernel/http/schema.ts'

const RoleName = Type.Enum([...roles])
const time = '2026-11-20T09:37:00.123Z'
const id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'

export const Member = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    email: Type.String(),
    role: RoleName,
    has_second_factor: Type.Boolean(),
    timestamp_created: Timestamp,
  },
  {
    $id: 'Member',
    description: 'A person in this workspace.',
    examples: [
      {
        ...{ id, name: 'Ann Example', email: 'ann@example.com', role: 'admin' },
        ...{ has_second_factor: true, timestamp_created: time },
      },
    ],
  },
)

export const MemberList = Type.Object(
  { items: Type.Array(Type.Unsafe<Static<typeof Member>>({ $ref: 'Member#' })) },
  { $id: 'MemberList', description: 'Everybody in this workspace, by address.' },
)

export const RoleInput = Type.Object(
  { role: RoleName },
  {
    $id: 'RoleInput',
    description: 'What the person may do from now on.',
    additionalProperties: false,
    examples: [{ role: 'member' }],
  },
)

export const InvitationInput = Type.Object(
  { email: Type.String({ minLength: 3, maxLength: 254, 'x-trim': true }), role: RoleName },
  {
    $id: 'InvitationInput',
    description: 'Who is invited, as what.',
    additionalProperties: false,
    examples: [{ email: 'bob@example.com', role: 'member' }],
  },
)

const invitationFields = {
  id: Uuid,
  workspace_id: Uuid,
  email: Type.String(),
  role: RoleName,
  invited_by: Nullable(Uuid),
  timestamp_created: Timestamp,
  timestamp_expires: Timestamp,
}

const invitation = {
  ...{ id, workspace_id: id, email: 'bob@example.com', role: 'member', invited_by: id },
  ...{ timestamp_created: time, timestamp_expires: '2026-11-27T09:37:00.123Z' },
}

export const Invitation = Type.Object(invitationFields, {
  $id: 'Invitation',
  description: 'An invitation that can be accepted.',
  examples: [invitation],
})

export const CreatedInvitation = Type.Object(
  {
    ...invitationFields,
    url: Nullable(
      Type.String({ description: 'To hand over; null when an idempotent request is replayed.' }),
    ),
  },
  {
    $id: 'CreatedInvitation',
    description: 'An invitation with its link, which is in this answer only.',
    examples: [{ ...invitation, url: 'https://outrider.example.com/invitation#x8Qw…' }],
  },
)

export const InvitationList = Type.Object(
  { items: Type.Array(Type.Unsafe<Static<typeof Invitation>>({ $ref: 'Invitation#' })) },
  { $id: 'InvitationList', description: 'Those that can be accepted, newest first.' },
)

export const ResetLink = Type.Object(
  {
    url: Nullable(
      Type.String({ description: 'To hand over; null when an idempotent request is replayed.' }),
    ),
    timestamp_expires: Timestamp,
  },
  {
    $id: 'ResetLink',
    description: 'A link to set a new password, once and within the hour.',
    examples: [{ url: 'https://outrider.example.com/reset#x8Qw…', timestamp_expires: time }],
  },
)

export type Member = Static<typeof Member>
export type Invitation = Static<typeof Invitation>
