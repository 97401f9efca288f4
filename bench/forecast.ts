import { sql } from 'kysely'
import { operator } from '../server/src/features/audit/index.ts'
import { createCampaign } from '../server/src/features/campaigns/campaigns.ts'
import { addMailbox } from '../server/src/features/mailboxes/index.ts'
import { forecast } from '../server/src/features/sending/forecast/forecast.ts'
import { forecastCampaign } from '../server/src/features/sending/forecast/forecast-campaign.ts'
import {
  newLead,
  noHistory,
  plannedCampaign,
  plannedMailbox,
  plannedSchedule,
  plannedStep,
  plannedSteps,
  plannedWindow,
} from '../server/test/planning.ts'
import { type Figure, percentile } from './figure.ts'
import { type BenchService, openService } from './service.ts'

const leads = 1_000_000
const mailboxes = 20

/**
 * Campaign-days a second of the planner's rules under a simulated clock, on one core; and the
 * forecast of a campaign with a million leads, from the database to the last day.
 */
export async function bench(): Promise<Figure[]> {
  const daysPerSecond = measureDays()
  await using service = await openService()
  const id = await fillCampaign(service)
  const times: number[] = []
  for (let run = 0; run < 5; run++) times.push(await time(service, id))
  const seconds = percentile(times, 0.5) / 1000
  return [
    {
      name: 'forecast of 3 steps to 30,000 leads at 200 mails a day',
      value: daysPerSecond,
      unit: 'campaign-days/s',
      target: '≥ 1,000 campaign-days/s',
      met: daysPerSecond >= 1000,
    },
    {
      name: `forecast of a campaign with ${leads.toLocaleString('en-US')} leads, p50`,
      value: seconds,
      unit: 's',
      target: '< 5 s',
      met: seconds < 5,
    },
  ]
}

const steps = plannedSteps(
  plannedStep('step-1'),
  plannedStep('step-2', { delay: 3 }),
  plannedStep('step-3', { delay: 4 }),
)

function measureDays(): number {
  const office = plannedWindow('09:00', '17:00', 'Europe/Berlin', { '0': false, '6': false })
  const campaign = plannedCampaign({
    schedule: plannedSchedule(office),
    steps,
    daily_limit: 200,
    email_gap: 5,
    random_wait_max: 5,
  })
  const from = Array.from({ length: 4 }, (_, i) =>
    plannedMailbox(`mailbox-${i}`, { daily_limit: 60, timezone: 'Europe/Berlin' }),
  )
  const { timestamp_created: due, ...lead } = newLead('lead')
  const cohort = { ...lead, sending_state: 'pending' as const, due, leads: 30_000 }
  const speeds = Array.from({ length: 10 }, () => {
    const startedMs = performance.now()
    const now = new Date('2026-11-23T08:00:00Z')
    const { days, sends } = forecast(now, campaign, from, [cohort], noHistory(), 3660)
    if (sends !== 90_000) throw new Error(`${sends} mails were forecast`)
    return days.length / ((performance.now() - startedMs) / 1000)
  })
  return percentile(speeds, 0.5)
}

/** Two thirds wait for their first mail, the others for their second; every lane has room. */
async function fillCampaign({ ctx, workspaceId }: BenchService): Promise<string> {
  const server = { host: 'mail.example.com', username: 'bench', password: 'bench' }
  const made = await Promise.all(
    Array.from({ length: mailboxes }, (_, i) =>
      addMailbox(
        ctx,
        workspaceId,
        {
          address: `sender${i}@example.com`,
          smtp: server,
          imap: server,
          daily_limit: 5000,
        },
        operator,
      ),
    ),
  )
  const campaign = await createCampaign(ctx, workspaceId, {
    name: 'bench',
    email_gap: 0,
    random_wait_max: 0,
    email_list: made.map(({ address }) => address),
    sequences: [
      { steps: steps.map(({ delay }) => ({ delay, variants: [{ subject: 'Hi', body: 'Hi' }] })) },
    ],
  })
  const [first] = campaign.sequences[0]?.steps ?? []
  await sql`
    insert into leads (workspace_id, id, campaign_id, email, email_folded, sending_state,
      current_step, sent_step_ids, mailbox_id, timestamp_next_send, timestamp_created,
      timestamp_updated)
    select ${workspaceId}::uuid, ('019a9d5e-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid,
      ${campaign.id}::uuid, 'lead' || i || '@example.com', 'lead' || i || '@example.com',
      case when i % 3 = 0 then 'active' else 'pending' end, (i % 3 = 0)::int,
      case when i % 3 = 0 then array[${first?.id ?? ''}::uuid] else '{}' end,
      case when i % 3 = 0 then (${made.map(({ id }) => id)}::uuid[])[i % ${mailboxes} + 1] end,
      ${ctx.now()}::timestamptz + i * interval '0.3 seconds', ${ctx.now()}, ${ctx.now()}
    from generate_series(1, ${leads}) i`.execute(ctx.db)
  await sql`
    insert into campaign_lead_counts (workspace_id, campaign_id, total, active)
    values (${workspaceId}::uuid, ${campaign.id}::uuid, ${leads}, ${leads})`.execute(ctx.db)
  await sql`vacuum analyze leads`.execute(ctx.db)
  return campaign.id
}

async function time({ ctx, workspaceId }: BenchService, id: string): Promise<number> {
  const startedMs = performance.now()
  const { sends, unsent } = await forecastCampaign(ctx, workspaceId, id)
  const elapsedMs = performance.now() - startedMs
  const expected = leads * steps.length - Math.floor(leads / 3)
  if (sends !== expected || unsent !== 0) throw new Error(`${sends} of ${expected} were forecast`)
  return elapsedMs
}
