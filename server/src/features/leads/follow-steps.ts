import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import {
  claimFollowing,
  endFollowing,
  type FollowClaim,
  findFollowing,
  type HeldSteps,
  holdSteps,
} from '../campaigns/index.ts'
import { markLeadsDue } from '../mailbox-lanes/index.ts'
import { ChangingLead, changeLeads } from './change-leads.ts'
import { companyOf } from './company.ts'
import * as follow from './follow-queries.ts'
import { nextSendOf } from './next-send.ts'
import { planFinish } from './plan-activity.ts'
import * as queries from './queries.ts'
import type { StoredLead } from './record.ts'

const campaignsMax = 20
const leadsMax = 2000

/**
 * Writes the leads of campaigns whose steps were edited again: when their next mail is due, whose
 * colleagues they are, and that they are done where no step is left. Little by little, beside
 * everything else: until a lead's turn comes it is found a little late or looked at in vain, but
 * never sent to early, because the planner works out its time from what it is made of.
 */
export async function followSteps(ctx: Context, signal?: AbortSignal) {
  const due = await findFollowing(ctx.db, ctx.now(), campaignsMax)
  for (const campaign of due) await followCampaign(ctx, campaign, signal)
}

/** Goes over the leads once; given up as soon as the campaign is edited again, or another's. */
async function followCampaign(ctx: Context, campaign: FollowClaim, signal?: AbortSignal) {
  let claim = signal?.aborted ? undefined : await claimFollowing(ctx, campaign)
  const mailboxes = await follow.findMailboxIds(ctx.db, campaign.workspace_id)
  for (const mailboxId of [null, ...mailboxes.map(({ id }) => id)]) {
    let after: follow.WalkedLead | undefined = beforeAll
    while (claim && after) {
      const walked = await walk(ctx, claim, mailboxId, after)
      if (walked.length > 0) await followLeads(ctx, claim, walked)
      after = walked.at(-1)
      // Who stops here leaves the claim to end by itself; another then begins anew.
      if (after) claim = signal?.aborted ? undefined : await claimFollowing(ctx, claim)
    }
  }
  if (claim) await end(ctx, claim)
}

const beforeAll: follow.WalkedLead = {
  id: '00000000-0000-0000-0000-000000000000',
  timestamp_next_send: '-infinity',
}

/** Leads that nothing was sent to, or those in threads of this mailbox. */
function walk(
  ctx: Context,
  { workspace_id, id }: FollowClaim,
  mailboxId: string | null,
  after: follow.WalkedLead,
) {
  const place = [workspace_id, id, after.timestamp_next_send, after.id, leadsMax] as const
  return mailboxId === null
    ? follow.walkPending(ctx.db, ...place)
    : follow.walkActive(ctx.db, ...place, mailboxId)
}

const followLeads = (
  ctx: Context,
  { workspace_id, id }: FollowClaim,
  walked: follow.WalkedLead[],
) =>
  transaction(ctx, async (tx) => {
    const steps = await holdSteps(tx.db, workspace_id, id)
    const ids = walked.map((lead) => lead.id)
    const leads = await follow.lockFollowing(tx.db, workspace_id, ids)
    const sending = leads.filter(({ sending_state }) => isSending(sending_state))
    const moved = sending.flatMap((lead) => {
      const now = follower(steps, lead)
      return now.timestamp_next_send && isOther(lead, now) ? [now] : []
    })
    if (moved.length > 0) await follow.updateFollowing(tx.db, workspace_id, moved)
    const done = sending.filter((lead) => nextSendOf(steps, lead) === null)
    if (done.length > 0) await finish(tx, workspace_id, done)
  })

const isSending = (state: StoredLead['sending_state']) => state === 'pending' || state === 'active'

const follower = (steps: HeldSteps, lead: follow.FollowingLead): follow.FollowingLead => ({
  ...lead,
  timestamp_next_send: nextSendOf(steps, lead),
  company: steps.stop_for_company ? companyOf(lead.email_folded) : lead.company,
})

const isOther = (before: follow.FollowingLead, now: follow.FollowingLead) =>
  before.company !== now.company ||
  before.timestamp_next_send?.getTime() !== now.timestamp_next_send?.getTime()

/** The steps that were left were removed. */
async function finish(tx: Context, workspaceId: string, done: follow.FollowingLead[]) {
  const locked = await queries.lockLeads(
    tx.db,
    workspaceId,
    done.map(({ id }) => id),
  )
  const leads = locked.map((lead) => new ChangingLead(lead))
  for (const lead of leads) {
    const { patch, events } = planFinish(lead.now)
    lead.change(patch, events, tx.now())
  }
  await changeLeads(tx, workspaceId, leads)
}

/** What is due sooner than it was is not waited for. */
const end = (ctx: Context, claim: FollowClaim) =>
  transaction(ctx, async (tx) => {
    await endFollowing(tx, claim)
    await markLeadsDue(tx, claim.workspace_id, [claim.id])
  })
