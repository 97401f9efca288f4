import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { AppError, invalidField, notFound } from '../../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../../kernel/http/page.ts'
import { hintJob } from '../../../kernel/runner/job.ts'
import { type ChangedBy, type ChangedByCaller, recordAudit } from '../../audit/index.ts'
import { getCampaign } from '../../campaigns/index.ts'
import { readFilter } from '../lists/filter.ts'
import { countMatching, listMatchingIds } from '../lists/list-queries.ts'
import { readNewStatus } from '../status/set-status.ts'
import { applyTo } from './apply.ts'
import type { Outcome } from './outcome.ts'
import * as queries from './queries.ts'
import { atOnceMax, type BulkAction, type BulkChange, type LeadJob } from './schema.ts'
import { undoChange } from './undo.ts'

/** Of hints that a runner has leads to change. */
export const leadJobKind = 'lead jobs'

/** Of a workspace at a time: each looks through all that its filter matches. */
const runningMax = 20

/** Changes many leads: at once when there are few, by a runner when there are very many. */
export async function changeMany(
  ctx: Context,
  workspaceId: string,
  change: BulkChange,
  by: ChangedByCaller,
): Promise<LeadJob> {
  const action = await readAction(ctx, workspaceId, change)
  const target = readJobLeads(change)
  return transaction(ctx, async (tx) => {
    const now = tx.now()
    const job: queries.Job = {
      ...{ workspace_id: workspaceId, id: tx.newId(), user_id: by.actor.id, action, target },
      ...{ state: 'running', total: 0, looked_at: 0, changed: 0, refused: 0, refusals: [] },
      ...{ place: null, undo: null, error: null, claim: null, timestamp_claimed: null },
      ...{ timestamp_created: now, timestamp_updated: now },
    }
    const ids = await findIds(tx, job, atOnceMax + 1)
    if (ids.length <= atOnceMax) {
      job.total = ids.length
      const outcome = await applyTo(tx, workspaceId, job, ids)
      await noteOutcome(tx, job, ids, outcome)
      // What a runner does to very many has no way back.
      job.undo = outcome.undo?.length ? outcome.undo : null
      job.state = 'finished'
    } else {
      await requireFewRunning(tx, workspaceId)
      job.total = await countAll(tx, job)
    }
    await queries.insertJob(tx.db, job)
    if (job.state === 'running') hintJob(tx, leadJobKind, job.id)
    // What changed nobody is no change, and stands in no history.
    if (job.state === 'finished' && job.changed === 0) return shown(job)
    await recordAudit(tx, {
      ...by,
      ...{ workspaceId, ...subjectOf(job, pastTenses[action.kind]) },
      details: {
        job_id: job.id,
        ...(job.state === 'finished' ? { leads: job.changed } : { leads_asked: job.total }),
        ...(action.kind === 'set_status' ? { status: action.status } : {}),
        ...(action.kind === 'move' ? { campaign_id: action.campaign_id } : {}),
      },
    })
    return shown(job)
  })
}

async function countAll({ db }: Context, { workspace_id, target }: queries.Job): Promise<number> {
  const { ids, filter, excluded } = target
  if (ids) return ids.length
  return countMatching(db, workspace_id, readFilter(filter ?? {}), everything, excluded)
}

async function requireFewRunning({ db }: Context, workspaceId: string) {
  if ((await queries.countRunning(db, workspaceId)) < runningMax) return
  throw new AppError(
    'not_ready',
    `There are ${runningMax} changes of very many leads under way; wait until one of them is finished, or stop one.`,
  )
}

/** A change of one lead that was named is an entry about that lead, and no other change of leads is. */
function subjectOf(job: queries.Job, pastTense: (typeof pastTenses)[BulkAction] | 'undone') {
  const one = namedAlone(job)
  return one
    ? { action: `lead.${pastTense}` as const, subjectType: 'lead', subjectId: one }
    : { action: `lead.many_${pastTense}` as const, subjectType: 'lead_job', subjectId: job.id }
}

const namedAlone = ({ target: { ids } }: queries.Job) => (ids?.length === 1 ? ids[0] : undefined)

const everything = 100_000_000

const pastTenses = {
  set_status: 'status_set',
  pause: 'paused',
  resume: 'resumed',
  unsubscribe: 'unsubscribed',
  move: 'moved',
  delete: 'deleted',
} as const

async function readAction(
  ctx: Context,
  workspaceId: string,
  { action, status, to_campaign_id }: BulkChange,
): Promise<queries.JobAction> {
  if (to_campaign_id !== undefined) await getCampaign(ctx, workspaceId, to_campaign_id)
  if (action === 'move') {
    if (to_campaign_id !== undefined) return { kind: action, campaign_id: to_campaign_id }
    throw invalidField('/to_campaign_id', 'to_campaign_id says where the leads go')
  }
  if (action !== 'set_status') return { kind: action }
  if (status === undefined) throw invalidField('/status', 'status says what they are set to')
  await readNewStatus(ctx, workspaceId, status, '/status')
  return { kind: action, status }
}

