import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { isTakenIn } from '../../kernel/db/failure.ts'
import { withSession } from '../../kernel/db/session.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator, recordAudit } from '../audit/index.ts'
import { hintReadings, wakeWorkspaceMailboxes } from '../mailbox-lanes/index.ts'
import { holdSending } from '../sending/index.ts'
import { setHere } from '../workspaces/index.ts'
import { lock, MoveRefused, refuseDeleted } from './check-move.ts'
import { lowerFence } from './fence.ts'
import { inSession } from './in-session.ts'
import * as queries from './queries.ts'
import { hasLeftLater, isThere } from './remains.ts'

/**
 * Takes back a move that was begun and left.
 *
 * @param openTarget as for `takeBack`
 * @throws MoveRefused when it is not being moved, or has arrived
 */
export async function cancelMove(
  source: ProcessContext,
  openTarget: (name: string) => ProcessContext | undefined,
  workspaceId: string,
) {
  const place = await queries.findWorkspaceRow(inWorkspace(source, workspaceId).db, workspaceId)
  if (!place) throw new MoveRefused('There is no such workspace; check the id.')
  const { moving_to: to } = place
  if (to === null) throw new MoveRefused('The workspace is not being moved.')
  if (await takeBack(source, () => openTarget(to), workspaceId)) return
  throw new MoveRefused(
    `The workspace has come to ${to}, so there is nothing to cancel. Move it back, if it should be here.`,
  )
}

/**
 * The workspace is written to and worked for again where it was. While the source has it, the source alone
 * decides: a mover commits there first, and holds its lock until then.
 *
 * @param openTarget where it was to go, which is asked only once the source says that it has gone;
 *   undefined: it was taken out for good, and what it had is lost, so that all sending from the source is
 *   held
 * @returns false when it has arrived, wherever it has gone from there
 */
export async function takeBack(
  source: ProcessContext,
  openTarget: () => ProcessContext | undefined,
  workspaceId: string,
): Promise<boolean> {
  if (await stayHere(source, workspaceId, { unlessGone: true })) return true
  const target = openTarget()
  if (!target) return stayHere(source, workspaceId, { holdsSending: true })
  // While this lock is held, no move that was begun there can still arrive.
  return withSession(target.db, (session) =>
    inSession(target, session, async (tx) => {
      const { db } = inWorkspace(tx, workspaceId)
      await queries.actAsMover(db)
      await lock(db, workspaceId)
      const left = await queries.findWorkspaceRow(inWorkspace(source, workspaceId).db, workspaceId)
      const there = await queries.findWorkspaceRow(db, workspaceId)
      if (left && there && (isThere(there) || hasLeftLater(there, left))) return false
      return stayHere(source, workspaceId)
    }),
  )
}

/** @throws MoveRefused where what a workspace has left cannot be gone on with */
export async function refuseReturn(tx: Db, place: queries.WorkspaceRow) {
  refuseDeleted(place)
  // While it was nowhere, its name was free.
  if (await queries.findNamesake(tx, place)) throw hasNamesake(place)
}

const hasNamesake = ({ name }: queries.WorkspaceRow) =>
  new MoveRefused(
    `Another workspace has been named ${name} since this one left: rename that one, and run the command again.`,
  )

/**
 * What is known not to be in another database stays here.
 *
 * @param options.unlessGone it is not known: one that the source says has gone is left alone
 * @param options.holdsSending before it is worked for again
 * @returns false where it was
 */
export async function stayHere(
  source: ProcessContext,
  workspaceId: string,
  { unlessGone = false, holdsSending = false } = {},
): Promise<boolean> {
  const stays = await transaction(source, async (whole) => {
    const tx = inWorkspace(whole, workspaceId)
    await queries.actAsMover(tx.db)
    await lock(tx.db, workspaceId)
    const place = await queries.findWorkspaceRow(tx.db, workspaceId)
    if (place && place.moved_to !== null) {
      if (unlessGone) return false
      await refuseReturn(tx.db, place)
    }
    if (holdsSending) await holdSending(whole)
    await setHere(tx.db, workspaceId).catch((error) => {
      // Another one was given the name at the same moment.
      throw place && isTakenIn(error, 'workspaces_name') ? hasNamesake(place) : error
    })
    if (place?.moving_to) {
      await recordAudit(tx, {
        ...{ workspaceId, ...operator, action: 'workspace.move_cancelled' },
        ...{ subjectType: 'workspace', subjectId: workspaceId, details: { to: place.moving_to } },
      })
    }
    await wakeWorkspaceMailboxes(tx, workspaceId)
    return true
  })
  if (!stays) return false
  hintReadings(source)
  await lowerFence(source, await queries.listFenced(source.db, workspaceId), workspaceId)
  return true
}
