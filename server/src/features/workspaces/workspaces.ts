import type { AnyContext, Context, ProcessContext } from '../../kernel/context.ts'
import { isTakenIn } from '../../kernel/db/failure.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { parseUuid } from '../../kernel/ids.ts'
import {
  askAllShards,
  askShardsUp,
  findOnShards,
  haveAllAnswered,
} from '../../kernel/shards/ask.ts'
import { hasWorkspaces } from '../../kernel/shards/queries.ts'
import { operator, recordAudit } from '../audit/index.ts'
import { wakeWorkspaceMailboxes } from '../mailbox-lanes/index.ts'
import * as queries from './queries.ts'

export const defaultWorkspaceName = 'default'
const startingCredits = { default: 1000, other: 100 }

/** What a plan switches and limits (contract §2). */
export interface PlanChanges {
  api?: boolean | undefined
  webhooks?: boolean | undefined
  acquisition?: boolean | undefined
  /** Requests per 10 s; 0 = unlimited. */
  rate?: number | undefined
  /** Null = unlimited. */
  leadsMax?: number | null | undefined
  leadbankScopeRequired?: boolean | undefined
  /** Credits granted at the beginning of each month; 0 = none. */
  monthlyCredits?: number | undefined
}

/**
 * On this database; `chooseShard` says which one a new workspace should be on. Everything is on: a
 * self-hosted workspace is limited only by its operator.
 */
export async function createWorkspace(ctx: ProcessContext, name: string) {
  const trimmed = name.trim()
  if (trimmed === '' || trimmed.length > 255) {
    throw invalidField('/name', 'name must have 1 to 255 characters')
  }
  await requireFreeElsewhere(ctx, trimmed)
  const isRefused = trimmed === defaultWorkspaceName && (await isAnyThere(ctx))
  return transaction(ctx, async (tx) => {
    const workspace = await insert(tx, trimmed)
    if (!workspace) throw nameTaken()
    if (isRefused) throw isForTheFirst()
    return workspace
  })
}

/** At the first start: where there is one, whatever its name is by now, none is added. */
export async function makeDefaultWorkspace(ctx: ProcessContext): Promise<void> {
  if (!(await isAnyThere(ctx))) await insert(ctx, defaultWorkspaceName)
}

/** One that was moved to a shard that is down has left its row here. */
const isAnyThere = async (ctx: ProcessContext): Promise<boolean> =>
  (await askShardsUp(ctx, ({ db }) => hasWorkspaces(db))).includes(true)

export async function ensureDefaultWorkspace(ctx: ProcessContext) {
  await makeDefaultWorkspace(ctx)
  return (await locateDefaultWorkspace(ctx)).found
}

/**
 * Of whoever names none: the one that is named `default`, or else the only one that there is.
 *
 * @throws AppError `not_ready` when there are several
 */
export async function locateDefaultWorkspace(ctx: ProcessContext) {
  const named = await askShardsUp(ctx, async (shard) => {
    const found = await queries.findWorkspaceByName(shard.db, defaultWorkspaceName)
    return found && { ctx: shard, found }
  })
  for (const one of named) if (one) return one
  const lists = await askAllShards(ctx, async (shard) =>
    (await listWorkspaces(shard)).map((found) => ({ ctx: shard, found })),
  )
  const all = lists.flat()
  // One that took its time may have it.
  const late = all.find(({ found }) => found.name === defaultWorkspaceName)
  if (late) return late
  const [only, ...others] = all
  if (!only) throw noSuchWorkspace()
  if (others.length === 0) return only
  throw new AppError(
    'not_ready',
    'There are several workspaces, and none of them is named default: say which one by its id or name, with --workspace.',
  )
}

