import type { ProcessContext } from '../../../kernel/context.ts'
import { explainUnavailable } from '../../../kernel/db/failure.ts'
import { describeError } from '../../../kernel/log.ts'
import type { Sleep } from '../../mailbox-lanes/index.ts'
import type { Lane } from '../lanes/lane.ts'
import { type LaneRow, readLanes } from '../lanes/lane-queries.ts'
import type { SenderParts } from '../lanes/sender-parts.ts'
import { gapAfter, mailboxLimit } from '../planning/plan.ts'
import { messageIdOf } from '../transmit/message-id.ts'
import { type Backlog, findNextDue, loadBacklog, type ReadyLane } from './backlog.ts'
import type { NextAction } from './next-action.ts'
import { earliestOf, type Picked, pickNext } from './pick-next.ts'
import type { Skip } from './skip-leads.ts'

export type PlannerParts = Pick<
  SenderParts,
  'readSince' | 'cache' | 'prefetch' | 'claims' | 'skips' | 'sleeps' | 'guard'
>

/** Plans a batch of lanes: what they plan from is read once for all of them. */
export async function planLanes(
  ctx: ProcessContext,
  lanes: Lane[],
  parts: PlannerParts,
): Promise<Map<Lane, NextAction>> {
  const now = ctx.now()
  const { identity } = parts.guard
  // Mailboxes with results under way may not see their own next follow-up yet: they must not sleep.
  const busy = new Set(lanes.filter((lane) => lane.isBusy))
  const rows = new Map(
    (await readLanes(ctx.db, lanes.map(keyOf), parts.readSince, now)).map((row) => [
      row.mailbox_id,
      row,
    ]),
  )
  const actions = new Map<Lane, NextAction>()
  const sleeps: SleepingLane[] = []
  const ready: { lane: Lane; row: LaneRow }[] = []
  for (const lane of lanes) {
    const row = rows.get(lane.mailboxId)
    // Of a workspace that is moved nothing is begun or written: it goes on from there.
    if (!row || row.is_moving || row.token !== lane.token) {
      actions.set(lane, { kind: 'left' })
      continue
    }
    const availability = availabilityOf(row, now)
    // Planned ahead while it had no gap: the next mail waits from the one that is under way.
    if (availability === 'ready' && row.gap_seconds > 0 && busy.has(lane)) {
      actions.set(lane, { kind: 'settle' })
      continue
    }
    const owesCampaigns = lane.owesCampaigns && lane.refusals === 0
    if (mayReply(row) && !(owesCampaigns && availability === 'ready')) {
      actions.set(lane, { kind: 'reply', row })
    } else if (availability === 'ready') ready.push({ lane, row })
    else if (availability === 'probe') actions.set(lane, { kind: 'probe', row })
    else sleeps.push({ lane, row, until: availability.until, rests: true })
  }
  if (ready.length > 0) sleeps.push(...(await planReady(ctx, now, ready, parts, actions)))
  await goToSleep(ctx, sleeps, { busy, identity }, parts, actions)
  return actions
}

/** A lane that has nothing to do until then; null: until something wakes it. */
interface SleepingLane extends Pick<Sleep, 'rests'> {
  lane: Lane
  row: LaneRow
  until: Date | null
}

/** @returns the lanes that have nothing to send */
async function planReady(
  ctx: ProcessContext,
  now: Date,
  ready: { lane: Lane; row: LaneRow }[],
  parts: PlannerParts,
  actions: Map<Lane, NextAction>,
): Promise<SleepingLane[]> {
  const backlog = await loadBacklog(ctx.db, now, ready, parts)
  const idle = await claimPicked(ctx, backlog, parts, actions)
  const nextDue = await findNextDue(ctx.db, undecidedOf(idle), now)
  return [...idle].map(([each, { next, undecided }]) => ({
    ...{ lane: each.lane, row: each.row, rests: undecided.length === 0 },
    until: earliestOf(next, nextDue.get(each) ?? null),
  }))
}

