import { afterAll, beforeAll, expect, test } from 'vitest'
import { complaint, type Inbox, letter, report, testInbox } from '../../../test/inbox.ts'
import { setWorkspace } from '../workspaces/index.ts'
import { getThread } from './index.ts'

let inbox: Inbox
beforeAll(async () => {
  inbox = await testInbox()
  await inbox.createReadMailbox()
  await setWorkspace(inbox.ctx, inbox.workspaceId, { unsubscribeByReply: true })
  inbox.startReader()
})
afterAll(() => inbox[Symbol.asyncDispose]())

const page = { limit: 10, startingAfter: undefined }
const threadOf = (leadId: string) => getThread(inbox.ctx, inbox.workspaceId, leadId, page)

let people = 0

/** A lead that was written to. */
async function contacted() {
  people += 1
  const recipient = `person${people}@lead.example`
  return { recipient, ...(await inbox.contact([recipient])) }
}

async function expectNothingFinal(leadId: string) {
  const { stop_reason, status } = await inbox.lead(leadId)
  expect([null, 'replied', 'auto_replied']).toContain(stop_reason)
  expect(['bounced', 'unsubscribed']).not.toContain(status)
  const { peek } = inbox.ctx.database
  expect(await peek.selectFrom('suppressions').selectAll().execute()).toEqual([])
}

test('a report that cites no mail of ours is shown, and is soft at most', async () => {
  const { leadId, recipient } = await contacted()
  inbox.arrive(report({ recipient }))
  await inbox.readAll()
  await expectNothingFinal(leadId)
  expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'active' })
  const [event] = await inbox.waitForEvents('email.bounced')
  expect(event.data.bounce).toMatchObject({ kind: 'soft', code: '5.1.1' })
  const { kind, messages } = await threadOf(leadId)
  expect(kind).toBe('bounce')
  expect(messages.items[0]).toMatchObject({ details: { matched_by: 'address', bounce: 'soft' } })
})

test('however many there are of them, they are no row of mails that came back', async () => {
  const { recipient, leadId } = await contacted()
  const full = { status: '4.2.2', diagnostic: 'smtp; 452 4.2.2 Mailbox full' }
  // Each is taken for one about the mail before it.
  for (let more = 0; more < 5; more++) {
    inbox.arrive(report({ recipient }, full))
    await inbox.readAll()
    await inbox.contact([recipient])
  }
  await expectNothingFinal(leadId)
})

test('a complaint that cites no mail of ours is a suggestion', async () => {
  const { leadId, recipient } = await contacted()
  inbox.arrive(complaint({ recipient }))
  await inbox.readAll()
  await expectNothingFinal(leadId)
  expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'active' })
  expect(await threadOf(leadId)).toMatchObject({ kind: 'complaint', suggestion: 'unsubscribed' })
})

test('whoever writes in the name of the lead can only suggest to unsubscribe it', async () => {
  const { leadId, recipient } = await contacted()
  inbox.arrive(letter({ from: recipient, body: 'Unsubscribe' }))
  await inbox.readAll()
  await expectNothingFinal(leadId)
  expect(await threadOf(leadId)).toMatchObject({ kind: 'reply', suggestion: 'unsubscribed' })
})

test('a Message-ID that a stranger has chosen proves nothing', async () => {
  const { leadId, recipient } = await contacted()
  const messageId = '<chosen@evil.example>'
  inbox.arrive(letter({ from: recipient, headers: [`Message-ID: ${messageId}`] }))
  // From here on it is the id of a message that is kept.
  await inbox.readAll()
  inbox.arrive(report({ recipient, messageId }))
  inbox.arrive(complaint({ recipient, messageId }))
  const headers = ['Message-ID: <again@evil.example>', `In-Reply-To: ${messageId}`]
  inbox.arrive(letter({ from: recipient, body: 'Unsubscribe', headers }))
  await inbox.readAll()
  await expectNothingFinal(leadId)
  const { messages } = await threadOf(leadId)
  const kinds = messages.items.map(({ kind }) => kind)
  expect(kinds).toEqual(['reply', 'complaint', 'bounce', 'reply', 'step'])
})

test('a report about somebody else says nothing of the lead, whoever that is', async () => {
  const { leadId, messageId } = await contacted()
  inbox.arrive(report({ recipient: 'member@elsewhere.example', messageId }))
  await inbox.readAll()
  await expectNothingFinal(leadId)
  expect(await inbox.lead(leadId)).toMatchObject({ sending_state: 'active' })
  expect(await threadOf(leadId)).toMatchObject({ kind: 'bounce' })
})
