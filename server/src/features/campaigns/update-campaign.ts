import { isDeepStrictEqual } from 'node:util'
import type { Updateable } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { laterThan } from '../../kernel/db/later-than.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { Campaigns } from '../../kernel/db/types.gen.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { readOnlyIn, refuseChanged } from '../../kernel/http/as-read.ts'
import { hintJob } from '../../kernel/runner/job.ts'
import type { ChangedBy } from '../audit/index.ts'
import { forgiveBounces } from '../daily-counts/index.ts'
import { emit } from '../events/index.ts'
import { findLinkUrl } from '../link-address/index.ts'
import { tellPages } from '../live/index.ts'
import { changeCampaignGap, markCampaignsChanged } from '../mailbox-lanes/index.ts'
import { recordCampaignChange } from './audit-change.ts'
import { getCampaign } from './campaigns.ts'
import { checkSettings, scheduleOf } from './check-settings.ts'
import { lockLeadCounts } from './lead-counts.ts'
import * as queries from './queries.ts'
import { isAsRead, mayBeReadActive } from './read-only.ts'
import { breakingError, unreadyError } from './readiness/readiness.ts'
import { getSenders } from './readiness/sender-mailboxes.ts'
import { toRecords } from './record.ts'
import { deleteRefusedCopies } from './refused-copies/refused-copy-queries.ts'
import { type Campaign, type CampaignChanges, plainDefaults } from './schema.ts'
import { finishAfter, mustReschedule, rescheduleKind } from './sequence/rescheduling.ts'
import { stepsWithIds } from './sequence/sequence.ts'
import { completeIfFinished } from './service-transitions.ts'
import { invalidTransition, transitionError } from './transition.ts'

/**
 * Applies all of the changes or none: first the fields, each replaced whole, then the status, judged
 * by the campaign as it then is. The row stays locked, so that concurrent changes follow each other.
 */
export async function updateCampaign(
  ctx: Context,
  workspaceId: string,
  id: string,
  changes: CampaignChanges,
  { seen, by }: ChangeOptions = {},
): Promise<Campaign> {
  await checkSettings(ctx, changes)
  return transaction(ctx, async (tx) => {
    const [row] = await queries.lockCampaign(tx.db, workspaceId, id)
    if (!row) throw notFound('campaign')
    if (seen && seen.getTime() !== row.timestamp_updated.getTime()) throw changedMeanwhile()
    const record = async (changed?: Partial<queries.CampaignRow>) =>
      (await toRecords(tx, workspaceId, [{ ...row, ...changed }]))[0] as Campaign
    if (readOnlyIn(changes, isAsRead).length > 0) refuseChanged(changes, await record(), isAsRead)

    const settings = await changedSettings(tx, row, changes)
    const previous = row.status
    const status = changes.status ?? previous
    const after = { ...row, ...settings }
    const isStale =
      mayBeReadActive(changes, row) ||
      (changes.status_reason === null && row.status_reason !== null)
    if (status === 'active' && status !== previous && isStale) throw stoppedMeanwhile()
    if (status !== previous) await checkNewStatus(tx, after, status)
    else if (status === 'active') await checkStillReady(tx, after, settings)

    const changed = { ...settings, ...(status === previous ? {} : { status, status_reason: null }) }
    if (Object.keys(changed).length === 0) return record()
    const reschedules = mustReschedule(row, after)
    const mends = settings.sequences && (await queries.hasFailedTemplates(tx.db, workspaceId, id))
    const isFollowed = reschedules || mends
    const noted = {
      ...formerSenders(row, settings),
      timestamp_updated: laterThan(row.timestamp_updated, tx.now()),
    }
    await queries.updateCampaign(tx.db, workspaceId, id, {
      ...toColumns(changed),
      ...noted,
      ...(isFollowed ? rescheduling(row, after, tx.now()) : {}),
    })
    if (isFollowed) hintJob(tx, rescheduleKind, id)
    if (changed.cc_list || changed.bcc_list) await deleteRefusedCopies(tx.db, workspaceId, id)
    if (status !== previous && row.status_reason === 'bounce_protection') {
      // Before its days, as in settlements.
      await lockLeadCounts(tx, workspaceId, [id])
      await forgiveBounces(tx.db, workspaceId, id)
    }
    const campaign = await record({ ...changed, ...noted })
    tellPages(tx, workspaceId, ['campaigns'])
    if (status !== previous) await announce(tx, workspaceId, campaign, previous)
    const isDone = status !== previous && (await completeIfAllAreDone(tx, campaign))
    await changeCampaignGap(tx, workspaceId, id, { before: row, after })
    // Whoever reschedules the leads wakes the mailboxes when they are written again.
    const isOfStepsAlone = reschedules && Object.keys(changed).every((name) => name === 'sequences')
    if (!isOfStepsAlone) await markCampaignsChanged(tx, workspaceId, [id])
    if (by) await recordCampaignChange(tx, campaign, actionOf(changed), by, changed)
    return isDone ? getCampaign(tx, workspaceId, id) : campaign
  })
}

/**
 * Its last leads may have been done while it was a draft or paused: nobody would complete it any more.
 * Who is counting one of them has not seen it active and does not wait for it, so that one is waited for.
 */
async function completeIfAllAreDone(tx: Context, { id, workspace_id, status }: Campaign) {
  if (status !== 'active') return false
  await lockLeadCounts(tx, workspace_id, [id])
  return completeIfFinished(tx, workspace_id, id)
}

