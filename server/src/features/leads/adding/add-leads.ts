import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { AppError, detailsMax, invalidFields, notFound } from '../../../kernel/errors.ts'
import { addLeadCounts, afterDelay } from '../../campaigns/index.ts'
import { tellPages } from '../../live/index.ts'
import { markLeadsDue } from '../../mailbox-lanes/index.ts'
import {
  findSuppressed,
  holdSuppressions,
  lockSuppressions,
  type SuppressionReason,
} from '../../suppression/index.ts'
import { countKept } from '../lists/list-queries.ts'
import { lockLeads } from '../queries.ts'
import {
  type LeadRow,
  problemAt,
  readLeads,
  type SkippedRow,
  tooManyVariables,
} from '../read-leads.ts'
import { type AddedLeads, type AddLeads, type RowSkipReason, variablesMax } from '../schema.ts'
import { resumeMended } from '../status/resume-mended.ts'
import * as queries from './add-queries.ts'
import { companyOf } from './company.ts'

interface AddOptions {
  /** Tells what would become of each row, and writes nothing. */
  isDryRun?: boolean
  /** Takes the places of rows that would give a lead too many variables; without it they are an error. */
  leaveOut?: (indexes: number[]) => void
  /** The leads come from a file, which has texts alone: a variable of a lead that is there keeps its type. */
  isFile?: boolean
  /** Others go in the same transaction: the caller asks for room in the plan once they are gone. */
  othersGo?: boolean
}

/**
 * Adds leads to a campaign in any state and starts nothing. Each row ends in exactly one counter,
 * and calls that run at the same time count each lead once.
 */
export async function addLeads(
  ctx: Context,
  workspaceId: string,
  input: AddLeads,
  { isDryRun = false, leaveOut, isFile = false, othersGo = false }: AddOptions = {},
): Promise<AddedLeads> {
  const { rows, skipped } = readLeads(input.leads)
  if (rows.length === 0) throw noValidLeads(skipped)
  return transaction(ctx, async (tx) => {
    const campaign = await lockCampaignForAdding(tx, workspaceId, input)
    const classified = await classify(tx, workspaceId, input, rows, skipped)
    const { fresh, found } = isDryRun
      ? { fresh: classified.fresh, found: classified.present }
      : await lockPresent(tx, workspaceId, classified)
    const present = await withoutFull(tx, workspaceId, found, leaveOut)
    if (isDryRun) {
      return {
        ...{ status: 'success', campaign_id: input.campaign_id, total_sent: input.leads.length },
        ...{ leads_uploaded: fresh.length, leads_updated: present.length, ...countersOf(skipped) },
        remaining_in_plan: await roomInPlan(tx, workspaceId, campaign.plan_leads_max, 0),
        ...{ created_leads: [], skipped_leads: skipped },
      }
    }
    if (present.length > 0) {
      const written = isFile ? await asStored(tx, workspaceId, present) : present
      const mended = await queries.findMended(tx.db, workspaceId, written)
      await queries.overwriteLeads(tx.db, workspaceId, written, tx.now())
      await resumeMended(tx, workspaceId, await lockLeads(tx.db, workspaceId, mended))
    }
    const created = fresh.map((row) => ({
      ...row,
      id: tx.newId(),
      company: campaign.stop_for_company ? companyOf(row.folded) : null,
    }))
    if (created.length > 0) {
      const now = tx.now()
      const nextSend = firstSendOf(campaign, now)
      await queries.insertLeads(tx.db, workspaceId, input.campaign_id, created, now, nextSend)
      const added = { total: created.length, active: created.length }
      await addLeadCounts(tx, workspaceId, new Map([[input.campaign_id, added]]))
      await markLeadsDue(tx, workspaceId, [input.campaign_id])
    }
    if (created.length + present.length > 0) tellPages(tx, workspaceId, ['leads', 'campaigns'])
    return {
      status: 'success',
      campaign_id: input.campaign_id,
      total_sent: input.leads.length,
      leads_uploaded: created.length,
      leads_updated: present.length,
      ...countersOf(skipped),
      remaining_in_plan: await roomInPlan(
        tx,
        workspaceId,
        campaign.plan_leads_max,
        othersGo ? 0 : created.length,
      ),
      created_leads: created.map(({ index, id, email }) => ({ index, id, email })),
      skipped_leads: skipped.sort((a, b) => a.index - b.index),
    }
  })
}

/**
 * Locks what must stay as it is until leads were added: the campaign and the suppressions. Whoever
 * locks leads of other campaigns in the same transaction calls it before that.
 */
export async function lockCampaignForAdding(
  tx: Context,
  workspaceId: string,
  input: Pick<AddLeads, 'campaign_id' | 'skip_if_in_workspace'>,
): Promise<queries.AddingCampaign> {
  const campaign = await queries.lockForAdding(tx.db, workspaceId, input.campaign_id)
  if (!campaign) throw notFound('campaign')
  // What depends on the leads of all campaigns is true only while nobody else adds any.
  const alone = input.skip_if_in_workspace || campaign.plan_leads_max !== null
  await (alone ? lockSuppressions : holdSuppressions)(tx, workspaceId)
  return campaign
}

