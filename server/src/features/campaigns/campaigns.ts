import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { notFound } from '../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { tellPages } from '../live/index.ts'
import { type ChangedBy, recordCampaignChange } from './audit-change.ts'
import { checkSettings, scheduleOf } from './check-settings.ts'
import * as queries from './queries.ts'
import { findSenders } from './readiness/sender-mailboxes.ts'
import { toRecords } from './record.ts'
import { defaultSchedule } from './schedule/schedule-schema.ts'
import { type Campaign, type CampaignInput, plainDefaults } from './schema.ts'
import { stepsWithIds } from './sequence/sequence.ts'
import type { CampaignSequenceInput } from './sequence/sequence-schema.ts'

/** Makes a draft: nothing is sent before it is activated. */
export async function createCampaign(
  ctx: Context,
  workspaceId: string,
  input: CampaignInput,
  by?: ChangedBy,
): Promise<Campaign> {
  await checkSettings(ctx, input)
  const { email_list = [] } = input
  return transaction(ctx, async (tx) => {
    const senders = await findSenders(tx.db, workspaceId, email_list)
    return insertDraft(tx, workspaceId, { ...input, email_list: senders.addresses }, by)
  })
}

/** Its settings were checked. */
export async function insertDraft(
  ctx: Context,
  workspaceId: string,
  input: CampaignInput,
  by?: ChangedBy,
): Promise<Campaign> {
  const { schedule: _alias, ...given } = input
  const id = ctx.newId()
  await queries.insertCampaign(ctx.db, {
    ...plainDefaults,
    ...given,
    campaign_schedule: JSON.stringify(scheduleOf(input) ?? defaultSchedule),
    sequences: JSON.stringify(stepsWithIds([], withoutIds(input.sequences ?? []), ctx.newId)),
    workspace_id: workspaceId,
    id,
    status: 'draft',
    timestamp_created: ctx.now(),
    timestamp_updated: ctx.now(),
  })
  tellPages(ctx, workspaceId, ['campaigns'])
  if (by) await recordCampaignChange(ctx, { id, workspace_id: workspaceId }, 'created', by)
  return getCampaign(ctx, workspaceId, id)
}

export async function getCampaign(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<Campaign> {
  const rows = await queries.readCampaign(ctx.db, workspaceId, id)
  const [campaign] = await toRecords(ctx, workspaceId, rows)
  if (!campaign) throw notFound('campaign')
  return campaign
}

export interface CampaignFilter {
  status?: string | undefined
  /** Part of the name, in any case. */
  search?: string | undefined
}

export async function listCampaigns(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
  filter: CampaignFilter,
): Promise<Page<Campaign>> {
  const rows = await readPage(ctx, workspaceId, page, filter)
  return toPage(await toRecords(ctx, workspaceId, rows), page.limit)
}

/** Active campaigns and those that bounce protection has paused, the newest first, from before an id. */
export const listWatchedCampaigns = async (
  ctx: Context,
  workspaceId: string,
  { before = lastId, limit }: { before?: string; limit: number },
) => toRecords(ctx, workspaceId, await queries.listWatched(ctx.db, workspaceId, before, limit))

/** One row more than the page holds, if there is one. */
export const readPage = (
  { db }: Context,
  workspaceId: string,
  { startingAfter, limit }: PageRequest,
  { status, search }: CampaignFilter,
) =>
  queries.listCampaigns(
    db,
    workspaceId,
    startingAfter ?? lastId,
    status || null,
    search || null,
    limit + 1,
  )

/** The sequences of another campaign can be sent as they were read: the copy gets ids of its own. */
const withoutIds = (sequences: CampaignSequenceInput[]): CampaignSequenceInput[] =>
  sequences.map(({ steps }) => ({
    steps: steps.map(({ id: _id, ...step }) => ({
      ...step,
      variants: step.variants.map(({ id: _variantId, ...variant }) => variant),
    })),
  }))

/** Comes after every id: the first page starts before it. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
