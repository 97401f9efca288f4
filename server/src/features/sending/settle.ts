import type { Context } from '../../kernel/context.ts'
import {
  afterDelay,
  nextStep,
  type RefusedCopy,
  recordRefusedCopies,
  zoneOf,
} from '../campaigns/index.ts'
import { addToDays } from '../daily-counts/index.ts'
import {
  type LeadActivity,
  postponeLeads,
  recordActivities,
  takeBackSteps,
} from '../leads/index.ts'
import { markCampaigns, wakeMailboxes } from '../mailbox-lanes/index.ts'
import { insertMessages, leaveThreads } from '../messages/index.ts'
import { countBounces } from './bounce-protection.ts'
import type { BookedCampaign, CampaignBook } from './campaign-book.ts'
import { holdCampaigns } from './campaign-queries.ts'
import { countDays } from './days.ts'
import type { SendKey, SendState } from './ledger.ts'
import { type Outcome, type Transition, transitionOf } from './outcome.ts'
import { gapAfter } from './planning/plan.ts'
import { recordReplies } from './reply-mail.ts'
import { sentMessage } from './sent-message.ts'
import * as queries from './settle-queries.ts'

/** The result of one attempt, ready to be written. */
export interface Settlement extends SendKey {
  /** Of the attempt. */
  id: string
  campaign_id: string
  outcome: Outcome
  /** When the server answered, or was given up. */
  at: Date
  /** Address of the mailbox. */
  mailbox: string
  /** Of the lead. */
  recipient: string
  /** Of the thread, as far as the sender knew. */
  threadSubject: string | null
  /** What was made; null: nobody has it any more. */
  mail: SettledMail | null
  /** Of the mailbox. */
  gapSeconds: number
}

interface SettledMail {
  text: string
  html: string | null
  /** Of them those that were taken. */
  cc_addresses: string[]
  refused_copies: Omit<RefusedCopy, 'campaign_id'>[]
  in_reply_to: string | null
  size_bytes: number
}

/** A row that this settlement changes. */
interface Settled {
  settlement: Settlement
  row: queries.LedgerRow
  transition: Transition
}

/**
 * Writes the results of a batch in one transaction, by row: what a row does not wait for any more
 * changes nothing, so a result is recorded once, whoever else holds it. Settlements lock campaigns,
 * sends, leads and what hangs on them, days, lanes, in this order.
 *
 * @returns whether each one changed its row
 */
