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

const lanesOfCampaigns = `
   insert into mailbox_lanes as l (workspace_id, mailbox_id, bucket, wake_at)
   select distinct $1::uuid, m.id, ${bucketOfMailbox('m.id')}, $3::timestamptz
   from campaigns c
   join mailboxes m on m.workspace_id = c.workspace_id and m.address = any(c.email_list)
   where c.workspace_id = $1 and c.id = any($2::uuid[]) and c.status = 'active'
   order by m.id
   ${upsert}`

export const wakeLanesOfCampaigns = prepared<[string, string[], Date], unknown>(
  'wake_lanes_of_campaigns',
  lanesOfCampaigns,
)

/** Those that new leads change something for: who rests beyond `$4` sees them when it wakes. */
export const wakeForNewLeads = prepared<[string, string[], Date, Date], unknown>(
  'wake_lanes_for_new_leads',
  `${lanesOfCampaigns}
   where (l.rests_until > $4::timestamptz and l.rests_until = l.wake_at) is not true`,
)

export const markCampaign = (db: Db, workspaceId: string, campaignId: string) =>
  sql`
    insert into woken_campaigns as w (workspace_id, campaign_id)
    values (${workspaceId}::uuid, ${campaignId}::uuid)
    on conflict (workspace_id, campaign_id) do update
      set campaign_id = excluded.campaign_id`.execute(db)

/** Nothing, if somebody else takes it or a transaction that writes it is open. */
export const takeMark = prepared<[string, string], { campaign_id: string }>(
  'take_woken_campaign',
  `delete from woken_campaigns w
   using (
     select workspace_id, campaign_id from woken_campaigns
     where workspace_id = $1 and campaign_id = $2
     for update skip locked
   ) k
   where w.workspace_id = $1 and w.campaign_id = k.campaign_id
   returning w.campaign_id`,
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