const keyOf = ({ workspaceId, mailboxId }: Lane) => ({
  workspace_id: workspaceId,
  mailbox_id: mailboxId,
})

const mayReply = (row: LaneRow) => row.has_reply && row.address !== null && row.status !== 'paused'

/**
 * Whether the mailbox may send now, is to be probed by a login, or when it is looked at next, whatever
 * there is to send.
 */
function availabilityOf(row: LaneRow, now: Date): 'ready' | 'probe' | { until: Date | null } {
  if (row.address === null || !row.plan_api || row.status === 'paused') return { until: null }
  if (row.not_before && row.not_before > now) return { until: row.not_before }
  if (row.status === 'error') return 'probe'
  const next = nextSendAt(row)
  return next && next > now ? { until: next } : 'ready'
}

/** What was under way when the gap was changed is settled with the one that it left with. */
function nextSendAt({ next_send_at, last_sent_at, gap_seconds }: LaneRow): Date | null {
  if (!last_sent_at || gap_seconds === 0) return next_send_at
  const own = new Date(last_sent_at.getTime() + gap_seconds * 1000)
  return next_send_at && next_send_at > own ? next_send_at : own
}

/** @returns the lanes that have nothing to send */
async function claimPicked(
  ctx: ProcessContext,
  backlog: Backlog,
  parts: PlannerParts,
  actions: Map<Lane, NextAction>,
): Promise<Map<ReadyLane, Picked>> {
  const idle = new Map<ReadyLane, Picked>()
  const claiming: Promise<string | null>[] = []
  for (const ready of backlog.lanes) {
    const picked = pickNext(ready, backlog, parts.prefetch)
    for (const { campaign, leadId, reason } of picked.skips) {
      skip(
        ctx,
        ready.lane,
        { workspace_id: campaign.workspace_id, campaign, leadId, reason },
        parts,
      )
    }
    if (picked.campaign) claiming.push(claim(ctx, ready, picked, backlog, parts, actions))
    else if (picked.skips.length > 0) actions.set(ready.lane, { kind: 'settle' })
    else if (picked.isCut) actions.set(ready.lane, { kind: 'again' })
    else idle.set(ready, picked)
  }
  // Whom they were offered and could not send to would else be offered first, whoever is due before.
  for (const { campaigns } of idle.keys()) {
    for (const { id } of campaigns) parts.prefetch.forget(id)
  }
  replanPassedOver(idle, new Set(await Promise.all(claiming)), actions)
  return idle
}

const skipAgainMs = 1_000

/**
 * Its mailbox looks again once that is written. The others that are planned with it do not wait: they may
 * be of other workspaces. Offered again as it was read, a lead that is done with would be skipped anew.
 */
function skip(
  ctx: ProcessContext,
  lane: Lane,
  lead: Skip,
  { prefetch, skips }: Pick<PlannerParts, 'prefetch' | 'skips'>,
) {
  const { leadId: id, campaign } = lead
  prefetch.take([{ id, campaign_id: campaign.id }])
  const done = skips
    .add(lead)
    .catch((error) => {
      if (!explainUnavailable(error)) {
        ctx.log.error({ lead: id, ...describeError(error) }, 'a lead is skipped later')
      }
      return ctx.sleep(skipAgainMs)
    })
    .finally(() => {
      prefetch.release(id)
      lane.settling.delete(done)
    })
  lane.settling.add(done)
}

/**
 * A lead that was refused to one mailbox, and its place in a day, are free for those that were planned as
 * if they were taken.
 */
function replanPassedOver(
  idle: Map<ReadyLane, Picked>,
  refused: Set<string | null>,
  actions: Map<Lane, NextAction>,
) {
  for (const ready of [...idle.keys()]) {
    if (!ready.campaigns.some(({ id }) => refused.has(id))) continue
    idle.delete(ready)
    ready.lane.refusals += 1
    actions.set(ready.lane, { kind: 'again' })
  }
}

