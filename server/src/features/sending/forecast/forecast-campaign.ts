import { dayOf } from '../../../kernel/calendar.ts'
import type { Context } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import { workerModule } from '../../../kernel/own-files.ts'
import { WorkerThread } from '../../../kernel/worker-thread.ts'
import { type Campaign, getCampaign, zoneOf } from '../../campaigns/index.ts'
import type { PlannedMailbox, SendHistory } from '../planning/plan.ts'
import { plannedCampaign, plannedMailbox } from '../planning/planned-from.ts'
import { type Forecast, forecast } from './forecast.ts'
import type { Cohort } from './forecast-backlog.ts'
import * as queries from './forecast-queries.ts'

export interface CampaignForecast extends Forecast {
  campaign: Pick<Campaign, 'id' | 'name' | 'status'>
  /** The time zone of its days. */
  timezone: string
  mailboxes: {
    id: string
    address: string
    status: PlannedMailbox['status']
    /** Other active campaigns that send from it: what they take is not in the forecast. */
    shared_with: number
  }[]
}

/** Steps of so many leads, and days of mailboxes, are gone through within milliseconds. */
const smallMax = 5000

const workerMs = 120_000

const worker = new WorkerThread<Parameters<typeof forecast>, Forecast>(
  workerModule('features/sending/forecast/forecast-worker'),
  { memoryMb: 512 },
)

/**
 * What a campaign would send from now on, day by day, as if it were active and alone with its
 * mailboxes. Five statements, whatever the number of its leads; one of many mails is made by a worker,
 * so that none keeps the process from answering.
 */
export async function forecastCampaign(
  ctx: Context,
  workspaceId: string,
  id: string,
  { daysMax = 366 }: { daysMax?: number } = {},
): Promise<CampaignForecast> {
  const campaign = await getCampaign(ctx, workspaceId, id)
  if (isSmall(campaign, daysMax)) {
    return forecastOf(ctx, campaign, daysMax, forecast)
  }
  return inTurn(workspaceId, `${workspaceId} ${id} ${daysMax}`, async () => {
    const now = await getCampaign(ctx, workspaceId, id)
    return forecastOf(ctx, now, daysMax, (...of) => worker.ask(workspaceId, of, workerMs))
  })
}

function isSmall({ lead_counts, sequences, email_list }: Campaign, daysMax: number): boolean {
  const steps = sequences.reduce((sum, sequence) => sum + sequence.steps.length, 0)
  return lead_counts.active * steps + email_list.length * daysMax <= smallMax
}

/** Large ones that have not begun: whoever asks for the same waits for it, too. */
const waiting = new Map<string, { workspaceId: string; made: Promise<CampaignForecast> }>()
const waitingMax = 20
/** So that none takes all places of the others, by asking for many. */
const waitingMaxOfWorkspace = 2
const tooMany = 'Many forecasts of large campaigns are being made; ask again in a minute.'
const headers = { 'retry-after': '60' }
let lastOfAll: Promise<unknown> = Promise.resolve()

/** One after the other, each of what is true when its turn comes. */
function inTurn(
  workspaceId: string,
  key: string,
  make: () => Promise<CampaignForecast>,
): Promise<CampaignForecast> {
  const known = waiting.get(key)
  if (known) return known.made
  const own = waiting.values().filter((each) => each.workspaceId === workspaceId)
  if (waiting.size >= waitingMax || own.toArray().length >= waitingMaxOfWorkspace) {
    throw new AppError('unavailable', tooMany, { headers })
  }
  const made = lastOfAll.then(() => {
    waiting.delete(key)
    return make()
  })
  waiting.set(key, { workspaceId, made })
  lastOfAll = made.catch(() => undefined)
  return made
}

async function forecastOf(
  ctx: Context,
  campaign: Campaign,
  daysMax: number,
  make: (...of: Parameters<typeof forecast>) => Forecast | Promise<Forecast>,
): Promise<CampaignForecast> {
  const now = ctx.now()
  const { workspace_id, id, name, status, email_list } = campaign
  const rows = await queries.findMailboxes(ctx.db, workspace_id, id, email_list)
  const mailboxes = rows.map(plannedMailbox)
  const history = await readHistory(ctx, campaign, mailboxes, now)
  const cohorts = await readCohorts(ctx, campaign, now)
  const steps = campaign.sequences.flatMap((sequence) => sequence.steps)
  const planned = plannedCampaign(campaign, steps)
  const made = await make(now, planned, mailboxes, cohorts, history, daysMax)
  return {
    campaign: { id, name, status },
    timezone: zoneOf(campaign.campaign_schedule),
    mailboxes: rows.map(({ id, address, status, shared_with }) => ({
      id,
      address,
      status,
      shared_with,
    })),
    ...made,
  }
}

async function readHistory(
  { db }: Context,
  { workspace_id, id, campaign_schedule }: Campaign,
  mailboxes: PlannedMailbox[],
  now: Date,
): Promise<SendHistory> {
  const ids = mailboxes.map((mailbox) => mailbox.id)
  const days = await queries.findDays(db, workspace_id, id, ids, now)
  const sentOn = (mailboxId: string | null, day: string) =>
    days.find((each) => each.mailbox_id === mailboxId && each.day === day) ?? {
      day,
      sent: 0,
      new_leads: 0,
    }
  return {
    campaignDay: sentOn(null, dayOf(zoneOf(campaign_schedule), now)),
    mailboxDays: new Map(
      mailboxes.map(({ id, timezone }) => [id, sentOn(id, dayOf(timezone ?? 'UTC', now))]),
    ),
  }
}

async function readCohorts(
  { db }: Context,
  { workspace_id, id, lead_counts }: Campaign,
  now: Date,
): Promise<Cohort[]> {
  const pending = await queries.countPending(db, workspace_id, id, now)
  const active = await queries.countActive(db, workspace_id, id)
  const suppressed = await queries.countSuppressed(db, workspace_id, id, now)
  const sending = [...pending, ...active].reduce((sum, { leads }) => sum + leads, 0)
  const fresh = { mailbox_id: null, sent_step_ids: [], current_step: 0 }
  const cohorts = [
    ...pending.map((each): Cohort => ({ ...fresh, sending_state: 'pending', ...each })),
    ...active.map((each): Cohort => ({ ...each, sending_state: 'active' })),
  ]
  return [
    ...withoutSuppressed(cohorts, suppressed),
    // The others that are not done with: nothing is due to them.
    ...(lead_counts.active > sending
      ? [
          {
            ...fresh,
            sending_state: 'paused' as const,
            due: now,
            leads: lead_counts.active - sending,
          },
        ]
      : []),
  ]
}

type Placed = Omit<Cohort, 'current_step'>

/** Each cohort in two: those who get mail, and those whom nobody may write to. */
function withoutSuppressed(cohorts: Cohort[], suppressed: Placed[]): Cohort[] {
  const keyOf = ({ sending_state, mailbox_id, sent_step_ids, due }: Placed) =>
    [sending_state, mailbox_id, ...sent_step_ids, due.getTime()].join(' ')
  const counts = new Map(suppressed.map((each) => [keyOf(each), each.leads]))
  return cohorts.flatMap((cohort): Cohort[] => {
    const leads = Math.min(cohort.leads, counts.get(keyOf(cohort)) ?? 0)
    const left = { ...cohort, leads: cohort.leads - leads }
    const held = { ...cohort, sending_state: 'suppressed' as const, leads }
    return [left, held].filter((each) => each.leads > 0)
  })
}
