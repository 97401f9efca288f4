import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, type Inbox, testInbox } from '../../../../test/inbox.ts'
import { longestTurnMs } from '../../../../test/longest-turn.ts'
import { fetchAttachment } from './attachment.ts'

/** Of processor time; what another client may have to wait for its answer. */
const heldMaxMs = 100

let inbox: Inbox
beforeAll(async () => {
  inbox = await testInbox()
  await inbox.createReadMailbox()
  inbox.startReader()
})
afterAll(() => inbox[Symbol.asyncDispose]())

/** A mail with one file. @returns the id of its message */
async function received(content: Buffer): Promise<string> {
  const email = `${inbox.ctx.newId()}@lead.example`
  const { leadId, messageId } = await inbox.contact([email])
  const lines = [
    ...[`From: ${email}`, `To: ${address}`, `In-Reply-To: ${messageId}`],
    ...[`Message-ID: <of-${email}>`, 'Content-Type: application/zip; name="a.zip"'],
    ...[
      'Content-Transfer-Encoding: base64',
      '',
      content.toString('base64').replace(/.{76}/g, '$&\r\n'),
    ],
  ]
  inbox.arrive(Buffer.from(lines.join('\r\n')))
  await inbox.readAll()
  const messages = inbox.ctx.database.peek.selectFrom('messages').select('id')
  const of = messages.where('lead_id', '=', leadId).where('direction', '=', 'in')
  return (await of.executeTakeFirstOrThrow()).id
}

test('a file of 25 MB is taken out of its mail and holds up nobody', async () => {
  const { ctx, workspaceId } = inbox
  const stays = new AbortController().signal
  // What is loaded for the first one is loaded by then.
  await fetchAttachment(ctx, workspaceId, await received(Buffer.from('a')), 0, stays)
  const content = Buffer.alloc(25 * 1024 * 1024, 'A file. ')
  const id = await received(content)
  let file: Awaited<ReturnType<typeof fetchAttachment>> | undefined
  const heldMs = await longestTurnMs(heldMaxMs, async () => {
    file = await fetchAttachment(ctx, workspaceId, id, 0, stays)
  })
  expect(content.equals(file?.content ?? Buffer.alloc(0))).toBe(true)
  expect(heldMs).toBeLessThan(heldMaxMs)
})
