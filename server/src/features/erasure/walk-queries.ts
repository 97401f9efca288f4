import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'

/** Rows by their keys: those after the first, up to the last. */
export interface Range {
  after: string
  upTo: string
}

/** Tables that are gone through by a key; answers of people are a part of `sends`, by a key of their own. */
const keys = {
  ...{ leads: 'id', threads: 'id', messages: 'id', events: 'id', webhook_events: 'id' },
  ...{ imports: 'id', sends: 'lead_id', answers: 'step_id' },
} as const

export type Walked = keyof typeof keys

/** The last of the next rows after a key, and how many they are. */
export const findNext = async (
  db: Db,
  workspaceId: string,
  table: Walked,
  after: string,
  limit: number,
) => {
  const key = sql.ref(keys[table])
  // As the partial index of people's answers says it.
  const only = table === 'answers' ? sql`and kind = 'manual'` : sql``
  const { rows } = await sql<{ last: string | null; count: number }>`
    select (array_agg(key order by key desc))[1] as last, count(*)::integer as count
    from (
      select ${key} as key from ${sql.table(table === 'answers' ? 'sends' : table)}
      where workspace_id = ${workspaceId}::uuid and ${key} > ${after}::uuid ${only}
      order by ${key}
      limit ${limit}::integer
    ) next`.execute(db)
  return rows[0] ?? { last: null, count: 0 }
}

export const within = ({ after, upTo }: Range, key = 'id') =>
  sql`${sql.ref(key)} > ${after}::uuid and ${sql.ref(key)} <= ${upTo}::uuid`

/** Rows that were written since then; all of them without. */
export const changedSince = (since: Date | null, column = 'timestamp_updated') =>
  since ? sql`and ${sql.ref(column)} >= ${since}::timestamptz` : sql``

export interface Changed {
  /** Of a conversation, or of an event. */
  id: string
}

/** @returns one id for each row */
export async function changed(result: Promise<{ rows: Changed[] }>): Promise<string[]> {
  return (await result).rows.map(({ id }) => id)
}

export async function count(result: Promise<{ numAffectedRows?: bigint }>): Promise<number> {
  return Number((await result).numAffectedRows ?? 0)
}
