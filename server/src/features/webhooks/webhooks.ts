import type { Selectable } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { Webhooks } from '../../kernel/db/types.gen.ts'
import { dayMs } from '../../kernel/durations.ts'
import {
  AppError,
  type ErrorDetail,
  invalidField,
  invalidFields,
  notFound,
} from '../../kernel/errors.ts'
import { type PageRequest, toPage } from '../../kernel/http/page.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { type AuditAction, type ChangedBy, recordAudit } from '../audit/index.ts'
import { existsCampaign } from '../campaigns/lookup/index.ts'
import { deleteLane } from '../deliveries/lane-health/index.ts'
import { lockMembers } from '../members/index.ts'
import { canonicalEventType, judgeSubscription } from './event-types.ts'
import { mask, maskHeaders, mergeHeaders, problemWithHeaders } from './headers.ts'
import * as queries from './queries.ts'
import type { Webhook, WebhookInput } from './schema.ts'
import { openHeaders, sealHeaders, sealSecret } from './sealed.ts'
import { createSecret, problemWithSecret } from './signing-secret.ts'
import { problemWithUrl, requireAllowedTarget } from './target.ts'

const webhooksMax = 10_000
/** Deleted ones, too: what was sent to each can be looked for. */
const madeADayMax = 2 * webhooksMax

/** Asks the network, so it runs before `createWebhook` and outside of any transaction. */
export async function judgeNewWebhook(ctx: Context, workspaceId: string, input: WebhookInput) {
  refuseProblems(input)
  await requireAllowedTarget(ctx, workspaceId, input.target_hook_url)
}

/** Header values and the signing secret are in this answer and in no later one. */
export async function createWebhook(
  ctx: Context,
  workspaceId: string,
  input: WebhookInput,
  by: ChangedBy,
) {
  refuseProblems(input)
  const headers = mergeHeaders(input.headers ?? {}, {})
  if (!headers) throw nothingMasked()
  return transaction(ctx, async (tx) => {
    await requireStillMember(tx, workspaceId, by)
    await requireRoom(tx, workspaceId)
    const { event_type, custom_interest_value = null, campaign = null } = input
    await requireCampaign(tx, workspaceId, campaign)
    const owner = { workspace_id: workspaceId, id: tx.newId() }
    const secret = input.signing_secret ?? createSecret()
    const row = await queries.insertWebhook(tx.db, {
      ...owner,
      ...(await judgeSubscription(tx.db, workspaceId, event_type, custom_interest_value)),
      campaign,
      name: input.name,
      target_hook_url: input.target_hook_url,
      headers: sealHeaders(tx, owner, headers),
      secret: sealSecret(tx, owner, secret),
      timestamp_created: tx.now(),
      timestamp_updated: tx.now(),
    })
    await queries.insertUrl(tx.db, workspaceId, row.id, row.target_hook_url, tx.now())
    await recordWebhookChange(tx, row, 'webhook.created', by, { event_type: row.event_type })
    return { ...toRecord(tx, row), headers, signing_secret: secret }
  })
}

export async function listWebhooks(
  ctx: Context,
  workspaceId: string,
  filter: { campaign?: string; event_type?: string },
  page: PageRequest,
) {
  const { campaign, event_type } = filter
  const eventType = event_type === undefined ? undefined : canonicalEventType(event_type)
  const rows = await queries.listWebhooks(ctx.db, workspaceId, { campaign, eventType }, page)
  return toPage(
    rows.map((row) => toRecord(ctx, row)),
    page.limit,
  )
}

export async function getWebhook(ctx: Context, workspaceId: string, id: string) {
  const row = await queries.findWebhook(ctx.db, workspaceId, id)
  if (!row) throw notFound('webhook')
  return toRecord(ctx, row)
}

const urlsOfLook = 5_000

/** Forgets addresses that no webhook has and nothing was sent to that is still kept. */
export async function dropUnusedUrls(ctx: Context, workspaceId: string) {
  const before = new Date(ctx.now().getTime() - dayMs)
  let position: queries.UrlPosition | undefined = {
    url_hash: Buffer.alloc(0),
    webhook_id: firstIdAt(new Date(0)),
  }
  while (position) {
    position = await queries.deleteUnusedUrls(ctx.db, workspaceId, position, before, urlsOfLook)
  }
}

