import type { Selectable, Updateable } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { Webhooks } from '../../kernel/db/types.gen.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import {
  isSameId,
  isTimeBetween,
  type ReadOnlyFields,
  readOnlyIn,
  refuseChanged,
  timeOf,
} from '../../kernel/http/as-read.ts'
import type { ChangedBy } from '../audit/index.ts'
import {
  clearFailures,
  clearLaneHealth,
  clearLaneHealthButFailingSince,
  lockLane,
} from '../deliveries/lane-health/index.ts'
import { canonicalEventType, judgeSubscription } from './event-types.ts'
import { equalHeaders, maskedNames, mergeHeaders } from './headers.ts'
import { missedSoFar } from './missed-periods.ts'
import * as queries from './queries.ts'
import { disabledReasons, type WebhookChanges } from './schema.ts'
import { openHeaders, openSecret, sealHeaders, sealSecret } from './sealed.ts'
import { createSecret } from './signing-secret.ts'
import { requireAllowedTarget } from './target.ts'
import {
  nothingMasked,
  recordWebhookChange,
  refuseProblems,
  requireCampaign,
  requireStillMember,
  toRecord,
} from './webhooks.ts'

type Row = Selectable<Webhooks>
type Columns = Updateable<Webhooks>

const overlapSecondsDefault = 86_400
const urlsMax = 1_000

/**
 * Changes a destination. The merged record is validated (contract §3); a field that equals the stored
 * one changes nothing, so a client may send back the record that it has read.
 *
 * @returns the record, with `signing_secret` when it was replaced
 */
export async function changeWebhook(
  ctx: Context,
  workspaceId: string,
  id: string,
  given: WebhookChanges,
  by: ChangedBy,
) {
  refuseProblems(given)
  refuseLoneOverlap(given)
  if (given.target_hook_url !== undefined) {
    const stored = await queries.findWebhook(ctx.db, workspaceId, id)
    if (!stored) throw notFound('webhook')
    // One that is refused by now is sent back as it was read: its connections are judged all the same.
    if (given.target_hook_url !== stored.target_hook_url)
      await requireAllowedTarget(ctx, workspaceId, given.target_hook_url)
  }
  return transaction(ctx, async (tx) => {
    await requireStillMember(tx, workspaceId, by)
    if (given.status === 'active' || given.target_hook_url !== undefined) {
      await lockLane(tx.db, workspaceId, id)
    }
    const row = await queries.lockWebhook(tx.db, workspaceId, id)
    if (!row) throw notFound('webhook')
    refuseChanged(given, row, isAsRead)
    const secret = newSecretOf(tx, row, given)
    const settings = {
      ...(await mergeSettings(tx, row, given)),
      ...mergeStoredHeaders(tx, row, given),
    }
    const columns = {
      ...settings,
      ...(secret === undefined ? {} : rotate(tx, row, secret, given)),
      ...(await mergeStatus(tx, row, given)),
    }
    if (Object.keys(columns).length === 0) return toRecord(tx, row)
    const changed = await queries.updateWebhook(tx.db, workspaceId, id, {
      ...columns,
      timestamp_updated: tx.now(),
    })
    if (settings.target_hook_url !== undefined) {
      await requireRoomForUrl(tx, changed)
      await queries.insertUrl(tx.db, workspaceId, id, changed.target_hook_url, tx.now())
      // Failures and the pause were those of the address before.
      const clear = changed.status === 'disabled' ? clearLaneHealthButFailingSince : clearLaneHealth
      await clear(tx.db, workspaceId, id)
    }
    const fields = [...Object.keys(settings), ...(secret === undefined ? [] : ['signing_secret'])]
    await recordChanges(tx, row, changed, fields, by)
    return { ...toRecord(tx, changed), ...(secret === undefined ? {} : { signing_secret: secret }) }
  })
}

/** Its attempts are looked for under every address that it had. */
async function requireRoomForUrl(tx: Context, { workspace_id, id, target_hook_url }: Row) {
  const { count, is_known } = await queries.countUrls(tx.db, workspace_id, id, target_hook_url)
  if (is_known || count < urlsMax) return
  throw new AppError(
    'quota_exceeded',
    `A webhook has at most ${urlsMax} addresses while attempts at them are kept; create another webhook.`,
  )
}

async function mergeSettings(tx: Context, row: Row, given: WebhookChanges): Promise<Columns> {
  const { name = row.name, target_hook_url = row.target_hook_url, campaign = row.campaign } = given
  if (campaign !== row.campaign) await requireCampaign(tx, row.workspace_id, campaign)
  const merged: Columns = {
    name,
    target_hook_url,
    campaign,
    ...(await mergeSubscription(tx, row, given)),
  }
  return Object.fromEntries(
    Object.entries(merged).filter(([column, value]) => value !== row[column as keyof Row]),
  )
}

/** A label's value stays only while the type stays. */
async function mergeSubscription(tx: Context, row: Row, given: WebhookChanges) {
  const type = canonicalEventType(given.event_type ?? row.event_type)
  const keptValue = type === row.event_type ? row.custom_interest_value : null
  const { custom_interest_value: value = keptValue } = given
  if (type === row.event_type && value === row.custom_interest_value) return {}
  return judgeSubscription(tx.db, row.workspace_id, type, value)
}

/**
 * Stored values are credentials of the receiver that they were given for. They never go to another
 * origin: a person who may change the address need not know them.
 */
