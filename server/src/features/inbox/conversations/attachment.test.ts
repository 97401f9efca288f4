import { once } from 'node:events'
import { get, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Browser, setUp } from '../../../../test/browser.ts'
import { address, type Inbox, testInbox } from '../../../../test/inbox.ts'
import { startImapFaults } from '../../../../test/mail/imap-faults.ts'
import { startProxy } from '../../../../test/mail/proxy-server.ts'
import { startTcpProxy } from '../../../../test/mail/tcp-proxy.ts'
import { createMember } from '../../../../test/people.ts'
import { imapSettings } from '../../../../test/sending.ts'
import { Folder } from '../../../demo/mail-server/folder.ts'
import { operator } from '../../audit/index.ts'
import { removeMailbox, updateMailbox } from '../../mailboxes/index.ts'
import { fetchAttachment } from './attachment.ts'
import { downloadAs, fileNameOf } from './attachment-name.ts'

let inbox: Inbox
let owner: Browser
let mailboxId: string
beforeAll(async () => {
  inbox = await testInbox()
  owner = await setUp(inbox)
  mailboxId = (await inbox.createReadMailbox()).id
  inbox.startReader()
  await inbox.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => inbox[Symbol.asyncDispose]())

let people = 0

/** Headers of a part, and its lines as they are sent. */
type Part = [headers: string[], ...lines: string[]]

const file = (type: string, disposition: string, encoding: string, ...lines: string[]): Part => [
  [
    `Content-Type: ${type}`,
    `Content-Disposition: ${disposition}`,
    `Content-Transfer-Encoding: ${encoding}`,
  ],
  ...lines,
]

const inBase64 = (content: Buffer) => content.toString('base64').match(/.{1,76}/g) ?? []

/** Somebody has answered, with these parts beside the text. */
async function attached(parts: Part[], headers: string[] = []) {
  people += 1
  const email = `person${people}@lead.example`
  const messageId = `<attached${people}@lead.example>`
  const { leadId, messageId: ours } = await inbox.contact([email])
  const text: Part = [['Content-Type: text/plain'], 'See below.']
  const source = Buffer.from(
    [
      ...[`From: ${email}`, `To: ${address}`, 'Subject: Re: Hello', `In-Reply-To: ${ours}`],
      ...(headers.length > 0 ? headers : [`Message-ID: ${messageId}`]),
      ...['Content-Type: multipart/mixed; boundary="next part"', ''],
      ...[text, ...parts].flatMap(([of, ...lines]) => ['--next part', ...of, '', ...lines]),
      ...['--next part--', ''],
    ].join('\r\n'),
  )
  inbox.arrive(source)
  await inbox.readAll()
  const [message] = await inbox.ctx.database.peek
    .selectFrom('messages')
    .select(['id', 'details'])
    .where('lead_id', '=', leadId)
    .where('direction', '=', 'in')
    .execute()
  if (!message) throw new Error('It was not taken in.')
  return { id: message.id, details: JSON.stringify(message.details), source }
}

const requestOf = (id: string, index: number | string, { cookies } = owner) => ({
  path: `/app/messages/${id}/attachments/${index}`,
  headers: {
    cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
    'x-workspace-id': inbox.workspaceId,
  },
})

async function download(id: string, index: number | string, browser = owner) {
  const { statusCode, headers, rawPayload } = await inbox.app.inject(requestOf(id, index, browser))
  const isJson = String(headers['content-type']).startsWith('application/json')
  const { code, message } = isJson ? JSON.parse(rawPayload.toString()) : {}
  return { status: statusCode, headers, content: rawPayload, code, message }
}

const folder = (path = 'INBOX') => {
  const { folders } = inbox.account(address)
  const found = folders.get(path) ?? new Folder(path)
  folders.set(path, found)
  return found
}

const readThrough = (port: number, password?: string) => {
  const { imap } = imapSettings(port, address)
  const given = { imap: { ...imap, ...(password ? { password } : {}) } }
  return updateMailbox(inbox.ctx, inbox.workspaceId, mailboxId, given, operator)
}

/** Takes a mail out of the folder that it came to. */
function takeOut(source: Buffer) {
  const { mails } = folder()
  const uids = mails.filter((mail) => mail.source === source).map(({ uid }) => uid)
  folder().remove(new Set(uids))
}

const pdf = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7) % 256))
const large = Buffer.from(Array.from({ length: 1_300_000 }, (_, at) => (at * at) % 251))
const inner = ['From: bo@lead.example', 'Subject: Inner', '', 'An earlier mail.', '--dashes', '']
const calendar = ['BEGIN:VCALENDAR', 'METHOD:REQUEST', 'END:VCALENDAR', '']
const script = ['-- a comment, and no boundary', ...Array(300).fill('-- x: 1'), 'select 1;', '', '']

