import { type Context, inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { column } from '../../kernel/db/column.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { dayMs } from '../../kernel/durations.ts'
import { parseEmail } from '../../kernel/email.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { hintJob } from '../../kernel/runner/job.ts'
import { askAllShards } from '../../kernel/shards/ask.ts'
import { optOutEverywhere } from '../acquisition/index.ts'
import { type ChangedBy, operator } from '../audit/index.ts'
import { findLeadById, findLeadsAt, isErased, recordActivities } from '../leads/index.ts'
import { tellPages } from '../live/index.ts'
import { findMailboxesByAddress, findRemovedByAddress } from '../mailboxes/index.ts'
import { erasedEntry, suppress } from '../suppression/index.ts'
import { listWorkspaces } from '../workspaces/index.ts'
import * as queries from './job-queries.ts'
import { runErasure } from './run.ts'
import { type ErasedHere, type Erasure, nothing } from './schema.ts'

/** Of hints that a runner has a person to erase. */
export const erasureKind = 'erasures'

/** How much was erased of a person, over all workspaces. */
export interface Erased extends ErasedHere {
  directory_contacts: number
  /** What is still there, and why: sentences. */
  kept: string[]
}

const pollMs = 500
/** A mail that is under way for longer waits for a runner that is not there. */
const patienceMs = 60_000

/**
 * Takes a person out of everything that is stored: leads, mails, conversations, payloads and answers
 * that are kept, and the directory. What remains of the address is its hash among the opt-outs, so
 * that nobody adds it or writes to it again. Whoever breaks it off leaves what is left to the runners.
 *
 * @param tell is told how many records were looked at, and whether a mail is waited for
 * @throws AppError `not_ready` when a mail to the person stays under way: the rest is erased after it
 */
export async function eraseLead(
  ctx: ProcessContext,
  text: string,
  tell: (lookedAt: number, isWaiting: boolean) => void = () => undefined,
): Promise<Erased> {
  const address = parseEmail(text)
  if (!address) throw invalidField('/address', 'give one e-mail address, as ann@example.com')
  const { folded } = address
  // First, so that nobody adds the person again, and all of their leads are stopped.
  const { contacts_removed } = await optOutEverywhere(ctx, folded)
  const begun: { own: Context; job: queries.Job }[] = []
  const leftOut: string[] = []
  for (const { own, id } of (await askAllShards(ctx, listBound)).flat()) {
    // Nobody keeps a person from being erased elsewhere by connecting their address.
    if (await isOrWasMailbox(own, id, folded)) {
      leftOut.push(`what workspace ${id} has, for ${whyMailboxStays}`)
      continue
    }
    const job = await transaction(own, (tx) => begin(tx, id, folded, operator))
    begun.push({ own, job })
  }
  const total: Erased = {
    ...nothing,
    directory_contacts: contacts_removed,
    kept: [...leftOut, ...kept],
  }
  let lookedAt = 0
  for (const { own, job } of begun) {
    const done = await finish(own, job.workspace_id, job.id, ({ looked_at, state }) =>
      tell(lookedAt + looked_at, state === 'waiting'),
    )
    lookedAt += done.looked_at
    for (const kind of Object.keys(nothing) as (keyof ErasedHere)[]) {
      total[kind] += done.erased[kind]
    }
  }
  return total
}

const listBound = async (ctx: ProcessContext) =>
  (await listWorkspaces(ctx)).map(({ id }) => ({ id, own: inWorkspace(ctx, id) }))

const kept = [
  'the SHA-256 hash of the address, among the opt-outs: it keeps the person from being added again',
  'the rows of the leads without the person: counters and the ledger of mails refer to them',
  'attempts and counters of deliveries, without address and payload',
  'charges in the ledger of credits, which name no person',
  'backups that were made before, and what receivers of webhooks and mail servers have',
]

/** Works on an erasure, or waits for who does, until it is over. */
async function finish(
  ctx: Context,
  workspaceId: string,
  id: string,
  tell: (job: Erasure) => void,
): Promise<Erasure> {
  let waitsSince: number | undefined
  for (;;) {
    await runErasure(ctx, workspaceId, id)
    const job = await getErasure(ctx, workspaceId, id)
    if (job.state === 'finished') return job
    tell(job)
    waitsSince = job.state === 'waiting' ? (waitsSince ?? ctx.monotonicMs()) : undefined
    if (waitsSince !== undefined && ctx.monotonicMs() - waitsSince > patienceMs) {
      throw new AppError(
        'not_ready',
        'A mail to this person is under way. They are written to no more, and the service erases them once it knows what became of the mail; run this again to see.',
      )
    }
    await ctx.sleep(pollMs)
  }
}

/**
 * Takes the person of a lead out of everything that one workspace has: a runner does, from here on
 * nobody writes to them. Others keep what they have, and the directory is the operator's: `eraseLead`
 * is for them.
 */
export const startErasure = (
  ctx: Context,
  workspaceId: string,
  leadId: string,
  by: ChangedBy,
): Promise<Erasure> =>
  transaction(ctx, async (tx) => {
    const lead = await findLeadById(tx.db, workspaceId, leadId)
    if (!lead || isErased(lead)) throw notFound('lead')
    const folded = lead.email_folded
    if (await isOrWasMailbox(tx, workspaceId, folded)) {
      const message = `Not erased, for ${whyMailboxStays}. Delete or stop the leads of the address instead.`
      throw new AppError('not_eligible', message)
    }
    const hash = { kind: 'address', value: erasedEntry(folded), campaignId: null } as const
    await suppress(tx, workspaceId, [{ ...hash, reason: 'unsubscribed' }])
    const leads = await findLeadsAt(tx.db, workspaceId, folded)
    const activities = leads.map(({ id }) => ({ kind: 'erased' as const, leadId: id }))
    await recordActivities(tx, workspaceId, activities)
    return shown(await begin(tx, workspaceId, folded, by))
  })

/**
 * Every mail that was sent from it, and every event that tells of one, names a mailbox: those are of
 * the people who got the mails. Of a removed one they are kept, too.
 */
const isOrWasMailbox = async ({ db }: Context, workspaceId: string, folded: string) =>
  (await findMailboxesByAddress(db, workspaceId, [folded])).length > 0 ||
  (await findRemovedByAddress(db, workspaceId, [folded])).length > 0

const whyMailboxStays =
  'the address is a mailbox of the workspace, or was one: erasing it would take what was sent from it out of the conversations of others'

/** The erasure of an address that is under way, or a new one. Its suppression is there already. */
async function begin(
  tx: Context,
  workspaceId: string,
  folded: string,
  by: ChangedBy,
): Promise<queries.Job> {
  const running = await queries.findJobFor(tx.db, workspaceId, folded)
  if (running) return running
  const now = tx.now()
  const lead_ids = column(await findLeadsAt(tx.db, workspaceId, folded), 'id')
  const job: queries.Job = {
    ...{ workspace_id: workspaceId, id: tx.newId(), asked_by: by, address: folded },
    ...{ lead_ids, state: 'running' },
    ...{ is_waiting: false, error: null, looked_at: 0, erased: { ...nothing } },
    ...{ place: null, after: null, since: null, timestamp_pass: null, claim: null, due: now },
    ...{ timestamp_created: now, timestamp_updated: now },
  }
  await queries.insertJob(tx.db, job)
  hintJob(tx, erasureKind, job.id)
  tellPages(tx, workspaceId, ['leads'])
  return job
}

export async function getErasure(ctx: Context, workspaceId: string, id: string): Promise<Erasure> {
  const job = await queries.findJob(ctx.db, workspaceId, id)
  if (!job) throw notFound('erasure')
  return shown(job)
}

export async function listErasures(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<Erasure>> {
  const jobs = await queries.listJobs(ctx.db, workspaceId, page)
  return toPage(jobs.map(shown), page.limit)
}

const keptMs = 7 * dayMs

export const dropOldErasures = (ctx: Context, workspaceId: string) =>
  queries.deleteOldJobs(ctx.db, workspaceId, new Date(ctx.now().getTime() - keptMs))

const shown = (job: queries.Job): Erasure => ({
  id: job.id,
  state: job.state === 'running' && job.is_waiting ? 'waiting' : job.state,
  ...{ lead_ids: job.lead_ids, looked_at: Number(job.looked_at), erased: job.erased },
  error: job.error,
  ...{ timestamp_created: job.timestamp_created, timestamp_updated: job.timestamp_updated },
})
