import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { isBeingRead, isInboxRead } from '../mailboxes/index.ts'
import type { Checklist } from './schema.ts'

/** By facts: nobody ticks anything. */
export async function readChecklist(db: Db, workspaceId: string): Promise<Checklist> {
  const some = (from: ReturnType<typeof sql>) => sql`exists (select ${from})`
  const { rows } = await sql<Checklist>`
    select
      ${some(sql`from mailboxes where workspace_id = ${workspaceId}::uuid`)} as mailbox,
      ${some(sql`from leads where workspace_id = ${workspaceId}::uuid`)} as leads,
      ${some(sql`from campaigns where workspace_id = ${workspaceId}::uuid
        and jsonb_path_exists(sequences, '$[*].steps[*].variants[*].body ? (@ != "")')`)} as step,
      ${some(sql`from campaigns where workspace_id = ${workspaceId}::uuid
        and status <> 'draft'`)} as launch,
      ${some(sql`from service_accounts where workspace_id = ${workspaceId}::uuid
        and timestamp_revoked is null`)} as key,
      ${some(sql`from webhooks where workspace_id = ${workspaceId}::uuid`)} as webhook,
      ${some(sql`from webhook_event_counts where workspace_id = ${workspaceId}::uuid
        and succeeded > 0`)} as verified`.execute(db)
  return rows[0] as Checklist
}

interface Troubled {
  id: string
  name: string
  reason: string | null
  since: Date | null
}

/** Mailboxes that do not work, the newest first. */
export async function listTroubledMailboxes(db: Db, workspaceId: string, most: number) {
  const { rows } = await sql<Omit<Troubled, 'since'>>`
    select id, address as name, status_reason as reason
    from mailboxes
    where workspace_id = ${workspaceId}::uuid and status = 'error'
    order by id desc
    limit ${most}`.execute(db)
  return rows
}

/**
 * Mailboxes that are used and whose mail nobody has read for a while, the newest first. One that was
 * connected or resumed just now is still being read.
 */
export async function listUnreadMailboxes(db: Db, workspaceId: string, most: number) {
  const { rows } = await sql<Omit<Troubled, 'reason'>>`
    select m.id, m.address as name, m.inbox_read_at as since
    from mailboxes m
    where m.workspace_id = ${workspaceId}::uuid and m.status = 'connected'
      and not ${sql.raw(isInboxRead('m'))} and not ${sql.raw(isBeingRead('m'))}
    order by m.id desc
    limit ${most}`.execute(db)
  return rows
}

/** Destinations that were switched off by themselves, or that fail just now; none without them in the plan. */
export async function listTroubledWebhooks(db: Db, workspaceId: string, most: number) {
  const { rows } = await sql<Troubled>`
    select w.id, w.name, coalesce(w.disabled_reason, 'failing_now') as reason,
      coalesce(w.timestamp_disabled, n.failing_since) as since
    from webhooks w
    join workspaces p on p.id = w.workspace_id and p.plan_webhooks
    left join webhook_lanes n on n.workspace_id = w.workspace_id and n.webhook_id = w.id
    where w.workspace_id = ${workspaceId}::uuid
      and (w.status = 'disabled' and w.disabled_reason <> 'manual'
        or w.status = 'active' and n.failing_since is not null)
    order by w.id desc
    limit ${most}`.execute(db)
  return rows
}

/** Mails of campaigns of which nobody knows whether they were sent, by campaign. */
export async function countUncertain(db: Db, workspaceId: string) {
  const { rows } = await sql<{ id: string; name: string | null; count: number; since: Date }>`
    select s.campaign_id as id, c.name, count(*)::integer as count,
      min(s.timestamp_claimed) as since
    from sends s
    left join campaigns c on c.workspace_id = s.workspace_id and c.id = s.campaign_id
    where s.workspace_id = ${workspaceId}::uuid and s.is_uncertain and s.kind = 'step'
    group by s.campaign_id, c.name
    order by s.campaign_id`.execute(db)
  return rows
}

/** Uncertain answers of people, by conversation: there they are decided. */
export async function countUncertainReplies(db: Db, workspaceId: string, most: number) {
  const { rows } = await sql<{ id: string; name: string; count: number; since: Date }>`
    select s.lead_id as id, min(s.reply ->> 'to_address') as name, count(*)::integer as count,
      min(s.timestamp_claimed) as since
    from sends s
    where s.workspace_id = ${workspaceId}::uuid and s.is_uncertain and s.kind = 'manual'
    group by s.lead_id
    order by s.lead_id
    limit ${most}`.execute(db)
  return rows
}