test('each file that is attached to a mail comes by its name and as it was sent, byte for byte', async () => {
  const { id, details, source } = await attached([
    file(
      'application/pdf; name="=?utf-8?Q?=C3=9Cbersicht.pdf?="',
      "attachment; filename*=UTF-8''%C3%9Cbersicht%20%28neu%29.pdf",
      'base64',
      ...inBase64(pdf),
    ),
    [
      ['Content-Type: multipart/related; boundary="inside"'],
      '--inside',
      ...['Content-Type: text/html', '', '<img src="cid:logo">', '--inside'],
      ...['Content-Type: image/png', 'Content-ID: <logo>', 'Content-Disposition: inline'],
      ...['Content-Transfer-Encoding: base64', '', ...inBase64(pdf.subarray(1, 100)), '--inside--'],
    ],
    file(
      'text/csv; charset=iso-8859-1',
      'attachment; filename="list.csv"',
      'quoted-printable',
      ...['Name;St=E4dte', 'a very=', ' long line with a =3D sign', 'not=ZZencoded;end='],
    ),
    file('text/calendar; charset=utf-8', 'attachment; filename="a.ics"', '7bit', ...calendar),
    file('message/rfc822', 'attachment', '7bit', ...inner),
    file('application/zip', 'attachment; filename="empty.zip"', 'base64'),
    file('text/plain', 'attachment; filename="query.sql"', '8bit', ...script),
  ])
  const expected: [name: string, content: Buffer][] = [
    ['Übersicht (neu).pdf', pdf],
    ['attachment.png', pdf.subarray(1, 100)],
    [
      'list.csv',
      Buffer.from(
        'Name;St\xe4dte\r\na very long line with a = sign\r\nnot=ZZencoded;end',
        'latin1',
      ),
    ],
    ['a.ics', Buffer.from(calendar.join('\r\n'))],
    ['attachment.eml', Buffer.from(inner.join('\r\n'))],
    ['empty.zip', Buffer.alloc(0)],
    ['query.sql', Buffer.from(script.join('\r\n'))],
  ]
  expect(JSON.parse(details).attachments).toHaveLength(expected.length)
  for (const [index, [name, content]] of expected.entries()) {
    const answer = await download(id, index)
    expect([answer.status, answer.message]).toEqual([200, undefined])
    expect(nameIn(answer.headers['content-disposition'])).toBe(name)
    expect(answer.content.equals(content), name).toBe(true)
  }
  const { id: largeId } = await attached([one('large.zip', large)])
  expect((await download(largeId, 0)).content.equals(large)).toBe(true)
  // It is read and left as it was, there and here.
  expect(folder().mails.find((mail) => mail.source === source)?.flags.size).toBe(0)
  const { peek } = inbox.ctx.database
  const row = peek.selectFrom('messages').select('details').where('id', '=', id)
  expect(JSON.stringify((await row.executeTakeFirst())?.details)).toBe(details)
})

const nameIn = (header: unknown) =>
  decodeURIComponent(/UTF-8''(\S+)$/.exec(String(header))?.[1] ?? '')

test('whatever a sender calls a file, a browser saves it, and does not show it or run it', async () => {
  const name = `=?utf-8?B?${Buffer.from('../a"b\u202e%41\u0085ü.html').toString('base64')}?=`
  const page = '<script>alert(1)</script>'
  const { id } = await attached([file(`text/html; name="${name}"`, 'attachment', '7bit', page)])
  const { headers, content } = await download(id, 0)
  expect(content.toString()).toBe(page)
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition':
      'attachment; filename=".. a b _41 _.html"; filename*=UTF-8\'\'..%20a%20b%20%2541%20%C3%BC.html',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
})

