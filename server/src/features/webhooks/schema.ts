import { type Static, type TSchema, Type } from 'typebox'
import { Name, Nullable, Page, ref, Timestamp, Uuid } from '../../kernel/http/schema.ts'
import { headersMax, nameCharactersMax, tokenPattern, valueCharactersMax } from './headers.ts'
import { urlCharactersMax } from './target.ts'

export const disabledReasons = ['manual', 'gone', 'failing'] as const

const Headers = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
})

/** Rules that have sentences of their own, where headers are sent. */
const headerRules = {
  'x-document': {
    maxProperties: headersMax,
    propertyNames: { type: 'string', pattern: tokenPattern, maxLength: nameCharactersMax },
    additionalProperties: { type: 'string', maxLength: valueCharactersMax },
  },
}

const TargetUrl = Type.String({
  minLength: 1,
  maxLength: urlCharactersMax,
  'x-trim': true,
  'x-document': { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\\\\\\s]+([/?][^#\\\\\\s]*)?$' },
  description: 'http or https, without user name, password or fragment.',
})

const EventType = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'An id from `GET /api/v2/webhooks/event-types`.',
})

const CustomInterestValue = Type.String({
  maxLength: 255,
  description: "The label's value, for the event type of a custom label; else null.",
})

const SigningSecret = Type.String({
  maxLength: 128,
  'x-secret': true,
  'x-document': {
    pattern:
      '^whsec_(([A-Za-z0-9+/]{4}){8,20}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|([A-Za-z0-9+/]{4}){21}([A-Za-z0-9+/]{2}==)?)$',
  },
  description: '`whsec_` and the base64 of 24 to 64 bytes.',
})

const headersDescription =
  'At most 20, sent with each delivery. Names that frame, sign or type the request are refused, as ' +
  '`Host`, `Content-Type`, `User-Agent`, and all that begin with `Webhook-` or `Proxy-`.'

export const WebhookInput = Type.Object(
  {
    target_hook_url: TargetUrl,
    name: Name,
    event_type: EventType,
    custom_interest_value: Type.Optional(Nullable(CustomInterestValue)),
    campaign: Type.Optional(Nullable(Uuid)),
    headers: Type.Optional(
      Nullable(
        Type.Unsafe<Record<string, string>>({
          ...Headers,
          ...headerRules,
          description: headersDescription,
        }),
      ),
    ),
    signing_secret: Type.Optional(Nullable(SigningSecret)),
  },
  {
    $id: 'WebhookInput',
    description: 'A webhook to create.',
    additionalProperties: false,
    examples: [
      {
        target_hook_url: 'https://crm.example.com/hooks/outreach',
        name: 'CRM: interested leads',
        event_type: 'lead.interested',
        headers: { Authorization: 'Bearer receiver-token' },
      },
    ],
  },
)

const fields = {
  id: Uuid,
  organization: Type.Unsafe<string>({ ...Uuid, description: 'The workspace.' }),
  campaign: Nullable(
    Type.Unsafe<string>({
      ...Uuid,
      description: 'Only events of this campaign; null: every event of the workspace.',
    }),
  ),
  name: Type.String(),
  target_hook_url: Type.String({ description: 'As it was sent.' }),
  event_type: Type.String(),
  custom_interest_value: Nullable(Type.String()),
  headers: Type.Unsafe<Record<string, string>>({
    ...Headers,
    description: 'Every value reads `••••` but in the answer to the request that created it.',
  }),
  status: Type.Enum(['active', 'disabled'], {
    description: 'A disabled webhook collects no deliveries.',
  }),
  disabled_reason: Nullable(
    Type.Enum([...disabledReasons], {
      description:
        '`manual`: paused. `gone`: the receiver answered 410. `failing`: 5 days without a success.',
    }),
  ),
  timestamp_created: Timestamp,
  timestamp_updated: Timestamp,
  timestamp_disabled: Nullable(Timestamp),
}

/**
 * Takes whole records: fields that cannot be changed are compared with the stored ones, not refused.
 * The document has their types, without which some clients send null for each that was not set.
 */
const readOnly = (schema: TSchema) =>
  Type.Optional(Type.Unknown({ readOnly: true, 'x-document': schema }))