export async function settleSends(
  tx: Context,
  book: CampaignBook,
  settlements: Settlement[],
): Promise<boolean[]> {
  const campaigns = await readCampaigns(tx, book, settlements)
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
async function settleSent(tx: Context, settlements: Settlement[]): Promise<Settled[]> {
  const sent = byAttempt(settlements.filter(({ outcome }) => outcome.kind === 'sent'))
  if (sent.size === 0) return []
  const rows = await queries.settleSent(tx.db, inOrder([...sent.values()]), tx.now())
  return settledOf(sent, rows, 'transmitting')
}

async function lockOthers(
  tx: Context,
  settlements: Settlement[],
  sent: Settled[],
): Promise<Settled[]> {
  const isDone = new Set(sent.map(({ row }) => row.id))
  const others = byAttempt(settlements.filter(({ id }) => !isDone.has(id)))
  if (others.size === 0) return []
  return settledOf(others, await queries.lockSends(tx.db, inOrder([...others.values()])))
}

/** Of several results of an attempt, the first. */
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

async function updateOthers(tx: Context, others: Settled[]) {
  if (others.length === 0) return
  const lookAt = new Date(tx.now().getTime() + firstLookMs)
  const sends = others.map((each) => sendOf(each, lookAt))
  await queries.updateSends(tx.db, sends, tx.now())
}

/** What a mail of a campaign changes besides its row; a person's reply is only kept. */
async function write(tx: Context, all: Settled[], campaigns: Map<string, BookedCampaign>) {
  const settled = all.filter(({ row }) => row.reply === null)
  await recordReplies(tx, inOrder(all.flatMap(replyOf)))
  if (settled.length === 0) return
  await insertMessages(
    tx.db,
    settled
      .filter(({ transition }) => transition.state !== 'failed')
      .map(({ settlement, row }) => sentMessage(settlement, row)),
  )
  await tellRefusedCopies(tx, settled)
  await takeBack(tx, settled)
  await recordActivity(tx, settled, campaigns)
  await postpone(tx, settled)
  const roomIn = await giveBack(tx, settled, campaigns)
  await countBounces(tx, bouncesOf(settled))
  const freed = settled.filter(({ transition }) => transition.givesBack).map(({ row }) => row)
  await markFreed(tx, settled, roomIn)
  // What is woken is locked with what is paced: of two batches each could else have half.
  if (freed.length > 0)
    await queries.lockLanes(
      tx.db,
      settled.map(({ row }) => row),
    )
  await pace(tx, settled, campaigns)
  await wakeOwn(tx, freed)
}

const replyOf = ({ row: { reply, ...row }, transition: { state } }: Settled) =>
  reply === null ? [] : [{ ...row, reply, state }]

async function readCampaigns(tx: Context, book: CampaignBook, settlements: Settlement[]) {
  const distinct = new Map(settlements.map((each) => [each.campaign_id, each]))
  const versions = await holdCampaigns(
    tx.db,
    [...distinct.values()].map(({ workspace_id, campaign_id }) => ({
      workspace_id,
      id: campaign_id,
    })),
  )
  return book.read(tx.db, versions)
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

async function tellRefusedCopies(tx: Context, settled: Settled[]) {
  const refused = settled.flatMap(({ settlement: { mail, campaign_id }, row: { workspace_id } }) =>
    (mail?.refused_copies ?? []).map((copy) => ({ workspace_id, campaign_id, ...copy })),
  )
  const byWorkspace = Map.groupBy(refused, ({ workspace_id }) => workspace_id)
  for (const workspaceId of [...byWorkspace.keys()].sort()) {
    await recordRefusedCopies(tx, workspaceId, byWorkspace.get(workspaceId) ?? [])
  }
}

async function takeBack(tx: Context, settled: Settled[]) {
  const wrong = settled.filter(({ transition }) => transition.takesBack)
  if (wrong.length === 0) return
  await leaveThreads(
    tx.db,
    wrong.map(({ row }) => row),
  )
  const byWorkspace = Map.groupBy(wrong, ({ row }) => row.workspace_id)
  for (const workspaceId of [...byWorkspace.keys()].sort()) {
    const steps = (byWorkspace.get(workspaceId) ?? []).map(({ row }) => ({
      leadId: row.lead_id,
      stepId: row.step_id,
    }))
    await takeBackSteps(tx, workspaceId, steps)
  }
}

const bouncesOf = (settled: Settled[]) =>
  settled.flatMap(({ row, transition: { aftermath } }) =>
    aftermath?.kind === 'bounce' && aftermath.bounce.kind === 'hard'
      ? [{ ...row, day: row.campaign_day, refused: true }]
      : [],
  )

async function recordActivity(
  tx: Context,
  settled: Settled[],
  campaigns: Map<string, BookedCampaign>,
) {
  const followUps = settled.filter(({ row, transition }) => transition.records && !row.is_new)
  const sentSteps =
    followUps.length === 0
      ? new Map<string, string[]>()
      : await queries.findSentSteps(
          tx.db,
          followUps.map(({ row }) => row),
        )
  const activities = settled.flatMap((each) => {
    const activity = activityOf(each, campaigns, sentSteps)
    return activity ? [{ workspaceId: each.row.workspace_id, activity }] : []
  })
  const byWorkspace = Map.groupBy(activities, ({ workspaceId }) => workspaceId)
  for (const workspaceId of [...byWorkspace.keys()].sort()) {
    const own = (byWorkspace.get(workspaceId) ?? []).map(({ activity }) => activity)
    await recordActivities(tx, workspaceId, own)
  }
}

function activityOf(
  { settlement, row, transition }: Settled,
  campaigns: Map<string, BookedCampaign>,
  sentSteps: Map<string, string[]>,
): LeadActivity | undefined {
  const leadId = row.lead_id
  const message = {
    message_id: row.message_id,
    subject: row.subject ?? '',
    step: row.step,
    variant: row.variant,
    mailbox: settlement.mailbox,
  }
  const { aftermath } = transition
  if (aftermath?.kind === 'bounce') {
    return { kind: 'bounced', leadId, message, bounce: aftermath.bounce }
  }
  if (aftermath?.kind === 'skip') {
    return { kind: 'skipped', leadId, reason: aftermath.reason, detail: aftermath.detail }
  }
  if (!transition.records) return undefined
  const campaign = campaigns.get(row.campaign_id)
  const at = sentAt(settlement, row)
  return {
    kind: 'sent',
    leadId,
    at,
    message,
    stepId: row.step_id,
    mailboxId: row.mailbox_id,
    threadSubject: (row.starts_thread ? row.subject : settlement.threadSubject) ?? '',
    next: campaign ? nextOf(campaign, row, sentSteps, at) : null,
  }
}

function nextOf(
  { steps, planned }: BookedCampaign,
  row: queries.LedgerRow,
  sentSteps: Map<string, string[]>,
  at: Date,
) {
  const sent_step_ids = row.is_new ? [row.step_id] : (sentSteps.get(row.lead_id) ?? [row.step_id])
  const next = nextStep(steps, { sent_step_ids, current_step: row.step })
  return next ? { notBefore: afterDelay(zoneOf(planned.schedule), next, at) } : null
}

/** Of what nobody was there for, the last that is known. */
const sentAt = ({ outcome, at }: Settlement, { timestamp_transmitting }: queries.LedgerRow) =>
  outcome.kind === 'abandoned' ? (timestamp_transmitting ?? at) : at

async function postpone(tx: Context, settled: Settled[]) {
  const postponed = settled.flatMap(({ row, transition: { aftermath } }) =>
    aftermath?.kind === 'later'
      ? [{ workspace_id: row.workspace_id, lead_id: row.lead_id, until: aftermath.at }]
      : [],
  )
  if (postponed.length > 0) await postponeLeads(tx.db, postponed, tx.now())
}

/** @returns ids of the campaigns that had used up a limit, and have room again */
async function giveBack(
  tx: Context,
  settled: Settled[],
  known: Map<string, BookedCampaign>,
): Promise<Set<string>> {
  const back = settled.filter(({ transition }) => transition.givesBack).map(({ row }) => row)
  if (back.length === 0) return new Set()
  const { campaigns, mailboxes } = countDays(back)
  const less = <Day extends { sent: number }>(day: Day) => ({ ...day, sent: -day.sent })
  const left = await addToDays(
    tx.db,
    campaigns.map((day) => ({ ...less(day), new_leads: -day.new_leads })),
    mailboxes.map(less),
  )
  const wasFull = left.filter(({ id, day, sent, new_leads }) => {
    const given = campaigns.find((each) => each.id === id && each.day === day)
    const { daily_limit, daily_max_leads } = known.get(id)?.planned ?? noLimit
    return (
      sent + (given?.sent ?? 0) >= (daily_limit ?? Number.POSITIVE_INFINITY) ||
      new_leads + (given?.new_leads ?? 0) >= (daily_max_leads ?? Number.POSITIVE_INFINITY)
    )
  })
  return new Set(wasFull.map(({ id }) => id))
}

/** Of a campaign that is gone. */
const noLimit = { daily_limit: null, daily_max_leads: null }

/** By when the mail was on the wire, whoever settles it, and once. */
async function pace(tx: Context, settled: Settled[], campaigns: Map<string, BookedCampaign>) {
  const lanes = new Map<string, queries.PacedLane>()
  for (const { settlement, row, transition } of settled) {
    if (!transition.records) continue
    const at = sentAt(settlement, row)
    const lane = lanes.get(row.mailbox_id)
    lanes.set(row.mailbox_id, {
      workspace_id: row.workspace_id,
      mailbox_id: row.mailbox_id,
      last_sent_at: laterOf(lane?.last_sent_at, at) ?? at,
      next_send_at: laterOf(lane?.next_send_at, nextSendAt(settlement, row, campaigns)),
      last_campaign_id: row.campaign_id,
      works: lane?.works || transition.state === 'sent',
    })
  }
  if (lanes.size > 0) await queries.paceLanes(tx.db, inLaneOrder([...lanes.values()]))
}

function nextSendAt(
  settlement: Settlement,
  row: queries.LedgerRow,
  campaigns: Map<string, BookedCampaign>,
): Date | null {
  const gap_seconds = settlement.gapSeconds
  const { planned } = campaigns.get(row.campaign_id) ?? { planned: noGap }
  const gapMs = gapAfter(planned, { gap_seconds }, row.lead_id, row.step_id)
  return gapMs === 0 ? null : new Date(sentAt(settlement, row).getTime() + gapMs)
}

/** Of a campaign that is gone. */
const noGap = { email_gap: 0, random_wait_max: 0 }

/**
 * A lead that was not written to yet is any mailbox's: again, or when its time comes. Its follow-ups
 * are its own mailbox's, and so is the place in that mailbox's day; a place in a campaign's day that
 * was full is everybody's.
 */
async function markFreed(tx: Context, settled: Settled[], roomIn: Set<string>) {
  const freed = settled.filter(({ transition }) => transition.givesBack)
  const byWorkspace = Map.groupBy(freed, ({ row }) => row.workspace_id)
  for (const workspaceId of [...byWorkspace.keys()].sort()) {
    const byCampaign = Map.groupBy(byWorkspace.get(workspaceId) ?? [], ({ row }) => row.campaign_id)
    const marks = [...byCampaign].flatMap(([campaign_id, own]) => {
      const changed = roomIn.has(campaign_id)
      const wake_at = firstDue(own, changed)
      return wake_at ? [{ campaign_id, wake_at, changed }] : []
    })
    await markCampaigns(tx, workspaceId, marks)
  }
}

function firstDue(freed: Settled[], hasRoom: boolean): Date | null {
  const times = freed.flatMap(({ settlement, row, transition: { aftermath } }) => {
    if (hasRoom || (row.is_new && aftermath?.kind === 'again')) return [settlement.at]
    return row.is_new && aftermath?.kind === 'later' ? [aftermath.at] : []
  })
  return times.reduce<Date | null>((first, at) => (first && first < at ? first : at), null)
}

async function wakeOwn(tx: Context, freed: queries.LedgerRow[]) {
  const own = Map.groupBy(freed, ({ workspace_id }) => workspace_id)
  for (const workspaceId of [...own.keys()].sort()) {
    const mailboxes = (own.get(workspaceId) ?? []).map(({ mailbox_id }) => mailbox_id)
    await wakeMailboxes(tx, workspaceId, mailboxes)
  }
}

const laterOf = (a: Date | null | undefined, b: Date | null) =>
  a && b && a > b ? a : (b ?? a ?? null)

const inOrder = <Key extends SendKey>(keys: Key[]): Key[] =>
  keys.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))

const keyOf = (key: SendKey) => `${key.workspace_id}${key.lead_id}${key.step_id}`

const inLaneOrder = (lanes: queries.PacedLane[]) =>
  lanes.sort((a, b) =>
    `${a.workspace_id}${a.mailbox_id}` < `${b.workspace_id}${b.mailbox_id}` ? -1 : 1,
  )
