// Also runs on PostgreSQL 15: locks.

import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import {
  alwaysOpen,
  type LedgerEntry,
  type Sending,
  testSending,
} from '../../../../test/sending.ts'
import { createSignal } from '../../../../test/signal.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { operator } from '../../audit/index.ts'
import { createCampaign } from '../../campaigns/campaigns.ts'
import { updateCampaign } from '../../campaigns/update-campaign.ts'
import { addLeads } from '../../leads/index.ts'
import { addMailbox } from '../../mailboxes/index.ts'
import { lockSuppressions } from '../../suppression/suppression.ts'
import { createWorkspace } from '../../workspaces/index.ts'
import { countSetAside } from '../cross-workspace.ts'
import { confirmArrived } from '../uncertain/decide.ts'

let sending: Sending
let closing: (() => Promise<unknown>) | undefined
afterEach(async () => {
  await closing?.()
  closing = undefined
  await sending[Symbol.asyncDispose]()
})

const stateOf = (entries: LedgerEntry[], leadId: string) =>
  entries.find(({ lead_id }) => lead_id === leadId)?.state

const metricsOf = async () =>
  (await sending.ctx.metrics.text())
    .split('\n')
    .filter((line) => /^outrider_settlements/.test(line))

const lead = (id: string) =>
  sending.ctx.database.peek
    .selectFrom('leads')
    .select(['sending_state', 'skip_reason', 'status', 'current_step'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** A lead of another workspace that is to be sent a mail. */
async function neighbour(email = 'their@lead.example'): Promise<string> {
  return (await addNeighbour('neighbour', email)).leadId
}

async function addNeighbour(name: string, email: string) {
  const { ctx, smtpPort, store } = sending
  const { id } = await createWorkspace(ctx, name)
  const address = `nina@${name}.example`
  store.addAccount({ address, password: 'correct horse' })
  const login = { host: '127.0.0.1', username: address, password: 'correct horse' }
  const server = { ...login, port: smtpPort, security: 'none' as const }
  await addMailbox(ctx, id, { address, smtp: server, imap: { ...server, port: 1 } }, operator)
  const campaign = await createCampaign(ctx, id, {
    ...{ name: 'theirs', campaign_schedule: alwaysOpen, email_gap: 0, random_wait_max: 0 },
    email_list: [address],
    sequences: [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }],
  })
  await updateCampaign(ctx, id, campaign.id, { status: 'active' })
  const { created_leads } = await addLeads(ctx, id, {
    ...{ campaign_id: campaign.id, leads: [{ email }] },
    ...{ skip_if_in_workspace: false, overwrite: false },
  })
  return { id, leadId: created_leads[0]?.id ?? '' }
}

test('no result waits for what is locked in another workspace', async () => {
  const refused = createSignal()
  let refusals = 0
  sending = await testSending({
    smtp: {
      onRcptTo({ address }, _session, done) {
        refusals += 1
        refused.raise()
        const refusal = Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 })
        done(address.startsWith('gone') ? refusal : null)
      },
    },
  })
  const { ctx, workspaceId } = sending
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  const other = await sending.createCampaign([await sending.createMailbox('bert@example.com')])
  const leadIds = await sending.addLeads(campaign.id, ['gone1@lead.example'])
  leadIds.push(...(await sending.addLeads(other.id, ['gone2@lead.example'])))
  const setStatus = (status: string) =>
    sending.call('PATCH', `/api/v2/campaigns/${other.id}`, { body: { status } })
  await setStatus('paused')
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const lock = transaction(ctx, async (tx) => {
    await lockSuppressions(tx, workspaceId)
    locked.resolve()
    await release.promise
  })
  await locked.promise
  await sending.startRunner()
  await ctx.database.untilWaiting()
  // A second result, while the first waits.
  await setStatus('active')
  await refused.until(() => refusals === 2)
  const theirs = await neighbour()
  await sending.waitForLedger((all) => stateOf(all, theirs) === 'sent')
  const entries = await sending.ledger()
  expect(leadIds.map((id) => stateOf(entries, id))).not.toContain('failed')
  release.resolve()
  await lock
  await sending.waitForLedger((all) => leadIds.every((id) => stateOf(all, id) === 'failed'))
})

/** Somebody else is at these leads until the returned function, or the test, has ended. */
async function lockLeads(...leads: { id: string; leadId: string }[]) {
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const lock = transaction(sending.ctx, async (tx) => {
    for (const { id, leadId } of leads) {
      await sql`select from leads
        where workspace_id = ${id}::uuid and id = ${leadId}::uuid for update`.execute(tx.db)
    }
    locked.resolve()
    await release.promise
  })
  await locked.promise
  closing = async () => {
    release.resolve()
    await lock
  }
  return closing
}

