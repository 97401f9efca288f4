import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'

/** Names of what the newest leads have, the one that most have first. */
export async function countVariables(
  db: Db,
  workspaceId: string,
  campaignId: string,
  leadsMax: number,
) {
  const { rows } = await sql<{ name: string; filled: number; leads: number }>`
    with newest as materialized (
      select first_name, last_name, company_name, company_domain, job_title, phone, website,
        personalization, custom_variables
      from leads
      where workspace_id = ${workspaceId}::uuid and campaign_id = ${campaignId}::uuid
      order by id desc
      limit ${leadsMax}
    )
    select v.name, count(*)::int as filled, (select count(*)::int from newest) as leads
    from newest n
    cross join lateral (
      select * from (values ('first_name', n.first_name), ('last_name', n.last_name),
        ('company_name', n.company_name), ('company_domain', n.company_domain),
        ('job_title', n.job_title), ('phone', n.phone), ('website', n.website),
        ('personalization', n.personalization)) as fixed (name, value)
      union all
      select key, value from jsonb_each_text(n.custom_variables)
    ) v
    where v.value <> ''
    group by v.name
    order by filled desc, v.name
    limit 200`.execute(db)
  return rows
}
