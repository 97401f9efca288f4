import { type Static, Type } from 'typebox'
import { Name } from '../../kernel/http/schema.ts'

const SavedView = Type.Object(
  {
    name: Name,
    search: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean'], maxLength: 2000 },
      maxProperties: 30,
      description: 'Filters and columns as they stand in the address of the page.',
    }),
  },
  { additionalProperties: false },
)

export const SavedViews = Type.Object(
  { items: Type.Array(SavedView, { maxItems: 50 }) },
  {
    $id: 'SavedViews',
    description: 'Ways to look at leads, kept by one person in one workspace.',
    additionalProperties: false,
    examples: [{ items: [{ name: 'Interested', search: { status: 'interested' } }] }],
  },
)

export type SavedView = Static<typeof SavedView>