function readJobLeads({ ids, filter, excluded = [] }: BulkChange): queries.JobLeads {
  if ((ids === undefined) === (filter === undefined)) {
    throw invalidField('/ids', 'name the leads by ids, or by a filter, not both')
  }
  if (ids) return { ids: asStored(ids) }
  // Times that are none are refused here and not by the runner.
  readFilter(filter ?? {})
  return { filter: filter ?? {}, excluded: asStored(excluded) }
}

/** Each once, in the case that stored ids are compared in. */
const asStored = (ids: string[]) => [...new Set(ids.map((id) => id.toLowerCase()))]

/** The next leads; those that are added later are not meant. */
export async function findIds(tx: Context, job: queries.Job, limit: number): Promise<string[]> {
  const { ids, filter, excluded = [] } = job.target
  if (ids) return ids.slice(job.looked_at, job.looked_at + limit)
  const left = new Set(excluded)
  const found: string[] = []
  let place = job.place ?? job.id
  while (found.length < limit) {
    const next = await listMatchingIds(
      tx.db,
      job.workspace_id,
      readFilter(filter ?? {}),
      place,
      limit,
    )
    found.push(...next.filter((id) => !left.has(id)))
    place = next.at(-1) ?? place
    if (next.length < limit) break
  }
  return found.slice(0, limit)
}

/** Counts what became of some leads, and notes whom it changed. */
export async function noteOutcome(
  tx: Context,
  job: queries.Job,
  ids: string[],
  { changed, toldOf, refusals }: Outcome,
) {
  job.looked_at += ids.length
  job.changed += changed
  job.refused += refusals.length
  job.refusals = [...job.refusals, ...refusals].slice(0, atOnceMax)
  job.place = ids.at(-1) ?? job.place
  if (toldOf.length > 0 && !namedAlone(job)) await queries.insertChanges(tx.db, job, toldOf)
}

export async function listJobs(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<LeadJob>> {
  const jobs = await queries.listJobs(ctx.db, workspaceId, page)
  return toPage(
    jobs.map((job) => ({ ...job, refusals: [] })),
    page.limit,
  )
}

export async function getJob(ctx: Context, workspaceId: string, id: string): Promise<LeadJob> {
  const job = await queries.findJob(ctx.db, workspaceId, id)
  if (!job) throw notFound('job')
  return shown(job)
}

/** What was done stays done; the others stay as they are. */
export const cancelJob = (
  ctx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
): Promise<LeadJob> =>
  transaction(ctx, async (tx) => {
    const job = await queries.lockJob(tx.db, workspaceId, id)
    if (!job) throw notFound('job')
    if (job.state !== 'running') return shown(job)
    Object.assign(job, { state: 'cancelled', timestamp_updated: tx.now() })
    await queries.updateJob(tx.db, job)
    await recordAudit(tx, {
      ...by,
      ...{ workspaceId, action: 'lead.many_stopped', subjectType: 'lead_job', subjectId: id },
      details: { job_id: id, leads: job.changed },
    })
    return shown(job)
  })

/** Leads as they were; events that were told of the change stay told. */
export const undoJob = (
  ctx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
): Promise<LeadJob> =>
  transaction(ctx, async (tx) => {
    const job = await queries.lockJob(tx.db, workspaceId, id)
    if (!job) throw notFound('job')
    if (!job.undo?.length) {
      throw new AppError('not_ready', 'There is no way back from this; change the leads again.')
    }
    const { changed, toldOf, refusals } = await undoChange(tx, workspaceId, job.undo)
    await queries.markUndone(tx.db, job, toldOf)
    Object.assign(job, { undo: null, changed: job.changed - changed, timestamp_updated: tx.now() })
    job.refusals = refusals
    job.refused = refusals.length
    await queries.updateJob(tx.db, job)
    await recordAudit(tx, {
      ...by,
      ...{ workspaceId, ...subjectOf(job, 'undone') },
      details: { job_id: id, leads: changed },
    })
    return shown(job)
  })

const shown = ({ action, undo, ...job }: queries.Job): LeadJob => ({
  ...{ id: job.id, user_id: job.user_id, action: action.kind },
  ...{ state: job.state, total: job.total, looked_at: job.looked_at, changed: job.changed },
  ...{ refused: job.refused, refusals: job.refusals, error: job.error },
  can_undo: undo !== null && undo.length > 0,
  ...{ timestamp_created: job.timestamp_created, timestamp_updated: job.timestamp_updated },
})
