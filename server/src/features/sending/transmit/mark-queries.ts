import { textArray, timestampArray } from '../../../kernel/db/binary-array.ts'
import { column } from '../../../kernel/db/column.ts'
import type { AnyDb } from '../../../kernel/db/db.ts'
import { preparedForBatch } from '../../../kernel/db/prepared.ts'
import { eligibleAt } from '../claim/eligibility.ts'
import type { SendKey } from '../ledger.ts'
import { mayMark } from '../restore-guard/hold-queries.ts'

// Marks of mailboxes of many workspaces are written together: the statement joins workspace_id to its
// own unnest parameter, and says so in its first comment.

export interface Mark extends SendKey {
  id: string
  attempt: number
  campaign_id: string
  mailbox_id: string
  subject: string
  starts_thread: boolean
  after_step_id: string | null
  until: Date
  campaign_version: Date
  mailbox_version: Date
}

const mark = preparedForBatch<unknown[], { id: string }>(
  'mark_transmitting',
  `/* batch */
   update sends s
   set state = 'transmitting', subject = k.subject, starts_thread = k.starts_thread,
     timestamp_transmitting = $9::timestamptz
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[],
     $8::boolean[], $10::timestamptz[], $11::uuid[], $13::timestamptz[], $14::timestamptz[])
     as k (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, subject, starts_thread, until,
       after_step_id, campaign_version, mailbox_version)
   join lateral (
     select l.id from ${eligibleAt('$9', '$12')}
     order by l.id
     limit 1
   ) g on true
   where s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id
     and s.id = k.id and s.state in ('claimed', 'transmitting') and ${mayMark}
   returning s.id`,
)

/**
 * The last look before the end of a message: whatever happened since the claim, a mail whose lead
 * replied or may have, whose campaign or mailbox was paused or changed, whose window has closed or whose
 * claim is another's by now is not marked, and not sent; nor is any while sending is held, or a failover
 * is asked about.
 *
 * @returns ids of the attempts that may be finished; again, the same
 */
export async function markTransmitting(db: AnyDb, marks: Mark[], now: Date, readSince: Date) {
  const rows = await mark(
    db,
    column(marks, 'workspace_id'),
    column(marks, 'lead_id'),
    column(marks, 'step_id'),
    column(marks, 'id'),
    column(marks, 'campaign_id'),
    column(marks, 'mailbox_id'),
    textArray(column(marks, 'subject')),
    column(marks, 'starts_thread'),
    now,
    timestampArray(column(marks, 'until')),
    column(marks, 'after_step_id'),
    readSince,
    timestampArray(column(marks, 'campaign_version')),
    timestampArray(column(marks, 'mailbox_version')),
  )
  return new Set(column(rows, 'id'))
}
