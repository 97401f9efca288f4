import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Inbox, letter, testInbox } from '../../../test/inbox.ts'
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

test('a stranger who is no lead asks for the one whose mail was passed on, as before', async () => {
  const { ctx, workspaceId } = inbox
  await setWorkspace(ctx, workspaceId, { unsubscribeByReply: true })
  arriveFrom('assistant@firm.example', 'Please remove me from your list.')
  await inbox.readAll()
  expect((await findSuppressed(ctx.db, workspaceId, [ada])).get(ada)).toBe('unsubscribed')
})
