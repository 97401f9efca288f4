import type { Db } from '../../kernel/db/db.ts'

export const findUnsubscribesByReply = async (db: Db, workspaceId: string) =>
  (
    await db
      .selectFrom('workspaces')
      .select('unsubscribe_by_reply')
      .where('id', '=', workspaceId)
      .executeTakeFirst()
  )?.unsubscribe_by_reply ?? false
