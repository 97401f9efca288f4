import { Type } from 'typebox'
import { roles } from '../../kernel/http/access.ts'
import { Name } from '../../kernel/http/schema.ts'
import { NewPassword } from './schema.ts'

export const ReceivedInvitation = Type.Object(
  {
    workspace_name: Type.String(),
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
        email: 'bob@example.com',
        role: 'member',
        has_account: false,
      },
    ],
  },
)

export const Acceptance = Type.Object(
  { name: Type.Optional(Name), password: Type.Optional(NewPassword) },
  {
    $id: 'Acceptance',
    description: 'A name and a password for a new account; nothing for one that is signed in.',
    additionalProperties: false,
    examples: [{ name: 'Bob Example', password: 'correct horse battery staple' }],
  },
)

export const NewPasswordInput = Type.Object(
  { password: NewPassword },
  {
    $id: 'NewPasswordInput',
    description: 'The password to sign in with from now on.',
    additionalProperties: false,
    examples: [{ password: 'correct horse battery staple' }],
  },
)

export const linkSchemas = [ReceivedInvitation, Acceptance, NewPasswordInput]
