import { type Static, Type } from 'typebox'
import { Name, ref } from '../../kernel/http/schema.ts'

export const SavedView = Type.Object(
  {
    name: Name,
    search: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean'], maxLength: 2000 },
      maxProperties: 30,
      description: 'Filters and columns as they stand in the address of the page.',
    }),
  },
  {
    $id: 'SavedView',
    description: 'A way to look at leads.',
    additionalProperties: false,
    examples: [{ name: 'Interested', search: { status: 'interested' } }],
  },
)

export const viewsMax = 50

export const SavedViews = Type.Object(
  { items: Type.Array(ref(SavedView), { maxItems: viewsMax }) },
  {
    $id: 'SavedViews',
    description: 'Ways to look at leads, kept by one person in one workspace.',
    additionalProperties: false,
    examples: [{ items: [{ name: 'Interested', search: { status: 'interested' } }] }],
  },
)

export type SavedView = Static<typeof SavedView>