export interface ChangeOptions {
  /** `timestamp_updated` of the campaign as whoever changes it has read it. */
  seen?: Date | undefined
  by?: ChangedBy | undefined
}

const changedMeanwhile = () =>
  new AppError(
    'version_conflict',
    'Somebody else changed this campaign meanwhile; read it again and put the changes together.',
  )

/** A record that was read before would start it without a word. */
const stoppedMeanwhile = () =>
  invalidTransition(
    'This campaign has been stopped or changed since it was read; to start it, send status without status_reason and sending_status.',
  )

const actionOf = ({ status }: { status?: string }) =>
  status === undefined ? 'updated' : status === 'active' ? 'activated' : 'paused'

/** A mailbox that the campaign sends from as well; again it changes nothing. */
export const addSender = (ctx: Context, workspaceId: string, id: string, address: string) =>
  transaction(ctx, async (tx) => {
    const [row] = await queries.lockCampaign(tx.db, workspaceId, id)
    if (!row) throw notFound('campaign')
    await updateCampaign(tx, workspaceId, id, { email_list: [...row.email_list, address] })
  })

type Settings = Pick<queries.CampaignRow, SettingName>
type SettingName = 'name' | 'campaign_schedule' | 'sequences' | keyof typeof plainDefaults

/** Only what really changes: setting what is there already is no update. */
async function changedSettings(
  tx: Context,
  row: queries.CampaignRow,
  changes: CampaignChanges,
): Promise<Partial<Settings>> {
  const wanted: Partial<Record<SettingName, unknown>> = {}
  for (const name of ['name', ...Object.keys(plainDefaults)] as (keyof typeof plainDefaults)[]) {
    if (changes[name] !== undefined) wanted[name] = changes[name]
  }
  const schedule = scheduleOf(changes)
  if (schedule) wanted.campaign_schedule = schedule
  if (changes.sequences) {
    wanted.sequences = stepsWithIds(row.sequences, changes.sequences, tx.newId)
  }
  if (changes.email_list) {
    const { email_list } = changes
    const senders = await getSenders(tx.db, row.workspace_id, email_list, row.email_list)
    wanted.email_list = senders.addresses
  }
  const changed = Object.entries(wanted).filter(
    ([name, value]) => !isDeepStrictEqual(value, row[name as SettingName]),
  )
  return Object.fromEntries(changed) as Partial<Settings>
}

async function checkNewStatus(
  tx: Context,
  campaign: queries.CampaignRow,
  status: queries.CampaignRow['status'],
) {
  const refused = transitionError(campaign.status, status, campaign.active ?? 0)
  if (refused) throw refused
  if (status !== 'active') return
  const unready = unreadyError({ ...campaign, ...(await findMeans(tx, campaign)) }, tx.now())
  if (unready) throw unready
}

/** A lead that waits for a step that nobody can send would wait for ever, without a word. */
async function checkStillReady(
  tx: Context,
  campaign: queries.CampaignRow,
  settings: Partial<Settings>,
) {
  if (Object.keys(settings).length === 0) return
  const refused = breakingError({ ...campaign, ...(await findMeans(tx, campaign)) }, settings)
  if (refused) throw refused
}

/** Why the campaign cannot start as it stands; undefined: it can. */
export async function whyUnready(ctx: Context, workspaceId: string, id: string) {
  const [campaign] = await queries.readCampaign(ctx.db, workspaceId, id)
  if (!campaign) throw notFound('campaign')
  return unreadyError({ ...campaign, ...(await findMeans(ctx, campaign)) }, ctx.now())
}

/** What it sends by. */
async function findMeans(tx: Context, { workspace_id, email_list }: queries.CampaignRow) {
  const { mailboxes } = await getSenders(tx.db, workspace_id, email_list, email_list)
  return { mailboxes, linkUrl: findLinkUrl(tx) }
}

/**
 * Leads are rescheduled at once, or go on where the text held them back, and those that are left without a
 * step are finished later.
 */
function rescheduling(row: queries.CampaignRow, after: queries.CampaignRow, now: Date) {
  const leads_finish_at = finishAfter(row, after, now)
  return { leads_follow_due: now, ...(leads_finish_at ? { leads_finish_at } : {}) }
}

/** Who leaves `email_list` has conversations that wait. */
function formerSenders(row: queries.CampaignRow, { email_list }: Partial<Settings>) {
  if (!email_list || row.status === 'draft') return {}
  const left = new Set([...row.former_senders, ...row.email_list]).difference(new Set(email_list))
  return { former_senders: [...left] }
}

function toColumns(
  changed: Partial<Settings & Pick<queries.CampaignRow, 'status' | 'status_reason'>>,
): Updateable<Campaigns> {
  const { campaign_schedule, sequences, ...columns } = changed
  return {
    ...columns,
    ...(campaign_schedule ? { campaign_schedule: JSON.stringify(campaign_schedule) } : {}),
    ...(sequences ? { sequences: JSON.stringify(sequences) } : {}),
  }
}

const announce = (
  tx: Context,
  workspaceId: string,
  campaign: Campaign,
  previous: Campaign['status'],
) =>
  emit(tx, workspaceId, [
    {
      type: campaign.status === 'active' ? 'campaign.activated' : 'campaign.paused',
      campaign,
      leadEmail: null,
      data: { campaign, previous_status: previous },
    },
  ])