/** URLs and attempts stay; each pending delivery ends with a closing record. */
export async function deleteWebhook(ctx: Context, workspaceId: string, id: string, by: ChangedBy) {
  return transaction(ctx, async (tx) => {
    await deleteLane(tx.db, workspaceId, id)
    const row = await queries.deleteWebhook(tx.db, workspaceId, id)
    if (!row) throw notFound('webhook')
    await recordWebhookChange(tx, row, 'webhook.deleted', by)
    return toRecord(tx, row)
  })
}

/**
 * The request was let in and may have waited for the name of the target since, and what it says outlives it:
 * whoever was taken out meanwhile leaves nothing behind.
 */
export async function requireStillMember(tx: Context, workspaceId: string, { actor }: ChangedBy) {
  if (actor.type === 'user') await lockMembers(tx, workspaceId, actor)
}

/** Validates what needs no database, and reports every problem at once. */
export function refuseProblems(input: {
  target_hook_url?: string
  headers?: Record<string, string> | null
  signing_secret?: string | null
}) {
  const { target_hook_url: url, headers, signing_secret: secret } = input
  const problems: ErrorDetail[] = []
  const add = (path: string, message: string | undefined) => {
    if (message !== undefined) problems.push({ path, message })
  }
  if (url !== undefined) add('/target_hook_url', problemWithUrl(url))
  if (headers) add('/headers', problemWithHeaders(headers))
  // The empty text, too, is no secret: everybody could sign with it.
  if (typeof secret === 'string') add('/signing_secret', problemWithSecret(secret))
  if (problems.length > 0) throw invalidFields(problems)
}

export const nothingMasked = () =>
  invalidField(
    '/headers',
    `headers holds "${mask}" for a header that is not stored; send its value`,
  )

export async function requireCampaign(tx: Context, workspaceId: string, campaign: string | null) {
  if (campaign === null || (await existsCampaign(tx.db, workspaceId, campaign))) return
  throw invalidField('/campaign', 'campaign must be the id of a campaign of this workspace')
}

/** Concurrent requests may exceed the limit by a few: it protects the service, it is no promise. */
async function requireRoom(tx: Context, workspaceId: string) {
  if ((await queries.countWebhooks(tx.db, workspaceId)) >= webhooksMax) {
    throw new AppError(
      'quota_exceeded',
      `A workspace holds at most ${webhooksMax} webhooks; delete one first.`,
    )
  }
  const dayAgo = firstIdAt(new Date(tx.now().getTime() - dayMs))
  if ((await queries.countMade(tx.db, workspaceId, dayAgo)) < madeADayMax) return
  throw new AppError(
    'quota_exceeded',
    `A workspace makes at most ${madeADayMax} webhooks a day; change those that are there, or wait.`,
  )
}

type Details = Record<string, string | string[]>

export const recordWebhookChange = (
  tx: Context,
  row: { workspace_id: string; id: string },
  action: AuditAction,
  by: ChangedBy,
  details: Details = {},
) =>
  recordAudit(tx, {
    ...{ ...by, workspaceId: row.workspace_id, action },
    ...{ subjectType: 'webhook', subjectId: row.id, details },
  })

export const toRecord = (ctx: Context, row: Selectable<Webhooks>): Webhook => ({
  id: row.id,
  organization: row.workspace_id,
  campaign: row.campaign,
  name: row.name,
  target_hook_url: row.target_hook_url,
  event_type: row.event_type,
  custom_interest_value: row.custom_interest_value,
  headers: maskHeaders(openHeaders(ctx, row, row.headers)),
  status: row.status as Webhook['status'],
  disabled_reason: row.disabled_reason as Webhook['disabled_reason'],
  timestamp_created: row.timestamp_created,
  timestamp_updated: row.timestamp_updated,
  timestamp_disabled: row.timestamp_disabled,
})
