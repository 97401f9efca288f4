import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'

export interface WaitingLeads {
  campaign_id: string
  campaign_name: string
  leads: number
}

/** Leads that have a follow-up to come in the threads of a mailbox, by campaign. */
export async function countFollowUps(
  db: Db,
  workspaceId: string,
  mailboxId: string,
): Promise<WaitingLeads[]> {
  const { rows } = await sql<WaitingLeads>`
    select l.campaign_id, c.name as campaign_name, l.leads
    from (
      select campaign_id, count(*)::int as leads
      from leads
      where workspace_id = ${workspaceId}::uuid and mailbox_id = ${mailboxId}::uuid
        and sending_state = 'active'
      group by campaign_id
    ) l
    join campaigns c on c.workspace_id = ${workspaceId}::uuid and c.id = l.campaign_id
    order by l.campaign_id`.execute(db)
  return rows
}

/**
 * Campaigns that go on with leads in the threads of a mailbox, now or once they are resumed: each state by
 * an index of its own.
 */
export async function listCampaignsOfThreads(db: Db, workspaceId: string, mailboxId: string) {
  const { rows } = await sql<{ campaign_id: string }>`
    select campaign_id from leads
    where workspace_id = ${workspaceId}::uuid and mailbox_id = ${mailboxId}::uuid
      and sending_state = 'active'
    union
    select campaign_id from leads
    where workspace_id = ${workspaceId}::uuid and mailbox_id = ${mailboxId}::uuid
      and sending_state = 'paused'
    order by campaign_id`.execute(db)
  return rows
}

/**
 * Some of the leads whose thread is in a mailbox, in id order from behind `$5`, are of another one
 * from now on: those of campaigns that it sends for, and those that are written to no more. A lead with a
 * mail under way stays: its result will say which mailbox it is of.
 */
export const moveThreads = prepared<
  [workspaceId: string, from: string, to: string, sendingFor: string[], after: string, max: number],
  { id: string; campaign_id: string }
>(
  'move_lead_threads',
  `update leads l
   set mailbox_id = $3
   from (
     select id from leads
     where workspace_id = $1 and mailbox_id = $2 and id > $5
       and (campaign_id = any($4::uuid[]) or sending_state not in ('active', 'paused'))
       and not exists (
         select from sends s
         where s.workspace_id = $1 and s.lead_id = leads.id
           and s.state in ('claimed', 'transmitting')
         offset 0
       )
     order by id
     limit $6
     for update
   ) k
   where l.workspace_id = $1 and l.id = k.id
   returning l.id, l.campaign_id`,
)
