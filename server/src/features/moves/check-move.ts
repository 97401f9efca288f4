import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { findInstance, readServerVersion } from '../../kernel/db/instance.ts'
import { keepMigrationsAway, readMigrationGap } from '../../kernel/db/migration-gap.ts'
import { AppError } from '../../kernel/errors.ts'
import { mayNotSend } from '../sending/index.ts'
import { inSeveral } from '../workspaces/index.ts'
import * as queries from './queries.ts'
import { listWorkspaceTables, type WorkspaceTable } from './tables.ts'

/** The move cannot be made, or not now; says what to do. */
export class MoveRefused extends AppError {
  constructor(message: string) {
    super('not_ready', message)
  }
}

export interface Plan {
  tables: WorkspaceTable[]
  /** Of the workspace. */
  name: string
  /** An earlier move has brought it there, and was killed before it was done. */
  isThere: boolean
}

interface Names {
  sourceName: string
  targetName: string
}

/**
 * Takes the locks of the workspace in both databases, and looks whether it may be moved.
 *
 * @param here the source's open transaction
 * @param there the target's
 * @throws MoveRefused
 */
export async function checkMove(
  here: ProcessContext,
  there: ProcessContext,
  workspaceId: string,
  names: Names,
): Promise<Plan> {
  const own = { here: inWorkspace(here, workspaceId).db, there: inWorkspace(there, workspaceId).db }
  await checkDatabases(here, there, names)
  await lock(own.here, workspaceId)
  await lock(own.there, workspaceId)
  const place = await checkPlaces(own.here, own.there, workspaceId, names)
  const tables = await listWorkspaceTables(here.db)
  if (JSON.stringify(tables) !== JSON.stringify(await listWorkspaceTables(there.db))) {
    throw new MoveRefused(
      'The tables of the two databases are not the same, although their migrations are: somebody has changed them by hand. Compare their schemas with pg_dump --schema-only.',
    )
  }
  return { tables, ...place }
}

export async function lock(tx: Db, workspaceId: string) {
  if (await queries.lockMove(tx, workspaceId)) return
  throw new MoveRefused(
    'Another move of this workspace is under way. Wait for it, or end its command, and run this one again.',
  )
}

/**
 * The target would send what the source may not. Asked again at the end: a standby may have taken over
 * meanwhile.
 *
 * @throws MoveRefused
 */
export async function refuseHeld({ db }: Pick<ProcessContext, 'db'>, sourceName: string) {
  if (!(await mayNotSend(db))) return
  throw new MoveRefused(
    `Sending from ${sourceName} is held, and would not be where the workspace goes: mails could go out twice. Look at "npx outrider doctor", run "npx outrider sends confirm-restore", and then move it.`,
  )
}

async function refuseOtherVersion({ db }: ProcessContext, name: string) {
  const { missing, unknown } = await readMigrationGap(db)
  if (missing.length > 0) {
    throw new MoveRefused(
      `${name} lacks the migrations ${missing.join(', ')}: run "npx outrider migrate --shards" first.`,
    )
  }
  if (unknown.length > 0) {
    throw new MoveRefused(
      `${name} has migrations of a newer version, ${unknown.join(', ')}: update this copy of Outrider first.`,
    )
  }
}

/**
 * One that was made since the move began has not seen the rows that are brought over, or they were read
 * before it.
 *
 * @param ctx with its open transaction, until whose end no other is made
 * @throws MoveRefused
 */
export async function refuseMigrated(ctx: ProcessContext, name: string) {
  const sinceMs = ctx.monotonicMs()
  while (!(await keepMigrationsAway(ctx.db))) {
    if (ctx.monotonicMs() - sinceMs > lookMs) {
      throw new MoveRefused(
        `${name} was just being migrated, so nothing was moved. Run the command again once that is over.`,
      )
    }
    await ctx.sleep(againMs)
  }
  return refuseOtherVersion(ctx, name)
}

/** A process that starts only looks for migrations, which is over at once. */
const lookMs = 5_000
const againMs = 100

/** @throws MoveRefused when the rows of a workspace that has gone are not kept any more */
export function refuseDeleted(source: queries.WorkspaceRow) {
  if (!source.is_emptied) return
  throw new MoveRefused(
    `The workspace was moved to ${source.moved_to} and had arrived, but is not there any more. What it had left here has been deleted since, or is being: put ${source.moved_to} back from a backup that has it.`,
  )
}

async function checkDatabases(
  here: ProcessContext,
  there: ProcessContext,
  { sourceName, targetName }: Names,
) {
  const [source, target] = [await findInstance(here.db), await findInstance(there.db)]
  if (!source || !target) {
    throw new MoveRefused('A database is empty: run "npx outrider migrate --shards" first.')
  }
  if (source.id === target.id) {
    throw new MoveRefused(`The workspace is in ${sourceName} already: give it another shard.`)
  }
  await refuseOtherVersion(here, sourceName)
  await refuseOtherVersion(there, targetName)
  await refuseHeld(here, sourceName)
  if (source.secret_key_id !== target.secret_key_id) {
    throw new MoveRefused(
      `${targetName} is sealed with the key ${target.secret_key_id} and ${sourceName} with ${source.secret_key_id}, so that nobody could open there what is sealed here. Give both the same OUTRIDER_SECRET_KEY, and run "npx outrider secrets reseal".`,
    )
  }
  const [from, to] = [await readMajor(here), await readMajor(there)]
  if (from !== to) {
    throw new MoveRefused(
      `${sourceName} is PostgreSQL ${from} and ${targetName} PostgreSQL ${to}: upgrade the older one first.`,
    )
  }
}

const readMajor = async ({ db }: ProcessContext) =>
  Math.floor((await readServerVersion(db)) / 10_000)

async function checkPlaces(
  here: Db,
  there: Db,
  workspaceId: string,
  { sourceName, targetName }: Names,
): Promise<Pick<Plan, 'isThere' | 'name'>> {
  const source = await queries.findWorkspaceRow(here, workspaceId)
  const target = await queries.findWorkspaceRow(there, workspaceId)
  if (!source) throw new MoveRefused(`There is no such workspace in ${sourceName}; check the id.`)
  const isActiveThere = target !== undefined && target.moved_to === null
  if (isActiveThere && source.moved_to === null) {
    throw inSeveral([{ ...source, shards: [sourceName, targetName] }])
  }
  if (source.moved_to !== null && source.moved_to !== targetName) {
    throw new MoveRefused(`The workspace was moved from ${sourceName} to ${source.moved_to}.`)
  }
  const { name } = source
  if (isActiveThere) {
    if (target.moving_to !== null) throw wasLeft(target.moving_to)
    return { isThere: true, name }
  }
  refuseDeleted(source)
  if (source.moving_to !== null && source.moving_to !== targetName) throw wasLeft(source.moving_to)
  if (await queries.findNamesake(there, source)) throw hasNamesakeThere(name, targetName)
  return { isThere: false, name }
}

const wasLeft = (to: string) =>
  new MoveRefused(
    `A move of this workspace to ${to} was begun and left. Run it again with --to ${to}, or take it back with --cancel.`,
  )

export const hasNamesakeThere = (name: string, targetName: string) =>
  new MoveRefused(
    `${targetName} has another workspace that is named ${name}, or has its handle. Rename one of them, and run the command again.`,
  )
