import { sql } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'

export interface StoredLinkAddress {
  url: string
  /** By TRACKING_URL or API_URL; else it is where the API listens. */
  is_given: boolean
  /** What another process that runs was given instead, and when it last said so. */
  contradicting_url: string | null
  timestamp_contradicted: Date | null
}

export const findLinkAddress = (db: AnyDb): Promise<StoredLinkAddress | undefined> =>
  db
    .selectFrom('link_address')
    .select(['url', 'is_given', 'contradicting_url', 'timestamp_contradicted'])
    .executeTakeFirst()

/** Where the API listens never replaces an address that was given. */
export const saveLinkAddress = (db: AnyDb, url: string, isGiven: boolean, at: Date) =>
  sql`
    insert into link_address as a (url, is_given, timestamp_updated)
    values (${url}, ${isGiven}, ${at}::timestamptz)
    on conflict (is_only) do update set
      url = excluded.url, is_given = excluded.is_given, timestamp_updated = excluded.timestamp_updated
    where excluded.is_given or not a.is_given`.execute(db)

export const deleteLinkAddress = (db: AnyDb) => db.deleteFrom('link_address').execute()

export const saveContradiction = (db: AnyDb, url: string, at: Date) =>
  db
    .updateTable('link_address')
    .set({ contradicting_url: url, timestamp_contradicted: at })
    .where('url', '<>', url)
    .execute()
