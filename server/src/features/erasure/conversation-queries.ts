import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { erased, is, named, type Person } from './person.ts'
import { type Changed, changed, changedSince, count, type Range, within } from './walk-queries.ts'

/** What stands where an address stood. Reserved for no use by RFC 2606 §2. */
const nobody = 'erased@erased.invalid'

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
        or (direction = 'in' and ${is(person, 'from_address')}))
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
      from_address = coalesce(incoming.from_address, '[erased]'), is_from_another = false,
      subject = coalesce(incoming.subject, ''), snippet = coalesce(newest.snippet, ''),
      last_message_id = coalesce(newest.id, t.last_message_id),
      timestamp_last_message = coalesce(newest.timestamp, t.timestamp_last_message)
    from threads k
    left join lateral (
      select from_address, subject from messages
      where workspace_id = ${workspaceId}::uuid and thread_id = k.id and direction = 'in'
      order by id desc limit 1
    ) incoming on true
    left join lateral (
      select id, snippet, timestamp from messages
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

/**
 * The rows stay: their keys are why no answer is sent twice. One that is uncertain counts as sent from here
 * on, for nobody could look whether it arrived, or send it again.
 */
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
      subject = null, error_message = null, look_at = null,
      state = case state when 'uncertain' then 'sent' else state end,
      reply = reply || jsonb_build_object('to_address', ${nobody}::text, 'subject', '', 'text', '',
        'html', null, 'shown_html', null, 'snippet', '', 'references', '[]'::jsonb,
        'in_reply_to', '')
    where workspace_id = ${workspaceId}::uuid and kind = 'manual' and ${within(range, 'step_id')}
      and id > ${sinceId}::uuid and state not in ('waiting', 'claimed', 'transmitting')
      and (lead_id = any(${person.leadIds}::uuid[]) or ${is(person, "reply->>'to_address'")})
      and reply->>'to_address' is distinct from ${nobody}`.execute(db),
  )

/**
 * Answers to others that name the address: its letters alone are taken out of them. What is under way is
 * waited for: it is composed again once its result is known, from what it went out with.
 */
export const eraseFromReplies = (
  db: Db,
  workspaceId: string,
  person: Person,
  range: Range,
  sinceId: string,
) =>
  count(
    sql`
    update sends set
      reply = ${erased(person, 'reply::text')}::jsonb, subject = ${erased(person, 'subject')},
      error_message = ${erased(person, 'error_message')}
    where workspace_id = ${workspaceId}::uuid and kind = 'manual' and ${within(range, 'step_id')}
      and id > ${sinceId}::uuid and state not in ('waiting', 'claimed', 'transmitting')
      and (${named(person, 'reply::text')} or ${named(person, 'subject')}
        or ${named(person, 'error_message')})`.execute(db),
  )
