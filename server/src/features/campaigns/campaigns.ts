import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { notFound } from '../../kernel/errors.ts'
import { type Page, type PageRequest, readSizedPage } from '../../kernel/http/page.ts'
import { maxId } from '../../kernel/ids.ts'
import type { ChangedBy } from '../audit/index.ts'
import { tellPages } from '../live/index.ts'
import { recordCampaignChange } from './audit-change.ts'
import { checkSettings, scheduleOf } from './check-settings.ts'
import * as queries from './queries.ts'
import { getSenders } from './readiness/sender-mailboxes.ts'
import { standing, toRecords, withFacts } from './record.ts'
import { defaultSchedule } from './schedule/schedule-schema.ts'
import { type Campaign, type CampaignInput, plainDefaults } from './schema.ts'
import { sentToday } from './sending-status/sending-status.ts'
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
    const senders = await getSenders(tx.db, workspaceId, email_list)
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

/** Whether an active campaign may write to further new leads today: follow-ups are sent all the same. */
export async function hasRoomForNewLeads(ctx: Context, campaign: Campaign): Promise<boolean> {
  const { workspace_id, id, daily_max_leads } = campaign
  if (daily_max_leads === null) return true
  const now = ctx.now()
  const [row] = await queries.readFacts(ctx.db, workspace_id, [id], now)
  const { new_leads } = sentToday(campaign, row?.sending_facts?.days ?? null, now)
  return new_leads < daily_max_leads
}

export async function listCampaigns(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
  filter: CampaignFilter,
): Promise<Page<Campaign>> {
  const { items, ...rest } = await readPage(ctx, workspaceId, page, filter)
  return { items: await toRecords(ctx, workspaceId, items), ...rest }
}

/** Each may have a megabyte of texts. */
const readPage = (
  { db }: Context,
  workspaceId: string,
  page: PageRequest,
  filter: CampaignFilter,
): Promise<Page<queries.CampaignRow>> =>
  readSizedPage(page, {
    ...{ together: 10, bytesMax: 2 * 1024 * 1024 },
    bytesOf: ({ sequences }) => Buffer.byteLength(JSON.stringify(sequences)),
    read: ({ startingAfter, limit }) =>
      queries.listCampaigns(db, ...listParameters(workspaceId, startingAfter, filter), limit + 1),
  })

/** One row more than the page holds, if there is one. */
export const readSummaries = (
  { db }: Context,
  workspaceId: string,
  { startingAfter, limit }: PageRequest,
  filter: CampaignFilter,
) => queries.listSummaries(db, ...listParameters(workspaceId, startingAfter, filter), limit + 1)

const listParameters = (
  workspaceId: string,
  before: string | undefined,
  { status, search }: CampaignFilter,
) => [workspaceId, before ?? maxId, status || null, search || null] as const

/** Active campaigns and those that bounce protection has paused, the newest first, from before an id. */
export async function listWatchedCampaigns(
  ctx: Context,
  workspaceId: string,
  { before = maxId, limit }: { before?: string; limit: number },
): Promise<WatchedCampaign[]> {
  const now = ctx.now()
  const rows = await queries.listWatched(ctx.db, workspaceId, before, limit)
  return (await withFacts(ctx, workspaceId, rows, now)).map((row) => ({
    ...{ id: row.id, name: row.name, status: row.status },
    sending_status: standing(row, now).sending_status,
  }))
}

export type WatchedCampaign = Pick<Campaign, 'id' | 'name' | 'status' | 'sending_status'>

/** The sequences of another campaign can be sent as they were read: the copy gets ids of its own. */
const withoutIds = (sequences: CampaignSequenceInput[]): CampaignSequenceInput[] =>
  sequences.map(({ steps }) => ({
    steps: steps.map(({ id: _id, ...step }) => ({
      ...step,
      variants: step.variants.map(({ id: _variantId, ...variant }) => variant),
    })),
  }))
