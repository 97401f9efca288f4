import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator } from '../../../src/features/audit/index.ts'
import { createCampaign } from '../../../src/features/campaigns/campaigns.ts'
import { updateCampaign } from '../../../src/features/campaigns/update-campaign.ts'
import { addLeads, type LeadActivity, recordActivities } from '../../../src/features/leads/index.ts'
import { lockLeads } from '../../../src/features/leads/queries.ts'
import { addMailbox } from '../../../src/features/mailboxes/index.ts'
import { claimSends } from '../../../src/features/sending/claim/claim.ts'
import type { ClaimRequest } from '../../../src/features/sending/ledger.ts'
import { CampaignCache } from '../../../src/features/sending/next-mail/campaign-cache.ts'
import { settleSends } from '../../../src/features/sending/settle/settle.ts'
import { markTransmitting } from '../../../src/features/sending/transmit/mark-queries.ts'
import { messageIdOf } from '../../../src/features/sending/transmit/message-id.ts'
import type { Outcome } from '../../../src/features/sending/transmit/outcome.ts'
import { transaction } from '../../../src/kernel/db/transaction.ts'
import { ensurePartitions } from '../../../src/partitions.ts'
import { type TestApi, testApi } from '../../app.ts'
import { Random } from '../../random.ts'
import { alwaysOpen, keepInboxRead } from '../../sending.ts'
import { MemoryLedger } from './ledger.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const seeds = [1, 2, 3, 4]
const turns = 60

const seen = { epoch: 0, readSince: new Date(0) }

test.each(seeds)('history %d is the same in memory as in the database', async (seed) => {
  const random = new Random(`conformance ${seed}`)
  const { ctx, workspaceId } = api
  // As upkeep does: the clock goes on by a week with each history.
  await ensurePartitions(ctx)
  const { memory, mailboxes } = await open(seed, random)
  const { campaign } = memory
  const requests: ClaimRequest[] = []
  for (let turn = 0; turn < turns; turn++) {
    ctx.clock.advance(random.pick([1_000, 60_000, 3_600_000, 40_000_000]))
    const now = ctx.now()
    const lead = random.pick([...memory.leads.values()])
    const step = random.pick(campaign.steps)
    const known = requests.filter(({ lead_id }) => random.chance(0.7) || lead_id === lead.id)
    const request = known.length > 0 ? random.pick(known) : undefined
    const turnOf = random.next()
    if (turnOf < 0.4 || !request) {
      const mailbox = random.pick(mailboxes)
      const key = { workspace_id: workspaceId, lead_id: lead.id, step_id: step.id }
      const day = now.toISOString().slice(0, 10)
      const claim: ClaimRequest = {
        ...{ ...key, id: ctx.newId(), campaign_id: campaign.id, mailbox_id: mailbox.id },
        campaign_version: memory.campaign.version,
        mailbox_version: mailbox.timestamp_updated,
        ...{ step: step.number, variant: 1, variant_id: step.variants[0]?.id ?? '' },
        ...{ message_id: messageIdOf(key, mailbox.address), token: '0' },
        ...{ is_new: lead.sent_step_ids.length === 0, campaign_day: day, mailbox_day: day },
        after_step_id: lead.sent_step_ids.at(-1) ?? null,
        ...{ mailbox_limit: 3, until: new Date('2099-01-01') },
      }
      requests.push(claim)
      const [real] = await transaction(ctx, (tx) => claimSends(tx, [claim], seen))
      expect(memory.claim(claim, now), `claim of turn ${turn}`).toBe(real?.attempt ?? null)
    } else if (turnOf < 0.6) {
      const mark = { ...request, attempt: 1, subject: '', starts_thread: true }
      const real = (await markTransmitting(ctx.db, [mark], now, seen.readSince)).has(request.id)
      expect(memory.mark(request, now), `mark of turn ${turn}`).toBe(real)
    } else if (turnOf < 0.85) {
      const outcome = drawOutcome(random, now)
      const { address } = mailboxes.find(({ id }) => id === request.mailbox_id) ?? { address: '' }
      const state = memory.sends.get(`${request.lead_id} ${request.step_id}`)?.state
      // That somebody decides on an uncertain mail is no matter of a campaign by itself.
      if (state === 'uncertain' && outcome.kind === 'failed') continue
      const [real] = await transaction(ctx, (tx) =>
        settleSends(tx, new CampaignCache(), [
          {
            ...{ ...request, outcome, at: now, mailbox: address, recipient: 'a@b.example' },
            ...{ threadSubject: null, mail: null, gapSeconds: 0 },
          },
        ]),
      )
      const { id, lead_id: leadId, step_id: stepId } = request
      const result = { id, leadId, stepId, outcome, from: address, at: now }
      expect(memory.settle(result, now), `settle of turn ${turn}`).toBe(real)
    } else if (turnOf < 0.95) {
      const activity = drawActivity(random, lead.id, now)
      await transaction(ctx, (tx) => recordActivities(tx, workspaceId, [activity]))
      memory.record(activity, now)
    } else {
      const status = memory.campaign.status === 'active' ? 'paused' : 'active'
      const changed = await updateCampaign(ctx, workspaceId, campaign.id, { status })
      memory.campaign = {
        ...memory.campaign,
        status: changed.status as 'active' | 'paused',
        version: changed.timestamp_updated,
      }
    }
    const completed = await ctx.database.peek
      .selectFrom('campaigns')
      .select('status')
      .where('id', '=', campaign.id)
      .executeTakeFirstOrThrow()
    if (completed.status === 'completed') break
    expect(shownOf(memory), `after turn ${turn}`).toEqual(await readReal(memory))
  }
})

