import type { AnyContext } from '../../../kernel/context.ts'
import { recordRefusedCopies } from '../../campaigns/index.ts'
import { takeBackSteps } from '../../leads/index.ts'
import { lockLanes } from '../../mailbox-lanes/index.ts'
import { insertMessages, leaveThreads } from '../../messages/index.ts'
import { compareKeys, type SendKey, type SendState } from '../ledger.ts'
import type { CachedCampaign, CampaignCache } from '../next-mail/campaign-cache.ts'
import { holdCampaigns } from '../next-mail/campaign-queries.ts'
import { recordReplies } from '../replies/reply-mail.ts'
import { transitionOf } from '../transmit/outcome.ts'
import { countBounces } from './bounce-protection.ts'
import { inEachWorkspace } from './in-each-workspace.ts'
import { sentMessage } from './sent-message.ts'
import {
  findFreedLanes,
  markCampaignsFreed,
  postpone,
  releaseReservations,
  wakeMailboxesOf,
} from './settle-freed.ts'
import { recordLeadActivities } from './settle-leads.ts'
import * as queries from './settle-queries.ts'
import type { Settled, Settlement } from './settlement.ts'
import { throttle } from './throttle.ts'

/**
 * Writes the results of a batch in one transaction, by row: what a row does not wait for any more
 * changes nothing, so a result is recorded once, whoever else holds it. Settlements lock campaigns,
 * sends, leads and what hangs on them, days, lanes, in this order.
 *
 * @returns whether each one changed its row
 */
export async function settleSends(
  tx: AnyContext,
  cache: CampaignCache,
  settlements: Settlement[],
): Promise<boolean[]> {
  const campaigns = await readCampaigns(tx, cache, settlements)
  const sent = await settleSent(tx, settlements)
  const others = await lockOthers(tx, settlements, sent)
  await updateOthers(tx, others)
  const bySettlement = new Map([...sent, ...others].map((each) => [each.settlement, each]))
  const settled = [...new Set(settlements)].flatMap((each) => bySettlement.get(each) ?? [])
  if (settled.length > 0) await write(tx, settled, campaigns)
  tx.afterCommit?.(({ metrics }) => {
    for (const { transition } of settled) metrics.mail(transition.state)
  })
  // Given twice, it changed its row once.
  return settlements.map((settlement) => bySettlement.delete(settlement))
}

/** What came out as it does as good as always needs no look at its row before. */
async function settleSent(tx: AnyContext, settlements: Settlement[]): Promise<Settled[]> {
  const sent = byAttempt(settlements.filter(({ outcome }) => outcome.kind === 'sent'))
  if (sent.size === 0) return []
  const rows = await queries.settleSent(tx.db, inOrder([...sent.values()]), tx.now())
  return settledOf(sent, rows, 'transmitting')
}

async function lockOthers(
  tx: AnyContext,
  settlements: Settlement[],
  sent: Settled[],
): Promise<Settled[]> {
  const isDone = new Set(sent.map(({ row }) => row.id))
  const others = byAttempt(settlements.filter(({ id }) => !isDone.has(id)))
  if (others.size === 0) return []
  return settledOf(others, await queries.lockSends(tx.db, inOrder([...others.values()])))
}

/** The settlements by attempt; of several of one attempt the first counts. */
const byAttempt = (settlements: Settlement[]) =>
  new Map(settlements.toReversed().map((each) => [each.id, each]))

/** @param before the state that the rows had, if not the one they have */
const settledOf = (
  settlements: Map<string, Settlement>,
  rows: queries.LedgerRow[],
  before?: SendState,
): Settled[] =>
  rows.flatMap((row) => {
    const settlement = settlements.get(row.id)
    const transition = settlement && transitionOf(before ?? row.state, settlement.outcome)
    return settlement && transition ? [{ settlement, row, transition }] : []
  })

async function updateOthers(tx: AnyContext, others: Settled[]) {
  if (others.length === 0) return
  const lookAt = new Date(tx.now().getTime() + firstLookMs)
  const sends = others.map((each) => sendOf(each, lookAt))
  await queries.updateSends(tx.db, sends, tx.now())
}

