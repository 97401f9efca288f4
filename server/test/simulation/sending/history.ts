import type pg from 'pg'

/** What the database holds at the end. */
export interface History {
  sends: { lead_id: string; step_id: string; id: string; state: string; mailbox_id: string }[]
  leads: {
    id: string
    email: string
    campaign_id: string
    state: string
    status: string
    suggestion: string | null
  }[]
  messages: { id: string; direction: string; message_id: string; count: number }[]
  counts: { campaign_id: string; counted: string; kept: string }[]
  open: number
  failures: { errors: number; failed: number }
}

const text = `
  select
    (select coalesce(json_agg(s), '[]') from (
      select lead_id, step_id, id, state, mailbox_id from sends order by id) s) as sends,
    (select coalesce(json_agg(l), '[]') from (
      select l.id, email_folded as email, l.campaign_id, sending_state as state, status, suggestion
      from leads l left join threads t on t.workspace_id = l.workspace_id and t.id = l.id
      order by l.id) l) as leads,
    (select coalesce(json_agg(m), '[]') from (
      select (min(id::text)) as id, direction, message_id, count(*)::int as count
      from messages group by direction, message_id order by 1) m) as messages,
    (select coalesce(json_agg(c), '[]') from (
      select l.campaign_id,
        concat_ws(' ', count(*),
          count(*) filter (where sending_state not in ('finished', 'stopped')),
          count(*) filter (where sending_state = 'finished'),
          count(*) filter (where email_reply_count > 0),
          count(*) filter (where stop_reason = 'bounced'),
          count(*) filter (where stop_reason = 'unsubscribed')) as counted,
        (select concat_ws(' ', k.total, k.active, k.completed, k.replied, k.bounced, k.unsubscribed)
          from campaign_lead_counts k where k.campaign_id = l.campaign_id) as kept
      from leads l group by l.campaign_id order by l.campaign_id) c) as counts,
    (select count(*)::int from sends where is_open) as open,
    (select json_build_object(
      'errors', (select count(*) from events where type = 'mailbox.error'),
      'failed', (select count(*) from audit_log where action = 'mailbox.failed'))) as failures`

export async function readHistory(admin: pg.Client): Promise<History> {
  const { rows } = await admin.query<History>(text)
  const [history] = rows
  if (!history) throw new Error('There is no history.')
  return history
}