/** It is still to be written to: whoever suppresses an address waits for its leads. */
const suppressOnly = (workspaceId: string, value: string) =>
  sending.ctx.database.peek
    .insertInto('suppressions')
    .values({
      ...{ workspace_id: workspaceId, kind: 'address', value },
      ...{ reason: 'blocked', timestamp_created: sending.ctx.now() },
    })
    .execute()

test('no mailbox waits for a lead of another workspace that is to be skipped and is locked', async () => {
  sending = await testSending()
  const { ctx, workspaceId } = sending
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  const [leadId = ''] = await sending.addLeads(campaign.id, ['ann@lead.example'])
  const release = await lockLeads({ id: sending.workspaceId, leadId })
  await suppressOnly(workspaceId, 'ann@lead.example')
  const theirs = await neighbour()
  await sending.startRunner()
  await sending.waitForLedger((all) => stateOf(all, theirs) === 'sent')
  const later = (await addNeighbour('later', 'later@lead.example')).leadId
  await sending.waitForLedger((all) => stateOf(all, later) === 'sent')
  expect(await lead(leadId)).toMatchObject({ sending_state: 'pending' })
  await release()
  await ctx.database.until(async () => (await lead(leadId)).sending_state === 'stopped')
})

test('a lead is skipped however many workspaces have locked theirs', async () => {
  sending = await testSending()
  const { database } = sending.ctx
  const theirs: { id: string; leadId: string }[] = []
  for (const n of [1, 2, 3]) {
    const their = await addNeighbour(`n${n}`, `ann${n}@lead.example`)
    await suppressOnly(their.id, `ann${n}@lead.example`)
    theirs.push(their)
  }
  const release = await lockLeads(...theirs)
  await sending.startRunner()
  await database.untilWaiting()
  const { id, leadId } = await addNeighbour('another', 'eve@lead.example')
  await suppressOnly(id, 'eve@lead.example')
  await database.until(async () => (await lead(leadId)).sending_state === 'stopped')
  const leadsOfTheirs = () => Promise.all(theirs.map((each) => lead(each.leadId)))
  for (const each of await leadsOfTheirs()) expect(each.sending_state).toBe('pending')
  await release()
  await database.until(async () => {
    const leads = await leadsOfTheirs()
    return leads.every(({ sending_state }) => sending_state === 'stopped')
  })
})

test('no mailbox waits for what was left open in another workspace whose lead is locked', async () => {
  sending = await testSending()
  const { peek } = sending.ctx.database
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  const [leadId = ''] = await sending.addLeads(campaign.id, ['ann@lead.example'])
  const died = await sending.startRunner()
  await sending.waitForLedger((all) => stateOf(all, leadId) === 'sent')
  await sending.untilAsleep()
  await died.stop()
  await peek
    .updateTable('sends')
    .set({ state: 'transmitting', timestamp_settled: null })
    .where('lead_id', '=', leadId)
    .execute()
  await peek.updateTable('mailbox_lanes').set({ wake_at: sending.ctx.now() }).execute()
  const release = await lockLeads({ id: sending.workspaceId, leadId })
  await sending.startRunner()
  const theirs = await neighbour()
  await sending.waitForLedger((all) => stateOf(all, theirs) === 'sent')
  expect(stateOf(await sending.ledger(), leadId)).toBe('transmitting')
  await release()
  await sending.waitForLedger((all) => stateOf(all, leadId) === 'uncertain')
  await sending.untilAsleep()
})

test('workspaces whose locks are held take no more than half of the connections, and keep no other waiting', async () => {
  const refused = createSignal()
  let refusals = 0
  sending = await testSending({
    config: { databaseConnectionsMax: 6 },
    smtp: {
      onRcptTo({ address }, _session, done) {
        if (address.startsWith('later')) {
          return done(Object.assign(new Error('4.3.0 Try later'), { responseCode: 451 }))
        }
        if (!address.startsWith('gone')) return done()
        refusals += 1
        refused.raise()
        done(Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 }))
      },
    },
  })
  const { ctx } = sending
  const theirs: { id: string; leadId: string }[] = []
  for (const n of [1, 2, 3, 4, 5]) theirs.push(await addNeighbour(`n${n}`, `gone${n}@lead.example`))
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const lock = transaction(ctx, async (tx) => {
    for (const { id } of theirs) await lockSuppressions(tx, id)
    locked.resolve()
    await release.promise
  })
  await locked.promise
  await sending.startRunner()
  await refused.until(() => refusals === theirs.length)
  await ctx.database.untilWaiting(3)
  // What goes on meanwhile would have let the others begin to wait, too.
  const another = await neighbour()
  await sending.waitForLedger((all) => stateOf(all, another) === 'sent')
  const { leadId: putOff } = await addNeighbour('put-off', 'later@lead.example')
  await sending.waitForLedger((all) => stateOf(all, putOff) === 'failed')
  // Fewer for a moment, where one has waited too long and begins anew.
  expect(await ctx.database.countWaiting()).toBeLessThanOrEqual(3)
  release.resolve()
  await lock
  await sending.waitForLedger((all) =>
    theirs.every(({ leadId }) => stateOf(all, leadId) === 'failed'),
  )
})

