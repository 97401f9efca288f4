import { sql } from 'kysely'
import { request } from 'undici'
import { startRole } from './child.ts'
import { type Figure, percentile } from './figure.ts'
import { type BenchService, openService } from './service.ts'

const leadsPerCall = 1000
const calls = 120
/** Until the code of both is compiled. */
const warmUpCalls = 20

/**
 * `lead/add` over HTTP in calls of 1,000, one after the other, against one bare
 * `insert … select from unnest` of the same rows into the same table.
 */
export async function bench(): Promise<Figure[]> {
  await using service = await openService()
  await using api = await startRole('api', service)
  const headers = {
    authorization: `Bearer ${service.key}`,
    'content-type': 'application/json',
  }
  const post = async (path: string, body: string | Buffer) => {
    const answer = await request(`${api.address}${path}`, { method: 'POST', headers, body })
    return Buffer.from(await answer.body.arrayBuffer())
  }
  const createCampaign = async (name: string) => {
    const { id } = JSON.parse(String(await post('/api/v2/campaigns', JSON.stringify({ name }))))
    return id as string
  }
  const campaign_id = await createCampaign('bench')
  const bareCampaign = await createCampaign('bare')

  const ours: number[] = []
  const limits: number[] = []
  for (let call = 0; call < calls; call++) {
    const leads = makeLeads(call)
    limits.push(await time(() => insertBare(service, bareCampaign, leads)))
    // What a client makes of its own leads and of the answer is its own affair.
    const body = Buffer.from(JSON.stringify({ campaign_id, leads }))
    let answer = Buffer.of()
    ours.push(
      await time(async () => {
        answer = await post('/api/v2/lead/add', body)
      }),
    )
    const { leads_uploaded } = JSON.parse(String(answer))
    if (leads_uploaded !== leadsPerCall) throw new Error(`${leads_uploaded} were uploaded`)
  }
  const perSecond = (ms: number[]) => leadsPerCall / (percentile(ms.slice(warmUpCalls), 0.5) / 1000)
  const value = perSecond(ours)
  const limit = perSecond(limits)
  return [
    {
      name: 'lead/add in calls of 1,000',
      value,
      unit: 'leads/s',
      limit: { name: 'one insert … select from unnest of the same rows', value: limit },
      target: '≥ 50 % of the limit',
      met: value >= 0.5 * limit,
    },
  ]
}

interface BenchLead {
  email: string
  first_name: string
  last_name: string
  company_name: string
  custom_variables: Record<string, string>
}

const makeLeads = (call: number): BenchLead[] =>
  Array.from({ length: leadsPerCall }, (_, i) => ({
    email: `lead-${call}-${(i * 7919) % leadsPerCall}@company${i % 97}.example`,
    first_name: `First ${i}`,
    last_name: `Last ${i}`,
    company_name: `Company ${i % 97}`,
    custom_variables: { city: 'Berlin', plan: 'pro' },
  }))

function insertBare({ ctx, workspaceId }: BenchService, campaign: string, leads: BenchLead[]) {
  const now = ctx.now()
  return sql`
    insert into leads (workspace_id, id, campaign_id, email, email_folded, first_name, last_name,
      company_name, custom_variables, timestamp_created, timestamp_updated)
    select ${workspaceId}::uuid, id, ${campaign}::uuid, email, email, first_name, last_name,
      company_name, custom_variables, ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${leads.map(() => ctx.newId())}::uuid[],
      ${leads.map((lead) => lead.email)}::text[],
      ${leads.map((lead) => lead.first_name)}::text[],
      ${leads.map((lead) => lead.last_name)}::text[],
      ${leads.map((lead) => lead.company_name)}::text[],
      ${leads.map((lead) => JSON.stringify(lead.custom_variables))}::jsonb[]
    ) as batch (id, email, first_name, last_name, company_name, custom_variables)`.execute(ctx.db)
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
