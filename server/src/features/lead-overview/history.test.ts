import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Inbox, letter, testInbox } from '../../../test/inbox.ts'
import { operator } from '../audit/index.ts'
import { startErasure } from '../erasure/erase.ts'
import { runErasures } from '../erasure/index.ts'
import { createLabel } from '../labels/index.ts'
import { addSuppression } from '../suppression/index.ts'
import { listHistory } from './history.ts'
import { getLeadOverview } from './overview.ts'

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

const ada = 'ada@lead.example'

async function answered(): Promise<string> {
  const { leadId, messageId } = await inbox.contact([ada])
  inbox.startReader()
  const headers = [`In-Reply-To: ${messageId}`, 'Message-ID: <a1@lead.example>']
  inbox.arrive(letter({ from: ada, headers, body: 'Call me.' }))
  await inbox.waitForEvents('lead.replied')
  return leadId
}

test('mails and what followed stand in one line of time, and pages lose nothing', async () => {
  const leadId = await answered()
  const { ctx, workspaceId } = inbox
  await inbox.call('POST', '/api/v2/lead/update/status', {
    body: {
      ...{ email: ada, new_status: 'interested' },
      campaign_id: (await inbox.lead(leadId)).campaign_id,
    },
  })
  const all = await listHistory(ctx, workspaceId, leadId, { limit: 50, startingAfter: undefined })
  const told = all.items.map(({ kind, name, direction }) => [kind, direction ?? name])
  expect(told).toEqual([
    ['change', 'lead.status_set'],
    ['message', 'in'],
    ['message', 'out'],
  ])
  expect(all.next_starting_after).toBeUndefined()
  const ids: string[] = []
  let startingAfter: string | undefined
  do {
    const page = await listHistory(ctx, workspaceId, leadId, { limit: 1, startingAfter })
    ids.push(...page.items.map(({ id }) => id))
    startingAfter = page.next_starting_after
  } while (startingAfter)
  expect(ids).toEqual(all.items.map(({ id }) => id))
})

test('a label is one item of the history, and a change names the key or the person who made it', async () => {
  const leadId = await answered()
  const { ctx, workspaceId } = inbox
  const label = await createLabel(ctx, workspaceId, { name: 'Hot', effect: 'none' }, operator)
  const { campaign_id } = await inbox.lead(leadId)
  const body = { email: ada, new_status: label.id, campaign_id }
  await inbox.call('POST', '/api/v2/lead/update/status', { body })
  const page = { limit: 50, startingAfter: undefined }
  const { items } = await listHistory(ctx, workspaceId, leadId, page)
  const [set, ...others] = items.filter(({ kind }) => kind !== 'message')
  expect(set).toMatchObject({ name: 'lead.status_set', actor_type: 'key', actor_name: 'test' })
  expect(others).toEqual([])
})

test('why nothing is sent to a lead is said once', async () => {
  const leadId = await answered()
  const { ctx, workspaceId } = inbox
  const reasons = async () => (await getLeadOverview(ctx, workspaceId, leadId)).reasons
  await addSuppression(ctx, workspaceId, ada, operator)
  expect(await reasons()).toEqual([
    'Nothing is sent to this lead: its address is suppressed (blocked), and it is stopped (replied).',
  ])
  const { peek } = ctx.database
  const stopped = { sending_state: 'stopped', stop_reason: 'blocked' }
  await peek.updateTable('leads').set(stopped).where('id', '=', leadId).execute()
  const bySuppression = ['Nothing is sent to this lead: its address is suppressed (blocked).']
  expect(await reasons()).toEqual(bySuppression)
  const paused = { sending_state: 'paused', stop_reason: null }
  await peek.updateTable('leads').set(paused).where('id', '=', leadId).execute()
  expect(await reasons()).toEqual(bySuppression)
})

test('it says where a lead is in its sequence, why it gets nothing, whether the inbox has it, and where else the person is', async () => {
  const leadId = await answered()
  const other = await inbox.call('POST', '/api/v2/campaigns', { body: { name: 'Winter' } })
  await inbox.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: other.body.id, leads: [{ email: ada }] },
  })
  const overview = await getLeadOverview(inbox.ctx, inbox.workspaceId, leadId)
  expect(overview).toMatchObject({
    ...{ lead: { current_step: 1 }, has_conversation: true, is_erased: false },
    ...{ step: 1, steps_total: 2 },
  })
  expect(overview.reasons).toEqual(['Nothing is sent to this lead: it is stopped (replied).'])
  expect(overview.campaigns.map(({ campaign_name }) => campaign_name)).toContain('Winter')
  const draft = overview.campaigns.find(({ campaign_name }) => campaign_name === 'Winter')
  const waiting = await getLeadOverview(inbox.ctx, inbox.workspaceId, draft?.lead_id ?? '')
  expect(waiting.has_conversation).toBe(false)
  expect(waiting.reasons).toEqual([
    'The campaign is a draft: launch it, and it writes to this lead.',
  ])
})

test('who is erased from a workspace is in none of its mails, and cannot be added again', async () => {
  const leadId = await answered()
  const { ctx, workspaceId } = inbox
  const actor = { type: 'user', id: ctx.newId() } as const
  await startErasure(ctx, workspaceId, leadId, { actor })
  await runErasures(inbox.ctx)
  const overview = await getLeadOverview(ctx, workspaceId, leadId)
  expect(overview).toMatchObject({ is_erased: true, lead: { first_name: null } })
  const { items } = await listHistory(ctx, workspaceId, leadId, {
    ...{ limit: 50, startingAfter: undefined },
  })
  expect(items.map(({ name }) => name)).toEqual(['lead.erased'])
  const again = await inbox.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: overview.lead.campaign_id, leads: [{ email: 'ADA@lead.example' }] },
  })
  expect(again.body).toMatchObject({ leads_uploaded: 0, in_blocklist: 1 })
  // Another workspace decides for itself.
  const stranger = await inbox.createStranger()
  const { body } = await inbox.call('POST', '/api/v2/campaigns', {
    ...{ body: { name: 'Theirs' }, key: stranger.key },
  })
  const theirs = await inbox.call('POST', '/api/v2/lead/add', {
    ...{ body: { campaign_id: body.id, leads: [{ email: ada }] }, key: stranger.key },
  })
  expect(theirs.body).toMatchObject({ leads_uploaded: 1 })
})
