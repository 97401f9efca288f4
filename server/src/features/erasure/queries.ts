import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { erased, inFile, named, type Person } from './person.ts'
import { changedSince, count, type Range, within } from './walk-queries.ts'

/**
 * A mail that is under way would be stored after everything else is gone, as would an answer in the
 * conversation of somebody else that goes to the person or names them.
 */
export const countOpenSends = async (db: Db, workspaceId: string, person: Person) => {
  // As the partial indexes of what is open say it.
  const { rows } = await sql<{ open: number }>`
    select count(*)::int as open from sends
    where workspace_id = ${workspaceId}::uuid and (
      (lead_id = any(${person.leadIds}::uuid[]) and state in ('waiting', 'claimed', 'transmitting'))
      or (is_open and kind = 'manual' and ${named(person, 'reply::text')})
      or (waits_since is not null and ${named(person, 'reply::text')}))`.execute(db)
  return rows[0]?.open ?? 0
}

/** The rows stay, because counters and the ledger of mails refer to them: nobody is in them any more. */
export const eraseLeads = (db: Db, workspaceId: string, { leadIds, folded }: Person, at: Date) =>
  count(
    sql`
    update leads set
      email = 'erased-' || id || '@erased.invalid', email_folded = 'erased-' || id || '@erased.invalid',
      first_name = null, last_name = null, company_name = null, company_domain = null,
      job_title = null, phone = null, website = null, personalization = null,
      custom_variables = '{}', company = null, thread_subject = null, skip_reason = null,
      timestamp_updated = ${at}::timestamptz
    where workspace_id = ${workspaceId}::uuid and id = any(${leadIds}::uuid[])
      and (email_folded = ${folded} or thread_subject is not null or skip_reason is not null)`.execute(
      db,
    ),
  )

/** Where lists have an address that is another's, or stands for what they lack. */
const textsOfLead = [
  ...['first_name', 'last_name', 'company_name', 'company_domain', 'job_title', 'phone'],
  ...['website', 'personalization', 'thread_subject', 'skip_reason'],
]

/** Leads who name the address in what was written of them: its letters alone are taken out. */
export const eraseFromLeads = (
  db: Db,
  workspaceId: string,
  person: Person,
  range: Range,
  since: Date | null,
) =>
  count(
    sql`
    update leads set
      ${sql.join(textsOfLead.map((column) => sql`${sql.ref(column)} = ${erased(person, column)}`))},
      custom_variables = ${erased(person, 'custom_variables::text')}::jsonb
    where workspace_id = ${workspaceId}::uuid and ${within(range)} ${changedSince(since)}
      and ${named(person, `concat_ws(' ', custom_variables, ${textsOfLead.join(', ')})`)}`.execute(
      db,
    ),
  )

export const eraseSends = (db: Db, workspaceId: string, leadIds: string[]) =>
  count(
    sql`
    update sends set subject = null, error_message = null
    where workspace_id = ${workspaceId}::uuid and lead_id = any(${leadIds}::uuid[])`.execute(db),
  )

/**
 * Mails to others whose subject names the address, or whose server did: its letters alone are taken out.
 * Later attempts than an id are found by the ledger's index of campaigns.
 */
export function eraseFromSends(
  db: Db,
  workspaceId: string,
  person: Person,
  range: Range,
  sinceId: string | null,
) {
  const later = sql`campaign_id = any(array(
    select id from campaigns where workspace_id = ${workspaceId}::uuid)) and id > ${sinceId}::uuid`
  return sql`
    update sends set
      subject = ${erased(person, 'subject')}, error_message = ${erased(person, 'error_message')}
    where workspace_id = ${workspaceId}::uuid and kind = 'step'
      and ${sinceId ? later : within(range, 'lead_id')}
      and (${named(person, 'subject')} or ${named(person, 'error_message')})`.execute(db)
}

export const deleteSoftBounces = (db: Db, workspaceId: string, folded: string) =>
  count(
    sql`
    delete from soft_bounces
    where workspace_id = ${workspaceId}::uuid and email_folded = ${folded}`.execute(db),
  )

/** The entry of an opt-out, which is a hash, holds the same from then on. */
export const deleteSuppressions = (db: Db, workspaceId: string, folded: string) =>
  count(
    sql`
    delete from suppressions
    where workspace_id = ${workspaceId}::uuid and kind = 'address' and value = ${folded}`.execute(
      db,
    ),
  )

