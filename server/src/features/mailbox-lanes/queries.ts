import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'

// A lane is made by its first wake-up. Rows are locked in mailbox order: nobody waits in a ring.

const upsert = `
  on conflict (workspace_id, mailbox_id) do update
    set wake_at = least(l.wake_at, excluded.wake_at), seq = l.seq + 1`

/** The bucket of a lane in SQL, as `bucketOf` tells it: the last byte of its mailbox's id. */
export const bucketOfMailbox = (id: string) => `('x' || right(${id}::text, 2))::bit(8)::integer`

export const wakeLanes = (
  db: Db,
  workspaceId: string,
  mailboxIds: string[],
  buckets: number[],
  at: Date,
) =>
  sql`
    insert into mailbox_lanes as l (workspace_id, mailbox_id, bucket, wake_at)
    select ${workspaceId}::uuid, mailbox_id, bucket, ${at}::timestamptz
    from unnest(${mailboxIds}::uuid[], ${buckets}::smallint[]) as k (mailbox_id, bucket)
    order by mailbox_id
    ${sql.raw(upsert)}`.execute(db)

/**
 * The mailboxes that the campaign sends from, if it is active: at `$3`, or sooner if they wake sooner.
 * Those that sleep beyond `$4` are left out where nothing that was marked can matter before they wake:
 * the mailbox itself may not send until then (its gap, a failure); or it rests, and only leads are new.
 * Who resumes a mailbox wakes it.
 */
export const wakeLanesOfCampaign = prepared<[string, string, Date, Date, boolean], unknown>(
  'wake_lanes_of_campaign',
  `insert into mailbox_lanes as l (workspace_id, mailbox_id, bucket, wake_at)
   select distinct $1::uuid, m.id, ${bucketOfMailbox('m.id')}, $3::timestamptz
   from campaigns c
   join mailboxes m on m.workspace_id = c.workspace_id and m.address = any(c.email_list)
   where c.workspace_id = $1 and c.id = $2 and c.status = 'active' and m.status <> 'paused'
   order by m.id
   ${upsert}
   where (l.wake_at > $4::timestamptz and (
     l.wake_at <= greatest(l.next_send_at, l.not_before)
     or (l.rests_until = l.wake_at and not $5::boolean))) is not true`,
)

/** That its mailboxes may have something to send. */
export interface Mark {
  wake_at: Date
  /** More than its leads: what it sends at all, or how much of it on a day. */
  changed: boolean
}

export interface NewMark extends Mark {
  campaign_id: string
}

/** In order. What is marked twice is marked for both. */
export const markCampaigns = (db: Db, workspaceId: string, marks: NewMark[]) =>
  sql`
    insert into woken_campaigns as w (workspace_id, campaign_id, wake_at, changed)
    select ${workspaceId}::uuid, id, wake_at, changed
    from unnest(
      ${marks.map(({ campaign_id }) => campaign_id)}::uuid[],
      ${marks.map(({ wake_at }) => wake_at)}::timestamptz[],
      ${marks.map(({ changed }) => changed)}::boolean[]
    ) as k (id, wake_at, changed)
    order by id
    on conflict (workspace_id, campaign_id) do update
      set wake_at = least(w.wake_at, excluded.wake_at), changed = w.changed or excluded.changed`.execute(
    db,
  )

/** Nothing, if somebody else takes it or a transaction that writes it is open. */
export const takeMark = prepared<[string, string], Mark>(
  'take_woken_campaign',
  `delete from woken_campaigns w
   using (
     select workspace_id, campaign_id from woken_campaigns
     where workspace_id = $1 and campaign_id = $2
     for update skip locked
   ) k
   where w.workspace_id = $1 and w.campaign_id = k.campaign_id
   returning w.wake_at, w.changed`,
)

export const wakeLanesOfWorkspace = (db: Db, workspaceId: string, at: Date) =>
  sql`
    insert into mailbox_lanes as l (workspace_id, mailbox_id, bucket, wake_at)
    select ${workspaceId}::uuid, m.id, ${sql.raw(bucketOfMailbox('m.id'))}, ${at}::timestamptz
    from mailboxes m
    where m.workspace_id = ${workspaceId}::uuid
    order by m.id
    ${sql.raw(upsert)}`.execute(db)

export const forgiveLane = (db: Db, workspaceId: string, mailboxId: string) =>
  db
    .updateTable('mailbox_lanes')
    .set({ failures: 0, not_before: null })
    .where('workspace_id', '=', workspaceId)
    .where('mailbox_id', '=', mailboxId)
    .execute()
