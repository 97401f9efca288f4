import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { address, fetched, type Inbox, letter, testInbox } from '../../../test/inbox.ts'
import { longestTurnMs } from '../../../test/longest-turn.ts'
import { readIncoming } from './incoming.ts'
import { getThread } from './index.ts'
import { understandLarge } from './large-mails.ts'
import { takeIn } from './take-in.ts'

/** Of processor time; what another client may have to wait for its answer. */
const heldMaxMs = 100
/** As much of a mail as is read. */
const sourceBytesMax = 512 * 1024

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

const filled = (text: string, bytes = sourceBytesMax) =>
  text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes)

let mails = 0

/** An answer of the lead, so that it is kept and shown. */
function mail(headers: string, rest: string) {
  mails += 1
  const id = `Message-ID: <large${mails}@lead.example>`
  const head = [`From: ${lead}`, `To: ${address}`, id, `In-Reply-To: ${contact.messageId}`]
  return [...head, ...(headers === '' ? [] : [headers]), '', rest].join('\r\n')
}

const typed = (type: string, rest: string, more = '') => mail(`Content-Type: ${type}${more}`, rest)
const multipart = (kind: string, rest: string) => typed(`multipart/${kind}; boundary=B`, rest)
const report = (fields: string) =>
  multipart('report', `--B\r\nContent-Type: message/delivery-status\r\n\r\n${fields}`)
const encoded = (encoding: string) => `\r\nContent-Transfer-Encoding: ${encoding}`

/** As the reader does with what came into a mailbox. @returns how many it has kept */
async function read(text: string): Promise<number> {
  const source = Buffer.from(text, 'latin1').subarray(0, sourceBytesMax)
  const now = inbox.ctx.now()
  const ids = { workspace_id: inbox.workspaceId, id: contact.mailbox.id }
  const mailbox = { ...ids, address, imap_version: inbox.ctx.newId() }
  const readTo = { folder: 'INBOX', uid_validity: '1', next_uid: 1 }
  return takeIn(inbox.ctx, mailbox, [await readIncoming(fetched(source, now), now)], readTo)
}

describe('no mail holds up the process, and it is kept all the same', () => {
  test.each<[string, () => string]>([
    ['100,000 parts', () => multipart('mixed', filled('--B\r\n'))],
    ['50,000 alternatives', () => multipart('alternative', filled('--B\r\n\r\nx\r\n'))],
    [
      'parts of HTML',
      () => multipart('mixed', filled('--B\r\nContent-Type: text/html\r\n\r\nx\r\n')),
    ],
    ['parts in parts', () => typed('multipart/mixed; boundary=B', filled(nesting))],
    [
      'mails in mails',
      () => typed('message/rfc822', filled('Content-Type: message/rfc822\r\n\r\n')),
    ],
    ['100,000 headers', () => mail(filled('a: b\r\n').trimEnd(), 'x')],
    ['a header of 100,000 lines', () => mail(`X: a\r\n${filled(' a\r\n').trimEnd()}`, 'x')],
    ['a header of addresses', () => mail(`Cc: ${filled('a@b.cc, ')}`, 'x')],
    ['a header of groups', () => mail(`Cc: ${filled('a:b@c.d;')}`, 'x')],
    ['encoded words', () => mail(`Subject: ${filled('=?utf-8?B?YWJj?= ', 400_000)}`, 'x')],
    ['one encoded word', () => mail(`Subject: =?utf-8?Q?${filled('=41', 400_000)}?=`, 'x')],
    ['encoded words without an end', () => mail(`Subject: ${filled('=?utf-8?Q?')}`, 'x')],
    ['parameters', () => typed('multipart/mixed', 'x', `; ${filled('a*0=b;', 400_000)}`)],
    ['comments', () => typed('multipart/mixed', 'x', `; ${filled('(', 400_000)}`)],
    ['references', () => mail(`References: ${filled('<a@b> ', 400_000)}`, 'x')],
    ['empty lines', () => typed('text/plain', filled('\n'))],
    ['short lines', () => typed('text/plain', filled('a\n'))],
    ['blanks', () => typed('text/plain', filled(' \n'))],
    ['flowed lines', () => typed('text/plain; format=flowed', filled('a \n'))],
    ['quoted lines', () => typed('text/plain', filled('> x\n'))],
    ['lines above quotes', () => typed('text/plain', filled('On Fri, Anna wrote x\n'))],
    ['headers of quotes', () => typed('text/plain', filled('From: x\n'))],
    [
      'octets that are quoted',
      () => typed('text/plain', filled('=41'), encoded('quoted-printable')),
    ],
    ['soft line ends', () => typed('text/plain', filled('=\r\n'), encoded('quoted-printable'))],
    ['short lines of base64', () => typed('text/plain', filled('Q\r\n'), encoded('base64'))],
    ['tags', () => typed('text/html', filled('<b>x</b>'))],
    ['tags without an end', () => typed('text/html', filled('<p>'))],
    ['tags in tags', () => typed('text/html', filled('<b>'.repeat(400) + '</b>'.repeat(400)))],
    ['links', () => typed('text/html', filled('<a href=x:>'))],
    ['attributes', () => typed('text/html', `<a ${numbered(60_000, (n) => `a${n}=1 `)}>`)],
    ['angle brackets', () => typed('text/html', filled('<'))],
    ['entities', () => typed('text/html', filled('&amp;'))],
    ['blocks of a report', () => report(filled('Action: failed\n\n'))],
    ['lines of a report', () => report(`Action: failed\r\n\r\n${filled('\n')}`)],
    ['folds of a report', () => report(`Action: failed${filled('\n ')}`)],
    ['wishes', () => typed('text/plain', filled('please remove '))],
    ['days', () => mail('Auto-Submitted: auto-replied', filled('until 1.1. to 2.2. '))],
  ])('%s', async (_what, text) => {
    // Beside the whole as much of it as is taken apart without a thread.
    for (const source of [text(), text().slice(0, 16 * 1024)]) {
      let kept = 0
      const heldMs = await longestTurnMs(async () => {
        kept = await read(source)
      })
      expect(kept).toBe(1)
      expect(heldMs).toBeLessThan(heldMaxMs)
    }
  })
})

const nesting = 'Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n'
const numbered = (count: number, text: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => text(number)).join('')

test('of a mail that takes too long there are its headers, and the next one is read', async () => {
  const now = inbox.ctx.now()
  const source = Buffer.from(typed('text/plain', filled('Yes.\r\n')))
  const given = await understandLarge(source, now, 0)
  expect(given.message).toMatchObject({ from: { address: lead }, text: '' })
  expect(given.message.inReplyTo).toEqual([contact.messageId])
  const next = await understandLarge(source, now)
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
  const { inbound } = await readIncoming(fetched(source, receivedAt), receivedAt)
  expect(inbound).toMatchObject({ kind: 'auto_reply', isOutOfOffice: true })
  expect(String('returnsOn' in inbound && inbound.returnsOn)).toBe('2030-01-07')
  const page = { limit: 100, startingAfter: undefined }
  const { messages } = await getThread(inbox.ctx, inbox.workspaceId, contact.leadId, page)
  const stored = messages.items.find(({ message_id }) => message_id === '<long@lead.example>')
  expect(stored).toMatchObject({ kind: 'reply', snippet: 'Yes, gladly.' })
})
