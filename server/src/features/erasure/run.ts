import { type Context, inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { column } from '../../kernel/db/column.ts'
import { movingOf } from '../../kernel/db/failure.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { describeError } from '../../kernel/log.ts'
import { recordAudit } from '../audit/index.ts'
import { findLeadsAt } from '../leads/index.ts'
import { tellPages } from '../live/index.ts'
import { claimErasure } from './cross-workspace.ts'
import * as queries from './job-queries.ts'
import type { Person } from './person.ts'
import { type From, places } from './places.ts'
import { countOpenSends } from './queries.ts'
import type { ErasedHere } from './schema.ts'
import { spellingsOf } from './spellings.ts'

const rowsOfStep = 500
/** After so long another erasure has its turn. */
const turnMs = 2_000
const waitMs = 2_000
const againMs = 10_000
/** What was written in this time, and in the margin, is certainly gone through in one transaction. */
const catchUpMs = 10_000
/** Ids and times are made before their transaction commits, by clocks that differ a little. */
const marginMs = 2 * 60_000

/** Works on the erasures of all workspaces in turn, until none is due. */
export async function runErasures(ctx: ProcessContext, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const claim = newClaim(ctx)
    const found = await claimErasure(ctx.db, claim)
    if (!found) return
    const { workspace_id, id } = found
    await runTurn(inWorkspace(ctx, workspace_id), workspace_id, id, claim.claim, signal)
  }
}

/** Works on one of them for a turn, if nobody else does. */
export async function runErasure(ctx: Context, workspaceId: string, id: string): Promise<void> {
  const claim = newClaim(ctx)
  if (!(await queries.claimOne(ctx.db, workspaceId, id, claim))) return
  await runTurn(ctx, workspaceId, id, claim.claim)
}

function newClaim(ctx: Pick<Context, 'newId' | 'now' | 'config'>): queries.Claim {
  const now = ctx.now()
  return { claim: ctx.newId(), now, until: new Date(now.getTime() + ctx.config.leaseMs) }
}

async function runTurn(
  ctx: Context,
  workspaceId: string,
  id: string,
  claim: string,
  signal?: AbortSignal,
) {
  const endMs = ctx.monotonicMs() + turnMs
  /** @returns whether it is still running, and ours */
  const change = (work: (tx: Context, job: queries.Job) => Promise<void>) =>
    transaction(ctx, async (tx) => {
      const job = await queries.lockJob(tx.db, workspaceId, id)
      if (job?.state !== 'running' || job.claim !== claim) return false
      const now = tx.now()
      Object.assign(job, { timestamp_updated: now, due: after(now, ctx.config.leaseMs) })
      await work(tx, job)
      await queries.updateJob(tx.db, job)
      tellPages(tx, workspaceId, ['leads'])
      return job.state === 'running' && !job.is_waiting
    })
  try {
    while (await change(takeStep)) {
      if (!signal?.aborted && ctx.monotonicMs() < endMs) continue
      await change(async (tx, job) => {
        job.due = tx.now()
      })
      return
    }
  } catch (error) {
    // It goes on where the workspace is going.
    if (movingOf(error)) return
    ctx.log.error({ erasure: id, ...describeError(error) }, 'an erasure is tried again')
    await change(async (tx, job) => {
      job.error = 'A step failed; it is tried again. The log of the server says why.'
      job.due = after(tx.now(), againMs)
    })
  }
}

/**
 * One step of an erasure. It goes through all places, then again through what was written meanwhile,
 * until that was little, or gets no less: the rest is gone through in the transaction that ends it.
 */
async function takeStep(tx: Context, job: queries.Job): Promise<void> {
  job.error = null
  if (job.place === null && !(await beginPass(tx, job))) return
  const names = Object.keys(places)
  const name = job.place ?? ''
  const { after, since } = job
  job.after = await eraseAt(tx, job, name, { after, since, limit: rowsOfStep })
  if (job.after !== null) return
  job.place = names[names.indexOf(name) + 1] ?? null
  if (job.place === null) await endPass(tx, job)
}

async function beginPass(tx: Context, job: queries.Job): Promise<boolean> {
  const { workspace_id, timestamp_pass } = job
  const found = await findLeadsAt(tx.db, workspace_id, job.address ?? '')
  job.lead_ids = [...new Set([...job.lead_ids, ...column(found, 'id')])]
  job.is_waiting = await isUnderWay(tx, job)
  if (job.is_waiting) {
    job.due = after(tx.now(), waitMs)
    return false
  }
  job.since = timestamp_pass && after(timestamp_pass, -marginMs)
  job.timestamp_pass = tx.now()
  job.place = Object.keys(places)[0] ?? null
  return true
}

async function endPass(tx: Context, job: queries.Job) {
  const begun = job.timestamp_pass ?? tx.now()
  // A mail that has begun since would be stored after everything else is gone.
  if (!isCaughtUp(job, begun, tx.now()) || (await isUnderWay(tx, job))) return
  const since = after(begun, -marginMs)
  for (const name of Object.keys(places)) {
    await eraseAt(tx, job, name, { after: null, since, limit: null })
  }
  Object.assign(job, { state: 'finished', address: null })
  if (Object.values(job.erased).every((count) => count === 0)) return
  await recordAudit(tx, {
    ...job.asked_by,
    ...{ workspaceId: job.workspace_id, action: 'lead.erased', subjectType: 'lead' },
    ...{ subjectId: job.lead_ids[0] ?? null, details: job.erased },
  })
}

/**
 * Each pass is shorter than the one before, as far as that left it something to do. What then keeps it
 * long stays: the turns of other erasures, and what is written all the time.
 */
function isCaughtUp({ since }: queries.Job, begun: Date, now: Date): boolean {
  const tookMs = now.getTime() - begun.getTime()
  const lastTookMs = since ? begun.getTime() - marginMs - since.getTime() : Infinity
  return tookMs < catchUpMs || tookMs > lastTookMs / 2
}

async function eraseAt(tx: Context, job: queries.Job, name: string, from: From) {
  const step = await places[name]?.(tx, job.workspace_id, personOf(job), from)
  if (!step) throw new Error(`There is no place ${name}.`)
  const { erased } = step
  for (const kind of Object.keys(erased) as (keyof ErasedHere)[]) {
    job.erased[kind] += erased[kind] ?? 0
  }
  job.looked_at = Number(job.looked_at) + step.lookedAt
  return step.after
}

const isUnderWay = async ({ db }: Context, job: queries.Job) =>
  (await countOpenSends(db, job.workspace_id, personOf(job))) > 0

function personOf({ address, lead_ids }: queries.Job): Person {
  const folded = address ?? ''
  return { folded, spellings: spellingsOf(folded), leadIds: lead_ids }
}

const after = (time: Date, ms: number) => new Date(time.getTime() + ms)