async function open(seed: number, random: Random) {
  const { ctx, workspaceId } = api
  const server = { host: 'mail.example.com', password: 'secret' }
  const mailboxes = await Promise.all(
    ['a', 'b'].map((name) => {
      const address = `${name}${seed}@ours.example`
      const login = { ...server, username: address }
      return addMailbox(ctx, workspaceId, { address, smtp: login, imap: login }, operator)
    }),
  )
  for (const mailbox of mailboxes) await keepInboxRead(ctx.database.peek, mailbox.id)
  const limits = { daily_limit: random.pick([null, 3]), daily_max_leads: random.pick([null, 2]) }
  const delays = [0, 1, 2].map((delay) => ({ delay, delay_unit: 'days' as const }))
  const { id } = await createCampaign(ctx, workspaceId, {
    name: 'conformance',
    campaign_schedule: alwaysOpen,
    email_list: mailboxes.map(({ address }) => address),
    sequences: [
      { steps: delays.map((delay) => ({ ...delay, variants: [{ subject: 'Hi', body: 'Hi' }] })) },
    ],
    stop_for_company: random.chance(0.5),
    ...limits,
  })
  const { sequences, campaign_schedule, timestamp_updated } = await updateCampaign(
    ctx,
    workspaceId,
    id,
    {
      status: 'active',
    },
  )
  const names = ['ann@acme', 'bob@acme', 'eve@globex', 'joe@initech', 'kim@hooli', 'lee@umbrella']
  const emails = names.map((name) => `${name}.example`)
  const { created_leads } = await addLeads(ctx, workspaceId, {
    ...{ campaign_id: id, skip_if_in_workspace: false, overwrite: false },
    leads: emails.map((email) => ({ email: `${seed}${email}` })),
  })
  const leads = await lockLeads(
    ctx.db,
    workspaceId,
    created_leads.map((lead) => lead.id),
  )
  const steps = (sequences[0]?.steps ?? []).map((step, index) => ({
    ...{ ...step, number: index + 1 },
    variants: step.variants.map((variant, at) => ({ ...variant, number: at + 1 })),
  }))
  const campaign = {
    ...{ id, status: 'active' as const, version: timestamp_updated },
    ...{ schedule: campaign_schedule, steps, ...limits },
  }
  return { memory: new MemoryLedger(campaign, leads), mailboxes }
}

