import { sql } from 'kysely'
import type { AnyContext } from '../../kernel/context.ts'
import { dayMs } from '../../kernel/durations.ts'
import { reindexing } from './import/queries.ts'

export interface DirectoryStats {
  contacts: number
  /** Whose address is known. */
  contacts_with_address: number
  /** Whose address a reveal looks up. */
  contacts_to_look_up: number
  companies: number
  sample_contacts: number
  sample_companies: number
  opted_out_addresses: number
  opted_out_domains: number
  /** Imports that were interrupted in the last 30 days: a file that was corrected since is another import. */
  unfinished_imports: number
  timestamp_updated: Date | null
}

/** Reads all of it once. */
export async function readStats({ db, now }: AnyContext): Promise<DirectoryStats> {
  const since = new Date(now().getTime() - 30 * dayMs)
  const { rows } = await sql<DirectoryStats>`
    select c.*, k.*, o.*, i.*
    from (
      select count(*)::int as contacts, count(email)::int as contacts_with_address,
        (count(*) filter (where has_email and email is null))::int as contacts_to_look_up,
        (count(*) filter (where sample))::int as sample_contacts,
        max(timestamp_updated) as timestamp_updated
      from directory_contacts) c,
    (
      select count(*)::int as companies, (count(*) filter (where sample))::int as sample_companies
      from directory_companies) k,
    (
      select (count(*) filter (where kind = 'address'))::int as opted_out_addresses,
        (count(*) filter (where kind = 'domain'))::int as opted_out_domains
      from directory_optouts) o,
    (
      select count(*)::int as unfinished_imports
      from directory_imports
      where not finished and fingerprint <> ${reindexing}
        and timestamp_updated > ${since}::timestamptz) i`.execute(db)
  return rows[0] as DirectoryStats
}
