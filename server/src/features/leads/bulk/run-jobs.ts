import { type Context, inWorkspace, type ProcessContext } from '../../../kernel/context.ts'
import { movingOf } from '../../../kernel/db/failure.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { dayMs } from '../../../kernel/durations.ts'
import { AppError } from '../../../kernel/errors.ts'
import { describeError } from '../../../kernel/log.ts'
import { retentionDaysOf } from '../../kept-settings/index.ts'
import { applyTo } from './apply.ts'
import { claimJob } from './cross-workspace.ts'
import { findIds, noteOutcome } from './jobs.ts'
import * as queries from './queries.ts'

const batchMax = 500

/**
 * Works on what is left to do in all workspaces, until there is nothing more: a batch of each in turn, so
 * that nobody's few leads wait for another's very many.
 */
export async function runLeadJobs(ctx: ProcessContext, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await runNextBatch(ctx)));
}

/** @returns whether there was anything to do */
export async function runNextBatch(ctx: ProcessContext): Promise<boolean> {
  const claim = ctx.newId()
  const now = ctx.now()
  // Longer than any batch takes: then whoever worked on it is gone.
  const since = new Date(now.getTime() - ctx.config.leaseMs)
  const found = await claimJob(ctx.db, claim, now, since)
  if (!found) return false
  await runBatch(inWorkspace(ctx, found.workspace_id), found.workspace_id, found.id, claim)
  return true
}

async function runBatch(ctx: Context, workspaceId: string, id: string, claim: string) {
  try {
    await transaction(ctx, async (tx) => {
      const job = await queries.lockJob(tx.db, workspaceId, id)
      if (job?.state !== 'running' || job.claim !== claim) return
      const ids = await findIds(tx, job, batchMax)
      await noteOutcome(tx, job, ids, await applyTo(tx, workspaceId, job, ids))
      if (ids.length < batchMax) Object.assign(job, { state: 'finished', total: job.looked_at })
      job.timestamp_updated = tx.now()
      await queries.updateJob(tx.db, job)
    })
  } catch (error) {
    // It is taken up again where the workspace goes.
    if (movingOf(error)) return
    if (!(error instanceof AppError)) {
      ctx.log.error({ job: id, ...describeError(error) }, 'a change of many leads is tried again')
      return
    }
    await transaction(ctx, async (tx) => {
      const job = await queries.lockJob(tx.db, workspaceId, id)
      if (job?.state !== 'running' || job.claim !== claim) return
      const timestamp_updated = tx.now()
      Object.assign(job, { state: 'failed', error: error.message, timestamp_updated })
      await queries.updateJob(tx.db, job)
    })
  }
}

const keptMs = 7 * dayMs
const droppedMax = 5000

/** Whom a job has changed is kept as long as the audit log, whose entries say what it was. */
export async function dropOldLeadJobs(ctx: Context, workspaceId: string): Promise<void> {
  const now = ctx.now().getTime()
  await queries.deleteOldJobs(ctx.db, workspaceId, new Date(now - keptMs))
  const limit = new Date(now - retentionDaysOf(ctx, 'AUDIT_RETENTION_DAYS') * dayMs)
  let deleted: number
  do deleted = await queries.deleteChanges(ctx.db, workspaceId, limit, droppedMax)
  while (deleted === droppedMax)
}