/** Undefined when the name is taken. */
async function insert(ctx: ProcessContext, name: string) {
  const id = ctx.newId()
  const plain = handleOf(name)
  // A person may be a member on several shards, and opens a workspace by its handle alone. The first
  // workspace of all, which is known by its handle, waits for no shard.
  const ask = name === defaultWorkspaceName ? askShardsUp : askAllShards
  const taken = await ask(ctx, ({ db }) => queries.isHandleTaken(db, plain))
  const isTaken = taken.includes(true) || (await queries.isHandleTaken(ctx.db, plain))
  return queries.insertWorkspace(ctx.db, {
    id,
    name,
    handle: isTaken ? `${plain}-${id.slice(-12)}` : plain,
    starting_credits:
      name === defaultWorkspaceName ? startingCredits.default : startingCredits.other,
    timestamp_created: ctx.now(),
    timestamp_updated: ctx.now(),
  })
}

/** `Müller & Co.` becomes `muller-co`. */
function handleOf(name: string): string {
  const ascii = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = ascii.replaceAll(/[^a-z0-9]+/g, '-').slice(0, 40)
  return words.replaceAll(/^-+|-+$/g, '') || 'workspace'
}

export const listWorkspaceIdsHere = (ctx: ProcessContext) => queries.listWorkspaceIdsHere(ctx.db)

/** Of this database. */
export const listWorkspaces = ({ db }: Pick<ProcessContext, 'db'>) => queries.listWorkspaces(db)

const noSuchWorkspace = () => new AppError('not_found', 'No such workspace; check its id or name.')

/** By id or name. */
export async function getWorkspace(ctx: AnyContext, idOrName: string) {
  const workspace = await findWorkspace(ctx, idOrName)
  if (!workspace) throw noSuchWorkspace()
  return workspace
}

function findWorkspace(ctx: AnyContext, idOrName: string) {
  const id = parseUuid(idOrName)
  return id ? queries.findWorkspace(ctx.db, id) : queries.findWorkspaceByName(ctx.db, idOrName)
}

/** By id or name, with the database that it lies on. */
export async function locateWorkspace(ctx: ProcessContext, idOrName: string) {
  const id = parseUuid(idOrName)
  const located = id
    ? await findOnShards(ctx, ({ db }) => queries.findWorkspace(db, id))
    : await locateByName(ctx, idOrName)
  if (!located) throw noSuchWorkspace()
  return located
}

/** @returns undefined: none has it */
export async function locateByName(ctx: ProcessContext, name: string) {
  const find = ({ db }: ProcessContext) => queries.findWorkspaceByName(db, name)
  const answers = await askShardsUp(ctx, async (shard) => ({
    ctx: shard,
    found: await find(shard),
  }))
  const hits = answers.flatMap(({ ctx: shard, found }) => (found ? [{ ctx: shard, found }] : []))
  if (hits.length > 1) throw severalOfName(hits.map(({ found }) => found.id))
  // One that is silent may have it: it is waited for, and named.
  return hits[0] ?? (haveAllAnswered(ctx, answers) ? undefined : await findOnShards(ctx, find))
}

const severalOfName = (ids: string[]) =>
  new AppError(
    'not_ready',
    `Several shards have a workspace of this name: say which one by its id, ${ids.join(' or ')}.`,
  )

/** The workspaces of all shards that answer, newest first. */
export async function listAllWorkspaces(ctx: ProcessContext) {
  const lists = await askShardsUp(ctx, async (shard) =>
    (await listWorkspaces(shard)).map((workspace) => ({ ...workspace, shard: shard.shard })),
  )
  return lists.flat().toSorted((a, b) => (a.id > b.id ? -1 : 1))
}

/** @throws AppError `unavailable` when none of the other shards has it, and one does not answer */
async function requireFreeElsewhere({ shards, shard }: AnyContext, name: string) {
  const found = await shards?.find(async (other) =>
    other.name === shard ? undefined : queries.findWorkspaceByName(other.ctx.db, name),
  )
  if (found) throw nameTaken()
}

