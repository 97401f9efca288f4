import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  annasServer,
  dottedMail,
  localNetwork,
  type MailServers,
  startMailServers,
} from '../../../test/mail/mail-servers.ts'
import { decodeName, encodeName } from './folder-name.ts'
import type { SubmittedMail } from './index.ts'

/** Says IMAP commands as a person at a terminal would. */
async function dialogue({ imapPort }: MailServers) {
  const socket = connect(imapPort, '127.0.0.1')
  await once(socket, 'connect')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  await lines.next()
  let count = 0
  return {
    /** All that the server says to a command, up to its end. */
    async say(command: string): Promise<string[]> {
      const tag = `t${++count}`
      socket.write(`${tag} ${command}\r\n`)
      const said: string[] = []
      for (let line = await lines.next(); !line.done; line = await lines.next()) {
        said.push(line.value)
        if (line.value.startsWith(tag)) break
      }
      return said
    },
    [Symbol.asyncDispose]: async () => {
      socket.destroy()
      await once(socket, 'close')
    },
  }
}

const login = 'LOGIN anna@example.com "correct horse"'

test('a name of a folder is the same after its way over the wire', () => {
  expect(encodeName('Entwürfe & 台北')).toBe('Entw&APw-rfe &- &U,BTFw-')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      expect(encodeName(name)).toMatch(/^[\x20-\x7e]*$/)
      expect(decodeName(encodeName(name))).toBe(name)
    }),
  )
})

test('searches by what mail programs ask for', async () => {
  await using servers = await startMailServers()
  const { store, anna } = servers
  for (const i of [1, 2, 3]) store.file(anna, dottedMail(`<${i}@example.com>`))
  await using imap = await dialogue(servers)
  await imap.say(login)
  await imap.say('SELECT inbox')
  await imap.say('UID STORE 2 +FLAGS (\\Seen)')
  const found = async (criteria: string) => (await imap.say(`UID SEARCH ${criteria}`))[0]
  expect(await found('ALL')).toBe('* SEARCH 1 2 3')
  expect(await found('UNSEEN')).toBe('* SEARCH 1 3')
  expect(await found('2:*')).toBe('* SEARCH 2 3')
  expect(await found('UID 3:1 NOT SEEN')).toBe('* SEARCH 1 3')
  expect(await found('CHARSET UTF-8 (HEADER message-id "<2@EXAMPLE.com>")')).toBe('* SEARCH 2')
  const { mails = [] } = anna.folders.get('INBOX') ?? {}
  for (const [at, mail] of mails.entries()) mail.receivedAt = new Date(Date.UTC(2026, 10, 23 + at))
  expect(await found('SINCE 24-Nov-2026')).toBe('* SEARCH 2 3')
  expect(await found('SUBJECT nothing')).toBe('* SEARCH')
  expect(await imap.say('UID SEARCH YOUNGER 5')).toEqual([expect.stringMatching(/^t\d+ BAD /)])
})

test('shows parts of a mail, and marks as seen what was read without PEEK', async () => {
  await using servers = await startMailServers()
  servers.store.file(servers.anna, dottedMail('<1@example.com>'))
  await using imap = await dialogue(servers)
  await imap.say(login)
  await imap.say('SELECT INBOX')
  expect(await imap.say('FETCH 1 (UID BODY.PEEK[HEADER.FIELDS (SUBJECT)])')).toEqual([
    '* 1 FETCH (UID 1 BODY[HEADER.FIELDS (SUBJECT)] {17}',
    ...['Subject: Dots', '', ')'],
    expect.stringMatching(/OK/),
  ])
  expect((await imap.say('FETCH 1 (FLAGS)'))[0]).toBe('* 1 FETCH (FLAGS ())')
  expect((await imap.say('FETCH 1 BODY[TEXT]<1.2>')).slice(0, 2)).toEqual([
    ...['* 1 FETCH (BODY[TEXT]<1> {2}', ''],
  ])
  expect((await imap.say('FETCH 1 (FLAGS)'))[0]).toBe('* 1 FETCH (FLAGS (\\Seen))')
  expect(await imap.say('FETCH 1 ENVELOPE')).toEqual([expect.stringMatching(/ BAD /)])
})

test('sequence numbers stand still until the client was told', async () => {
  await using servers = await startMailServers()
  const inbox = servers.anna.folders.get('INBOX')
  for (const i of [1, 2, 3]) servers.store.file(servers.anna, dottedMail(`<${i}@example.com>`))
  await using imap = await dialogue(servers)
  await imap.say(login)
  await imap.say('SELECT INBOX')
  inbox?.remove(new Set([1, 3]))
  expect(await imap.say('NOOP')).toEqual(['* 3 EXPUNGE', '* 1 EXPUNGE', 't3 OK done'])
  expect((await imap.say('FETCH 1 (UID)'))[0]).toBe('* 1 FETCH (UID 2)')
  await imap.say('STORE 1 +FLAGS.SILENT (\\Deleted)')
  expect((await imap.say('EXPUNGE'))[0]).toBe('* 1 EXPUNGE')
  expect(inbox?.mails).toEqual([])
})

test.each(['', 'x', 'a b (', 'a LOGIN "x', 'a SELECT INBOX', 'a NONSENSE'])(
  '%j is answered, and the connection goes on',
  async (line) => {
    await using servers = await startMailServers()
    const socket = connect(servers.imapPort, '127.0.0.1')
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
    await lines.next()
    socket.write(`${line}\r\nlast LOGOUT\r\n`)
    expect((await lines.next()).value).toMatch(/^\S+ (BAD|NO) /)
    expect((await lines.next()).value).toMatch(/^\* BYE/)
    await once(socket, 'close')
  },
)

test('who is logged in has to log in anew with the new password', async () => {
  await using servers = await startMailServers()
  const imap = await dialogue(servers)
  await imap.say(login)
  servers.store.changePassword('anna@example.com', 'battery staple')
  expect(await imap.say('NOOP')).toEqual(['* BYE log in again'])
  await using again = await dialogue(servers)
  expect(await again.say(login)).toEqual([expect.stringMatching(/AUTHENTICATIONFAILED/)])
  const renewed = login.replace('correct horse', 'battery staple')
  expect(await again.say(renewed)).toEqual([expect.stringMatching(/ OK /)])
})

test('mail goes from account to account, and out only where that is wanted', async () => {
  const net = localNetwork()
  const outside: SubmittedMail[] = []
  for (const onOutside of [undefined, (mail: SubmittedMail) => void outside.push(mail)]) {
    await using servers = await startMailServers(onOutside ? { onOutside } : {})
    servers.anna.keepsSent = true
    const source = dottedMail()
    const smtp = await net.connectSmtp(annasServer(servers.smtpPort))
    const envelope = { from: 'anna@example.com', sizeBytes: source.length, utf8: false }
    const to = ['BOB@example.com', 'carol@elsewhere.example']
    if (onOutside) {
      await smtp.begin({ ...envelope, to })
      await smtp.finish(source)
      expect(outside).toEqual([{ from: 'anna@example.com', to: to[1], source }])
      expect(servers.bob.folders.get('INBOX')?.mails).toHaveLength(1)
      const sent = servers.anna.folders.get('Sent')?.mails.map((mail) => mail.source)
      expect(sent).toEqual([source])
    } else {
      await expect(smtp.begin({ ...envelope, to })).rejects.toMatchObject({
        ...{ code: 550, recipient: to[1] },
      })
    }
    await smtp.close()
  }
})