function drawOutcome(random: Random, now: Date): Outcome {
  const error = { stage: 'rcpt', code: null, message: 'refused' }
  const failed = (effect: Extract<Outcome, { kind: 'failed' }>['effect']): Outcome => ({
    ...{ kind: 'failed', error, effect },
  })
  const bounce = { kind: 'hard' as const, code: '5.1.1', diagnostic: 'No such user' }
  const outcomes: Outcome[] = [
    ...[{ kind: 'sent' as const }, { kind: 'sent' as const }, { kind: 'abandoned' as const }],
    { kind: 'uncertain', error },
    failed({ kind: 'again' }),
    failed({ kind: 'later', at: new Date(now.getTime() + 300_000) }),
    failed({ kind: 'bounce', bounce }),
    failed({ kind: 'skip', reason: 'message_refused', detail: 'too large' }),
  ]
  return random.pick(outcomes)
}

function drawActivity(random: Random, leadId: string, now: Date): LeadActivity {
  const message = { message_id: '<1@ours.example>', subject: '', step: 1, variant: 1, mailbox: '' }
  const reply = { message_id: null, subject: '', text: '', html: null, snippet: '' }
  const resumeAt = new Date(now.getTime() + 3 * 86_400_000)
  const bounce = { kind: random.pick(['hard', 'soft'] as const), code: '5.1.1', diagnostic: '' }
  return random.pick<LeadActivity>([
    { kind: 'replied', leadId, message, reply },
    { kind: 'auto_replied', leadId, message, reply, isOutOfOffice: true, resumeAt },
    { kind: 'bounced', leadId, message, bounce },
    { kind: 'unsubscribed', leadId },
  ])
}

const leadFields = [
  ...(['id', 'status', 'sending_state', 'stop_reason', 'current_step', 'sent_step_ids'] as const),
  ...(['timestamp_next_send', 'postponed_until', 'mailbox_id', 'email_reply_count'] as const),
]

type Shown = { leads: object[]; sends: object[]; days: object[] }

function shownOf(memory: MemoryLedger): Shown {
  const pick = (lead: Record<string, unknown>) =>
    Object.fromEntries(leadFields.map((field) => [field, lead[field]]))
  return {
    leads: [...memory.leads.values()].map((lead) => pick({ ...lead })),
    sends: inOrder(
      [...memory.sends.values()].map(({ id, state, attempt }) => ({ id, state, attempt })),
    ),
    days: [...memory.campaignDays]
      .map(([day, counted]) => ({ day, ...counted }))
      .sort((a, b) => (a.day < b.day ? -1 : 1)),
  }
}

async function readReal({ leads, campaign }: MemoryLedger): Promise<Shown> {
  const { peek } = api.ctx.database
  const real = await lockLeads(api.ctx.db, api.workspaceId, [...leads.keys()])
  const byId = new Map(real.map((lead) => [lead.id, lead]))
  const pick = (id: string) => {
    const lead = { ...byId.get(id) } as Record<string, unknown>
    return Object.fromEntries(leadFields.map((field) => [field, lead[field]]))
  }
  const sends = await peek
    .selectFrom('sends')
    .select(['id', 'state', 'attempt'])
    .where('campaign_id', '=', campaign.id)
    .execute()
  const days = await peek
    .selectFrom('campaign_days')
    .select(['day', 'sent', 'new_leads'])
    .where('campaign_id', '=', campaign.id)
    .orderBy('day')
    .execute()
  return {
    leads: [...leads.keys()].map(pick),
    sends: inOrder(sends),
    days: days.map(({ day, ...counted }) => ({ day: String(day), ...counted })),
  }
}

const inOrder = <Send extends { id: string }>(sends: Send[]) =>
  sends.sort((a, b) => (a.id < b.id ? -1 : 1))
