import { sql } from 'kysely'
import { column } from '../../kernel/db/column.ts'
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

/** That the mailboxes of a campaign may have something to send. */
export interface CampaignMark {
  /** Another one each time: only the mark that was seen is deleted. */
  id: string
  campaign_id: string
  wake_at: Date
  /** More than its leads: what it sends at all, or how much of it on a day. */
  changed: boolean
}

const markAll = prepared<[string, string[], Date[], boolean[], string[]], object>(
  'mark_campaigns',
  `insert into woken_campaigns as w (workspace_id, campaign_id, wake_at, changed, id)
   select $1::uuid, campaign_id, wake_at, changed, id
   from unnest($2::uuid[], $3::timestamptz[], $4::boolean[], $5::uuid[])
     as k (campaign_id, wake_at, changed, id)
   order by campaign_id
   on conflict (workspace_id, campaign_id) do update
     set wake_at = least(w.wake_at, excluded.wake_at), changed = w.changed or excluded.changed,
       id = excluded.id`,
)

/** In order. What is marked twice is marked for both. */
export const markCampaigns = (db: Db, workspaceId: string, marks: CampaignMark[]) =>
  markAll(
    db,
    workspaceId,
    marks.map(({ campaign_id }) => campaign_id),
    marks.map(({ wake_at }) => wake_at),
    marks.map(({ changed }) => changed),
    marks.map(({ id }) => id),
  )

export interface WokenLane {
  mailbox_id: string
  wake_at: Date
}

const wakeMarked = prepared<[string, string[], Date[], boolean[], Date], WokenLane>(
  'wake_marked_campaigns',
  `insert into mailbox_lanes as l (workspace_id, mailbox_id, bucket, wake_at)
   select $1::uuid, m.id, ${bucketOfMailbox('m.id')}, min(k.wake_at)
   from unnest($2::uuid[], $3::timestamptz[], $4::boolean[]) as k (campaign_id, wake_at, changed)
   join campaigns c on c.workspace_id = $1 and c.id = k.campaign_id and c.status = 'active'
   join mailboxes m on m.workspace_id = $1 and m.address = any(c.email_list) and m.status <> 'paused'
   left join mailbox_lanes l on l.workspace_id = $1 and l.mailbox_id = m.id
   where (l.wake_at > $5::timestamptz and (
     l.wake_at <= greatest(l.next_send_at, l.not_before)
     or (l.rests_until = l.wake_at and not k.changed))) is not true
   group by m.id
   order by m.id
   ${upsert}
   returning l.mailbox_id, l.wake_at`,
)

/**
 * Wakes the mailboxes that these campaigns send from, if they are active: at the time of the mark, or
 * sooner if they wake sooner. Those that sleep beyond `later` are left out where nothing that was
 * marked can matter before they wake: the mailbox itself may not send until then (its gap, a failure);
 * or it rests, and only leads are new. Who resumes a paused mailbox wakes it.
 *
 * The marks were committed before: a lane that is asleep now looks later, and sees what was marked.
 *
 * @returns the mailboxes that were woken
 */
export async function wakeLanesOfMarked(
  db: Db,
  workspaceId: string,
  marks: CampaignMark[],
  later: Date,
): Promise<WokenLane[]> {
  return wakeMarked(
    db,
    workspaceId,
    column(marks, 'campaign_id'),
    column(marks, 'wake_at'),
    column(marks, 'changed'),
    later,
  )
}

/** As they were seen: what has been marked since stays. */
export const deleteMarks = prepared<[string, string[], string[]], unknown>(
  'delete_campaign_marks',
  `delete from woken_campaigns w
   using (
     select w.campaign_id
     from woken_campaigns w
     join unnest($2::uuid[], $3::uuid[]) as k (campaign_id, id)
       on w.campaign_id = k.campaign_id and w.id = k.id
     where w.workspace_id = $1
     for update of w skip locked
   ) k
   where w.workspace_id = $1 and w.campaign_id = k.campaign_id`,
)

