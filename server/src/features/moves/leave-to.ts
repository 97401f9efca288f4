import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { hintReadings } from '../mailbox-lanes/index.ts'
import { setMoved } from '../workspaces/index.ts'
import { lock } from './check-move.ts'
import { raiseFence } from './fence.ts'
import * as queries from './queries.ts'
import { listWorkspaceTables } from './tables.ts'

/**
 * Leaves a workspace to another database that has it, too, since one of both was put back: it is here as if
 * it had been moved there, so that nothing is written any more, and its rows are deleted in an hour.
 *
 * @param keeper the name of the other one
 */
export async function leaveTo(keeper: string, shard: ProcessContext, workspaceId: string) {
  const tables = await listWorkspaceTables(shard.db)
  await raiseFence(shard, tables, workspaceId, () => undefined)
  await transaction(inWorkspace(shard, workspaceId), async ({ db }) => {
    await queries.actAsMover(db)
    await lock(db, workspaceId)
    await setMoved(db, workspaceId, keeper)
  })
  hintReadings(shard)
}
