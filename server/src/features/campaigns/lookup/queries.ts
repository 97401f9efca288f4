import type { Db } from '../../../kernel/db/db.ts'

export async function existsCampaign(db: Db, workspaceId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('campaigns')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}
