import { Type } from 'typebox'
import { roles } from '../../kernel/http/access.ts'
import { Name } from '../../kernel/http/schema.ts'
import { NewPassword } from './schema.ts'

const token = Type.String({ maxLength: 200, description: 'Behind the # of the link.' })

export const LinkToken = Type.Object(
  { token },
  {
    $id: 'LinkToken',
    description: 'Of a one-time link.',
    additionalProperties: false,
    examples: [{ token: 'QmX9…' }],
  },
)

export const ReceivedInvitation = Type.Object(
  {
    workspace_name: Type.String(),
    workspace_handle: Type.String({ description: 'Names it in addresses; never changes.' }),
    email: Type.String(),
    role: Type.Enum([...roles]),
    has_account: Type.Boolean({ description: 'Whether that address signs in to accept.' }),
  },
  {
    $id: 'ReceivedInvitation',
    description: 'What the holder of the link is invited to.',
    examples: [
      {
        workspace_name: 'default',
        workspace_handle: 'default',
        email: 'bob@example.com',
        role: 'member',
        has_account: false,
      },
    ],
  },
)

export const Acceptance = Type.Object(
  { token, name: Type.Optional(Name), password: Type.Optional(NewPassword) },
  {
    $id: 'Acceptance',
    description: 'The token of the link, and for a new account a name and a password.',
    additionalProperties: false,
    examples: [{ token: 'QmX9…', name: 'Bob Example', password: 'correct horse battery staple' }],
  },
)

export const NewPasswordInput = Type.Object(
  { token, password: NewPassword },
  {
    $id: 'NewPasswordInput',
    description: 'The password to sign in with from now on.',
    additionalProperties: false,
    examples: [{ token: 'QmX9…', password: 'correct horse battery staple' }],
  },
)

export const linkSchemas = [LinkToken, ReceivedInvitation, Acceptance, NewPasswordInput]
