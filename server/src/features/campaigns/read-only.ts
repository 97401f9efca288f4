import { isDeepStrictEqual } from 'node:util'
import { isSameId, isTimeBetween, type ReadOnlyFields, timeOf } from '../../kernel/http/as-read.ts'
import { isRecord } from '../../kernel/json/is-record.ts'
import { type Campaign, type CampaignChanges, campaignStatuses, waitingReasons } from './schema.ts'

/**
 * Of what cannot be changed, whether it may have been read. The service itself changes counters, reasons
 * and `timestamp_updated` at any time, so there whatever it may have told is unchanged.
 */
export const isAsRead: ReadOnlyFields<Campaign> = {
  id: (sent, current) => isSameId(sent, current.id),
  workspace_id: (sent, current) => isSameId(sent, current.workspace_id),
  status_reason: (sent) => sent === 'bounce_protection',
  lead_counts: (sent, current) => areCounts(sent, current.lead_counts),
  sending_status: isSendingStatus,
  timestamp_created: (sent, current) => timeOf(sent) === current.timestamp_created.getTime(),
  timestamp_updated: (sent, current) =>
    isTimeBetween(sent, current.timestamp_created, current.timestamp_updated),
}

/** Leads come and go, so any valid ones may have been read. */
function areCounts(sent: unknown, current: Campaign['lead_counts']): boolean {
  if (!isRecord(sent) || !hasKeysOf(sent, current)) return false
  return Object.values(sent).every((count) => Number.isInteger(count) && Number(count) >= 0)
}

/** A sending status changes with the time of day alone, so any valid one may have been read. */
function isSendingStatus(sent: unknown, current: Campaign): boolean {
  if (!isRecord(sent)) return false
  // A client that knows no more than state and reason sends back no more.
  const whole = { ...unsaid, ...sent }
  if (!hasKeysOf(whole, current.sending_status)) return false
  const { leads_waiting_for_mailbox, leads_held_back, held_back_for, next_send_at: at } = whole
  const counts = [leads_waiting_for_mailbox, leads_held_back]
  if (counts.some((leads) => !Number.isInteger(leads) || leads < 0)) return false
  if (held_back_for !== null && typeof held_back_for !== 'string') return false
  if (at !== null && Number.isNaN(timeOf(at))) return false
  if (sent.state === 'sending') return sent.reason === null
  return sent.state === 'waiting' && waitingReasons.some((reason) => reason === sent.reason)
}

/**
 * Whether a record of a paused campaign is sent back that may say what it did while it was active. Any other says why it
 * is at rest. An active campaign whose remaining leads are paused has the reason `paused`, too, and a pause changes
 * `timestamp_updated`.
 */
export function mayBeReadActive(
  { sending_status: sent, timestamp_updated: time }: CampaignChanges,
  current: Pick<Campaign, 'status' | 'timestamp_updated'>,
): boolean {
  if (current.status !== 'paused' || !isRecord(sent)) return false
  if (sent.reason === 'paused') return timeOf(time) < current.timestamp_updated.getTime()
  return !restReasons.some((reason) => reason === sent.reason)
}

const restReasons = [...campaignStatuses, 'bounce_protection']

const unsaid = {
  ...{ leads_waiting_for_mailbox: 0, leads_held_back: 0, held_back_for: null },
  next_send_at: null,
}

const hasKeysOf = (sent: object, current: object) =>
  isDeepStrictEqual(Object.keys(sent).sort(), Object.keys(current).sort())
