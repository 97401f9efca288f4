import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { erased, inFile, is, named, type Person } from './person.ts'

/** Rows by their keys: those after the first, up to the last. */
export interface Range {
  after: string
  upTo: string
}

/** What stands where an address stood. Reserved for no use by RFC 2606 §2. */
const nobody = 'erased@erased.invalid'

export const listLeadIds = async (db: Db, workspaceId: string, folded: string) => {
  const rows = await db
    .selectFrom('leads')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('email_folded', '=', folded)
    .execute()
  return rows.map(({ id }) => id)
}

/** A mail that is under way would be stored after everything else is gone. */
export const countOpenSends = async (db: Db, workspaceId: string, leadIds: string[]) => {
  const { rows } = await sql<{ open: number }>`
    select count(*)::int as open from sends
    where workspace_id = ${workspaceId}::uuid and lead_id = any(${leadIds}::uuid[])
      and state in ('waiting', 'claimed', 'transmitting')`.execute(db)
  return rows[0]?.open ?? 0
}

/** Tables that are gone through by a key. */
const keys = {
  ...{ leads: 'id', threads: 'id', messages: 'id', events: 'id', webhook_events: 'id' },
  ...{ imports: 'id', sends: 'step_id' },
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
  const only = table === 'sends' ? sql`and kind = 'manual'` : sql``
  const { rows } = await sql<{ last: string | null; count: number }>`
    select (array_agg(key order by key desc))[1] as last, count(*)::integer as count
    from (
      select ${key} as key from ${sql.table(table)}
      where workspace_id = ${workspaceId}::uuid and ${key} > ${after}::uuid ${only}
      order by ${key}
      limit ${limit}::integer
    ) next`.execute(db)
  return rows[0] ?? { last: null, count: 0 }
}

const within = ({ after, upTo }: Range, key = 'id') =>
  sql`${sql.ref(key)} > ${after}::uuid and ${sql.ref(key)} <= ${upTo}::uuid`

