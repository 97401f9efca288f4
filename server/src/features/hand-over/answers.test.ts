import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Inbox, letter, report, testInbox } from '../../../test/inbox.ts'
import { operator } from '../audit/index.ts'
import { handOver } from './index.ts'

// Anna's mailbox wrote to ada first; then another one goes on.

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

const anna = 'anna@example.com'
const bert = 'bert@example.com'
const ada = 'ada@lead.example'

const handedOver = (from: string, to: string) =>
  handOver(inbox.ctx, inbox.workspaceId, { from, to }, operator)

/** A first mail from anna, and bert goes on in its thread. */
async function contactedBefore(more: object = {}) {
  const contacted = await inbox.contact([ada], more)
  await inbox.createMailbox(bert)
  expect(await handedOver(anna, bert)).toMatchObject({ moved: 1, is_read: true })
  return contacted
}

describe('what comes to the first mailbox after a hand-over', () => {
  test('and cites no mail of ours is the answer of who wrote it', async () => {
    const { leadId } = await contactedBefore()
    inbox.arrive(letter({ from: ada, headers: ['Message-ID: <yes@lead.example>'] }))
    inbox.startReader()
    await inbox.readAll()
    expect(await inbox.lead(leadId)).toMatchObject({
      ...{ sending_state: 'stopped', stop_reason: 'replied' },
    })
  })

  test.each([
    ['an automatic reply', letter({ from: ada, headers: ['Auto-Submitted: auto-replied'] })],
    ['a report without the id of its mail', report({ recipient: ada })],
  ])('as %s is of the conversation', async (_what, mail) => {
    const { leadId } = await contactedBefore()
    inbox.arrive(mail)
    inbox.startReader()
    await inbox.readAll()
    const stored = inbox.ctx.database.peek.selectFrom('messages').select('thread_id')
    expect(await stored.where('direction', '=', 'in').execute()).toEqual([{ thread_id: leadId }])
  })

  test('from a colleague stops the company, where the campaign stops for it', async () => {
    const { leadId } = await contactedBefore({ stop_for_company: true })
    inbox.arrive(letter({ from: 'boss@lead.example', subject: 'AW: Hello' }))
    inbox.startReader()
    await inbox.readAll()
    expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'replied' })
  })

  test('as a copy of its own mail teaches the id that the provider gave that', async () => {
    const { messageId } = await contactedBefore()
    const copy = inbox.outbox[0]?.source.toString() ?? ''
    const stamped = '<stamped@provider.example>'
    inbox.arrive(Buffer.from(copy.replace(messageId, stamped)), '\\Sent')
    inbox.startReader()
    await inbox.untilRead(async () =>
      (await inbox.ctx.database.peek.selectFrom('sends').selectAll().execute()).some(
        ({ provider_message_id }) => provider_message_id === stamped,
      ),
    )
  })
})