test.each([
  ['message/rfc822', null, 'attachment.eml'],
  ['image/svg+xml', null, 'attachment.svg'],
  ['application/x-zip', '...', '...'],
  ['nothing', '\u202e/', 'attachment.bin'],
])('a file of %s that is called %s is saved as %s', (type, name, expected) => {
  expect(fileNameOf({ type, name })).toBe(expected)
  expect(downloadAs(expected)).toMatch(/^attachment; filename="[ -~]+"; filename\*=UTF-8''[^ "']+$/)
})

const one = (name: string, content = pdf) =>
  file('application/pdf', `attachment; filename="${name}"`, 'base64', ...inBase64(content))

test('a file is found wherever somebody has put its mail, and not once the mail is deleted', async () => {
  const { id, source } = await attached([one('offer.pdf')])
  takeOut(source)
  const moved = folder('Customers').add(source, inbox.ctx.now())
  expect((await download(id, 0)).content.equals(pdf)).toBe(true)
  folder('Customers').remove(new Set([moved.uid]))
  expect(await download(id, 0)).toMatchObject({
    ...{ status: 404, code: 'not_found' },
    message: expect.stringContaining('It is no longer in the mailbox'),
  })
})

test('of two letters under one Message-ID each has its own files', async () => {
  const other = Buffer.from('another one')
  const same = 'Message-ID: <same@lead.example>'
  const first = await attached([one('offer.pdf')], [same, 'Date: Mon, 2 Nov 2026 10:00:00 +0100'])
  const second = await attached(
    [one('offer.pdf', other)],
    [same, 'Date: Tue, 3 Nov 2026 10:00:00 +0100'],
  )
  expect((await download(first.id, 0)).content.equals(pdf)).toBe(true)
  expect((await download(second.id, 0)).content.equals(other)).toBe(true)
})

test('a file that is not there, of a mail that is too large, or of a mail without a Message-ID, is none', async () => {
  const { id, source } = await attached([one('offer.pdf')])
  expect(await download(id, 1)).toMatchObject({ status: 404, code: 'not_found' })
  expect(await download(id, 'x')).toMatchObject({ status: 404 })
  const nobodys = await download(inbox.ctx.newId(), 0)
  expect(nobodys).toMatchObject({ status: 404, code: 'not_found' })
  const without = await attached([one('offer.pdf')], ['X-Mailer: none'])
  expect(await download(without.id, 0)).toMatchObject({
    ...{ status: 404, message: expect.stringContaining('no Message-ID') },
  })
  const isTooLarge = { status: 404, message: expect.stringContaining('larger than 36 MB') }
  // Its server told less of it than it is.
  takeOut(source)
  const grown = Buffer.concat([source, Buffer.alloc(36 * 1024 * 1024, 'x\r\n')])
  folder().add(grown, inbox.ctx.now())
  expect(await download(id, 0)).toMatchObject(isTooLarge)
  const { peek } = inbox.ctx.database
  const sized = peek.updateTable('messages').set({ size_bytes: grown.length })
  await sized.where('id', '=', id).execute()
  expect(await download(id, 0)).toMatchObject(isTooLarge)
  takeOut(grown)
})

test('a viewer may open what is attached, and nobody of another workspace', async () => {
  const { id } = await attached([one('offer.pdf')])
  const viewer = await createMember(inbox, 'viewer@team.example', 'viewer')
  expect((await download(id, 0, viewer.browser)).content.equals(pdf)).toBe(true)
  const stranger = await inbox.createStranger()
  const other = await createMember(inbox, 'other@team.example', 'owner', stranger.workspaceId)
  const headers = { 'x-workspace-id': stranger.workspaceId }
  const answer = await other.browser.call('GET', `/app/messages/${id}/attachments/0`, { headers })
  expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
})

/** Asks as a browser does, on a connection of its own. */
async function askFor(id: string) {
  const { port } = inbox.app.server.address() as AddressInfo
  const began = once(inbox.app.server, 'request')
  const asked = get({ host: '127.0.0.1', port, agent: false, ...requestOf(id, 0) })
  asked.on('error', () => undefined)
  const answered = once(asked, 'response').catch(() => undefined)
  const [, answer] = (await began) as [unknown, ServerResponse]
  return { asked, answered, left: once(answer, 'close'), answer }
}

test('a file counts among those that are fetched until its answer has left, and who reads nothing of it is let go', async () => {
  const { ctx, workspaceId } = inbox
  const { id } = await attached([one('offer.pdf')])
  // More than what is on its way to a reader.
  const lines = `${'x'.repeat(70)}\r\n`.repeat(250_000)
  const { id: largeId } = await attached([
    file('application/zip', 'attachment; filename="large.zip"', '7bit', lines),
  ])
  const others = new AbortController()
  for (let each = 1; each < 12; each++) {
    await fetchAttachment(ctx, workspaceId, id, 0, others.signal)
  }
  const { asked, answered, left, answer } = await askFor(largeId)
  await answered
  expect(answer.writableEnded).toBe(true)
  expect(await download(id, 0)).toMatchObject({ status: 429, code: 'rate_limited' })
  // As once a minute has passed.
  answer.emit('timeout')
  await left
  asked.destroy()
  expect((await download(id, 0)).content.equals(pdf)).toBe(true)
  others.abort()
})

// In less than a file may take.
test('what nobody waits for any more is not fetched to its end', { timeout: 20_000 }, async () => {
  const { id } = await attached([one('offer.pdf')])
  const looksForIt = Promise.withResolvers<Socket>()
  const proxy = await startProxy(inbox.imapPort, (client, server) => {
    server.pipe(client)
    // Whoever looks for a mail has no answer.
    client.on('data', (bytes) => {
      if (bytes.includes('SEARCH HEADER')) looksForIt.resolve(client)
      else server.write(bytes)
    })
  })
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  await readThrough(proxy.port)
  const { asked } = await askFor(id)
  const connection = await looksForIt.promise
  const ended = once(connection, 'close')
  asked.destroy()
  await ended
  await readThrough(inbox.imapPort)
})

test('a folder that is never opened does not keep it from being told that a mail was deleted; one that answers come to does', async () => {
  const { id, source } = await attached([one('offer.pdf')])
  takeOut(source)
  folder('Shared')
  let refused = 'Shared'
  const proxy = await startImapFaults(inbox.imapPort, {
    fault: ({ name, line }) =>
      name === 'EXAMINE' && line.includes(refused) ? 'refuse' : undefined,
  })
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  await readThrough(proxy.port)
  expect(await download(id, 0)).toMatchObject({ status: 404, code: 'not_found' })
  refused = 'INBOX'
  expect(await download(id, 0)).toMatchObject({
    ...{ status: 503, code: 'unavailable' },
    message: expect.stringMatching(/refused what was asked of it.*Try again/),
  })
  await readThrough(inbox.imapPort)
})

test('a file is not fetched to be told of alone', async () => {
  const { id } = await attached([one('offer.pdf')])
  const { statusCode } = await inbox.app.inject({ method: 'HEAD', ...requestOf(id, 0) })
  expect(statusCode).toBe(404)
})

test('why a mailbox does not hand a file over is told, and once it is removed', async () => {
  const { id } = await attached([one('offer.pdf')])
  const { ctx, workspaceId, imapPort } = inbox
  await readThrough(imapPort, 'wrong')
  expect(await download(id, 0)).toMatchObject({
    ...{ status: 503, code: 'unavailable' },
    message: expect.stringMatching(/refused .*the password\. Try again/),
  })
  await readThrough(1)
  expect(await download(id, 0)).toMatchObject({
    ...{ status: 503, code: 'unavailable' },
    message: expect.stringMatching(/takes no connection .* Try again/),
  })

  const proxy = await startTcpProxy(imapPort)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  await readThrough(proxy.port)
  expect((await download(id, 0)).content.equals(pdf)).toBe(true)
  proxy.freezeAll()
  const { signal } = new AbortController()
  await expect(fetchAttachment(ctx, workspaceId, id, 0, signal, 1)).rejects.toMatchObject({
    ...{ code: 'unavailable', message: 'It took too long to fetch it; try again.' },
  })

  await removeMailbox(ctx, workspaceId, mailboxId, operator)
  expect(await download(id, 0)).toMatchObject({
    ...{ status: 404, message: expect.stringContaining('was removed') },
  })
})
