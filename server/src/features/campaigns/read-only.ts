import { isDeepStrictEqual } from 'node:util'
import type { ErrorDetail } from '../../kernel/errors.ts'
import { isSameId, isTimeBetween, timeOf } from '../../kernel/http/as-read.ts'
import { isRecord } from '../../kernel/json/is-record.ts'
import { type Campaign, type CampaignChanges, waitingReasons } from './schema.ts'

/**
 * What of a record sent back was changed although it cannot be. The service itself changes counters
 * and `timestamp_updated` at any time, so there what the client may have read is unchanged.
 */
export function changedReadOnlyFields(changes: CampaignChanges, current: Campaign): ErrorDetail[] {
  return (Object.keys(isAsRead) as ReadOnlyField[])
    .filter((field) => field in changes && !isAsRead[field](changes[field], current))
    .map((field) => ({
      path: `/${field}`,
      message: `${field} is read-only and differs from the campaign's; leave it out`,
    }))
}

/** A record that was read is sent back, with what cannot be changed. */
export const hasReadOnlyFields = (changes: CampaignChanges) =>
  Object.keys(isAsRead).some((field) => field in changes)

type ReadOnlyField =
  | 'id'
  | 'workspace_id'
  | 'status_reason'
  | 'lead_counts'
  | 'sending_status'
  | 'timestamp_created'
  | 'timestamp_updated'

const isAsRead: Record<ReadOnlyField, (sent: unknown, current: Campaign) => boolean> = {
  id: (sent, current) => isSameId(sent, current.id),
  workspace_id: (sent, current) => isSameId(sent, current.workspace_id),
  status_reason: (sent, current) => sent === current.status_reason,
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

/** It changes with the time of day alone, so any valid one may have been read. */
function isSendingStatus(sent: unknown, current: Campaign): boolean {
  if (!isRecord(sent)) return false
  // A client that knows no more than state and reason sends back no more.
  const whole = { leads_waiting_for_mailbox: 0, ...sent }
  if (!hasKeysOf(whole, current.sending_status)) return false
  const { leads_waiting_for_mailbox: leads } = whole
  if (!Number.isInteger(leads) || leads < 0) return false
  if (sent.state === 'sending') return sent.reason === null
  return sent.state === 'waiting' && waitingReasons.some((reason) => reason === sent.reason)
}

const hasKeysOf = (sent: object, current: object) =>
  isDeepStrictEqual(Object.keys(sent).sort(), Object.keys(current).sort())