test('a value that comes while a mail fails for want of it is used at once', async () => {
  sending = await testSending()
  const { ctx, workspaceId } = sending
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  const input = { campaign_id: campaign.id, skip_if_in_workspace: false }
  const [leadId = ''] = await sending.addLeads(campaign.id, [{ email: 'ann@lead.example' }])
  const written = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const overwriting = transaction(ctx, async (tx) => {
    const leads = [{ email: 'ann@lead.example', first_name: 'Ann' }]
    await addLeads(tx, workspaceId, { ...input, leads, overwrite: true })
    written.resolve()
    await release.promise
  })
  await written.promise
  await sending.startRunner()
  await ctx.database.untilWaiting()
  release.resolve()
  await overwriting
  await sending.waitForLedger((all) => stateOf(all, leadId) === 'sent')
  expect(await lead(leadId)).toMatchObject({ skip_reason: null })
})

test('a mail whose text the database refuses is recorded without it, and is an alarm', async () => {
  sending = await testSending()
  const { peek } = sending.ctx.database
  await sql`alter table messages add check (text not like '%Hi%')`.execute(peek)
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  await sending.startRunner()
  const [leadId = ''] = await sending.addLeads(campaign.id, ['ann@lead.example'])
  await sending.waitForLedger((all) => stateOf(all, leadId) === 'sent')
  expect(await lead(leadId)).toMatchObject({ status: 'completed', skip_reason: null })
  expect(await metricsOf()).toEqual(['outrider_settlements_refused_total 1'])
})

test('a result that the database refuses holds up no other, and a person sees it', async () => {
  sending = await testSending()
  const { peek } = sending.ctx.database
  await sql`alter table events add check (lead_email <> 'bob@lead.example')`.execute(peek)
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  const emails = ['ann@lead.example', 'bob@lead.example', 'eve@lead.example']
  const [ann = '', bob = '', eve = ''] = await sending.addLeads(campaign.id, emails)
  await sending.startRunner()
  const entries = await sending.waitForLedger(
    (all) =>
      all.length === 3 && all.every(({ state }) => state === 'sent' || state === 'uncertain'),
  )
  expect([ann, bob, eve].map((id) => stateOf(entries, id))).toEqual(['sent', 'uncertain', 'sent'])
  expect(await lead(bob)).toMatchObject({
    sending_state: 'paused',
    skip_reason: expect.stringContaining('The database refused to record'),
  })
  expect(await countSetAside(peek)).toBe(1)
  expect(await metricsOf()).toEqual(['outrider_settlements_refused_total 1'])
  expect(sending.outbox).toHaveLength(3)
  await sending.untilAsleep()
})

test('a lead whose mail was set aside goes on with the next step once a person resumes it', async () => {
  sending = await testSending()
  const { ctx, workspaceId } = sending
  const { peek } = ctx.database
  await sql`alter table events add constraint refused check (lead_email <> 'bob@lead.example')`.execute(
    peek,
  )
  const steps = [
    { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] },
    { delay: 1, delay_unit: 'days', variants: [{ subject: '', body: '<p>And?</p>' }] },
  ]
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')], {
    sequences: [{ steps }],
  })
  const email = 'bob@lead.example'
  const [bob = ''] = await sending.addLeads(campaign.id, [email])
  await sending.startRunner()
  const [entry] = await sending.waitForLedger((all) => stateOf(all, bob) === 'uncertain')
  await sql`alter table events drop constraint refused`.execute(peek)
  await confirmArrived(ctx, workspaceId, entry?.id ?? '', operator)
  const body = { email, campaign_id: campaign.id, new_status: 'active' }
  await sending.call('POST', '/api/v2/lead/update/status', { body })
  const { sending_state, current_step } = await lead(bob)
  expect({ sending_state, current_step }).toEqual({ sending_state: 'active', current_step: 1 })
  await sending.untilAsleep()
  ctx.clock.advance(86_400_000)
  await sending.waitForLedger((all) => all.filter(({ state }) => state === 'sent').length === 2)
  expect(await lead(bob)).toMatchObject({ sending_state: 'finished', current_step: 2 })
})