async function requireFreeName(tx: AnyContext, name: string, workspaceId: string) {
  if (name === defaultWorkspaceName) await requireDefault(tx, workspaceId)
  const other = await queries.findWorkspaceByName(tx.db, name)
  if (other?.id === workspaceId) return
  if (other) throw nameTaken()
  await requireFreeElsewhere(tx, name)
}

/**
 * Commands that name no workspace go to the one of this name, so nobody takes it for another than the
 * first. That one is known by its handle, which never changes.
 */
async function requireDefault(tx: AnyContext, workspaceId: string) {
  const { name, handle } = await getWorkspace(tx, workspaceId)
  if (name === defaultWorkspaceName || handle === defaultWorkspaceName) return
  throw isForTheFirst()
}

const isForTheFirst = () =>
  invalidField('/name', 'default is the name of the first workspace alone: choose another one')

const nameTaken = () => invalidField('/name', 'a workspace of this name exists already')

/** How a workspace works, as far as its owner decides. */
export interface WorkspaceSettings {
  /** A reply that asks for it unsubscribes by itself; else it is only suggested to a person. */
  unsubscribeByReply?: boolean
  name?: string
}

/** What is given and is not so already: the audit log tells of changes alone. */
const differing = <Columns extends Record<string, string | number | boolean | null | undefined>>(
  before: { [Name in keyof Columns]: unknown },
  columns: Columns,
) =>
  Object.fromEntries(
    Object.entries(columns).filter(
      ([name, value]) => value !== undefined && value !== before[name],
    ),
  ) as { [Name in keyof Columns]?: Exclude<Columns[Name], undefined> }

/** Holds for what comes in from now on. */
export async function setWorkspace(
  ctx: Context,
  workspaceId: string,
  changes: WorkspaceSettings,
  by = operator,
) {
  return transaction(ctx, async (tx) => {
    const { unsubscribeByReply, name } = changes
    const before = await getWorkspace(tx, workspaceId)
    const columns = differing(before, { unsubscribe_by_reply: unsubscribeByReply, name })
    if (Object.keys(columns).length === 0) return before
    if (name !== undefined) await requireFreeName(tx, name, workspaceId)
    const changed = { ...columns, timestamp_updated: tx.now() }
    const workspace = await queries.updateWorkspace(tx.db, workspaceId, changed).catch((error) => {
      // Another one was given the name at the same moment.
      throw isTakenIn(error, 'workspaces_name') ? nameTaken() : error
    })
    if (!workspace) throw noSuchWorkspace()
    await recordAudit(tx, {
      ...{ workspaceId, ...by, action: 'workspace.set' },
      ...{ subjectType: 'workspace', subjectId: workspaceId, details: columns },
    })
    return workspace
  })
}

/** Holds at once: plans are read with the key on every request. */
export async function setPlan(
  ctx: Context,
  workspaceId: string,
  changes: PlanChanges,
  by = operator,
) {
  return transaction(ctx, async (tx) => {
    const before = await getWorkspace(tx, workspaceId)
    const columns = differing(before, {
      plan_api: changes.api,
      plan_webhooks: changes.webhooks,
      plan_acquisition: changes.acquisition,
      plan_rate: changes.rate,
      plan_leads_max: changes.leadsMax,
      leadbank_scope_required: changes.leadbankScopeRequired,
      plan_monthly_credits: changes.monthlyCredits,
    })
    if (Object.keys(columns).length === 0) return before
    const changed = { ...columns, timestamp_updated: tx.now() }
    const workspace = await queries.updateWorkspace(tx.db, workspaceId, changed)
    if (!workspace) throw noSuchWorkspace()
    await recordAudit(tx, {
      workspaceId,
      ...by,
      action: 'workspace.plan_set',
      subjectType: 'workspace',
      subjectId: workspaceId,
      details: columns,
    })
    if (columns.plan_api) await wakeWorkspaceMailboxes(tx, workspaceId)
    return workspace
  })
}
