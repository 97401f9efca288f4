import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { withSession } from '../../kernel/db/session.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator, recordAudit } from '../audit/index.ts'
import { hintReadings, wakeWorkspaceMailboxes } from '../mailbox-lanes/index.ts'
import { setHere } from '../workspaces/index.ts'
import { lock, MoveRefused, refuseDeleted } from './check-move.ts'
import { lowerFence } from './fence.ts'
import { inSession } from './in-session.ts'
import * as queries from './queries.ts'

/**
 * Takes back a move that was begun and left: the workspace is written to and worked for again.
 *
 * @param target where it was to go, which has to be asked once the source says that it has gone
 * @throws MoveRefused when it is not being moved, or has arrived
 */
export async function cancelMove(
  source: ProcessContext,
  target: ProcessContext,
  workspaceId: string,
) {
  const place = await queries.findWorkspaceRow(inWorkspace(source, workspaceId).db, workspaceId)
  if (!place) throw new MoveRefused('There is no such workspace; check the id.')
  if (place.moving_to === null) throw new MoveRefused('The workspace is not being moved.')
  // While this lock is held, no move that was begun there can still arrive.
  await withSession(target.db, (session) =>
    inSession(target, session, async (tx) => {
      const { db } = inWorkspace(tx, workspaceId)
      await queries.actAsMover(db)
      await lock(db, workspaceId)
      const arrived = await queries.findWorkspaceRow(db, workspaceId)
      if (arrived && arrived.moved_to === null) {
        throw new MoveRefused(
          `The workspace is in ${place.moving_to}, so there is nothing to cancel. Move it back, if it should be here.`,
        )
      }
      refuseDeleted(place)
      await stayHere(source, workspaceId)
    }),
  )
}

/** What is known not to be in another database stays here. */
export async function stayHere(source: ProcessContext, workspaceId: string) {
  await transaction(inWorkspace(source, workspaceId), async (tx) => {
    await queries.actAsMover(tx.db)
    await lock(tx.db, workspaceId)
    const place = await queries.findWorkspaceRow(tx.db, workspaceId)
    await setHere(tx.db, workspaceId)
    if (place?.moving_to) {
      await recordAudit(tx, {
        ...{ workspaceId, actor: operator, action: 'workspace.move_cancelled' },
        ...{ subjectType: 'workspace', subjectId: workspaceId, details: { to: place.moving_to } },
      })
    }
    await wakeWorkspaceMailboxes(tx, workspaceId)
  })
  hintReadings(source)
  await lowerFence(source, await queries.listFenced(source.db, workspaceId), workspaceId)
}
