import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { parseEmail } from '../../kernel/email.ts'
import { invalidField } from '../../kernel/errors.ts'
import { nilId } from '../../kernel/ids.ts'
import { type ChangedBy, recordAudit } from '../audit/index.ts'
import { addFormerSender, addSender } from '../campaigns/index.ts'
import { findLastReading } from '../inbox/index.ts'
import { countFollowUps, listCampaignsOfThreads, moveThreads } from '../leads/index.ts'
import { wakeMailboxes } from '../mailbox-lanes/index.ts'
import { findMailboxesByAddress, findRemovedByAddress, saveHandOver } from '../mailboxes/index.ts'
import {
  bringThreads as bringConversations,
  moveThreads as moveConversations,
} from '../messages/index.ts'
import type { HandOverInput, HandOverResult } from './schema.ts'

type HandOverRequest = Pick<HandOverInput, 'from' | 'to'>

/**
 * What a hand-over would move; nothing is changed.
 *
 * @throws AppError `invalid_field`
 */
export async function previewHandOver(
  ctx: Context,
  workspaceId: string,
  request: HandOverRequest,
): Promise<HandOverResult> {
  const { from, to } = await getBoth(ctx, workspaceId, request)
  const campaigns = await countFollowUps(ctx.db, workspaceId, from.id)
  const reading = await readingOf(ctx, workspaceId, from)
  return { from: from.address, to: to.address, campaigns, moved: null, left: 0, ...reading }
}

/**
 * Another mailbox goes on with the conversations of one: its follow-ups and answers continue their
 * threads. It becomes a sender of the campaigns whose leads it takes over. Again it moves what is left.
 *
 * @throws AppError `invalid_field`
 */
export async function handOver(
  ctx: Context,
  workspaceId: string,
  request: HandOverRequest,
  by: ChangedBy,
): Promise<HandOverResult> {
  const { from, to } = await getBoth(ctx, workspaceId, request)
  const campaigns = await countFollowUps(ctx.db, workspaceId, from.id)
  const sendingFor = new Set<string>()
  const sendForOthers = async () => {
    const taken = await listCampaignsOfThreads(ctx.db, workspaceId, from.id)
    const others = taken.filter(({ campaign_id }) => !sendingFor.has(campaign_id))
    for (const { campaign_id } of others) {
      await addSender(ctx, workspaceId, campaign_id, to.address)
      sendingFor.add(campaign_id)
    }
    return others.length > 0
  }
  // First: a lead that is moved is sent to only where its mailbox is a sender.
  await sendForOthers()
  // Before them, too: their follow-ups wait until both mailboxes were read.
  await saveHandOver(ctx.db, workspaceId, from.id, to.id)
  let moved = 0
  // Again for campaigns whose first mail from that mailbox has left meanwhile.
  do moved += await moveAll(ctx, workspaceId, from.id, to, [...sendingFor])
  while (await sendForOthers())
  // Whose answer was being read meanwhile by what the lead was before.
  await bringConversations(ctx.db, workspaceId, from.id, to.id)
  const stayed = await countFollowUps(ctx.db, workspaceId, from.id)
  const left = stayed.reduce((sum, { leads }) => sum + leads, 0)
  await recordAudit(ctx, {
    ...{ workspaceId, ...by, action: 'mailbox.handed_over', subjectType: 'mailbox' },
    ...{ subjectId: from.id, details: { from: from.address, to: to.address, moved } },
  })
  const reading = await readingOf(ctx, workspaceId, from)
  return { from: from.address, to: to.address, campaigns, moved, left, ...reading }
}

/** What lies unread in a mailbox that is removed, paused or cannot be read is seen by nobody. */
const readingOf = async (
  ctx: Context,
  workspaceId: string,
  from: { id: string; is_followed?: boolean },
) => ({
  is_read: from.is_followed === true,
  last_read: await findLastReading(ctx.db, workspaceId, from.id),
})

const atOnce = 1000

interface Successor {
  id: string
  address: string
}

/** @returns how many leads */
async function moveAll(
  ctx: Context,
  workspaceId: string,
  from: string,
  to: Successor,
  campaignIds: string[],
) {
  let moved = 0
  let after = nilId
  for (;;) {
    const leads = await moveSome(ctx, workspaceId, from, to, campaignIds, after)
    const ids = leads.map(({ id }) => id)
    // By itself: whoever takes in an answer has its conversation, and waits for the lead.
    await moveConversations(ctx.db, workspaceId, ids, to.id)
    moved += ids.length
    if (ids.length < atOnce) return moved
    after = ids.toSorted().at(-1) ?? after
  }
}

/** With the senders of their campaigns, which nobody could tell once the leads were moved. */
const moveSome = (
  ctx: Context,
  workspaceId: string,
  from: string,
  to: Successor,
  sendingFor: string[],
  after: string,
) =>
  transaction(ctx, async (tx) => {
    const threads = [workspaceId, from, to.id, sendingFor] as const
    const rows = await moveThreads(tx.db, ...threads, after, atOnce)
    const ids = rows.map(({ id }) => id)
    if (ids.length === 0) return rows
    const campaignIds = [...new Set(rows.map(({ campaign_id }) => campaign_id))]
    await addFormerSender(tx.db, workspaceId, campaignIds, to.address)
    await wakeMailboxes(tx, workspaceId, [to.id])
    return rows
  })

async function getBoth({ db }: Context, workspaceId: string, request: HandOverRequest) {
  const [from, to] = [foldedOf(request, 'from'), foldedOf(request, 'to')]
  if (from === to) throw invalidField('/to', 'to must be another mailbox than from')
  const found = await findMailboxesByAddress(db, workspaceId, [from, to])
  const of = (folded: string) => found.find(({ address_folded }) => address_folded === folded)
  const source = of(from) ?? (await findRemovedByAddress(db, workspaceId, [from]))[0]
  if (!source) throw invalidField('/from', 'from: the workspace has had no mailbox of this address')
  const target = of(to)
  if (!target) throw invalidField('/to', 'to: the workspace has no mailbox of this address')
  return { from: source, to: target }
}

function foldedOf(request: HandOverRequest, field: keyof HandOverRequest): string {
  const parsed = parseEmail(request[field])
  if (!parsed) throw invalidField(`/${field}`, `${field} must be an e-mail address`)
  return parsed.folded
}
