import { type Static, Type } from 'typebox'
import { Nullable, Uuid } from '../../kernel/http/schema.ts'

export const SearchResult = Type.Object(
  {
    campaigns: Type.Array(Type.Object({ id: Uuid, name: Type.String(), status: Type.String() })),
    leads: Type.Array(
      Type.Object({
        id: Uuid,
        campaign_id: Uuid,
        email: Type.String(),
        name: Nullable(Type.String()),
      }),
    ),
    mailboxes: Type.Array(Type.Object({ id: Uuid, address: Type.String(), status: Type.String() })),
    webhooks: Type.Array(Type.Object({ id: Uuid, name: Type.String(), status: Type.String() })),
  },
  {
    $id: 'SearchResult',
    description: 'The newest five of each.',
    examples: [{ campaigns: [], leads: [], mailboxes: [], webhooks: [] }],
  },
)

export type SearchResult = Static<typeof SearchResult>
