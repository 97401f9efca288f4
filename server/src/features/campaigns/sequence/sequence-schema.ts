import { type Static, Type } from 'typebox'
import { Uuid } from '../../../kernel/http/schema.ts'

const id = (of: string) =>
  Type.Unsafe<string>({
    ...Uuid,
    description: `In a PATCH ${of} is known by it, and one sent without is new; a new campaign makes its own.`,
  })

const variant = {
  id: id('a variant'),
  subject: Type.String({
    maxLength: 500,
    default: '',
    description: 'Liquid and spintax. Empty in a follow-up: it continues the thread.',
  }),
  body: Type.String({
    maxLength: 262_144,
    description:
      'HTML with Liquid and spintax, at most 256 KiB. `{{signature}}` is the signature of the ' +
      'mailbox, which else stands at the end; `{{unsubscribe_url}}` leads to the page that ' +
      'unsubscribes. A lead that lacks a variable without a `default` is not sent the mail.',
  }),
  v_disabled: Type.Boolean({ default: false, description: 'A disabled variant is not sent.' }),
}

const step = {
  id: id('a step'),
  type: Type.Enum(['email'], { default: 'email', description: 'The only one there is.' }),
  delay: Type.Integer({
    minimum: 0,
    maximum: 525_600,
    description:
      'The wait after the previous step, required of every step but the first, ' +
      'whose wait counts from when the lead was added and is 0 by default.',
  }),
  delay_unit: Type.Enum(['minutes', 'hours', 'days'], {
    default: 'days',
    description: "Days are calendar days in the first schedule's zone.",
  }),
}

const stepsDescription = 'Sent one after the other.'
const variantsDescription = 'One of those that are not disabled is sent.'

const variantExample = {
  id: '019a9d5e-8a01-7c31-9d0a-5e1f6a2b3c4d',
  subject: '{Hello|Hi} {{first_name | default: "there"}}',
  body: '<p>I saw what {{company_name}} does.</p>',
  v_disabled: false,
}

export const sequenceExample = {
  steps: [
    {
      id: '019a9d5e-8a00-7c31-9d0a-5e1f6a2b3c4d',
      type: 'email',
      delay: 0,
      delay_unit: 'days',
      variants: [variantExample],
    },
  ],
}

export const newSequenceExample = {
  steps: [
    { variants: [{ subject: variantExample.subject, body: variantExample.body }] },
    { delay: 3, variants: [{ body: '<p>Did you see my mail?</p>' }] },
  ],
}

export const CampaignSequence = Type.Object(
  {
    steps: Type.Array(
      Type.Object({
        ...step,
        variants: Type.Array(Type.Object(variant), { description: variantsDescription }),
      }),
      { description: stepsDescription },
    ),
  },
  {
    $id: 'CampaignSequence',
    description: 'The mails of a campaign in their order.',
    examples: [sequenceExample],
  },
)

const VariantInput = Type.Object(
  {
    ...variant,
    id: Type.Optional(variant.id),
    subject: Type.Optional(variant.subject),
    v_disabled: Type.Optional(variant.v_disabled),
  },
  { additionalProperties: false },
)

const StepInput = Type.Object(
  {
    ...Type.Partial(Type.Object(step)).properties,
    variants: Type.Array(VariantInput, {
      minItems: 1,
      maxItems: 26,
      description: variantsDescription,
    }),
  },
  { additionalProperties: false },
)

export const CampaignSequenceInput = Type.Object(
  { steps: Type.Array(StepInput, { minItems: 1, maxItems: 50, description: stepsDescription }) },
  {
    $id: 'CampaignSequenceInput',
    description: 'The mails of a campaign in their order.',
    additionalProperties: false,
    examples: [newSequenceExample],
  },
)

export type CampaignSequence = Static<typeof CampaignSequence>
export type CampaignSequenceInput = Static<typeof CampaignSequenceInput>