/**
 * @returns the campaign, if something was refused to this mailbox that another one may send, or that took
 *   the last place in its day
 */
async function claim(
  ctx: ProcessContext,
  ready: ReadyLane,
  { campaign, sends }: Picked,
  backlog: Backlog,
  { prefetch, claims }: PlannerParts,
  actions: Map<Lane, NextAction>,
): Promise<string | null> {
  const { lane, row, mailbox } = ready
  if (!campaign || row.address === null) return null
  const { day } = backlog.campaignDay(campaign)
  const address = row.address
  prefetch.take(sends.map(({ lead_id }) => ({ id: lead_id, campaign_id: campaign.id })))
  const asked = await Promise.allSettled(
    sends.map((send) => {
      const key = { ...keyOf(lane), lead_id: send.lead_id, step_id: send.step_id }
      return claims.add({
        ...key,
        id: ctx.newId(),
        campaign_id: campaign.id,
        campaign_version: campaign.version,
        mailbox_version: row.mailbox_version,
        step: send.step,
        variant_id: send.variant_id,
        variant: send.variant,
        message_id: messageIdOf(key, address),
        token: lane.token,
        is_new: send.isNew,
        after_step_id: send.after_step_id,
        campaign_day: day,
        mailbox_day: ready.day,
        mailbox_limit: mailboxLimit(mailbox, ready.day),
        until: send.until,
      })
    }),
  )
  const answers = asked.map((answer) => (answer.status === 'fulfilled' ? answer.value : null))
  for (const [index, answer] of answers.entries()) {
    if (!answer) prefetch.release(sends[index]?.lead_id ?? '')
  }
  lane.lastCampaignId = campaign.id
  const mails = answers
    .filter((answer) => answer !== null)
    .map((answer) => ({
      claim: answer,
      campaign,
      mailbox: row,
      gapMs: gapAfter(campaign.planned, mailbox, answer.lead_id, answer.step_id),
    }))
  lane.refusals = mails.length === 0 ? lane.refusals + 1 : 0
  actions.set(lane, mails.length === 0 ? { kind: 'again' } : { kind: 'send', mails })
  const { daily_limit } = campaign.planned
  const isFull = daily_limit !== null && backlog.campaignDay(campaign).sent >= daily_limit
  return sends.some(({ isNew }, index) => (isNew || isFull) && !answers[index]) ? campaign.id : null
}

const undecidedOf = (idle: Map<ReadyLane, Picked>) =>
  [...idle].flatMap(([ready, { undecided }]) => undecided.map((campaign) => ({ ready, campaign })))

async function goToSleep(
  ctx: ProcessContext,
  sleeps: SleepingLane[],
  { busy, identity }: { busy: Set<Lane>; identity: string | null },
  parts: PlannerParts,
  actions: Map<Lane, NextAction>,
) {
  await Promise.all(
    sleeps.map(async ({ lane, row, until, rests }) => {
      if (mayReply(row)) {
        actions.set(lane, { kind: 'reply', row })
        return
      }
      // Awake as long as anything of it is open: that is how another runner finds it.
      if (lane.isBusy || busy.has(lane)) {
        actions.set(lane, { kind: 'settle' })
        return
      }
      // What was left open would keep its lead waiting until something else wakes the mailbox.
      if (lane.isInDoubt) {
        lane.recoverAgain()
        actions.set(lane, { kind: 'again' })
        return
      }
      const { token, seq } = row
      const answer = await parts.sleeps.add({
        ...{ ...keyOf(lane), token, seq, wake_at: until, rests, identity },
      })
      // The time may have come meanwhile: no poll looks that far back.
      const isOver = until !== null && until <= ctx.now()
      actions.set(lane, { kind: answer === 'asleep' && isOver ? 'again' : answer })
    }),
  )
}
