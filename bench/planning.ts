import { sql } from 'kysely'
import { operator } from '../server/src/features/audit/index.ts'
import { createCampaign } from '../server/src/features/campaigns/campaigns.ts'
import { updateCampaign } from '../server/src/features/campaigns/update-campaign.ts'
import { addMailbox } from '../server/src/features/mailboxes/index.ts'
import { Lane } from '../server/src/features/sending/lanes/lane.ts'
import { CampaignCache } from '../server/src/features/sending/next-mail/campaign-cache.ts'
import { LeadPrefetch } from '../server/src/features/sending/next-mail/lead-prefetch.ts'
import {
  type PlannerParts,
  planLanes,
} from '../server/src/features/sending/next-mail/plan-lanes.ts'
import { type Figure, medianOf } from './figure.ts'
import { benchCampaign, benchMailbox } from './sending/campaign.ts'
import { type BenchService, openService } from './service.ts'

const campaigns = 200
const due = 500
const ticks = 25
const [few, many] = [100_000, 1_000_000]

/**
 * One tick: every mailbox of 200 active campaigns asks what to send. Half of the campaigns have five
 * leads each that are due, first mails and follow-ups; all the others fall due later.
 */
export async function bench(): Promise<Figure[]> {
  await using service = await openService()
  const mailboxIds = await makeCampaigns(service)
  await addLeads(service, due / (campaigns / 2), true)
  await addLeads(service, Math.round((few - due) / campaigns), false)
  const withFew = await measureTicks(service, mailboxIds)
  await addLeads(service, (many - few) / campaigns, false)
  const withMany = await measureTicks(service, mailboxIds)
  return [
    {
      name: `one tick with ${many.toLocaleString('en-US')} leads, ${due} of them due (${withMany.cpuMs.toFixed(1)} ms of this process's CPU)`,
      value: withMany.ms,
      unit: 'ms',
      limit: { name: `with ${few.toLocaleString('en-US')} leads`, value: withFew.ms },
      target: '< 50 ms, flat in the leads that are not due',
      met: withMany.ms < 50 && withMany.ms < 1.25 * withFew.ms,
    },
  ]
}

async function makeCampaigns({ ctx, workspaceId }: BenchService): Promise<string[]> {
  const ids: string[] = []
  const steps = benchCampaign.sequences.flatMap((sequence) => sequence.steps)
  for (let n = 0; n < campaigns; n++) {
    const { id, address } = await addMailbox(ctx, workspaceId, benchMailbox(n, 9), operator)
    const campaign = await createCampaign(ctx, workspaceId, {
      ...benchCampaign,
      sequences: [{ steps: [...steps, ...steps.map((step) => ({ ...step, delay: 1 }))] }],
      ...{ name: `bench ${n}`, email_list: [address], email_gap: 5, random_wait_max: 5 },
    })
    await updateCampaign(ctx, workspaceId, campaign.id, { status: 'active' })
    ids.push(id)
  }
  return ids
}

/** To each campaign, those that are due to every other one; one half waits for its first mail, one for its second. */
async function addLeads({ ctx, workspaceId }: BenchService, each: number, isDue: boolean) {
  await sql`
    insert into leads (workspace_id, id, campaign_id, email, email_folded, sending_state,
      mailbox_id, current_step, sent_step_ids, timestamp_last_contact, timestamp_created, timestamp_updated, timestamp_next_send)
    select c.workspace_id, made.id, c.id, made.id || '@lead.example', made.id || '@lead.example',
      case when n % 2 = 0 then 'active' else 'pending' end,
      case when n % 2 = 0 then m.id end, (n + 1) % 2,
      case when n % 2 = 0 then array[(c.sequences #>> '{0,steps,0,id}')::uuid] else '{}' end,
      case when n % 2 = 0 then c.timestamp_created - interval '2 days' end,
      c.timestamp_created, c.timestamp_created,
      c.timestamp_created
        + case when ${isDue} then interval '0' else n * interval '1 minute' + interval '1 day' end
    from (select *, row_number() over (order by id) as place from campaigns) c
    join mailboxes m on m.workspace_id = c.workspace_id and m.address = any(c.email_list)
    cross join generate_series(1, ${each}::integer) n
    cross join lateral (select uuidv7() as id where n > 0) made
    where c.workspace_id = ${workspaceId}::uuid and (c.place % 2 = 0 or not ${isDue})`.execute(
    ctx.db,
  )
  await sql`vacuum (analyze) leads`.execute(ctx.db)
}

/** What is chosen is counted and not claimed, so that each tick finds the same. */
async function measureTicks({ ctx, workspaceId }: BenchService, mailboxIds: string[]) {
  let chosen = 0
  const claims = {
    async add() {
      chosen += 1
      return null
    },
  }
  const sleeps = { add: () => Promise.resolve(true) }
  const cache = new CampaignCache()
  const took: { ms: number; cpuMs: number }[] = []
  for (let n = 0; n < ticks; n++) {
    const lanes = mailboxIds.map((id) => new Lane(workspaceId, id, '0'))
    const parts = { cache, prefetch: new LeadPrefetch(), claims, sleeps } as unknown as PlannerParts
    const startedMs = performance.now()
    const cpu = process.cpuUsage()
    await planLanes(ctx, lanes, parts)
    const { user, system } = process.cpuUsage(cpu)
    took.push({ ms: performance.now() - startedMs, cpuMs: (user + system) / 1000 })
  }
  if (chosen !== ticks * (campaigns / 2)) throw new Error(`${chosen} mails were chosen`)
  // The first ones compile the code, and PostgreSQL's plans.
  const measured = took.slice(5)
  return {
    ms: medianOf(measured, ({ ms }) => ms),
    cpuMs: medianOf(measured, ({ cpuMs }) => cpuMs),
  }
}
