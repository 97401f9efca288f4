import { operator, recordAudit } from '../features/audit/index.ts'
import {
  cancelMove,
  findWorkspaceRow,
  leaveTo,
  type Moved,
  moveWorkspace,
  type Progress,
  refuseReturn,
  type WorkspaceRow,
} from '../features/moves/index.ts'
import { chooseShard, inSeveral, locateWorkspace } from '../features/workspaces/index.ts'
import { inWorkspace, type ProcessContext } from '../kernel/context.ts'
import { AppError } from '../kernel/errors.ts'
import { parseUuid } from '../kernel/ids.ts'
import { askAllShards, askShardsUp, shardNameOf } from '../kernel/shards/ask.ts'
import { showingProgress } from './directory-options.ts'
import { getShard, type OutputOptions } from './operate.ts'
import type { Confirmable } from './options.ts'

/** The row of the workspace in one of the databases. */
interface Found {
  shard: ProcessContext
  row: WorkspaceRow
}

/**
 * Moves a workspace, or ends a move that was killed, wherever that had come.
 *
 * @param workspace its id or name; between two databases it has no name
 * @throws AppError with what to do
 */
export async function moveTo(
  ctx: ProcessContext,
  workspace: string,
  to: string,
  options: OutputOptions,
): Promise<Moved & { id: string; from: string; to: string }> {
  const target = getShard(ctx, to)
  const id = await idOf(ctx, workspace)
  const rows = await getRows(ctx, id)
  const source = sourceOf(rows, to)
  if (!source) {
    throw new AppError(
      'not_ready',
      `The workspace is on the shard ${to} already: give another one, or take a move that was left back with --cancel.`,
    )
  }
  if (source.shard === target) throw nowhere(source, to)
  // It takes room there that it does not have yet.
  if (activeOf(rows)?.shard !== target) await chooseShard(ctx, to)
  const from = shardNameOf(source.shard)
  const moved = await showingProgress(ctx, options, (show) =>
    moveWorkspace(source.shard, target, id, {
      ...{ sourceName: from, targetName: to },
      onProgress: (progress) => show(stepOf(progress)),
    }),
  )
  return { id, from, to, ...moved }
}

/**
 * Takes a move back that was left. A workspace that has not left its shard yet stays there, whichever
 * other one does not answer.
 *
 * @param options.yes also while the shard that it was to go to does not answer, or where it was taken out
 * @throws AppError with what to do
 */
export async function cancel(ctx: ProcessContext, workspace: string, { yes }: Confirmable = {}) {
  const id = await idOf(ctx, workspace)
  const answers = await askShardsUp(ctx, async (shard) => ({
    ...{ name: shardNameOf(shard), rows: await findRowOf(id)(shard) },
  }))
  const active = activeOf(answers.flatMap(({ rows }) => rows))
  const to = active?.row.moving_to
  if (active && to && !yes && !answers.some(({ name }) => name === to)) {
    throw new AppError('not_ready', mayBeThere(shardNameOf(active.shard), to))
  }
  const source = active ?? lastOf(await getRows(ctx, id))
  const goneTo = source.row.moved_to
  const isTakenOut = goneTo !== null && ctx.shards?.names.includes(goneTo) === false
  if (isTakenOut) {
    // Before it is offered.
    await refuseReturn(inWorkspace(source.shard, id).db, source.row)
    if (!yes) throw new AppError('not_ready', wasTakenOut(shardNameOf(source.shard), goneTo))
  }
  const openTarget = (name: string) => (isTakenOut ? undefined : getShard(ctx, name))
  await cancelMove(source.shard, openTarget, id)
  return { id, stays_on: shardNameOf(source.shard) }
}

const wasTakenOut = (from: string, to: string) =>
  `The workspace had gone to ${to}, which was taken out. With --yes it is on ${from} again as it left, without what came after, and all sending from ${from} is held until "npx outrider sends confirm-restore": what ${to} has sent goes out again.`

const mayBeThere = (from: string, to: string) =>
  `The shard ${to} does not answer. If a standby of ${from} has taken over since the move began, or ${from} was put back, the workspace may be on ${to}, and both would send. Bring ${to} back first, or add --yes if ${from} is still what it was.`

/**
 * Of a workspace that several shards have, since one of them was put back, the one that goes on with it.
 *
 * @throws AppError with what to do
 */
