import pg from 'pg'
import { addLeads } from '../server/src/features/leads/index.ts'
import { createCampaign } from '../server/src/features/campaigns/campaigns.ts'
import { addMailbox } from '../server/src/features/mailboxes/index.ts'
import { benchCampaign, benchLead, benchMailbox } from './sending/campaign.ts'
import { openService } from './service.ts'
await using service = await openService()
const { ctx, workspaceId } = service
const mailbox = await addMailbox(ctx, workspaceId, benchMailbox(0, 9))
const campaign = await createCampaign(ctx, workspaceId, { ...benchCampaign, email_list: [mailbox.address] })
const ids: string[] = []
for (let i = 0; i < 20; i++) {
  const r = await addLeads(ctx, workspaceId, { campaign_id: campaign.id, leads: Array.from({ length: 1000 }, (_, n) => benchLead(i * 1000 + n)), skip_if_in_workspace: false, overwrite: false })
  ids.push(...r.created_leads.map((l) => l.id))
}
const spy = new pg.Client({ connectionString: service.databaseUrl }); await spy.connect()
const some = ids.slice(500, 600)
const text = `select l.id, c.name
  from leads l
  join campaigns c on c.workspace_id = $1 and c.id = l.campaign_id
  where l.workspace_id = $1 and l.id = any(array(select unnest($2::uuid[])))
  order by l.id
  for update of l`
await spy.query({ name: 'a', text, values: [workspaceId, some] })
for (const mode of ['auto', 'force_generic_plan']) {
await spy.query(`set plan_cache_mode = ${mode}`)
await spy.query(`prepare b${mode} (uuid, uuid[]) as ${text}`)
const { rows } = await spy.query(`explain (analyze, buffers) execute b${mode}('${workspaceId}', '{${some.join()}}')`)
console.log(mode, rows.map((r) => r['QUERY PLAN']).join('\n'))
}
await spy.end()
