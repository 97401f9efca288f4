import type { Components, Operation, Parameter, PathItem } from './document.ts'

/** A request that the service sends. */
export interface WebhookDescription {
  description: string
  /** The component that describes its body. */
  payload: string
}

/** As a receiver sees it: signed by Standard Webhooks 1.0. */
export function webhookItem(
  type: string,
  { description, payload }: WebhookDescription,
  schemas: Components['schemas'],
): PathItem {
  const [example] = schemas[payload]?.examples ?? []
  const post: Operation = {
    operationId: operationIdOf(type),
    summary: type,
    description,
    tags: ['Events'],
    security: [],
    parameters: signature,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${payload}` },
          example: { ...(example as object), ...exampleOf(type) },
        },
      },
    },
    responses: {
      '2XX': {
        description: 'Delivered. The first KiB of text in the body is kept with the attempt.',
      },
      '410': { description: 'Disables the webhook; nothing is delivered to it any more.' },
      '429': { description: triedLater },
      '503': { description: triedLater },
      default: {
        description: 'Failed, and tried again. A redirect is never followed.',
      },
    },
  }
  return { post }
}

/** A custom label has a type of its own, which no receiver could tell from `lead.label`. */
function exampleOf(type: string) {
  if (type !== 'lead.label') return { type, event_type: type }
  const labelType = 'lead.label.019a9d5e-1abe-7c31-9d0a-5e1f6a2b3c4d'
  return { type: labelType, event_type: labelType, custom_interest_value: 'call_back' }
}

const triedLater =
  'Tried again when the schedule says, or when `Retry-After` does if that is later, 24 h at most.'

/** `onLeadInterested` of `lead.interested`. */
const operationIdOf = (type: string) =>
  `on${type
    .split(/[^a-z]+/)
    .filter(Boolean)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join('')}`

const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const signature = [
  header(
    'webhook-id',
    "The event's id, the same on every attempt and for every webhook.",
    '019a9d5e-7f00-7c31-9d0a-5e1f6a2b3c4d',
  ),
  header('webhook-timestamp', 'Seconds since 1970, of this attempt.', '1795167420'),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; several, separated by spaces, while ' +
      'a secret is rotated.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]