/** Rows that were written since then; all of them without. */
const changedSince = (since: Date | null, column = 'timestamp_updated') =>
  since ? sql`and ${sql.ref(column)} >= ${since}::timestamptz` : sql``

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
      custom_variables = ${erased(person, 'custom_variables::text')}::jsonb,
      personalization = ${erased(person, 'personalization')},
      thread_subject = ${erased(person, 'thread_subject')}
    where workspace_id = ${workspaceId}::uuid and ${within(range)} ${changedSince(since)}
      and (${named(person, 'custom_variables::text')} or ${named(person, 'personalization')}
        or ${named(person, 'thread_subject')})`.execute(db),
  )

export interface DeletedMessage {
  id: string
  direction: 'out' | 'in'
  lead_id: string | null
  thread_id: string
  snippet: string
}

/** The conversation itself, and what came from the address or went to it elsewhere. */
export const deleteMessages = async (
  db: Db,
  workspaceId: string,
  person: Person,
  range: Range,
): Promise<DeletedMessage[]> => {
  const { rows } = await sql<DeletedMessage>`
    delete from messages
    where workspace_id = ${workspaceId}::uuid and ${within(range)}
      and (lead_id = any(${person.leadIds}::uuid[]) or thread_id = any(${person.leadIds}::uuid[])
        or ${is(person, 'from_address')})
    returning id, direction, lead_id, thread_id, snippet`.execute(db)
  return rows
}

/** Mails of others that name the address: its letters alone are taken out of them. */
export const eraseFromMessages = (db: Db, workspaceId: string, person: Person, range: Range) =>
  changed(
    sql<Changed>`
    update messages set
      to_addresses = array(select ${erased(person, 'each')} from unnest(to_addresses) each),
      cc_addresses = array(select ${erased(person, 'each')} from unnest(cc_addresses) each),
      subject = ${erased(person, 'subject')}, text = ${erased(person, 'text')},
      html = ${erased(person, 'html')}, snippet = ${erased(person, 'snippet')},
      details = ${erased(person, 'details::text')}::jsonb
    where workspace_id = ${workspaceId}::uuid and ${within(range)}
      and (${named(person, 'text')} or ${named(person, 'html')} or ${named(person, 'subject')}
        or ${named(person, 'snippet')} or ${named(person, 'details::text')}
        or ${named(person, "array_to_string(to_addresses || cc_addresses, ' ')")})
    returning thread_id as id`.execute(db),
  )

export const deleteThreads = (db: Db, workspaceId: string, leadIds: string[]) =>
  count(
    sql`
    delete from threads
    where workspace_id = ${workspaceId}::uuid and id = any(${leadIds}::uuid[])`.execute(db),
  )

/**
 * Conversations of others that show what the person wrote in them last: they show the newest mail that
 * is left, or nobody.
 */
export const showOtherMail = (
  db: Db,
  workspaceId: string,
  person: Person,
  range: Range,
  since: Date | null,
) =>
  changed(
    sql<Changed>`
    update threads t set
      from_address = coalesce(incoming.from_address, '[erased]'),
      subject = coalesce(incoming.subject, ''), snippet = coalesce(newest.snippet, ''),
      last_message_id = coalesce(newest.id, t.last_message_id)
    from threads k
    left join lateral (
      select from_address, subject from messages
      where workspace_id = ${workspaceId}::uuid and thread_id = k.id and direction = 'in'
      order by id desc limit 1
    ) incoming on true
    left join lateral (
      select id, snippet from messages
      where workspace_id = ${workspaceId}::uuid and thread_id = k.id
        and (direction = 'in' or kind = 'manual')
      order by id desc limit 1
    ) newest on true
    where t.workspace_id = ${workspaceId}::uuid and t.id = k.id
      and k.workspace_id = ${workspaceId}::uuid and ${within(range, 'k.id')}
      ${changedSince(since, 'k.timestamp_updated')} and ${is(person, 'k.from_address')}
    returning t.id`.execute(db),
  )

export const eraseFromThreads = (
  db: Db,
  workspaceId: string,
  person: Person,
  range: Range,
  since: Date | null,
) =>
  changed(
    sql<Changed>`
    update threads set
      from_address = ${erased(person, 'from_address')}, subject = ${erased(person, 'subject')},
      snippet = ${erased(person, 'snippet')}
    where workspace_id = ${workspaceId}::uuid and ${within(range)} ${changedSince(since)}
      and (${named(person, 'from_address')} or ${named(person, 'subject')}
        or ${named(person, 'snippet')})
    returning id`.execute(db),
  )

/** The rows stay: their keys are why no answer is sent twice. */
export const eraseReplies = (
  db: Db,
  workspaceId: string,
  person: Person,
  range: Range,
  sinceId: string,
) =>
  count(
    sql`
    update sends set
      subject = null, error_message = null,
      reply = reply || jsonb_build_object('to_address', ${nobody}::text, 'subject', '', 'text', '',
        'html', null, 'shown_html', null, 'snippet', '', 'references', '[]'::jsonb,
        'in_reply_to', '')
    where workspace_id = ${workspaceId}::uuid and kind = 'manual' and ${within(range, 'step_id')}
      and id > ${sinceId}::uuid and state not in ('waiting', 'claimed', 'transmitting')
      and (lead_id = any(${person.leadIds}::uuid[]) or ${is(person, "reply->>'to_address'")})
      and reply->>'to_address' is distinct from ${nobody}`.execute(db),
  )

/** Answers to others that name the address: its letters alone are taken out of them. */
export const eraseFromReplies = (
  db: Db,
  workspaceId: string,
  person: Person,
  range: Range,
  sinceId: string,
) =>
  count(
    sql`
    update sends set reply = ${erased(person, 'reply::text')}::jsonb
    where workspace_id = ${workspaceId}::uuid and kind = 'manual' and ${within(range, 'step_id')}
      and id > ${sinceId}::uuid and ${named(person, 'reply::text')}`.execute(db),
  )

export const eraseSends = (db: Db, workspaceId: string, leadIds: string[]) =>
  count(
    sql`
    update sends set subject = null, error_message = null
    where workspace_id = ${workspaceId}::uuid and lead_id = any(${leadIds}::uuid[])`.execute(db),
  )

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
    update import_skipped set rows = ${erased(person, 'rows::text')}::jsonb
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

/** Of changes of many leads: whom they looked for and refused. They are few, and kept for days. */
export const eraseFromLeadJobs = (db: Db, workspaceId: string, person: Person) =>
  sql`
    update lead_jobs set
      refusals = ${erased(person, 'refusals::text')}::jsonb,
      target = ${erased(person, 'target::text')}::jsonb
    where workspace_id = ${workspaceId}::uuid
      and (${named(person, 'refusals::text')} or ${named(person, 'target::text')})`.execute(db)

/** Views of leads that look for the person. */
export const eraseFromViews = (db: Db, workspaceId: string, person: Person) =>
  sql`
    update saved_views set views = ${erased(person, 'views::text')}::jsonb
    where workspace_id = ${workspaceId}::uuid and ${named(person, 'views::text')}`.execute(db)

/**
 * Files that are not imported yet and have the person in them go: nobody can take one row out of them.
 * An address may lie across two parts, and in UTF-16, where each of its letters has a zero beside it.
 */
export const deleteFiles = (
  db: Db,
  workspaceId: string,
  person: Person,
  range: Range,
  since: Date | null,
) =>
  sql`
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
    where workspace_id = ${workspaceId}::uuid and id in (select import_id from named)`.execute(db)

export interface StoredEvent {
  id: string
  body: string
}

export const listEvents = async (db: Db, workspaceId: string, person: Person, range: Range) => {
  const { rows } = await sql<StoredEvent>`
    select id, body from events
    where workspace_id = ${workspaceId}::uuid and ${within(range)}
      and (${is(person, 'lead_email')} or ${named(person, 'body')})
    order by id`.execute(db)
  return rows
}

const tellOfReplies = sql`('lead.replied', 'lead.auto_replied')`

/** Events that may tell of these mails: each is made in the transaction that stores its mail, after it. */
export const listEventsOfReplies = async (
  db: Db,
  workspaceId: string,
  mails: { id: string; lead_id: string; upTo: string }[],
) => {
  const { rows } = await sql<StoredEvent>`
    select distinct events.id, events.body
    from unnest(${mails.map(({ id }) => id)}::uuid[], ${mails.map(({ upTo }) => upTo)}::uuid[],
      ${mails.map(({ lead_id }) => lead_id)}::text[]) as mail (id, up_to, lead_id)
    join events on events.workspace_id = ${workspaceId}::uuid and events.id > mail.id
      and events.id <= mail.up_to and events.type in ${tellOfReplies}
      and strpos(events.body, mail.lead_id) > 0`.execute(db)
  return rows
}

export const updateEvents = (db: Db, workspaceId: string, events: StoredEvent[]) =>
  sql`
    update events set body = batch.body, lead_email = null
    from unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ body }) => body)}::text[])
      as batch (id, body)
    where events.workspace_id = ${workspaceId}::uuid and events.id = batch.id`.execute(db)

/**
 * The result of a delivery that is under way would name the person again. Rows are locked in the order
 * of their ids, as by all others who change several.
 */
export const markDeliveries = (db: Db, workspaceId: string, eventIds: string[]) =>
  sql`
    update deliveries d set person_erased = true
    from (
      select id from deliveries
      where workspace_id = ${workspaceId}::uuid and event_id = any(${eventIds}::uuid[])
      order by id for update
    ) k
    where d.workspace_id = ${workspaceId}::uuid and d.id = k.id`.execute(db)

/** A receiver may send back what it got. Events are erased before attempts. */
const isOfErasedReply = (workspaceId: string) =>
  sql`response_body is not null and event_type in ${tellOfReplies} and exists (
    select from events
    where workspace_id = ${workspaceId}::uuid and id = webhook_events.event_id
      and strpos(body, '"data":{"erased":true}') > 0
    offset 0)`

/** Attempts stay, because counters are made of them. */
export const eraseAttempts = (db: Db, workspaceId: string, person: Person, range: Range) =>
  count(
    sql`
    update webhook_events set
      lead_email = null, response_body = null, error_message = ${erased(person, 'error_message')}
    where workspace_id = ${workspaceId}::uuid and ${within(range)}
      and (${is(person, 'lead_email')} or ${named(person, 'response_body')}
        or ${named(person, 'error_message')} or ${isOfErasedReply(workspaceId)})`.execute(db),
  )

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

interface Changed {
  /** Of a conversation. */
  id: string
}

/** @returns one id for each row */
async function changed(result: Promise<{ rows: Changed[] }>): Promise<string[]> {
  return (await result).rows.map(({ id }) => id)
}

async function count(result: Promise<{ numAffectedRows?: bigint }>): Promise<number> {
  return Number((await result).numAffectedRows ?? 0)
}
