import { type Insertable, sql } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'
import type { KeptSettings } from '../../kernel/db/types.gen.ts'

export interface KeptSetting {
  name: string
  value: string
  timestamp_told: Date
  contradicting_value: string | null
  timestamp_contradicted: Date | null
}

export const listKeptSettings = (db: AnyDb): Promise<KeptSetting[]> =>
  db.selectFrom('kept_settings').selectAll().orderBy('name').execute()

interface Told {
  names: string[]
  values: string[]
}

/**
 * Takes the place of another value.
 *
 * @param staleBefore only where nobody has told that one since
 */
export const tellSettings = (db: AnyDb, { names, values }: Told, at: Date, staleBefore?: Date) =>
  sql`
    insert into kept_settings as k (name, value, timestamp_told)
    select name, value, ${at}::timestamptz
    from unnest(${names}::text[], ${values}::text[]) as told (name, value)
    order by name
    on conflict (name) do update set value = excluded.value, timestamp_told = excluded.timestamp_told
    where ${staleBefore ?? null}::timestamptz is null
      or k.value = excluded.value or k.timestamp_told < ${staleBefore ?? null}::timestamptz`.execute(
    db,
  )

export const saveContradictions = (db: AnyDb, { names, values }: Told, at: Date) =>
  sql`
    update kept_settings k
    set contradicting_value = told.value, timestamp_contradicted = ${at}::timestamptz
    from unnest(${names}::text[], ${values}::text[]) as told (name, value)
    where k.name = told.name and k.value <> told.value`.execute(db)

export const putSetting = (db: AnyDb, setting: Insertable<KeptSettings>) =>
  db
    .insertInto('kept_settings')
    .values(setting)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(setting))
    .execute()

/** What none of these is, and nobody has told since. */
export const deleteUntold = (db: AnyDb, names: string[], staleBefore: Date) =>
  db
    .deleteFrom('kept_settings')
    .where('timestamp_told', '<', staleBefore)
    .where('name', 'not in', names)
    .execute()
