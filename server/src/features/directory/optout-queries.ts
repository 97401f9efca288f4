import { sql } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'
import { preparedForAny } from '../../kernel/db/prepared.ts'

export interface OptOut {
  kind: string
  hash: Buffer
}

const findAnyOptOut = preparedForAny<[], object>(
  'find_any_directory_optout',
  'select from directory_optouts limit 1',
)

export const hasOptOuts = async (db: AnyDb): Promise<boolean> =>
  (await findAnyOptOut(db)).length > 0

/** The wishes that are there, of pairs of kind and hash. */
export const findOptOuts = preparedForAny<[string[], Buffer[]], OptOut>(
  'find_directory_optouts',
  `select o.kind, o.hash
   from unnest($1::text[], $2::bytea[]) as asked (kind, hash)
   join directory_optouts o on o.kind = asked.kind and o.hash = asked.hash`,
)

export interface StoredOptOut extends OptOut {
  timestamp_created: Date
}

/** In the order of their key, from behind one. */
export const listOptOuts = async (db: AnyDb, after: OptOut, limit: number) => {
  const { rows } = await sql<StoredOptOut>`
    select kind, hash, timestamp_created
    from directory_optouts
    where (kind, hash) > (${after.kind}, ${after.hash}::bytea)
    order by kind, hash
    limit ${limit}::integer`.execute(db)
  return rows
}

/** Wishes that are there already stay. */
export const insertOptOuts = async (db: AnyDb, optouts: StoredOptOut[]) => {
  await sql`
    insert into directory_optouts (kind, hash, timestamp_created)
    select kind, hash, timestamp_created
    from unnest(
      ${optouts.map(({ kind }) => kind)}::text[],
      ${optouts.map(({ hash }) => hash)}::bytea[],
      ${optouts.map((optout) => optout.timestamp_created)}::timestamptz[]
    ) as more (kind, hash, timestamp_created)
    on conflict do nothing`.execute(db)
}
