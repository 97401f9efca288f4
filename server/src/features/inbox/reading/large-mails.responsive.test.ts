import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filled, mailBombs, sourceBytesMax } from '../../../../test/hostile-inputs/mails.ts'
import { address, fetched, type Inbox, letter, testInbox } from '../../../../test/inbox.ts'
import { longestTurnMs } from '../../../../test/longest-turn.ts'
import { getThread } from '../index.ts'
import { readInbound } from '../ingest/inbound-message.ts'
import { ingest } from '../ingest/ingest.ts'
import { understandLarge } from './large-mails.ts'

/** Of processor time; what another client may have to wait for its answer. */
const heldMaxMs = 100
const lead = 'ada@lead.example'

let inbox: Inbox
let contact: Awaited<ReturnType<Inbox['contact']>>
beforeAll(async () => {
  inbox = await testInbox()
  contact = await inbox.contact([lead])
  // What is loaded with the first mail is loaded by then.
  await read(mail('', 'Hello'))
})
afterAll(() => inbox[Symbol.asyncDispose]())

let mails = 0

/** An answer of the lead, so that it is kept and shown. */
function mail(headers: string, rest: string) {
  mails += 1
  const id = `Message-ID: <large${mails}@lead.example>`
  const head = [`From: ${lead}`, `To: ${address}`, id, `In-Reply-To: ${contact.messageId}`]
  return [...head, ...(headers === '' ? [] : [headers]), '', rest].join('\r\n')
}

/** As the reader does with what came into a mailbox. @returns how many it has kept */
async function read(text: string): Promise<number> {
  const source = Buffer.from(text, 'latin1').subarray(0, sourceBytesMax)
  const now = inbox.ctx.now()
  const ids = { workspace_id: inbox.workspaceId, id: contact.mailbox.id }
  const mailbox = { ...ids, address, imap_version: inbox.ctx.newId() }
  const position = { folder: 'INBOX', uid_validity: '1', next_uid: 1, read_at: now }
  return ingest(
    inbox.ctx,
    mailbox,
    [await readInbound(inbox.workspaceId, fetched(source, now), now)],
    position,
  )
}

describe('no mail holds up the process, and it is kept all the same', () => {
  test.each(mailBombs(mail))('%s', async (_what, text) => {
    // Beside the whole as much of it as is taken apart without a thread.
    for (const source of [text(), text().slice(0, 16 * 1024)]) {
      let kept = 0
      const heldMs = await longestTurnMs(heldMaxMs, async () => {
        kept = await read(source)
      })
      expect(kept).toBe(1)
      expect(heldMs).toBeLessThan(heldMaxMs)
    }
  })
})

test('of a mail that takes too long there are its headers, with the reason, and the next one is read', async () => {
  const now = inbox.ctx.now()
  const source = Buffer.from(mail('Content-Type: text/plain', filled('Yes.\r\n')))
  const given = await understandLarge(inbox.workspaceId, source, now, 0)
  expect(given.message).toMatchObject({ from: { address: lead }, text: '' })
  expect(given.message.inReplyTo).toEqual([contact.messageId])
  expect(given.headOnlyBecause).toMatchObject({ name: 'AbortError' })
  const next = await understandLarge(inbox.workspaceId, source, now)
  expect(next.message.text).toMatch(/^Yes\.\s+Yes\./)
})

test('a large mail is read as a small one is', async () => {
  const body = `Yes, gladly.\r\n\r\nOn Fri, Anna wrote:\r\n${'> Hello\r\n'.repeat(3000)}`
  const subject = 'Automatic reply: Hello'
  const headers = [`In-Reply-To: ${contact.messageId}`, 'Message-ID: <long@lead.example>']
  expect(await read(letter({ headers, body }).toString())).toBe(1)
  const away = `I am out of the office and back on 2030-01-07.\r\n${'.\r\n'.repeat(3000)}`
  const marks = ['Auto-Submitted: auto-replied', 'Message-ID: <away@lead.example>']
  const source = letter({ subject, headers: [...marks, ...headers.slice(0, 1)], body: away })
  const receivedAt = new Date('2029-12-20T10:00:00Z')
  const { inbound } = await readInbound(inbox.workspaceId, fetched(source, receivedAt), receivedAt)
  expect(inbound).toMatchObject({ kind: 'auto_reply', isOutOfOffice: true })
  expect(String('returnsOn' in inbound && inbound.returnsOn)).toBe('2030-01-07')
  const page = { limit: 100, startingAfter: undefined }
  const { messages } = await getThread(inbox.ctx, inbox.workspaceId, contact.leadId, page)
  const stored = messages.items.find(({ message_id }) => message_id === '<long@lead.example>')
  expect(stored).toMatchObject({ kind: 'reply', snippet: 'Yes, gladly.' })
})
