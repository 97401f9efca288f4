import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'

export interface ProviderId {
  /** Id of the send. */
  id: string
  lead_id: string | null
  alias: string
}

/** The first one that was learnt stays. */
export const setProviderIds = (db: Db, workspaceId: string, ids: ProviderId[]) =>
  sql`
    update sends s
    set provider_message_id = k.alias
    from unnest(
      ${ids.map(({ id }) => id)}::uuid[],
      ${ids.map(({ lead_id }) => lead_id)}::uuid[],
      ${ids.map(({ alias }) => alias)}::text[]
    ) as k (id, lead_id, alias)
    where s.workspace_id = ${workspaceId}::uuid and s.lead_id = k.lead_id and s.id = k.id
      and s.provider_message_id is null`.execute(db)