export async function keep(ctx: ProcessContext, id: string, on: string) {
  const keeper = getShard(ctx, on)
  const active = (await getRows(ctx, id)).filter(({ row }) => row.moved_to === null)
  if (!active.some(({ shard }) => shard === keeper)) {
    throw new AppError(
      'not_ready',
      `The workspace is not on the shard ${on}: name one that has it.`,
    )
  }
  const leavers = active
    .filter(({ shard }) => shard !== keeper)
    .map(({ shard }) => ({ name: shardNameOf(shard), ctx: shard }))
  await leaveTo({ name: on, ctx: keeper }, leavers, id)
  const left_by = leavers.map(({ name }) => name)
  const subject = { subjectType: 'workspace', subjectId: id }
  await recordAudit(inWorkspace(keeper, id), {
    ...{ workspaceId: id, ...operator, action: 'workspace.kept' },
    ...{ ...subject, details: { on, left_by } },
  })
  return { id, on, left_by }
}

async function idOf(ctx: ProcessContext, workspace: string): Promise<string> {
  return parseUuid(workspace) ?? (await locateWorkspace(ctx, workspace)).found.id
}

async function getRows(ctx: ProcessContext, id: string): Promise<[Found, ...Found[]]> {
  const [one, ...others] = (await askAllShards(ctx, findRowOf(id))).flat()
  if (one) return [one, ...others]
  throw new AppError('not_found', 'No such workspace; check its id or name.')
}

const findRowOf =
  (id: string) =>
  async (shard: ProcessContext): Promise<Found[]> => {
    const row = await findWorkspaceRow(inWorkspace(shard, id).db, id)
    return row ? [{ shard, row }] : []
  }

/** @throws AppError where several have it: whichever was taken, the other would go on with it */
function activeOf(rows: Found[]): Found | undefined {
  const [active, ...others] = rows.filter(({ row }) => row.moved_to === null)
  if (active && others.length > 0) {
    const shards = [active, ...others].map(({ shard }) => shardNameOf(shard))
    throw inSeveral([{ ...active.row, shards }])
  }
  return active
}

/** Where it is, or was last, if it is nowhere. */
const lastOf = (rows: [Found, ...Found[]]): Found =>
  activeOf(rows) ?? rows.reduce((last, each) => (timeOf(each) > timeOf(last) ? each : last))

const timeOf = ({ row }: Found) => row.timestamp_moving?.getTime() ?? 0

/** Where it is, or was: of one that has arrived, a row that says so, for the move may have been killed. */
function sourceOf(rows: [Found, ...Found[]], to: string): Found | undefined {
  const last = lastOf(rows)
  if (last.row.moved_to !== null || shardNameOf(last.shard) !== to) return last
  return rows.find(({ row }) => row.moved_to === to)
}

/** The last that had it is asked to bring it to itself. */
const nowhere = ({ row }: Found, to: string) =>
  new AppError(
    'not_ready',
    `A move of the workspace from ${to} to ${row.moved_to} was left before it arrived: run it again with --to ${row.moved_to}, or take it back with --cancel.`,
  )

const says: Record<Progress['step'], string> = {
  drain: 'tables, once mails under way are through',
  fence: 'tables kept as they are',
  copy: 'tables copied',
  compare: 'tables compared',
  switch: 'tables switched',
  activate: 'tables switched',
  clean: 'tables moved',
  done: 'tables moved',
}

const stepOf = ({ step, done = 0, of = 1 }: Progress) => ({
  ...{ what: says[step], count: done, done, whole: of },
})

export const showMoved = ({
  from,
  to,
  rows,
  held_ms,
  was_there,
}: Awaited<ReturnType<typeof moveTo>>) =>
  was_there
    ? `The workspace had come to ${to} already; what was left of its move is done.`
    : `Moved from ${from} to ${to}: ${rows} rows. For ${(held_ms / 1000).toFixed(1)} s nothing of it could be changed. Its rows in ${from} are deleted in an hour.`

export const showKept = ({ on, left_by }: Awaited<ReturnType<typeof keep>>) =>
  left_by.length === 0
    ? `The workspace is on ${on} alone.`
    : `The workspace stays on ${on}. What ${left_by.join(' and ')} has of it is deleted in an hour.`

export const showCancelled = ({ stays_on }: Awaited<ReturnType<typeof cancel>>) =>
  `The move is taken back: the workspace stays on ${stays_on}, and is worked for again.`
