import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'
import { newestFirst } from '../../../kernel/db/newest-first.ts'
import type { PageRequest } from '../../../kernel/http/page.ts'
import { shown } from '../queries.ts'
import { isInboxRead } from '../read-before-follow-up.ts'
import type { MailboxStatus } from '../schema.ts'

/**
 * With what each sent about `day`, which is that of UTC: wherever a mailbox is, its own is one of three.
 * PostgreSQL is not asked which: it may not know the zone.
 */
const selectManaged = (db: Db, workspaceId: string, day: string) =>
  db
    .selectFrom('mailboxes as m')
    .select(shown.map((column) => `m.${column}` as const))
    .select('m.settings')
    .select(sql<boolean>`${sql.raw(isInboxRead('m'))}`.as('is_inbox_read'))
    .select(
      sql<{ day: string; sent: number }[] | null>`(
        select json_agg(json_build_object('day', d.day, 'sent', d.sent)) from mailbox_days d
        where d.workspace_id = m.workspace_id and d.mailbox_id = m.id
          and d.day between ${day}::date - 1 and ${day}::date + 1
      )`.as('days'),
    )
    .where('m.workspace_id', '=', workspaceId)

export type ManagedRow = NonNullable<Awaited<ReturnType<typeof findManaged>>>

export interface MailboxFilter {
  /** A part of its address or name, in any case. */
  search: string | undefined
  status: MailboxStatus | undefined
}

/** Newest first, and one more than the page holds. */
export const listManaged = (
  db: Db,
  workspaceId: string,
  page: PageRequest,
  { search, status }: MailboxFilter,
  day: string,
) =>
  selectManaged(db, workspaceId, day)
    .$if(status !== undefined, (query) => query.where('m.status', '=', status as string))
    .$if(search !== undefined, (query) => {
      const pattern = `%${search?.replaceAll(/[\\%_]/g, '\\$&')}%`
      return query.where(
        sql<SqlBool>`(m.address ilike ${pattern} or m.display_name ilike ${pattern})`,
      )
    })
    .$call(newestFirst(page, 'm.id'))
    .execute()

export const listAll = (db: Db, workspaceId: string, day: string) =>
  selectManaged(db, workspaceId, day).execute()

export const findManaged = (db: Db, workspaceId: string, id: string, day: string) =>
  selectManaged(db, workspaceId, day).where('m.id', '=', id).executeTakeFirst()

/** Removed mailboxes that leads or conversations are in, newest first, and one more than the page holds. */
export const listRemoved = (db: Db, workspaceId: string, page: PageRequest) =>
  db
    .selectFrom('removed_mailboxes as r')
    .select(['r.id', 'r.address', 'r.timestamp_removed'])
    .where('r.workspace_id', '=', workspaceId)
    .where(
      sql<SqlBool>`(
        exists (select from leads l where l.workspace_id = r.workspace_id
          and l.mailbox_id = r.id and l.sending_state = 'active')
        or exists (select from leads l where l.workspace_id = r.workspace_id
          and l.mailbox_id = r.id and l.sending_state = 'paused')
        or exists (select from threads t where t.workspace_id = r.workspace_id
          and t.mailbox_id = r.id)
      )`,
    )
    .$call(newestFirst(page, 'r.id'))
    .execute()

/** The campaigns that name the address and may still send. */
export const listCampaignsOf = (db: Db, workspaceId: string, address: string) =>
  db
    .selectFrom('campaigns')
    .select(['id', 'name', 'status'])
    .where('workspace_id', '=', workspaceId)
    .where('status', '!=', 'completed')
    .where(sql<SqlBool>`${address} = any(email_list)`)
    .orderBy('id', 'desc')
    .execute()
