import { getEventListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { address, type Inbox, letter, testInbox } from '../../../../test/inbox.ts'
import { type FaultyImap, startImapFaults } from '../../../../test/mail/imap-faults.ts'
import { Folder } from '../../../demo/mail-server/folder.ts'
import { usualCapabilities } from '../../../demo/mail-server/imap-server.ts'
import { inWorkspace } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { operator } from '../../audit/index.ts'
import { updateMailbox } from '../../mailboxes/index.ts'
import { findSuppressed } from '../../suppression/index.ts'
import { setWorkspace } from '../../workspaces/index.ts'
import { syncMailboxes } from '../index.ts'
import { ImapConnectionSlots } from './imap-connection-slots.ts'
import { reportTrouble } from './reading-trouble.ts'

let inbox: Inbox
let proxy: FaultyImap | undefined
beforeEach(async () => {
  inbox = await testInbox()
  // Nothing waits for long.
  inbox.ctx.sleep = (ms, signal) =>
    wait(Math.min(ms, 30), undefined, { ...(signal ? { signal } : {}) }).catch(() => undefined)
})
afterEach(async () => {
  await inbox[Symbol.asyncDispose]()
  await proxy?.[Symbol.asyncDispose]()
  proxy = undefined
})

const person = (number: number) => `person${number}@lead.example`

/** A mail of this person, known by its Message-ID or by nothing. */
const answer = (number: number, headers = [`Message-ID: <${number}@lead.example>`]) =>
  letter({ from: person(number), headers })

const account = () => inbox.account(address)

async function mailboxThrough(options: Parameters<typeof startImapFaults>[1]) {
  proxy = await startImapFaults(inbox.imapPort, options)
  return { proxy, mailbox: await inbox.createReadMailbox(proxy.port) }
}

const people = (count: number) => Array.from({ length: count }, (_, n) => person(n + 1))

/** Which leads the events of replies are about, in order. */
const repliedTo = async (count: number) =>
  (await inbox.waitForEvents('lead.replied', count)).map((event) => event.lead_email).toSorted()

const mailboxState = () =>
  inbox.ctx.database.peek
    .selectFrom('mailboxes')
    .select(['status', 'imap_error'])
    .executeTakeFirstOrThrow()

const errorEvents = async () =>
  (await inbox.ctx.database.peek.selectFrom('events').select('type').execute()).filter(
    ({ type }) => type === 'mailbox.error',
  ).length

const asksFor = (line: string, uid: number) =>
  (line.split(' ')[3] ?? '').split(',').some((part) => {
    const [from = 0, to = from] = part.split(':').map(Number)
    return from <= uid && uid <= to
  })

test('a mail that its server cannot hand out keeps no other back, and whoever wrote it has answered', async () => {
  await mailboxThrough({
    fault: ({ line }) => (line.includes('BODY.PEEK[]') && asksFor(line, 3) ? 'refuse' : undefined),
  })
  await inbox.contact(people(5))
  for (const number of [1, 2, 3, 4, 5]) inbox.arrive(answer(number))
  inbox.startReader()
  expect(await repliedTo(5)).toEqual(people(5))
  expect(await mailboxState()).toEqual({ status: 'connected', imap_error: null })
})

test('a server that hands out neither of two mails costs its mailbox nothing', async () => {
  let readings = 0
  await mailboxThrough({
    fault({ line }) {
      if (!line.includes('BODY.PEEK[]')) return undefined
      // The second comes while the first is refused, and is refused as often only later.
      if (line.includes('FETCH 3 ') && ++readings === 3) inbox.arrive(answer(4))
      return asksFor(line, 3) || asksFor(line, 4) ? 'refuse' : undefined
    },
  })
  await inbox.contact(people(4))
  for (const number of [1, 2, 3]) inbox.arrive(answer(number))
  inbox.startReader()
  expect(await repliedTo(4)).toEqual(people(4))
  expect(await mailboxState()).toEqual({ status: 'connected', imap_error: null })
  expect(await errorEvents()).toBe(0)
})

test('a mail of which its server refuses even the headers keeps no other back, in the inbox or among the sent ones', async () => {
  const asksForMail = (line: string) => line.includes('BODY.PEEK[')
  await mailboxThrough({
    fault: ({ line }) => (asksForMail(line) && asksFor(line, 2) ? 'refuse' : undefined),
  })
  await inbox.contact(people(4))
  const sent = account().folders.get('Sent')
  for (const number of [1, 2, 3]) {
    inbox.arrive(answer(number))
    sent?.add(letter({ from: address }), inbox.ctx.now())
  }
  inbox.startReader()
  expect(await repliedTo(2)).toEqual([person(1), person(3)])
  // Read to their ends, and nothing of it is trouble of the mailbox.
  await inbox.ctx.database.until(async () => {
    const folders = await inbox.ctx.database.peek
      .selectFrom('mailbox_folders')
      .select('next_uid')
      .where('folder', 'in', ['INBOX', 'Sent'])
      .execute()
    return folders.length === 2 && folders.every(({ next_uid }) => Number(next_uid) >= 4)
  })
  inbox.arrive(answer(4))
  expect(await repliedTo(3)).toEqual([person(1), person(3), person(4)])
  expect(await mailboxState()).toEqual({ status: 'connected', imap_error: null })
  expect(await errorEvents()).toBe(0)
  const told = inbox.ctx.logLines.filter((line) => line.includes('is left out'))
  expect(told).toHaveLength(2)
})

test('while a server hands out nothing at all, no mail of it is left out, and the owner is told', async () => {
  let isAway = true
  await mailboxThrough({
    fault: ({ line }) => (line.includes('BODY.PEEK[') && isAway ? 'refuse' : undefined),
  })
  await inbox.contact(people(2))
  for (const number of [1, 2]) inbox.arrive(answer(number))
  inbox.startReader()
  await inbox.ctx.database.until(async () => (await mailboxState()).imap_error !== null)
  isAway = false
  expect(await repliedTo(2)).toEqual(people(2))
})

test('who has a mailbox read once is told what came in, and that a mail was refused', async () => {
  const { ctx, workspaceId } = inbox
  await mailboxThrough({
    fault: ({ line }) => (line.includes('BODY.PEEK[]') && asksFor(line, 2) ? 'refuse' : undefined),
  })
  await inbox.contact(people(3))
  for (const number of [1, 2, 3]) inbox.arrive(answer(number))
  const synced = await syncMailboxes(inWorkspace(ctx, workspaceId), workspaceId, {
    beginWithinMs: 20_000,
  })
  expect(synced).toMatchObject([{ mails: 2, error: expect.stringContaining('refused') }])
})

test('a mail that its server refuses for a moment is taken in with its text, and keeps no other back', async () => {
  const { ctx, workspaceId } = inbox
  await setWorkspace(ctx, workspaceId, { unsubscribeByReply: true })
  // With the others, with one of them, and alone: twice.
  let refusals = 0
  await mailboxThrough({
    fault: ({ line }) =>
      line.includes('BODY.PEEK[]') && asksFor(line, 3) && refusals++ < 6 ? 'refuse' : undefined,
  })
  const { messageId } = await inbox.contact(people(3))
  for (const number of [1, 2]) inbox.arrive(answer(number))
  const headers = ['Message-ID: <3@lead.example>', `In-Reply-To: ${messageId}`]
  inbox.arrive(letter({ from: person(3), headers, body: 'Please remove me from your list.' }))
  inbox.startReader()
  const [first, second, third] = await inbox.waitForEvents('lead.replied', 3)
  expect([first.lead_email, second.lead_email].toSorted()).toEqual(people(2))
  expect(third.data.reply.text.trim()).toBe('Please remove me from your list.')
  expect(await findSuppressed(ctx.db, workspaceId, people(3))).toEqual(
    new Map([[person(3), 'unsubscribed']]),
  )
})

test('whichever command the connection is lost at, every mail is read, and once', async () => {
  const listening = Promise.withResolvers<void>()
  // Each connection gets half a step further than the one before.
  const { proxy: faulty } = await mailboxThrough({
    fault: ({ name, number, connection }) => {
      if (number === Math.ceil(connection / 2))
        return connection % 2 === 1 ? 'drop' : 'drop-in-answer'
      if (name === 'IDLE') listening.resolve()
      return undefined
    },
  })
  await inbox.contact(people(3))
  for (const number of [1, 2]) inbox.arrive(answer(number))
  inbox.arrive(answer(1), '\\Junk')
  inbox.startReader()
  await listening.promise
  inbox.arrive(answer(3))
  expect(await repliedTo(3)).toEqual(people(3))
  expect(faulty.connections).toBeGreaterThan(20)
  // Who cannot be read for long must not go on writing as if nobody had answered.
  expect(await errorEvents()).toBe(1)
  expect(await mailboxState()).toEqual({ status: 'connected', imap_error: null })
})

test('of a connection that has ended nothing is kept, however many there are', async () => {
  const take = vi.spyOn(ImapConnectionSlots.prototype, 'take')
  onTestFinished(() => take.mockRestore())
  const { proxy: faulty } = await mailboxThrough({
    fault: ({ name, connection }) => (name === 'LIST' && connection < 10 ? 'drop' : undefined),
  })
  inbox.startReader()
  await faulty.connected(10)
  await inbox.readAll()
  const [, signal] = take.mock.lastCall ?? []
  if (!signal) throw new Error('Nobody has taken a slot.')
  // That of the connection that is open.
  expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(2)
})

test('notifications that come twice, late or for nothing cost nothing', async () => {
  let before = ''
  await mailboxThrough({
    tell: (line) => {
      if (!/ EXISTS\r\n$/.test(line)) return [line]
      const told = [line, before, '* 1 FETCH (FLAGS (\\Seen))\r\n', line, line]
      before = line
      return told
    },
  })
  await inbox.contact(people(4))
  inbox.startReader()
  await inbox.readAll()
  for (const number of [1, 2, 3, 4]) {
    inbox.arrive(answer(number))
    await repliedTo(number)
  }
  expect(await repliedTo(4)).toEqual(people(4))
})

test('a folder with new UIDs is read again, and what was read has no second effect', async () => {
  await inbox.contact(people(4))
  inbox.startReader()
  inbox.arrive(answer(1))
  inbox.arrive(answer(2, []))
  await repliedTo(2)
  const folder = account().folders.get('INBOX')
  inbox.arrive(answer(3))
  folder?.renumber()
  await repliedTo(3)
  inbox.arrive(answer(4))
  await inbox.readAll()
  expect(await repliedTo(4)).toEqual(people(4))
})

test('a folder whose server names a lower number than before is read on, and nothing of it twice', async () => {
  const asked: string[] = []
  await mailboxThrough({
    fault({ line }) {
      // Of copies in the Sent folder, which have numbers of their own, the head alone is read.
      if (line.includes('BODY.PEEK[') && !line.includes('<0.16384>')) asked.push(line)
      return undefined
    },
  })
  await inbox.contact(people(3))
  const reader = inbox.startReader()
  for (const number of [1, 2]) inbox.arrive(answer(number))
  await repliedTo(2)
  await inbox.readAll()
  await reader.stop()
  const { peek } = inbox.ctx.database
  const folder = account().folders.get('INBOX') as Folder
  const { uidNext } = folder
  // What is noted once a day is due.
  await peek
    .updateTable('mailbox_folders')
    .set({ timestamp_read: new Date(0) })
    .execute()
  folder.uidNext = 1
  asked.length = 0
  inbox.startReader()
  const noted = await inbox.untilRead(async () => {
    const rows = await peek.selectFrom('mailbox_folders').selectAll().execute()
    const row = rows.find((each) => each.folder === 'INBOX')
    return row && row.timestamp_read.getTime() > 0 ? row : undefined
  })
  expect(Number(noted.next_uid)).toBe(uidNext)
  folder.uidNext = uidNext
  inbox.arrive(answer(3))
  expect(await repliedTo(3)).toEqual(people(3))
  expect(asked.some((line) => asksFor(line, 1) || asksFor(line, 2))).toBe(false)
})

test('a mail in the inbox and in all mail is one, what was archived or deleted counts, and folders are found by any name', async () => {
  await inbox.createReadMailbox()
  const { folders } = account()
  folders.delete('Junk')
  const all = new Folder('[Gmail]/Tous les messages', '\\All')
  const junk = new Folder('Courrier indésirable')
  const other = new Folder('Clients')
  const archive = new Folder('Archiv')
  folders.delete('Trash')
  const trash = new Folder('Papelera')
  for (const folder of [all, junk, other, archive, trash]) folders.set(folder.path, folder)
  await inbox.contact(people(6))
  const now = inbox.ctx.now()
  folders.get('INBOX')?.add(answer(1), now)
  all.add(answer(1), now)
  all.add(answer(2), now)
  junk.add(answer(3), now)
  archive.add(answer(4), now)
  trash.add(answer(5), now)
  other.add(answer(6), now)
  inbox.startReader()
  expect(await repliedTo(5)).toEqual(people(5))
})

test('a folder of millions of mails is left out, and keeps no answer elsewhere from being read', async () => {
  await inbox.createReadMailbox()
  const all = new Folder('All', '\\All')
  all.mails.length = 2_000_001
  const archive = new Folder('Archiv')
  for (const folder of [all, archive]) account().folders.set(folder.path, folder)
  await inbox.contact(people(1))
  archive.add(answer(1), inbox.ctx.now())
  inbox.startReader()
  expect(await repliedTo(1)).toEqual(people(1))
  expect(await mailboxState()).toMatchObject({ imap_error: null })
})

test('a Sent folder that is listed and cannot be opened is told of, and keeps no answer from being read', async () => {
  await inbox.createReadMailbox()
  const { folders } = account()
  folders.delete('Sent')
  folders.set('another', new Folder('Sent', '\\Sent'))
  await inbox.contact(people(1))
  inbox.arrive(answer(1))
  inbox.startReader()
  expect(await repliedTo(1)).toEqual(people(1))
  await inbox.ctx.database.until(async () => (await mailboxState()).imap_error !== null)
})

test('what was written in the mailbox itself, from whatever address, is no answer', async () => {
  await using gmail = await testInbox({
    imap: { capabilities: [...usualCapabilities, 'X-GM-EXT-1'] },
  })
  await gmail.createReadMailbox()
  const all = new Folder('[Gmail]/All Mail', '\\All')
  gmail.account(address).folders.set(all.path, all)
  const { messageId } = await gmail.contact([person(1)])
  const add = (id: string, labels: string[], flags: string[] = [], folder = all) => {
    const headers = [`Message-ID: <${id}@ours.example>`, `In-Reply-To: ${messageId}`]
    const source = letter({ from: 'anna@other.example', headers })
    folder.add(source, gmail.ctx.now(), flags).labels = labels
  }
  add('sent', ['\\Sent', '\\Important', 'Offers'])
  add('draft', ['\\Draft'])
  add('unlabelled-draft', [], ['\\Draft', '\\Seen'])
  add('to-herself', ['\\Sent', '\\Inbox'])
  // Of the folder that is read Gmail tells no label.
  add('in-inbox', ['\\Sent'], [], gmail.account(address).folders.get('INBOX'))
  add('answer', ['Offers'])
  gmail.startReader()
  const events = await gmail.waitForEvents('lead.replied', 3)
  expect(events.map(({ data }) => data.reply.message_id)).toEqual([
    '<in-inbox@ours.example>',
    '<to-herself@ours.example>',
    '<answer@ours.example>',
  ])
})

test('a password that was changed is one mailbox.error, until it is given', async () => {
  const { proxy: counting, mailbox } = await mailboxThrough({})
  await inbox.contact(people(1))
  const reader = inbox.startReader()
  await inbox.readAll()
  account().password = 'changed'
  const { connections } = counting
  counting.drop()
  await counting.connected(connections + 4)
  expect(await errorEvents()).toBe(1)
  expect(await mailboxState()).toMatchObject({ status: 'error' })
  await reader.stop()
  inbox.arrive(answer(1))
  await updateMailbox(
    inbox.ctx,
    inbox.workspaceId,
    mailbox.id,
    { imap: { password: 'changed' } },
    operator,
  )
  inbox.startReader()
  expect(await repliedTo(1)).toEqual(people(1))
  await inbox.untilRead(async () =>
    (await mailboxState()).status === 'connected' ? true : undefined,
  )
  expect(await errorEvents()).toBe(1)
})

test('a mailbox whose lease was lost for a moment is read again', async () => {
  let passedMs = 0
  let passes = false
  inbox.ctx.monotonicMs = () => {
    if (passes) passedMs += inbox.ctx.config.leaseMs
    return performance.now() + passedMs
  }
  const { proxy: through } = await mailboxThrough({})
  await inbox.contact(people(1))
  const reader = inbox.startReader()
  await inbox.readAll()
  // Whatever it looks at the time for, its leases are over.
  passes = true
  through.drop()
  await inbox.ctx.database.until(() => reader.mailboxesRead() === 0)
  passes = false
  inbox.arrive(answer(1))
  expect(await repliedTo(1)).toEqual(people(1))
})

test('trouble that cannot be told does not end the reading', async () => {
  await mailboxThrough({})
  await inbox.contact(people(1))
  const { peek } = inbox.ctx.database
  await sql`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no'; end $$`.execute(peek)
  await sql`create trigger refuse before update on mailboxes for each row execute function refuse()`.execute(
    peek,
  )
  const { password } = account()
  account().password = 'changed'
  inbox.arrive(answer(1))
  inbox.startReader()
  const refusals = () => inbox.ctx.logLines.filter((line) => line.includes('told later')).length
  await inbox.ctx.database.until(() => refusals() > 2)
  await sql`drop trigger refuse on mailboxes`.execute(peek)
  account().password = password
  expect(await repliedTo(1)).toEqual(people(1))
})

test('mails that no program would write are read, or left out, and hold up nobody', async () => {
  await inbox.contact(people(8))
  const charset = (number: number, name: string, bytes: Buffer, subject = 'Re: Hello') =>
    Buffer.concat([
      Buffer.from(
        [
          `From: ${person(number)}`,
          `Subject: ${subject}`,
          `Content-Type: text/plain; charset="${name}"`,
          'Content-Transfer-Encoding: 8bit',
          '\r\n',
        ].join('\r\n'),
      ),
      bytes,
    ])
  inbox.arrive(Buffer.from('Just text, nothing else.\r\n'))
  inbox.arrive(Buffer.alloc(0))
  inbox.arrive(Buffer.from([0, 255, 254, 0, 10]))
  inbox.arrive(charset(1, 'koi8-r', Buffer.from([0xe4, 0xc1])))
  inbox.arrive(charset(2, 'iso-2022-jp', Buffer.from('\u001b$B$O$$\u001b(B')))
  inbox.arrive(charset(3, 'x-nobody-knows', Buffer.from('Yes\0 \ud83d.')))
  inbox.arrive(charset(4, 'utf-16le', Buffer.from('Ja', 'utf16le'), '=?utf-8?Q?a=00b?='))
  const attachment = `${'x'.repeat(76)}\r\n`.repeat(340_000)
  inbox.arrive(
    Buffer.from(
      [
        `From: ${person(5)}`,
        'Subject: Re: Hello',
        'Content-Type: multipart/mixed; boundary=B',
        '',
        '--B',
        'Content-Type: text/plain',
        '',
        'See the file.',
        '--B',
        'Content-Type: application/pdf; name="=?utf-8?Q?a=00=ED=A0=80.pdf?="',
        'Content-Transfer-Encoding: base64',
        '',
        attachment,
        '--B--',
      ].join('\r\n'),
    ),
  )
  inbox.arrive(letter({ from: person(6), headers: [`X-Long: ${'x'.repeat(600_000)}`] }))
  inbox.arrive(letter({ from: person(7), headers: [`References: ${'<a@b> '.repeat(50_000)}`] }))
  inbox.startReader()
  inbox.arrive(answer(8))
  expect(await repliedTo(8)).toEqual(people(8))
  const { peek } = inbox.ctx.database
  const stored = await peek
    .selectFrom('messages')
    .select(['from_address', 'subject', 'text', 'size_bytes'])
    .where('direction', '=', 'in')
    .orderBy('from_address')
    .execute()
  expect(stored.map(({ text }) => text.trim())).toEqual([
    ...[
      'Да',
      'はい',
      expect.stringMatching(/^Yes /),
      expect.stringMatching(/^Ja/),
      'See the file.',
      '',
      'Yes.',
      'Yes.',
    ],
  ])
  expect(stored[3]?.subject).toBe('ab')
  expect(stored[4]?.size_bytes).toBeGreaterThan(25 * 1024 * 1024)
})

test.each([
  ['that is no text to it', '22021'],
  ['that a check forbids', '23514'],
])('a mail with a value %s is left out, and those around it are not', async (_, code) => {
  await inbox.contact(people(5))
  const { peek } = inbox.ctx.database
  await sql`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if new.subject = 'poison' then
        raise exception 'no' using errcode = ${sql.lit(code)}, constraint = 'any';
      end if;
      return new;
    end $$`.execute(peek)
  await sql`create trigger refuse before insert on messages for each row execute function refuse()`.execute(
    peek,
  )
  for (const number of [1, 2]) inbox.arrive(answer(number))
  inbox.arrive(letter({ from: person(3), subject: 'poison' }))
  for (const number of [4, 5]) inbox.arrive(answer(number))
  inbox.startReader()
  expect(await repliedTo(4)).toEqual([1, 2, 4, 5].map(person))
  await inbox.readAll()
  expect((await inbox.waitForEvents('lead.replied', 4)).length).toBe(4)
  expect(inbox.ctx.logLines.join('')).not.toContain('lead.example')
})

test('of a mailbox that is removed while it is read no trouble is told', async () => {
  const { ctx, workspaceId: workspace_id } = inbox
  const mailbox = { workspace_id, id: ctx.newId(), address, imap_version: ctx.newId() }
  expect(await reportTrouble(ctx, mailbox, notFound('mailbox'), 1)).toBe(false)
  expect(ctx.logLines.filter((line) => line.includes(mailbox.id))).toEqual([])
})