/** What a mail of a campaign changes besides its row; a person's reply is only kept. */
async function write(tx: AnyContext, all: Settled[], campaigns: Map<string, CachedCampaign>) {
  const settled = all.filter(({ row }) => row.reply === null)
  await recordReplies(tx, inOrder(all.flatMap(replyOf)))
  if (settled.length === 0) return
  await insertMessages(
    tx,
    settled
      .filter(({ transition }) => transition.state !== 'failed')
      .map(({ settlement, row }) => sentMessage(settlement, row)),
  )
  await tellRefusedCopies(tx, settled)
  await revertSteps(tx, settled)
  await recordLeadActivities(tx, settled, campaigns)
  await postpone(tx, settled)
  const roomIn = await releaseReservations(tx, settled, campaigns)
  await countBounces(tx, bouncesOf(settled))
  const freed = await findFreedLanes(tx, settled)
  await markCampaignsFreed(tx, settled, roomIn)
  // Every lane that is written below is locked in one ordered statement, or two batches deadlock.
  if (freed.length > 0) await lockLanes(tx.db, [...settled.map(({ row }) => row), ...freed])
  await throttle(tx, settled, campaigns)
  await wakeMailboxesOf(tx, freed)
}

const replyOf = ({ row: { reply, ...row }, transition: { state } }: Settled) =>
  reply === null ? [] : [{ ...row, reply, state }]

async function readCampaigns(tx: AnyContext, cache: CampaignCache, settlements: Settlement[]) {
  const distinct = new Map(settlements.map((each) => [each.campaign_id, each]))
  const versions = await holdCampaigns(
    tx.db,
    [...distinct.values()].map(({ workspace_id, campaign_id }) => ({
      workspace_id,
      id: campaign_id,
    })),
  )
  return cache.read(tx.db, versions)
}

/** A provider files what was sent within seconds. */
const firstLookMs = 60_000

const sendOf = (
  { row, transition: { state, error } }: Settled,
  lookAt: Date,
): queries.SettledSend => ({
  workspace_id: row.workspace_id,
  lead_id: row.lead_id,
  step_id: row.step_id,
  state,
  error_stage: error?.stage ?? null,
  error_code: error?.code ?? null,
  error_message: error?.message ?? null,
  look_at: state === 'uncertain' ? lookAt : null,
})

async function tellRefusedCopies(tx: AnyContext, settled: Settled[]) {
  const refused = settled.flatMap(({ settlement: { mail, campaign_id }, row: { workspace_id } }) =>
    (mail?.refused_copies ?? []).map((copy) => ({ workspace_id, campaign_id, ...copy })),
  )
  await inEachWorkspace(tx, refused, ({ workspace_id }) => workspace_id, recordRefusedCopies)
}

async function revertSteps(tx: AnyContext, settled: Settled[]) {
  const wrong = settled.filter(({ transition }) => transition.takesBack)
  if (wrong.length === 0) return
  await leaveThreads(
    tx.db,
    wrong.map(({ row }) => row),
  )
  const found = await queries.findLastSent(
    tx.db,
    wrong.map(({ row }) => row),
  )
  const lastSent = new Map(found.map(({ lead_id, sent_at }) => [lead_id, sent_at]))
  const steps = wrong.map(({ row }) => ({
    workspaceId: row.workspace_id,
    leadId: row.lead_id,
    sentBefore: lastSent.get(row.lead_id) ?? null,
    stepId: row.step_id,
    variantId: row.variant_id,
    day: row.campaign_day,
  }))
  await inEachWorkspace(tx, steps, ({ workspaceId }) => workspaceId, takeBackSteps)
}

const bouncesOf = (settled: Settled[]) =>
  settled.flatMap(({ row, transition: { effect } }) =>
    effect?.kind === 'bounce' && effect.bounce.kind === 'hard'
      ? [{ ...row, day: row.campaign_day, refused: true }]
      : [],
  )

const inOrder = <Key extends SendKey>(keys: Key[]): Key[] => keys.toSorted(compareKeys)
