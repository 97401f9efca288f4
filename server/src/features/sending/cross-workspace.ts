import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import { bucketOfMailbox } from '../mailbox-lanes/index.ts'

// Discovery reads across workspaces: a runner serves them all. Nothing here answers a user.

export interface LaneKey {
  workspace_id: string
  mailbox_id: string
}

/** Lanes of these buckets that are to be looked at since the window began. */
export const findWokenLanes = prepared<[number[], Date, Date], LaneKey>(
  'find_woken_lanes',
  `/* cross-workspace: discovery */
   select workspace_id, mailbox_id
   from mailbox_lanes
   where bucket = any($1::smallint[]) and wake_at > $2 and wake_at <= $3`,
)

/** The same whenever that was: what a late commit hid from the window above. */
export const sweepWokenLanes = prepared<[number[], Date], LaneKey>(
  'sweep_woken_lanes',
  `/* cross-workspace: discovery */
   select workspace_id, mailbox_id
   from mailbox_lanes
   where bucket = any($1::smallint[]) and wake_at <= $2`,
)

export interface UncertainSend extends LaneKey {
  id: string
  lead_id: string
  step_id: string
  campaign_id: string
  message_id: string
  timestamp_transmitting: Date
}

/** Mails that nobody knows the fate of, and that are to be looked for now. There are few, if any. */
export const findUncertain = prepared<[number[], Date, number], UncertainSend>(
  'find_uncertain_sends',
  `/* cross-workspace: reconciliation */
   select workspace_id, mailbox_id, id, lead_id, step_id, campaign_id, message_id,
     timestamp_transmitting
   from sends
   where is_uncertain and look_at <= $2 and ${bucketOfMailbox('mailbox_id')} = any($1::integer[])
   order by look_at, id
   limit $3`,
)

/** Of which nobody has said yet what became of them. */
export const countOpenSends = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ count: number }>`/* cross-workspace: reconciliation */
    select count(*)::int as count from sends where is_open`.execute(db)
  return rows[0]?.count ?? 0
}

/** Of which nobody knows. */
export const countUncertainSends = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ count: number }>`/* cross-workspace: reconciliation */
    select count(*)::int as count from sends where is_uncertain`.execute(db)
  return rows[0]?.count ?? 0
}
