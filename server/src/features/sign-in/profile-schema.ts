import { type Static, Type } from 'typebox'
import { Name, Nullable, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { passwordMax } from '../users/index.ts'
import { NewPassword } from './schema.ts'

const Password = Type.String({ maxLength: passwordMax })
const password = 'correct horse battery staple'
const input = { additionalProperties: false }

export const ProfileInput = Type.Object(
  { name: Name },
  { $id: 'ProfileInput', description: 'Who I am.', ...input, examples: [{ name: 'Ann' }] },
)

export const PasswordChange = Type.Object(
  { current_password: Password, new_password: NewPassword },
  {
    $id: 'PasswordChange',
    description: 'A new password, and the one it replaces.',
    ...input,
    examples: [{ current_password: password, new_password: 'another horse battery staple' }],
  },
)

export const PasswordInput = Type.Object(
  { password: Password },
  {
    $id: 'PasswordInput',
    description: 'That it is me who asks.',
    ...input,
    examples: [{ password }],
  },
)

export const CodeInput = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: 32, 'x-trim': true }) },
  {
    $id: 'CodeInput',
    description: 'The code that the authenticator application shows.',
    ...input,
    examples: [{ code: '123456' }],
  },
)

const backup_codes = Type.Array(Type.String(), { description: 'Each opens once.' })

export const BegunSecondFactor = Type.Object(
  { uri: Type.String({ description: 'otpauth://, to show as a QR code.' }), backup_codes },
  {
    $id: 'BegunSecondFactor',
    description: 'What to keep; it is asked for once a first code has confirmed it.',
    examples: [
      {
        uri: 'otpauth://totp/Outrider:ann%40example.com?secret=ORSXG5A&issuer=Outrider',
        backup_codes: ['A1B2C-D3E4F'],
      },
    ],
  },
)

export const BackupCodes = Type.Object(
  { backup_codes },
  {
    $id: 'BackupCodes',
    description: 'New ones; the old ones open nothing any more.',
    examples: [{ backup_codes: ['A1B2C-D3E4F'] }],
  },
)

export const OwnSession = Type.Object(
  {
    id: Uuid,
    ip_address: Nullable(Type.String()),
    user_agent: Nullable(Type.String()),
    is_current: Type.Boolean(),
    timestamp_created: Timestamp,
    timestamp_updated: Timestamp,
    timestamp_expires: Timestamp,
  },
  {
    $id: 'OwnSession',
    description: 'A browser in which I am signed in.',
    examples: [
      {
        id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
        ip_address: '192.0.2.1',
        user_agent: 'Mozilla/5.0',
        is_current: true,
        timestamp_created: '2026-11-20T09:37:00.123Z',
        timestamp_updated: '2026-11-20T09:37:00.123Z',
        timestamp_expires: '2026-12-04T09:37:00.123Z',
      },
    ],
  },
)

export const OwnSessionList = Type.Object(
  { items: Type.Array(Type.Unsafe<Static<typeof OwnSession>>({ $ref: 'OwnSession#' })) },
  { $id: 'OwnSessionList', description: 'Where I am signed in, the latest used first.' },
)

export const profileSchemas = [
  ...[ProfileInput, PasswordChange, PasswordInput, CodeInput, BegunSecondFactor, BackupCodes],
  ...[OwnSession, OwnSessionList],
]
