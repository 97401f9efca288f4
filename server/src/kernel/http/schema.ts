import { type Static, type TSchema, Type } from 'typebox'
import { statusOf } from '../errors.ts'
import { pageDefault, pageMax } from './page.ts'

/** Points at a named OpenAPI component and keeps its TypeScript type. */
export const ref = <T extends TSchema & { $id?: string }>(schema: T) =>
  Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` })

/** A `Date` in TypeScript, ISO 8601 UTC text with milliseconds in JSON. */
export const Timestamp = Type.Unsafe<Date>({ type: 'string', format: 'date-time' })

/** RFC 9562 text, any case accepted. `ajv-formats` would take `urn:uuid:…` too. */
export const Uuid = Type.String({
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
  'x-fold': true,
})

/**
 * The schema or null. As a list of types where that can say it: the serialiser picks a branch of
 * `anyOf` by running a validator on every value.
 */
export const Nullable = <T extends TSchema>(schema: T) => {
  const { type, enum: values } = schema as { type?: string; enum?: unknown[] }
  if (typeof type !== 'string' || type === 'object' || type === 'array') {
    return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] })
  }
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  })
}

/**
 * 1–255 code points after trimming, no control characters. Those that turn the direction of what
 * follows are among them: a name could pass for another. The marks that right-to-left text needs are not.
 */
export const Name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$',
  'x-trim': true,
})

/** Query of every list (contract §1). The raw text is checked before Ajv coerces it. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: pageMax, default: pageDefault },
      description: 'Records a page.',
    }),
  ),
  starting_after: Type.Optional(
    Type.Unsafe<string>({
      ...Uuid,
      description: 'The `next_starting_after` of the previous page, unchanged.',
    }),
  ),
}

/** `{items, next_starting_after}`; the cursor is there only when another page exists. */
export const Page = <T extends TSchema & { $id?: string }>(item: T) =>
  Type.Object(
    {
      items: Type.Array(ref(item)),
      next_starting_after: Type.Optional(
        Type.Unsafe<string>({
          ...Uuid,
          description: 'The last id of this page; absent when it is the last page.',
        }),
      ),
    },
    { $id: `${item.$id}List`, description: 'One page, newest first.' },
  )

export const ErrorBody = Type.Object(
  {
    statusCode: Type.Integer({ description: 'The status of the response.' }),
    error: Type.String({ description: 'Its name in HTTP.' }),
    message: Type.String({ description: 'One sentence a person can act on; safe to show.' }),
    code: Type.Enum(Object.keys(statusOf), {
      description: 'For programs: a closed set, each with one status.',
    }),
    request_id: Type.String({ description: 'As in X-Request-Id; name it to support.' }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({
            description: 'A JSON pointer into the body, or the name of a query parameter.',
          }),
          message: Type.String(),
        }),
        { description: 'Every problem found, with 400 and 409.' },
      ),
    ),
  },
  {
    $id: 'Error',
    description: 'Every error has this shape, whatever its status.',
    examples: [
      {
        statusCode: 400,
        error: 'Bad Request',
        message: 'name must not be empty',
        code: 'invalid_field',
        request_id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
        details: [{ path: '/name', message: 'name must not be empty' }],
      },
    ],
  },
)
