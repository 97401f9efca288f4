import { type Context, inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { parseEmail } from '../../kernel/email.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import { forgetAnswers } from '../../kernel/http/idempotency.ts'
import { askAllShards } from '../../kernel/shards/ask.ts'
import { optOutEverywhere } from '../acquisition/index.ts'
import { type Actor, operator, recordAudit } from '../audit/index.ts'
import { findLeadById, findLeadsAt, isErased, recordActivities } from '../leads/index.ts'
import { indexThreads } from '../messages/index.ts'
import { erasedEntry, suppress } from '../suppression/index.ts'
import { forgetCalls } from '../webhooks/try-out/index.ts'
import { listWorkspaces } from '../workspaces/index.ts'
import * as queries from './queries.ts'

/** How much was erased of a person, over all workspaces. */
export interface Erased {
  leads: number
  messages: number
  conversations: number
  answers_by_hand: number
  events: number
  delivery_attempts: number
  kept_answers: number
  acquired_contacts: number
  directory_contacts: number
  /** What is still there, and why: sentences. */
  kept: string[]
}

/**
 * Takes a person out of everything that is stored: leads, mails, conversations, payloads and answers
 * that are kept, and the directory. What remains of the address is its hash among the opt-outs, so
 * that nobody adds it or writes to it again.
 *
 * @throws AppError `not_ready` while a mail to the person is under way: nothing is erased then but
 *   the person is written to no more
 */
export async function eraseLead(ctx: ProcessContext, text: string): Promise<Erased> {
  const address = parseEmail(text)
  if (!address) throw invalidField('/address', 'give one e-mail address, as ann@example.com')
  const { folded } = address
  // First, so that nobody adds the person again, and all of their leads are stopped.
  const { contacts_removed } = await optOutEverywhere(ctx, folded)
  const workspaces = (await askAllShards(ctx, listBound)).flat()
  for (const { own, id } of workspaces) await refuseUnderWay(own, id, folded)
  const total: Erased = { ...nothing, directory_contacts: contacts_removed, kept }
  for (const { own, id } of workspaces) {
    const erased = await eraseIn(own, id, folded, { actor: operator })
    for (const name of Object.keys(erased) as (keyof typeof erased)[]) total[name] += erased[name]
  }
  return total
}

const listBound = async (ctx: ProcessContext) =>
  (await listWorkspaces(ctx)).map(({ id }) => ({ id, own: inWorkspace(ctx, id) }))

const nothing = {
  ...{ leads: 0, messages: 0, conversations: 0, answers_by_hand: 0, events: 0 },
  ...{ delivery_attempts: 0, kept_answers: 0, acquired_contacts: 0 },
}

const kept = [
  'the SHA-256 hash of the address, among the opt-outs: it keeps the person from being added again',
  'the rows of the leads without the person: counters and the ledger of mails refer to them',
  'attempts and counters of deliveries, without address and payload',
  'charges in the ledger of credits, which name no person',
  'backups that were made before, and what receivers of webhooks and mail servers have',
]

async function refuseUnderWay(ctx: Context, workspaceId: string, folded: string) {
  const leadIds = await queries.listLeadIds(ctx.db, workspaceId, folded)
  if ((await queries.countOpenSends(ctx.db, workspaceId, leadIds)) === 0) return
  throw new AppError(
    'not_ready',
    'A mail to this person is being sent right now. They are written to no more; try again in a minute to erase them.',
  )
}

interface ErasedBy {
  actor: Actor
  requestId?: string
}

/**
 * Takes the person of a lead out of everything that one workspace has. Others keep what they have, and
 * the directory is the operator's: `eraseLead` is for them.
 *
 * @throws AppError `not_ready` as `eraseLead` does
 */
export async function eraseFromWorkspace(
  ctx: Context,
  workspaceId: string,
  leadId: string,
  by: ErasedBy,
): Promise<ErasedHere> {
  const lead = await findLeadById(ctx.db, workspaceId, leadId)
  if (!lead || isErased(lead)) throw notFound('lead')
  const folded = lead.email_folded
  // First, so that nobody adds the person again, and all of their leads are stopped.
  await transaction(ctx, async (tx) => {
    const hash = { kind: 'address', value: erasedEntry(folded), campaignId: null } as const
    await suppress(tx, workspaceId, [{ ...hash, reason: 'unsubscribed' }])
    const leads = await findLeadsAt(tx.db, workspaceId, { kind: 'address', value: folded })
    const stopping = leads.filter(({ stop_reason }) => stop_reason !== 'unsubscribed')
    const activities = stopping.map(({ id }) => ({ kind: 'unsubscribed' as const, leadId: id }))
    await recordActivities(tx, workspaceId, activities)
  })
  await refuseUnderWay(ctx, workspaceId, folded)
  return eraseIn(ctx, workspaceId, folded, by)
}

export type ErasedHere = typeof nothing

async function eraseIn(
  ctx: Context,
  workspaceId: string,
  folded: string,
  by: ErasedBy,
): Promise<ErasedHere> {
  return transaction(ctx, async (tx) => {
    const { db } = tx
    const leadIds = await queries.listLeadIds(db, workspaceId, folded)
    const deleted = await queries.deleteMessages(db, workspaceId, leadIds, folded)
    const changed = await queries.eraseFromMessages(db, workspaceId, folded)
    const erased = {
      leads: await queries.eraseLeads(db, workspaceId, leadIds, tx.now()),
      messages: deleted.length + changed.length,
      conversations: await queries.deleteThreads(db, workspaceId, leadIds),
      answers_by_hand:
        (await queries.eraseReplies(db, workspaceId, leadIds, folded)) +
        (await queries.eraseFromReplies(db, workspaceId, folded)),
      events: await eraseEvents(tx, workspaceId, folded),
      delivery_attempts: await queries.eraseAttempts(db, workspaceId, folded),
      kept_answers: await forgetAnswers(tx, workspaceId, folded),
      acquired_contacts: await queries.eraseAcquired(db, workspaceId, folded),
    }
    const named = await queries.eraseFromThreads(db, workspaceId, folded)
    await indexThreads(tx, workspaceId, [...new Set([...deleted, ...changed, ...named])])
    await queries.eraseFromLeads(db, workspaceId, folded)
    await forgetCalls(tx, workspaceId)
    // In this order: an import that is under way goes on no more, and what it wrote last is seen.
    await queries.deleteFiles(db, workspaceId, folded)
    await queries.eraseFromImports(db, workspaceId, folded)
    await queries.eraseSends(db, workspaceId, leadIds)
    await queries.deleteSoftBounces(db, workspaceId, folded)
    await queries.deleteSuppressions(db, workspaceId, folded)
    if (Object.values(erased).some((count) => count > 0)) {
      await recordAudit(tx, {
        ...by,
        ...{ workspaceId, action: 'lead.erased' },
        ...{ subjectType: 'lead', subjectId: leadIds[0] ?? null, details: erased },
      })
    }
    return erased
  })
}

const eventsMax = 500
const firstId = '00000000-0000-0000-0000-000000000000'

async function eraseEvents(tx: Context, workspaceId: string, folded: string): Promise<number> {
  let count = 0
  let after = firstId
  for (;;) {
    const events = await queries.listEvents(tx.db, workspaceId, folded, after, eventsMax)
    const rewritten = events.map(({ id, body }) => ({ id, body: withoutPerson(body) }))
    if (rewritten.length > 0) {
      await queries.updateEvents(tx.db, workspaceId, rewritten)
      const ids = rewritten.map(({ id }) => id)
      await queries.markDeliveries(tx.db, workspaceId, ids)
    }
    count += events.length
    const last = events.at(-1)
    if (!last || events.length < eventsMax) return count
    after = last.id
  }
}

/** What happened and when stays, to whom goes; receivers still get an event that was not delivered yet. */
function withoutPerson(body: string): string {
  const event = JSON.parse(body) as Record<string, unknown>
  return JSON.stringify({ ...event, lead_email: null, data: { erased: true } })
}
