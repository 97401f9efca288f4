import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'
import { textNames } from '../schema.ts'

/**
 * Names of what the newest leads have, the one that most have first; null: of those that have nothing.
 * Counted are those of them that mails are still sent to.
 */
export async function countVariables(
  db: Db,
  workspaceId: string,
  campaignId: string,
  { leadsMax, namesMax }: { leadsMax: number; namesMax: number },
) {
  const { rows } = await sql<{ name: string | null; filled: number; leads: number }>`
    with newest as materialized (
      select first_name, last_name, company_name, company_domain, job_title, phone, website,
        personalization, custom_variables,
        sending_state in ('pending', 'active', 'paused') as is_counted
      from leads
      where workspace_id = ${workspaceId}::uuid and campaign_id = ${campaignId}::uuid
      order by id desc
      limit ${leadsMax}
    )
    select v.name, count(*) filter (where n.is_counted)::int as filled,
      (select count(*)::int from newest where is_counted) as leads
    from newest n
    left join lateral (
      -- As in a mail: where a field is empty, a custom variable of its name stands in for it.
      select name, coalesce(value, n.custom_variables ->> name) as value
      from (values ${sql.join(textNames.map((name) => sql`(${name}, n.${sql.ref(name)})`))}) as fixed (name, value)
      union all
      select key, value from jsonb_each_text(n.custom_variables)
      where key <> all(${textNames}::text[])
    ) v on v.value <> ''
    group by v.name
    order by count(*) desc, v.name
    limit ${namesMax + 1}`.execute(db)
  return rows
}