/** @returns the mailboxes */
export async function wakeLanesOfWorkspace(
  db: Db,
  workspaceId: string,
  at: Date,
): Promise<string[]> {
  const { rows } = await sql<{ mailbox_id: string }>`
    insert into mailbox_lanes as l (workspace_id, mailbox_id, bucket, wake_at)
    select ${workspaceId}::uuid, m.id, ${sql.raw(bucketOfMailbox('m.id'))}, ${at}::timestamptz
    from mailboxes m
    where m.workspace_id = ${workspaceId}::uuid
    order by m.id
    ${sql.raw(upsert)}
    returning l.mailbox_id`.execute(db)
  return rows.map(({ mailbox_id }) => mailbox_id)
}

/** Older than that of any lease. */
export const resetTokens = (db: Db, workspaceId: string) =>
  db
    .updateTable('mailbox_lanes')
    .set({ token: 0 })
    .where('workspace_id', '=', workspaceId)
    .execute()

/**
 * The next mail waits as if the mailbox had had this gap when the last one was sent, with the chance that
 * was drawn then, and never less than its campaign asks for.
 */
export const moveNextSend = (
  db: Db,
  workspaceId: string,
  mailboxId: string,
  gapSeconds: { before: number; after: number },
) =>
  sql`
    update mailbox_lanes l
    set next_send_at = greatest(l.next_send_at, l.last_sent_at + g.before) - g.before + g.after
    from (
      select l.mailbox_id,
        make_interval(secs => greatest(${gapSeconds.before}::float8, c.email_gap * 60)) as before,
        make_interval(secs => greatest(${gapSeconds.after}::float8, c.email_gap * 60)) as after
      from mailbox_lanes l
      left join campaigns c
        on c.workspace_id = ${workspaceId}::uuid and c.id = l.last_campaign_id
      where l.workspace_id = ${workspaceId}::uuid and l.mailbox_id = ${mailboxId}::uuid
      for no key update of l
    ) g
    where l.workspace_id = ${workspaceId}::uuid and l.mailbox_id = g.mailbox_id
      and l.last_sent_at is not null`.execute(db)

/** Minutes: that pass between two mails of a campaign at least, and that chance adds at most. */
export interface CampaignGap {
  email_gap: number
  random_wait_max: number
}

/**
 * As `moveNextSend`, for the mailboxes whose last mail was of a campaign whose gap changes, and never
 * less than the mailbox asks for. The wait that chance has added is as large a part of what it may add now.
 */
export const moveNextSendOfCampaign = (
  db: Db,
  workspaceId: string,
  campaignId: string,
  { before, after }: { before: CampaignGap; after: CampaignGap },
) =>
  sql`
    update mailbox_lanes l
    set next_send_at = l.last_sent_at + g.after
      + ${before.random_wait_max === 0 ? 0 : after.random_wait_max / before.random_wait_max}::float8
      * greatest(l.next_send_at - l.last_sent_at - g.before, interval '0')
    from (
      select l.mailbox_id,
        make_interval(secs => greatest(m.gap_seconds, ${before.email_gap}::float8 * 60)) as before,
        make_interval(secs => greatest(m.gap_seconds, ${after.email_gap}::float8 * 60)) as after
      from mailbox_lanes l
      left join mailboxes m
        on m.workspace_id = ${workspaceId}::uuid and m.id = l.mailbox_id
      where l.workspace_id = ${workspaceId}::uuid and l.last_campaign_id = ${campaignId}::uuid
      order by l.mailbox_id
      for no key update of l
    ) g
    where l.workspace_id = ${workspaceId}::uuid and l.mailbox_id = g.mailbox_id
      and l.last_sent_at is not null`.execute(db)

/** Whatever failed before: it starts anew. */
export const forgiveLane = (db: Db, workspaceId: string, mailboxId: string) =>
  setLane(db, workspaceId, mailboxId, { failures: 0, not_before: null })

/** What failed before still counts. */
export const endPause = (db: Db, workspaceId: string, mailboxId: string) =>
  setLane(db, workspaceId, mailboxId, { not_before: null })

const setLane = (
  db: Db,
  workspaceId: string,
  mailboxId: string,
  values: { failures?: number; not_before: null },
) =>
  db
    .updateTable('mailbox_lanes')
    .set(values)
    .where('workspace_id', '=', workspaceId)
    .where('mailbox_id', '=', mailboxId)
    .execute()
