import { type Static, Type } from 'typebox'
import { Nullable, Timestamp, Uuid } from '../../../kernel/http/schema.ts'

const receiver = {
  token: Type.String(),
  url: Type.String({ description: 'Where to send to.' }),
  timestamp_expires: Timestamp,
}

const example = {
  token: 'AZqdXn8rfDGdCl4famlPTA',
  url: 'https://outrider.example.com/app/try/AZqdXn8rfDGdCl4famlPTA',
  timestamp_expires: '2026-11-20T10:37:00.123Z',
}

export const TryOutAddress = Type.Object(receiver, {
  $id: 'TryOutAddress',
  description: 'A receiver for trying out, which is there for an hour.',
  examples: [example],
})

export const TryOutReceiver = Type.Object(
  {
    ...receiver,
    items: Type.Array(
      Type.Object({
        id: Uuid,
        headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
        body: Type.String(),
        verified_by: Nullable(
          Type.Unsafe<string>({ ...Uuid, description: 'The webhook that has signed it.' }),
        ),
        problem: Nullable(
          Type.Enum(['no_destination', 'no_signature', 'too_old', 'wrong_signature'], {
            description: 'Why it is not verified.',
          }),
        ),
        timestamp_created: Timestamp,
      }),
      { description: 'The last 50 requests, newest first.' },
    ),
  },
  {
    $id: 'TryOutReceiver',
    description: 'A receiver for trying out, with what has arrived.',
    examples: [{ ...example, items: [] }],
  },
)

export const tryOutSchemas = [TryOutAddress, TryOutReceiver]

export type TryOutReceiver = Static<typeof TryOutReceiver>