export const WebhookChanges = Type.Object(
  {
    target_hook_url: Type.Optional(TargetUrl),
    name: Type.Optional(Name),
    event_type: Type.Optional(EventType),
    custom_interest_value: Type.Optional(Nullable(CustomInterestValue)),
    campaign: Type.Optional(Nullable(Uuid)),
    headers: Type.Optional(
      Nullable(
        Type.Unsafe<Record<string, string>>({
          ...Headers,
          ...headerRules,
          description: 'Replaces all of them; a value sent back as `••••` keeps the stored one.',
        }),
      ),
    ),
    signing_secret: Type.Optional(Nullable(SigningSecret)),
    signing_secret_overlap_seconds: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 0,
          maximum: 86_400,
          description: 'How long the replaced secret signs too; 86,400 when left out.',
        }),
      ),
    ),
    status: Type.Optional(Type.Enum(['active', 'disabled'])),
    id: readOnly(fields.id),
    organization: readOnly(fields.organization),
    disabled_reason: readOnly(fields.disabled_reason),
    timestamp_created: readOnly(fields.timestamp_created),
    timestamp_updated: readOnly(fields.timestamp_updated),
    timestamp_disabled: readOnly(fields.timestamp_disabled),
  },
  {
    $id: 'WebhookChanges',
    'x-document': { dependentRequired: { signing_secret_overlap_seconds: ['signing_secret'] } },
    description: 'What is to change of a webhook; what is left out stays.',
    additionalProperties: false,
    examples: [{ name: 'CRM', status: 'active' }],
  },
)

const example = {
  id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
  organization: '019a9d5e-1111-7c31-9d0a-5e1f6a2b3c4d',
  campaign: null,
  name: 'CRM: interested leads',
  target_hook_url: 'https://crm.example.com/hooks/outreach',
  event_type: 'lead.interested',
  custom_interest_value: null,
  headers: { Authorization: '••••' },
  status: 'active',
  disabled_reason: null,
  timestamp_created: '2026-11-20T09:37:00.123Z',
  timestamp_updated: '2026-11-20T09:37:00.123Z',
  timestamp_disabled: null,
}

export const Webhook = Type.Object(fields, {
  $id: 'Webhook',
  description: 'A destination of events. The values of its headers are masked.',
  examples: [example],
})

const shownSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

export const CreatedWebhook = Type.Object(
  {
    ...fields,
    signing_secret: Nullable(
      Type.String({ description: 'Shown once; null when an idempotent request is replayed.' }),
    ),
  },
  {
    $id: 'CreatedWebhook',
    description:
      'A webhook with its signing secret and the values of its headers, which are in this answer only.',
    examples: [
      {
        ...example,
        headers: { Authorization: 'Bearer receiver-token' },
        signing_secret: shownSecret,
      },
    ],
  },
)

export const ChangedWebhook = Type.Object(
  {
    ...fields,
    signing_secret: Type.Optional(
      Type.String({ description: 'The new secret, when this request replaced it; shown once.' }),
    ),
  },
  {
    $id: 'ChangedWebhook',
    description: 'The webhook as it is now, with its new signing secret when that was replaced.',
    examples: [example],
  },
)

export const WebhookPage = Page(Webhook)

const WebhookEventType = Type.Object(
  {
    id: Type.String(),
    label: Type.String(),
    type: Type.Enum(['standard', 'custom_label']),
    custom_interest_value: Nullable(Type.String()),
  },
  {
    $id: 'WebhookEventType',
    description: 'Something a webhook can subscribe to.',
    examples: [
      {
        id: 'lead.interested',
        label: 'Lead interested',
        type: 'standard',
        custom_interest_value: null,
      },
    ],
  },
)

export const WebhookEventTypeList = Type.Object(
  { items: Type.Array(ref(WebhookEventType)) },
  { $id: 'WebhookEventTypeList', description: 'Everything a webhook can subscribe to.' },
)

export const webhookSchemas = [
  WebhookInput,
  WebhookChanges,
  Webhook,
  CreatedWebhook,
  ChangedWebhook,
  WebhookPage,
  WebhookEventType,
  WebhookEventTypeList,
]

export type WebhookInput = Static<typeof WebhookInput>
export type WebhookChanges = Static<typeof WebhookChanges>
export type Webhook = Static<typeof Webhook>
