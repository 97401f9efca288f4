import { type Context, inWorkspace, type OpenShard } from '../../kernel/context.ts'
import { withSession } from '../../kernel/db/session.ts'
import { hintReadings } from '../mailbox-lanes/index.ts'
import { setMoved } from '../workspaces/index.ts'
import { lock, MoveRefused } from './check-move.ts'
import { raiseFence } from './fence.ts'
import { inSession } from './in-session.ts'
import * as queries from './queries.ts'
import { stayHere } from './stay-here.ts'
import { listWorkspaceTables } from './tables.ts'

type Shard = Pick<OpenShard, 'name' | 'ctx'>

/**
 * Leaves a workspace to one of the databases that have it, since one of them was put back: in the others it
 * is as if it had been moved there, so that nothing is written any more, and its rows are deleted in an
 * hour. The locks keep movers away, and who would leave it the other way round.
 *
 * @throws MoveRefused when one of them has it no more, or another command is at work on it
 */
export async function leaveTo(keeper: Shard, leavers: Shard[], workspaceId: string): Promise<void> {
  const kept = await whileItIsIn(keeper, workspaceId, async ({ db }) => {
    for (const leaver of leavers) {
      await whileItIsIn(leaver, workspaceId, async ({ db }) => {
        const tables = await listWorkspaceTables(leaver.ctx.db)
        // In transactions of their own, which let go of each table at once.
        await raiseFence(leaver.ctx, tables, workspaceId, () => undefined)
        await setMoved(db, workspaceId, keeper.name)
      })
      hintReadings(leaver.ctx)
    }
    return queries.findWorkspaceRow(db, workspaceId)
  })
  if (kept?.moving_to) await stayHere(keeper.ctx, workspaceId, { unlessGone: true })
}

/** Until `work` is done nobody moves it from there, or to there. */
const whileItIsIn = <T>(
  { name, ctx }: Shard,
  workspaceId: string,
  work: (tx: Context) => Promise<T>,
): Promise<T> =>
  withSession(ctx.db, (session) =>
    inSession(ctx, session, async (open) => {
      const tx = inWorkspace(open, workspaceId)
      await queries.actAsMover(tx.db)
      await lock(tx.db, workspaceId)
      const place = await queries.findWorkspaceRow(tx.db, workspaceId)
      if (place?.moved_to === null) return work(tx)
      throw new MoveRefused(
        `The workspace has left ${name} meanwhile: look at "npx outrider doctor", and run the command again if several shards still have it.`,
      )
    }),
  )
