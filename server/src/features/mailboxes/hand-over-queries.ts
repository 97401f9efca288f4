import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'

/** From now on `to` goes on with conversations of `from`, and with what that had gone on with itself. */
export const saveHandOver = (db: Db, workspaceId: string, from: string, to: string) =>
  sql`
    insert into hand_overs (workspace_id, to_mailbox_id, from_mailbox_id)
    select ${workspaceId}::uuid, ${to}::uuid, f.id
    from (
      select ${from}::uuid as id
      union
      select from_mailbox_id from hand_overs
      where workspace_id = ${workspaceId}::uuid and to_mailbox_id = ${from}::uuid
    ) f
    where f.id <> ${to}::uuid
    on conflict do nothing`.execute(db)

/** The mailboxes that went on with conversations of this one, in no order. */
export const findSuccessors = async (db: Db, workspaceId: string, id: string) =>
  (
    await db
      .selectFrom('hand_overs')
      .select('to_mailbox_id')
      .where('workspace_id', '=', workspaceId)
      .where('from_mailbox_id', '=', id)
      .execute()
  ).map(({ to_mailbox_id }) => to_mailbox_id)
