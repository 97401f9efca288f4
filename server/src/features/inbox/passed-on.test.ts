import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Inbox, letter, testInbox } from '../../../test/inbox.ts'
import { alwaysOpen } from '../../../test/sending.ts'
import { findSuppressed } from '../suppression/index.ts'
import { setWorkspace } from '../workspaces/index.ts'
import { getThread } from './index.ts'

const ada = 'ada@firm.example'
const bob = 'bob@firm.example'
let inbox: Inbox
/** Of the mail to Ada, which she passes on to Bob. */
let messageId: string
let leadIds: Record<'ada' | 'bob', string>
beforeEach(async () => {
  inbox = await testInbox()
  const [toAda, toBob] = [await inbox.contact([ada]), await inbox.contact([bob])]
  messageId = toAda.messageId
  leadIds = { ada: toAda.leadId, bob: toBob.leadId }
  inbox.startReader()
})
afterEach(() => inbox[Symbol.asyncDispose]())

const page = { limit: 10, startingAfter: undefined }
const arriveFrom = (from: string, body: string) => {
  const headers = ['Message-ID: <answer@firm.example>', `In-Reply-To: ${messageId}`]
  inbox.arrive(letter({ from, headers, body }))
}

test('whoever answers a mail that was passed on to them has answered, as the conversation has', async () => {
  arriveFrom(bob, 'Not interested, thank you.')
  await inbox.readAll()
  for (const id of Object.values(leadIds)) {
    expect(await inbox.lead(id)).toMatchObject({ sending_state: 'stopped', stop_reason: 'replied' })
    const { messages } = await getThread(inbox.ctx, inbox.workspaceId, id, page)
    expect(messages.items.map(({ kind }) => kind)).toEqual(['reply', 'step'])
  }
})

test('whoever asks there to be left alone asks it for themselves, and not for who passed it on', async () => {
  const { ctx, workspaceId } = inbox
  await setWorkspace(ctx, workspaceId, { unsubscribeByReply: true })
  arriveFrom(bob, 'Please remove me from your list.')
  await inbox.readAll()
  expect(await findSuppressed(ctx.db, workspaceId, [ada, bob])).toEqual(new Map())
  const suggestions = await Promise.all(
    [leadIds.ada, leadIds.bob].map((id) => getThread(ctx, workspaceId, id, page)),
  )
  expect(suggestions.map(({ suggestion }) => suggestion)).toEqual([null, 'unsubscribed'])
  expect(await inbox.lead(leadIds.bob)).toMatchObject({ sending_state: 'stopped' })
})

describe('whoever asks for themselves is a lead', () => {
  const carl = 'carl@firm.example'
  /** Another mailbox of the workspace, which nobody reads. */
  const bert = 'bert@example.com'
  beforeEach(() => inbox.createMailbox(bert))
  const later = { campaign_schedule: { ...alwaysOpen, start_date: '2100-01-01' } }
  const createCampaign = () => inbox.createCampaign([], { email_list: [bert], ...later })

  /** In the conversation of each of these leads, and for nobody else. */
  const expectWish = async (leadIds: string[]) => {
    const { ctx, workspaceId } = inbox
    await setWorkspace(ctx, workspaceId, { unsubscribeByReply: true })
    arriveFrom(carl, 'Please remove me from your list.')
    await inbox.readAll()
    expect(await findSuppressed(ctx.db, workspaceId, [ada, carl])).toEqual(new Map())
    for (const id of leadIds) {
      expect((await getThread(ctx, workspaceId, id, page)).suggestion).toBe('unsubscribed')
    }
  }

  test('that another mailbox wrote to', async () => {
    const { leadId } = await inbox.contact([carl], { email_list: [bert] })
    await expectWish([leadId])
    expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'replied' })
  })

  test('that nobody has written to yet, in every campaign that would', async () => {
    const campaigns = [await createCampaign(), await createCampaign()]
    const added = await Promise.all(campaigns.map(({ id }) => inbox.addLeads(id, [carl])))
    await expectWish(added.flat())
    for (const id of added.flat()) {
      expect(await inbox.lead(id)).toMatchObject({ stop_reason: 'replied' })
    }
  })

  test('that was written to after their answer, and before it was read', async () => {
    const { leadId } = await inbox.contact([carl], { email_list: [bert] })
    const anHourOn = new Date(inbox.ctx.now().getTime() + 3_600_000)
    await inbox.ctx.database.peek
      .updateTable('sends')
      .set({ timestamp_transmitting: anHourOn })
      .where('lead_id', '=', leadId)
      .execute()
    await expectWish([leadId])
    expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'replied' })
  })

  test('that was written to long ago, and is written to no more', async () => {
    const { leadId } = await inbox.contact([carl], { email_list: [bert] })
    await inbox.ctx.database.peek
      .updateTable('leads')
      .set({ timestamp_last_contact: new Date('2020-01-01'), sending_state: 'finished' })
      .where('id', '=', leadId)
      .execute()
    await expectWish([leadId])
  })
})

test('a stranger who is no lead asks for the one whose mail was passed on, as before', async () => {
  const { ctx, workspaceId } = inbox
  await setWorkspace(ctx, workspaceId, { unsubscribeByReply: true })
  arriveFrom('assistant@firm.example', 'Please remove me from your list.')
  await inbox.readAll()
  expect((await findSuppressed(ctx.db, workspaceId, [ada])).get(ada)).toBe('unsubscribed')
})
