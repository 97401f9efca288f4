import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { nextVersion } from '../webhooks/index.ts'
import { erased, is, named, type Person } from './person.ts'
import { type Changed, changed, count, type Range, within } from './walk-queries.ts'

export interface StoredEvent {
  id: string
  body: string
}

const tellOfReplies = sql`('lead.replied', 'lead.auto_replied')`

/**
 * Events about the person, and what tells of a reply that names them whose mail retention has dropped: who
 * wrote it stands in the mail alone, which was there before its event. Mails are dropped oldest first.
 */
export const listEvents = async (db: Db, workspaceId: string, person: Person, range: Range) => {
  const { rows } = await sql<StoredEvent>`
    select id, body from events
    where workspace_id = ${workspaceId}::uuid and ${within(range)} and (${is(person, 'lead_email')}
      or (type in ${tellOfReplies} and ${named(person, 'body')} and not exists (
        select from messages where workspace_id = ${workspaceId}::uuid and id < events.id)))
    order by id`.execute(db)
  return rows
}

/** Events about others that name the address: its letters alone are taken out of them. */
export const eraseFromEvents = (db: Db, workspaceId: string, person: Person, range: Range) =>
  changed(
    sql<Changed>`
    update events set body = ${erased(person, 'body')}
    where workspace_id = ${workspaceId}::uuid and ${within(range)} and ${named(person, 'body')}
    returning id`.execute(db),
  )

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
 * The result of a delivery that is under way would name the person again, and a runner has the event in
 * memory as it was: it forgets what it has read for a webhook of a new version. Rows are locked in the
 * order of their ids, as by all others who change several.
 */
export const markDeliveries = (db: Db, workspaceId: string, eventIds: string[]) =>
  sql`
    with marked as (
      update deliveries d set person_erased = true
      from (
        select id from deliveries
        where workspace_id = ${workspaceId}::uuid and event_id = any(${eventIds}::uuid[])
        order by id for update
      ) k
      where d.workspace_id = ${workspaceId}::uuid and d.id = k.id
      returning d.webhook_id
    )
    update webhooks w set version = ${nextVersion}
    from (
      select id from webhooks
      where workspace_id = ${workspaceId}::uuid and id in (select webhook_id from marked)
      order by id for update
    ) k
    where w.workspace_id = ${workspaceId}::uuid and w.id = k.id`.execute(db)

/** A receiver may send back what it got. Events are erased before attempts. */
const isOfErasedReply = (workspaceId: string) =>
  sql`response_body is not null and event_type in ${tellOfReplies} and exists (
    select from events
    where workspace_id = ${workspaceId}::uuid and id = webhook_events.event_id
      and strpos(body, '"data":{"erased":true}') > 0
    offset 0)`

/**
 * Attempts stay, because counters are made of them. Of those of events about others that name the address
 * its letters alone are taken out.
 */
export const eraseAttempts = (db: Db, workspaceId: string, person: Person, range: Range) => {
  const isTheirs = sql`(${is(person, 'lead_email')} or ${isOfErasedReply(workspaceId)}) is true`
  return count(
    sql`
    update webhook_events set
      lead_email = case when ${isTheirs} then null else lead_email end,
      response_body = case when ${isTheirs} then null else ${erased(person, 'response_body')} end,
      error_message = ${erased(person, 'error_message')}
    where workspace_id = ${workspaceId}::uuid and ${within(range)}
      and (${is(person, 'lead_email')} or ${named(person, 'response_body')}
        or ${named(person, 'error_message')} or ${isOfErasedReply(workspaceId)})`.execute(db),
  )
}