/** Tells rows that make a lead from rows that update one; all others are added to `skipped`. */
async function classify(
  tx: Context,
  workspaceId: string,
  input: AddLeads,
  rows: LeadRow[],
  skipped: SkippedRow[],
): Promise<{ fresh: LeadRow[]; present: queries.LeadToWrite[] }> {
  const folded = rows.map((row) => row.folded)
  const suppressed = await findSuppressed(tx.db, workspaceId, folded)
  const here = await queries.findPresent(tx.db, workspaceId, input.campaign_id, folded)
  const anywhere = input.skip_if_in_workspace
    ? await queries.findAnywhere(tx.db, workspaceId, folded)
    : []
  const idsHere = new Map(here.map((lead) => [lead.email_folded, lead.id]))
  const inWorkspace = new Set(anywhere.map((lead) => lead.email_folded))
  const reasonToSkip = ({ folded }: LeadRow): RowSkipReason | undefined => {
    const suppression = suppressed.get(folded)
    if (suppression) return skipReasonOf[suppression]
    if (idsHere.has(folded)) return input.overwrite ? undefined : 'already_in_campaign'
    return inWorkspace.has(folded) ? 'in_workspace' : undefined
  }

  const fresh: LeadRow[] = []
  const present: queries.LeadToWrite[] = []
  for (const row of rows) {
    const reason = reasonToSkip(row)
    const id = idsHere.get(row.folded)
    if (reason) skipped.push({ index: row.index, email: row.email, reason })
    else if (id) present.push({ ...row, id })
    else fresh.push(row)
  }
  return { fresh, present }
}

const skipReasonOf: Record<SuppressionReason, RowSkipReason> = {
  blocked: 'in_blocklist',
  unsubscribed: 'unsubscribed',
  bounced: 'bounced',
}

/** Leads that were deleted meanwhile are new ones: nobody else adds to the campaign. */
async function lockPresent(
  tx: Context,
  workspaceId: string,
  { fresh, present }: { fresh: LeadRow[]; present: queries.LeadToWrite[] },
) {
  if (present.length === 0) return { fresh, found: present }
  const ids = present.map(({ id }) => id)
  const locked = await queries.lockByIds(tx.db, workspaceId, ids)
  const gone = present.filter(({ id }) => !locked.has(id))
  return { fresh: [...fresh, ...gone], found: present.filter(({ id }) => locked.has(id)) }
}

/** Rows that leave their leads with as many variables as one may have. */
async function withoutFull(
  tx: Context,
  workspaceId: string,
  rows: queries.LeadToWrite[],
  leaveOut: AddOptions['leaveOut'],
): Promise<queries.LeadToWrite[]> {
  if (rows.length === 0) return rows
  const full = await queries.findFull(tx.db, workspaceId, rows, variablesMax)
  const indexes = rows.filter((row) => full.has(row.id)).map(({ index }) => index)
  if (indexes.length > 0 && !leaveOut) {
    throw invalidFields(
      indexes.map((index) => problemAt(`/leads/${index}/custom_variables`, tooManyVariables)),
    )
  }
  leaveOut?.(indexes)
  return rows.filter((row) => !full.has(row.id))
}

/** What a file spells, as what is stored: to a condition in a mail the text `false` is true. */
async function asStored(
  tx: Context,
  workspaceId: string,
  rows: queries.LeadToWrite[],
): Promise<queries.LeadToWrite[]> {
  const ids = rows.map(({ id }) => id)
  const typed = await queries.listTyped(tx.db, workspaceId, ids)
  const storedOf = new Map(typed.map(({ id, variables }) => [id, new Map(variables)]))
  return rows.map((row) => {
    const stored = storedOf.get(row.id)
    if (!stored) return row
    const variables = Object.entries(row.variables).map(
      ([name, text]) => [name, spelled(text, stored.get(name))] as const,
    )
    return { ...row, variables: Object.fromEntries(variables) }
  })
}

/** Spreadsheets write booleans in capitals. */
function spelled<T>(text: T, stored: unknown): T | boolean | number {
  if (typeof stored === 'boolean' && /^(true|false)$/i.test(String(text)))
    return String(text).toLowerCase() === 'true'
  const number = Number(text)
  const isNumber = Number.isFinite(number) && String(number) === text
  return typeof stored === 'number' && isNumber ? number : text
}

/** As `nextSendOf`, the same for all. */
const firstSendOf = ({ zone, delay, delay_unit }: queries.AddingCampaign, now: Date) =>
  delay && delay_unit ? afterDelay(zone, { delay, delay_unit }, now) : now

/**
 * Called after the new leads were counted. Null = unlimited.
 *
 * @throws AppError `quota_exceeded` when some were added and there was no room
 */
export async function roomInPlan(
  tx: Context,
  workspaceId: string,
  leadsMax: number | null,
  added: number,
): Promise<number | null> {
  if (leadsMax === null) return null
  const total = await countKept(tx.db, workspaceId, undefined)
  if (added === 0 || total <= leadsMax) return Math.max(0, leadsMax - total)
  const room = Math.max(0, leadsMax - (total - added))
  throw new AppError(
    'quota_exceeded',
    `The plan has room for ${room} more leads and these would be ${added}: none of them was added.`,
  )
}

function countersOf(skipped: SkippedRow[]) {
  const count = (...reasons: RowSkipReason[]) =>
    skipped.filter((row) => reasons.includes(row.reason)).length
  return {
    duplicated_leads: count('already_in_campaign'),
    duplicate_email_count: count('duplicate_in_request'),
    skipped_count: count('in_workspace'),
    invalid_email_count: count('invalid_email'),
    in_blocklist: count('in_blocklist', 'unsubscribed', 'bounced'),
  }
}

function noValidLeads(skipped: SkippedRow[]) {
  const details = skipped
    .slice(0, detailsMax)
    .map(({ index }) => problemAt(`/leads/${index}/email`, 'must be one e-mail address'))
  return new AppError('no_valid_leads', 'None of the rows has a valid e-mail address.', { details })
}
