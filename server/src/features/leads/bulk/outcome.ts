import type { LockedLead } from '../record.ts'
import type * as queries from './queries.ts'
import type { LeadJob } from './schema.ts'

export type Refusal = LeadJob['refusals'][number]

/** What became of some leads. */
export interface Outcome {
  changed: number
  /** Whose histories tell of it: of a move, who stays behind and who was added; nobody who was deleted. */
  toldOf: string[]
  refusals: Refusal[]
  /** Null: there is no way back. */
  undo: queries.LeadSnapshot[] | null
}

export const snapshotOf = (before: LockedLead, changedAt: Date): queries.LeadSnapshot => ({
  id: before.id,
  status: before.status,
  label_id: before.label_id,
  sending_state: before.sending_state,
  stop_reason: before.stop_reason,
  skip_reason: before.skip_reason,
  timestamp_next_send: before.timestamp_next_send?.toISOString() ?? null,
  postponed_until: before.postponed_until?.toISOString() ?? null,
  changed_at: changedAt.toISOString(),
})

/** Why a lead was stopped, by reasons that can be taken back. */
export const stopped = {
  replied: 'The person has answered.',
  auto_replied: 'An automatic answer stopped the lead.',
  company_replied: 'A colleague has answered, which stopped the lead.',
  manual: 'The lead was stopped or moved before.',
}

type Named = Pick<LockedLead, 'id' | 'email'>

export const refusal = ({ id, email }: Named, reason: string): Refusal => ({
  lead_id: id,
  email,
  reason,
})

export function missing(ids: string[], leads: { id: string }[]): Refusal[] {
  const found = new Set(leads.map(({ id }) => id))
  return ids
    .filter((id) => !found.has(id))
    .map((id) => ({ lead_id: id, email: null, reason: 'There is no such lead any more.' }))
}