/** Of imports: who was left out, and the rows that are shown before one. */
export async function eraseFromImports(
  db: Db,
  workspaceId: string,
  person: Person,
  range: Range,
  since: Date | null,
) {
  await sql`
    update import_skipped set rows = (
      select jsonb_agg(
        -- What else stands in such a row may be the person's.
        case when ${named(person, 'one::text')}
          then ${erased(person, "(one - 'fields')::text")}::jsonb else one end
        order by place)
      from jsonb_array_elements(rows) with ordinality as skipped (one, place))
    where workspace_id = ${workspaceId}::uuid and ${within(range, 'import_id')}
      and import_id in (
        select id from imports where workspace_id = ${workspaceId}::uuid ${changedSince(since)})
      and ${named(person, 'rows::text')}`.execute(db)
  await sql`
    update imports set
      preview = ${erased(person, 'preview::text')}::jsonb, result = ${erased(person, 'result::text')}::jsonb,
      checked = ${erased(person, 'checked::text')}::jsonb, file_name = ${erased(person, 'file_name')}
    where workspace_id = ${workspaceId}::uuid and ${within(range)} ${changedSince(since)}
      and (${named(person, 'preview::text')} or ${named(person, 'result::text')}
        or ${named(person, 'checked::text')} or ${named(person, 'file_name')})`.execute(db)
}

/**
 * Of changes of many leads: whom they looked for and refused, and what undoing them would write back. They
 * are few, and kept for days.
 */
export const eraseFromLeadJobs = (db: Db, workspaceId: string, person: Person) =>
  sql`
    update lead_jobs set
      refusals = ${erased(person, 'refusals::text')}::jsonb,
      target = ${erased(person, 'target::text')}::jsonb,
      undo = (
        select jsonb_agg(before)
        from jsonb_array_elements(${erased(person, 'undo::text')}::jsonb) before
        where not (before ->> 'id')::uuid = any(${person.leadIds}::uuid[]))
    where workspace_id = ${workspaceId}::uuid
      and (${named(person, 'refusals::text')} or ${named(person, 'target::text')}
        or ${named(person, 'undo::text')} or exists (
          select from jsonb_array_elements(undo) before
          where (before ->> 'id')::uuid = any(${person.leadIds}::uuid[])))`.execute(db)

/** Views of leads that look for the person. */
export const eraseFromViews = (db: Db, workspaceId: string, person: Person) =>
  sql`
    update saved_views set views = ${erased(person, 'views::text')}::jsonb
    where workspace_id = ${workspaceId}::uuid and ${named(person, 'views::text')}`.execute(db)

/**
 * Files that are not imported yet and have the person in them go: nobody can take one row out of them.
 * An address may lie across two parts, and in UTF-16, where each of its letters has a zero beside it.
 * An import that has ended while its file was looked through stays what it is.
 *
 * @returns whether there were any
 */
export const deleteFiles = async (
  db: Db,
  workspaceId: string,
  person: Person,
  range: Range,
  since: Date | null,
): Promise<boolean> => {
  const { rows } = await sql`
    with named as (
      select distinct p.import_id
      from import_parts p
      left join import_parts n on n.workspace_id = p.workspace_id and n.import_id = p.import_id
        and n.number = p.number + 1
      where p.workspace_id = ${workspaceId}::uuid and ${within(range, 'p.import_id')}
        and p.import_id in (
          select id from imports where workspace_id = ${workspaceId}::uuid ${changedSince(since)})
        and ${inFile(person)}
    ), gone as (
      delete from import_parts
      where workspace_id = ${workspaceId}::uuid and import_id in (select import_id from named)
    )
    update imports set state = 'failed', preview = null,
      error = 'A person in the file was erased. Take them out of it, and import it again.'
    where workspace_id = ${workspaceId}::uuid and id in (select import_id from named)
      and state not in ('finished', 'failed', 'cancelled')
    returning id`.execute(db)
  return rows.length > 0
}

/** The charge stays in the ledger of credits; whom it was for does not. */
export const eraseAcquired = (db: Db, workspaceId: string, folded: string) =>
  count(
    sql`
    update acquired_contacts set
      email = 'erased-' || contact_id || '@erased.invalid',
      email_folded = 'erased-' || contact_id || '@erased.invalid',
      contact = (select jsonb_object_agg(key, null::text) from jsonb_object_keys(contact) key)
    where workspace_id = ${workspaceId}::uuid and email_folded = ${folded}`.execute(db),
  )
