import type { Context } from '../../../kernel/context.ts'
import { column } from '../../../kernel/db/column.ts'
import { explainSuppressed } from '../../suppression/index.ts'
import { recordActivities } from '../activity/record-activity.ts'
import * as leadQueries from '../queries.ts'
import {
  hasFailedTemplate,
  isErased,
  isFinal,
  type LockedLead,
  type StoredLead,
} from '../record.ts'
import { readNewStatus } from '../status/set-status.ts'
import { erased, setStatuses } from '../status/set-statuses.ts'
import { whyHeldBack } from '../why-not-sent.ts'
import { deleteUntouched } from './delete.ts'
import { move } from './move.ts'
import { missing, type Outcome, refusal, snapshotOf, stopped } from './outcome.ts'
import type * as queries from './queries.ts'

/** Does it to these leads, in the caller's transaction. */
export async function applyTo(
  tx: Context,
  workspaceId: string,
  { action, total }: Pick<queries.Job, 'action' | 'total'>,
  ids: string[],
): Promise<Outcome> {
  if (ids.length === 0) return { changed: 0, toldOf: [], refusals: [], undo: [] }
  if (action.kind === 'move') return move(tx, workspaceId, action.campaign_id, ids)
  if (action.kind === 'delete') return deleteUntouched(tx, workspaceId, ids)
  const target = await readNewStatus(tx, workspaceId, statusOf(action))
  const status = target.kind === 'builtin' ? target.status : null
  if (status === 'unsubscribed') return unsubscribe(tx, workspaceId, ids)
  const leads = await leadQueries.lockLeads(tx.db, workspaceId, ids)
  const left = leads.flatMap((lead) => {
    const reason = status === 'active' && whyLeftOut(lead, total > 1)
    return reason ? [refusal(lead, reason)] : []
  })
  const isLeft = new Set(left.map(({ lead_id }) => lead_id))
  const going = leads.filter(({ id }) => !isLeft.has(id))
  const { changed, refused } = await setStatuses(tx, workspaceId, target, going)
  return {
    changed: changed.length,
    toldOf: changed.map(({ now }) => now.id),
    refusals: [
      ...[...missing(ids, leads), ...left],
      ...refused.map(({ lead, message }) => refusal(lead, message)),
    ],
    undo: changed.map(({ before, now }) => snapshotOf(before, now.timestamp_updated)),
  }
}

function statusOf(action: Exclude<queries.JobAction, { kind: 'move' }>): string {
  if (action.kind === 'set_status') return action.status
  const statuses = { pause: 'paused', resume: 'active', unsubscribe: 'unsubscribed' } as const
  return action.kind === 'delete' ? '' : statuses[action.kind]
}

/**
 * Why this one is left out where leads are resumed. Null: it is resumed, or can never be, which `setStatuses`
 * says. Why one lead was stopped is in sight of who resumes it, and of many it is not.
 */
function whyLeftOut(lead: LockedLead, isOfMany: boolean): string | null {
  const { sending_state, stop_reason: why } = lead
  // Tried again it would be held back again: what it waits for is another change, which resumes it.
  if (hasFailedTemplate(lead)) return `Its ${whyHeldBack(lead)}`
  if (!isOfMany) return null
  if (sending_state !== 'stopped' || isErased(lead) || why === null || isFinal(why)) return null
  return `${stopped[why]} If they are to be written to all the same, resume that lead by itself.`
}

async function unsubscribe(tx: Context, workspaceId: string, ids: string[]): Promise<Outcome> {
  // Suppressions are locked before any lead is, so these are only looked at.
  const leads = await leadQueries.listLeadsById(tx.db, workspaceId, ids)
  const gone = leads.filter(isErased)
  const suppressed = await explainSuppressed(tx.db, workspaceId, column(leads, 'email_folded'))
  // Of whom the entry was lifted since, the address is suppressed anew, and other leads of it are stopped.
  const isDone = ({ email_folded, status, stop_reason }: StoredLead) => {
    const { reason, by } = suppressed.get(email_folded) ?? {}
    const isItsOwn = by === 'address' || by === 'opt-out'
    const isStopped = status === 'unsubscribed' && isFinal(stop_reason)
    return isStopped && reason === 'unsubscribed' && isItsOwn
  }
  const stopping = leads.filter((lead) => !isErased(lead) && !isDone(lead))
  const activities = stopping.map(({ id }) => ({ kind: 'unsubscribed' as const, leadId: id }))
  const now = await recordActivities(tx, workspaceId, activities)
  const lost = missing(column(stopping, 'id'), [...now.values()])
  // Other leads of an address are told by their own events.
  const toldOf = column(stopping, 'id').filter((id) => now.has(id))
  return {
    ...{ changed: toldOf.length, toldOf },
    refusals: [...missing(ids, leads), ...lost, ...gone.map((lead) => refusal(lead, erased))],
    undo: null,
  }
}