function mergeStoredHeaders(tx: Context, row: Row, given: WebhookChanges): Columns {
  if (isElsewhere(given.target_hook_url, row.target_hook_url)) {
    if (given.headers === undefined) return row.headers === null ? {} : { headers: null }
    if (maskedNames(given.headers ?? {}).length > 0) throw maskedElsewhere()
  }
  if (given.headers === undefined) return {}
  const stored = openHeaders(tx, row, row.headers)
  const merged = mergeHeaders(given.headers ?? {}, stored)
  if (!merged) throw nothingMasked()
  return equalHeaders(merged, stored) ? {} : { headers: sealHeaders(tx, row, merged) }
}

const isElsewhere = (given: string | undefined, stored: string) =>
  given !== undefined && new URL(given).origin !== new URL(stored).origin

const maskedElsewhere = () =>
  invalidField(
    '/headers',
    'headers must hold the value of every header that is to stay when target_hook_url moves to ' +
      'another origin; without headers the stored ones are removed',
  )

function refuseLoneOverlap(given: WebhookChanges) {
  if (given.signing_secret !== undefined || given.signing_secret_overlap_seconds == null) return
  throw invalidField(
    '/signing_secret_overlap_seconds',
    'signing_secret_overlap_seconds goes with signing_secret; null there makes a new one',
  )
}

function newSecretOf(tx: Context, row: Row, given: WebhookChanges): string | undefined {
  const { signing_secret: secret } = given
  if (secret === undefined) return undefined
  if (secret === null) return isWholeRecord(given) ? undefined : createSecret()
  return secret === openSecret(tx, row, row.secret) ? undefined : secret
}

/** As a replayed creation answers it, whose `signing_secret` is null because the secret is shown once. */
const isWholeRecord = (given: WebhookChanges) => readOnlyIn(given, isAsRead).length > 0

/** Both secrets sign until the overlap is over. A secret that was replaced before ends now. */
function rotate(tx: Context, row: Row, secret: string, given: WebhookChanges): Columns {
  const overlapSeconds = given.signing_secret_overlap_seconds ?? overlapSecondsDefault
  const overlaps = overlapSeconds > 0
  return {
    secret: sealSecret(tx, row, secret),
    previous_secret: overlaps ? row.secret : null,
    previous_secret_expires: overlaps ? new Date(tx.now().getTime() + overlapSeconds * 1000) : null,
  }
}

/** Setting the status it has changes nothing: the reason why it is disabled stays. */
async function mergeStatus(tx: Context, row: Row, given: WebhookChanges): Promise<Columns> {
  const { status = row.status } = given
  if (status === row.status) return {}
  if (status === 'active' && given.disabled_reason === null) throw disabledMeanwhile()
  if (status === 'disabled' && isReadDisabled(given)) throw resumedMeanwhile()
  if (status === 'active') {
    const missed = await missedSoFar(tx, row)
    return { status, disabled_reason: null, timestamp_disabled: null, missed }
  }
  return { status, disabled_reason: 'manual', timestamp_disabled: tx.now() }
}

/** A record that was read before would resume it without a word. */
function disabledMeanwhile() {
  const message =
    'This webhook was disabled since it was read; to resume it, send status without disabled_reason.'
  return new AppError('invalid_transition', message, { details: [{ path: '/status', message }] })
}

/** Null beside it is of a record that was read while it was active: its reader pauses it. */
const isReadDisabled = ({ disabled_reason, timestamp_disabled }: WebhookChanges) =>
  (disabled_reason ?? timestamp_disabled ?? null) !== null

/** A record that was read before would pause it without a word, as if a person had. */
function resumedMeanwhile() {
  const message =
    'This webhook was resumed since it was read; to pause it, send status without disabled_reason and timestamp_disabled.'
  return new AppError('invalid_transition', message, { details: [{ path: '/status', message }] })
}

/** Fields that a client cannot change, by whether what it sent may be what it read. */
const isAsRead: ReadOnlyFields<Row> = {
  id: (sent, row) => isSameId(sent, row.id),
  organization: (sent, row) => isSameId(sent, row.workspace_id),
  disabled_reason: (sent, row) =>
    sent === row.disabled_reason ||
    // The service disables, and people take it back: any of them may have been read before.
    (row.timestamp_updated > row.timestamp_created &&
      disabledReasons.some((each) => each === sent)),
  timestamp_disabled: (sent, row) =>
    isTimeBetween(sent, row.timestamp_created, row.timestamp_updated),
  timestamp_created: (sent, row) => timeOf(sent) === row.timestamp_created.getTime(),
  timestamp_updated: (sent, row) =>
    isTimeBetween(sent, row.timestamp_created, row.timestamp_updated),
}

/** Names of what changed, never values: a URL or a header can hold a secret. */
async function recordChanges(
  tx: Context,
  before: Row,
  after: Row,
  fields: string[],
  by: ChangedBy,
) {
  if (fields.length > 0) await recordWebhookChange(tx, after, 'webhook.updated', by, { fields })
  if (before.status === after.status) return
  if (after.status === 'disabled') {
    await recordWebhookChange(tx, after, 'webhook.disabled', by, { reason: 'manual' })
    return
  }
  await clearFailures(tx.db, after.workspace_id, after.id)
  await recordWebhookChange(tx, after, 'webhook.enabled', by)
}
