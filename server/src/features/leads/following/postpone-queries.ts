import { column } from '../../../kernel/db/column.ts'
import type { AnyDb } from '../../../kernel/db/db.ts'
import { preparedForBatch } from '../../../kernel/db/prepared.ts'

interface PostponedLead {
  workspace_id: string
  lead_id: string
  until: Date
}

const postpone = preparedForBatch<unknown[], never>(
  'postpone_leads',
  `/* batch */
   update leads l
   set timestamp_next_send = greatest(k.until, l.postponed_until),
     postponed_until = greatest(k.until, l.postponed_until), timestamp_updated = $4::timestamptz
   from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as k (workspace_id, lead_id, until)
   where l.workspace_id = k.workspace_id and l.id = k.lead_id
     and l.sending_state in ('pending', 'active')`,
)

/**
 * The next mail to them waits until then, and until an absence ends that they have told of, whatever
 * becomes of the delays of their campaign. Leads of many workspaces are written together: workspace_id
 * comes from the list.
 */
export const postponeLeads = (db: AnyDb, leads: PostponedLead[], now: Date) =>
  postpone(db, column(leads, 'workspace_id'), column(leads, 'lead_id'), column(leads, 'until'), now)
