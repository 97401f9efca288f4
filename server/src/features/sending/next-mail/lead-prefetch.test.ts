import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../../test/sending.ts'
import type { Mailbox } from '../../mailboxes/index.ts'
import { Lane } from '../lanes/lane.ts'
import { createSenderParts } from '../lanes/sender-parts.ts'
import { RestoreGuard } from '../restore-guard/restore-guard.ts'
import { LeadPrefetch } from './lead-prefetch.ts'
import { planLanes } from './plan-lanes.ts'

let sending: Sending
let mailboxes: Mailbox[]
beforeEach(async () => {
  sending = await testSending()
  mailboxes = []
  for (const name of ['anna', 'bert', 'carl']) {
    mailboxes.push(await sending.createMailbox(`${name}@example.com`))
  }
})
afterEach(() => sending[Symbol.asyncDispose]())

/** With so many leads who are due. @returns its id */
async function createCampaign(leads: number): Promise<string> {
  const { id } = await sending.createCampaign(mailboxes)
  await sending.addLeads(
    id,
    Array.from({ length: leads }, (_, n) => `${n}@lead.example`),
  )
  return id
}

/** For the leads of so many campaigns. */
const roomFor = (leads: number, campaigns: number) => campaigns * (300 + 700 * leads)

test('no more leads are held than there is room for, however many campaigns want some at once', async () => {
  const { ctx, workspaceId } = sending
  const campaigns = [await createCampaign(20), await createCampaign(20), await createCampaign(20)]
  const prefetch = new LeadPrefetch(roomFor(4, 3))
  const fill = (ids: string[], leads: number) =>
    prefetch.fill(
      ctx.db,
      ids.map((campaign_id) => ({ workspace_id: workspaceId, campaign_id, leads })),
      ctx.now(),
    )
  const held = () => campaigns.map((id) => prefetch.offer(id, 100).length)
  // One that is alone has all of the room.
  await fill(campaigns.slice(0, 1), 10)
  expect(held()).toEqual([12, 0, 0])
  await fill(campaigns, 10)
  expect(held()).toEqual([4, 4, 4])
  expect(campaigns.map(prefetch.isAtEnd)).toEqual([false, false, false])

  // What there was no room for is read once others are done.
  const [first = ''] = campaigns
  const offered = new Set<string>()
  while (offered.size < 20) {
    await fill(campaigns, 10)
    const leads = prefetch.offer(first, 4)
    expect(leads.length).toBeGreaterThan(0)
    prefetch.take(leads)
    for (const { id } of leads) offered.add(id)
  }
  await fill(campaigns, 10)
  expect(prefetch.offer(first, 4)).toEqual([])
  expect(prefetch.isAtEnd(first)).toBe(true)
})

test('a mailbox for whose leads there was no room does not sleep, and has its turn', async () => {
  const { ctx, workspaceId } = sending
  await createCampaign(3)
  const parts = {
    ...createSenderParts(ctx, new RestoreGuard(ctx), new Date(0)),
    prefetch: new LeadPrefetch(roomFor(1, 1)),
  }
  let waiting = mailboxes.map(({ id }) => new Lane(workspaceId, id, '0'))
  const turns: string[][] = []
  while (waiting.length > 0 && turns.length < 10) {
    const actions = await planLanes(ctx, waiting, parts)
    turns.push(waiting.map((lane) => actions.get(lane)?.kind ?? 'none').toSorted())
    waiting = waiting.filter((lane) => actions.get(lane)?.kind === 'again')
  }
  expect(turns).toEqual([['again', 'again', 'send'], ['again', 'send'], ['send']])
})

test('a mailbox whose lead is free by the ledger, and held by another one that hangs, looks again soon', async () => {
  const { ctx, workspaceId } = sending
  const campaign_id = await createCampaign(1)
  const parts = createSenderParts(ctx, new RestoreGuard(ctx), new Date(0))
  await parts.prefetch.fill(
    ctx.db,
    [{ workspace_id: workspaceId, campaign_id, leads: 1 }],
    ctx.now(),
  )
  const taken = parts.prefetch.offer(campaign_id, 1)
  parts.prefetch.take(taken)

  const plan = async () => {
    const lane = new Lane(workspaceId, mailboxes[0]?.id ?? '', '0')
    return (await planLanes(ctx, [lane], parts)).get(lane)?.kind
  }
  expect(await plan()).toBe('asleep')
  const { wake_at } = await ctx.database.peek
    .selectFrom('mailbox_lanes')
    .select('wake_at')
    .where('mailbox_id', '=', mailboxes[0]?.id ?? '')
    .executeTakeFirstOrThrow()
  expect(wake_at?.getTime() ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(
    ctx.now().getTime() + 1_000,
  )
  for (const { id } of taken) parts.prefetch.release(id)
  expect(await plan()).toBe('send')
})

test('a lead that is due later than it was when it was read keeps nobody waiting who is due before', async () => {
  const { ctx, workspaceId } = sending
  const { peek } = ctx.database
  const campaign = await sending.createCampaign(mailboxes, { email_gap: 1 })
  const { id: campaign_id } = campaign
  const [postponed = ''] = await sending.addLeads(campaign_id, ['later@lead.example'])
  const [paused = ''] = await sending.addLeads(campaign_id, ['resumed@lead.example'])
  const change = (id: string, values: object) =>
    peek.updateTable('leads').set(values).where('id', '=', id).execute()
  const days = (count: number) => new Date(ctx.now().getTime() + count * 86_400_000)
  await change(paused, { sending_state: 'paused', timestamp_created: days(-6) })
  const parts = createSenderParts(ctx, new RestoreGuard(ctx), new Date(0))
  const wanted = { workspace_id: workspaceId, campaign_id, leads: 1 }
  await parts.prefetch.fill(ctx.db, [wanted], ctx.now())
  const [sequence] = campaign.sequences
  const steps = [{ ...sequence.steps[0], delay: 5, delay_unit: 'days' }]
  const body = { sequences: [{ ...sequence, steps }] }
  const { status } = await sending.call('PATCH', `/api/v2/campaigns/${campaign_id}`, { body })
  expect(status).toBe(200)

  const lane = new Lane(workspaceId, mailboxes[0]?.id ?? '', '0')
  const plan = async () => (await planLanes(ctx, [lane], parts)).get(lane)?.kind
  expect(await plan()).toBe('asleep')
  await change(postponed, { timestamp_next_send: days(5) })
  await change(paused, { sending_state: 'pending', timestamp_next_send: ctx.now() })
  expect(await plan()).toBe('send')
})
