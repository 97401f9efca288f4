import { type Static, Type } from 'typebox'
import { pageDefault, pageMax } from '../../kernel/http/page.ts'
import { Page, pageQuery, Uuid } from '../../kernel/http/schema.ts'
import { directoryFilters } from '../directory/index.ts'
import { contactExample, contactFields, credits } from './schema.ts'

export const FindContacts = Type.Object(
  {
    ...directoryFilters,
    exclude_acquired: Type.Optional(
      Type.Boolean({ description: 'Leave out the contacts that the workspace has acquired.' }),
    ),
    // Without the default of a query: what the body leaves out may stand there.
    limit: Type.Optional(
      Type.Integer({
        ...{ minimum: 1, maximum: pageMax },
        description: `Records a page; ${pageDefault} without it.`,
      }),
    ),
    starting_after: pageQuery.starting_after,
  },
  {
    $id: 'FindContacts',
    additionalProperties: false,
    description:
      'Everything is optional, and all that is given has to be met. `limit` and `starting_after` ' +
      'may stand in the query instead.',
    examples: [{ query: 'analytics', countries: ['Germany'], has_email: true, limit: 25 }, {}],
  },
)

const foundExample = {
  id: contactExample.contact_id,
  ...contactExample,
  has_email: true,
  acquired: false,
}

export const FoundContact = Type.Object(
  {
    id: Uuid,
    ...contactFields,
    has_email: Type.Boolean({ description: 'Whether the address may be asked for.' }),
    acquired: Type.Boolean({
      description: 'Whether the workspace has acquired it: then it is free.',
    }),
  },
  {
    $id: 'FoundContact',
    description: '`id` equals `contact_id`. The address is never in a search result.',
    examples: [foundExample],
  },
)

export const FoundContactPage = Type.Object(
  {
    ...Page(FoundContact).properties,
    total: Type.Integer({ description: 'How many match; exact up to 10,000.' }),
    total_is_estimate: Type.Boolean(),
    ...credits,
  },
  {
    $id: 'FoundContacts',
    description: 'One page, newest first.',
    examples: [
      {
        items: [foundExample],
        next_starting_after: contactExample.contact_id,
        total: 48,
        total_is_estimate: false,
        credits_charged: 0,
        balance: 1000,
      },
    ],
  },
)

export type FindContacts = Static<typeof FindContacts>
export type FoundContactPage = Static<typeof FoundContactPage>
