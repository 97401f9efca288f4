import type { Context } from '../../kernel/context.ts'
import { countRunners } from '../../kernel/runner/lease-queries.ts'
import { listWatchedCampaigns, type WatchedCampaign } from '../campaigns/index.ts'
import { leaseKind } from '../mailbox-lanes/index.ts'
import { findSendingHold } from '../sending/index.ts'
import * as queries from './queries.ts'
import type { AttentionItem } from './schema.ts'

/** Of each kind: whoever has more begins with these. */
const most = 20
/** Campaigns in one statement, and how many of those that run are looked at: each costs some searches. */
const campaignsPage = 100
const campaignsMost = 2000

/** Why an active campaign sends nothing, where that does not pass by itself. */
const lasting = new Set([
  ...['plan_required', 'no_mailbox', 'mailboxes_unhealthy', 'schedule_ended', 'no_leads'],
  ...['no_new_leads', 'bounce_protection', 'leads_paused', 'waiting_for_mailbox'],
])

/** What needs a person, the most urgent first. */
export async function listAttention(ctx: Context, workspaceId: string): Promise<AttentionItem[]> {
  const { db } = ctx
  const hold = await findSendingHold(db)
  const runners = await countRunners(db, leaseKind, ctx.config.leaseMs)
  const mailboxes = await queries.listTroubledMailboxes(db, workspaceId, most)
  // Where nothing reads at all, that is what needs mending.
  const isAnybodyReading = runners > 0 && !hold
  const unread = isAnybodyReading ? await queries.listUnreadMailboxes(db, workspaceId, most) : []
  const webhooks = await queries.listTroubledWebhooks(db, workspaceId, most)
  const uncertain = await queries.countUncertain(db, workspaceId)
  const replies = await queries.countUncertainReplies(db, workspaceId, most)
  const none = { id: null, name: null, count: null, since: null }
  return [
    ...(hold ? [{ ...none, kind: 'held' as const, reason: hold.detail, since: hold.since }] : []),
    ...(runners === 0 ? [{ ...none, kind: 'no_runner' as const, reason: null }] : []),
    ...mailboxes.map((each) => ({ ...none, ...each, kind: 'mailbox' as const })),
    ...unread.map((each) => ({ ...none, ...each, kind: 'mailbox_unread' as const, reason: null })),
    ...(await listStandstills(ctx, workspaceId)),
    ...uncertain.map((each) => ({ ...each, kind: 'uncertain' as const, reason: null })),
    ...replies.map((each) => ({ ...each, kind: 'uncertain_reply' as const, reason: null })),
    ...webhooks.map((each) => ({ ...none, ...each, kind: 'webhook' as const })),
  ]
}

async function* listWatched(ctx: Context, workspaceId: string): AsyncGenerator<WatchedCampaign> {
  let before: string | undefined
  for (let looked = 0; looked < campaignsMost; looked += campaignsPage) {
    const page = { limit: campaignsPage, ...(before && { before }) }
    const campaigns: WatchedCampaign[] = await listWatchedCampaigns(ctx, workspaceId, page)
    yield* campaigns
    const last = campaigns.at(-1)
    if (!last || campaigns.length < campaignsPage) return
    before = last.id
  }
}

/** Campaigns that should send and do not, or whose leads wait for a mailbox or are held back. */
async function listStandstills(ctx: Context, workspaceId: string): Promise<AttentionItem[]> {
  const found: AttentionItem[] = []
  for await (const { id, name, status, sending_status } of listWatched(ctx, workspaceId)) {
    const { leads_waiting_for_mailbox: waiting, leads_held_back: held } = sending_status
    // Of an active campaign the reason is about its leads: all that are left are paused.
    const arePaused = status === 'active' && sending_status.reason === 'paused'
    const reason = arePaused ? 'leads_paused' : sending_status.reason
    const about = { kind: 'campaign' as const, id, name, since: null }
    if (reason && lasting.has(reason)) found.push({ ...about, reason, count: null })
    else if (waiting > 0) found.push({ ...about, reason: 'leads_waiting', count: waiting })
    else if (held > 0) found.push({ ...about, reason: 'leads_held_back', count: held })
    if (found.length === most) break
  }
  return found
}
