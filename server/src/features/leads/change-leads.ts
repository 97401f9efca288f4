import type { Context } from '../../kernel/context.ts'
import { addLeadCounts, type LeadCounts } from '../campaigns/index.ts'
import { emit, type NewEvent } from '../events/index.ts'
import { tellPages } from '../live/index.ts'
import * as queries from './queries.ts'
import { type LeadState, type LockedLead, leadRecord, type StoredLead } from './record.ts'

/** A locked lead on its way through one or more changes. */
export class ChangingLead {
  readonly before: LockedLead
  now: LockedLead
  readonly events: NewEvent[] = []

  constructor(lead: LockedLead) {
    this.before = lead
    this.now = lead
  }

  get isChanged() {
    return this.now !== this.before
  }

  /** Events tell of the lead as it is after the change that they come from. */
  change(
    patch: Partial<LeadState>,
    events: Pick<NewEvent, 'type' | 'data' | 'customInterestValue' | 'at'>[],
    at: Date,
  ) {
    if (Object.keys(patch).length > 0) {
      this.now = withoutNext({ ...this.now, ...patch, timestamp_updated: at })
    }
    const { campaign_id, campaign_name, email } = this.now
    for (const event of events) {
      this.events.push({
        ...event,
        campaign: { id: campaign_id, name: campaign_name },
        leadEmail: email,
        data: { lead: leadRecord(this.now), ...event.data },
      })
    }
  }
}

/** Nothing is next for a lead that is done with. */
function withoutNext(lead: LockedLead): LockedLead {
  const isDone = lead.sending_state === 'finished' || lead.sending_state === 'stopped'
  return isDone ? { ...lead, timestamp_next_send: null, postponed_until: null } : lead
}

/**
 * Writes what became of leads, tells it in events and counts it in their campaigns, all in the
 * caller's transaction. Counters come last, in campaign order: their rows are what every other
 * change of these campaigns waits for.
 */
export async function changeLeads(tx: Context, workspaceId: string, leads: ChangingLead[]) {
  const changed = leads.filter((lead) => lead.isChanged)
  if (changed.length > 0) {
    const states = changed.map(({ now }) => now)
    await queries.updateStates(tx.db, workspaceId, states)
    tellPages(tx, workspaceId, ['leads'])
  }
  await emit(
    tx,
    workspaceId,
    leads.flatMap(({ events }) => events),
  )
  await count(tx, workspaceId, changed)
}

async function count(tx: Context, workspaceId: string, changed: ChangingLead[]) {
  const byCampaign = new Map<string, LeadCounts>()
  for (const { before, now } of changed) {
    const by = difference(before, now)
    if (Object.values(by).every((number) => number === 0)) continue
    const sum = byCampaign.get(now.campaign_id)
    byCampaign.set(now.campaign_id, sum ? add(sum, by) : by)
  }
  await addLeadCounts(tx, workspaceId, byCampaign)
}

const add = (a: LeadCounts, b: LeadCounts): LeadCounts => ({
  total: a.total + b.total,
  active: a.active + b.active,
  completed: a.completed + b.completed,
  replied: a.replied + b.replied,
  bounced: a.bounced + b.bounced,
  unsubscribed: a.unsubscribed + b.unsubscribed,
})

function difference(before: StoredLead, now: StoredLead): LeadCounts {
  const [from, to] = [countsOf(before), countsOf(now)]
  return {
    total: 0,
    active: to.active - from.active,
    completed: to.completed - from.completed,
    replied: to.replied - from.replied,
    bounced: to.bounced - from.bounced,
    unsubscribed: to.unsubscribed - from.unsubscribed,
  }
}

/** How one lead counts in its campaign's `lead_counts`. */
const countsOf = (lead: StoredLead): Omit<LeadCounts, 'total'> => ({
  active: Number(lead.sending_state !== 'finished' && lead.sending_state !== 'stopped'),
  completed: Number(lead.sending_state === 'finished'),
  replied: Number(lead.email_reply_count > 0),
  bounced: Number(lead.stop_reason === 'bounced'),
  unsubscribed: Number(lead.stop_reason === 'unsubscribed'),
})
