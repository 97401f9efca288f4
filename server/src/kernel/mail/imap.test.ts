import { expect, test } from 'vitest'
import {
  annasServer,
  annasToken,
  dottedMail,
  localNetwork,
  type MailServers,
  startMailServers,
} from '../../../test/mail/mail-servers.ts'
import { startTcpProxy } from '../../../test/mail/tcp-proxy.ts'
import { encodeName } from '../../demo/mail-server/folder-name.ts'
import type { FetchedMail, ImapConnection } from './index.ts'

const net = localNetwork()
const longMs = 20_000

const connect = (servers: MailServers) => net.connectImap(annasServer(servers.imapPort))

async function read(connection: ImapConnection, fromUid: number, sourceBytesMax = 100_000) {
  const mails: FetchedMail[] = []
  for await (const mail of connection.fetch(fromUid, { sourceBytesMax })) mails.push(mail)
  return mails
}

test.each([
  ['password', annasServer(0).credential],
  ['token', { kind: 'oauth2' as const, accessToken: annasToken }],
])('logs in by %s', async (_how, credential) => {
  await using servers = await startMailServers()
  await using connection = await net.connectImap(annasServer(servers.imapPort, { credential }))
  expect(connection.isOpen).toBe(true)
})

test.each([
  { kind: 'password' as const, password: 'wrong' },
  { kind: 'oauth2' as const, accessToken: 'wrong' },
])('a login by $kind that is refused says so, in the words of the server', async (credential) => {
  await using servers = await startMailServers()
  await expect(
    net.connectImap(annasServer(servers.imapPort, { credential })),
  ).rejects.toMatchObject({
    ...{ stage: 'login', kind: 'refused' },
    response: '[AUTHENTICATIONFAILED] Invalid credentials',
  })
})

test('folders are known by their use, and by their name where the server does not say', async () => {
  await using servers = await startMailServers()
  const uses: Record<string, string | null> = {
    ...{ 'Gesendete Objekte': 'sent', 'Courrier indésirable': 'junk', Papelera: 'trash' },
    ...{ Archiv: 'archive' },
    ...{ Черновики: 'drafts', Kunden: null, 'Sent to clients': null },
  }
  for (const [address, folders] of [
    ['names@example.com', Object.fromEntries(Object.keys(uses).map((path) => [path, null]))],
    ['uses@example.com', { Archiv: '\\All', Sent: null, Versandt: '\\Sent', 垃圾邮件: null }],
  ] as const) {
    servers.store.addAccount({ address, password: 'x', folders })
  }
  const server = (username: string) =>
    annasServer(servers.imapPort, { username, credential: { kind: 'password', password: 'x' } })
  await using byName = await net.connectImap(server('names@example.com'))
  const named = (await byName.folders()).map(({ path, specialUse }) => [path, specialUse])
  expect(Object.fromEntries(named)).toEqual({ INBOX: 'inbox', ...uses })
  await using byUse = await net.connectImap(server('uses@example.com'))
  expect(await byUse.folders()).toEqual(
    expect.arrayContaining([
      { path: 'Archiv', specialUse: 'all' },
      { path: 'Versandt', specialUse: 'sent' },
      { path: 'Sent', specialUse: null },
      { path: '垃圾邮件', specialUse: 'junk' },
    ]),
  )
  expect(await byName.select('Courrier indésirable')).toEqual({ uidValidity: '1', uidNext: 1 })
})

test.each([
  ...['Envoyes', 'Elements envoyes', 'Messages envoyes', 'Gesendete Elemente', 'Posta inviata'],
  ...['Enviados', 'Itens enviados', 'Verzonden items', 'Wyslane', 'Odeslana posta', 'Skickat'],
  ...['Lahetetyt', 'Gonderilmis Ogeler', 'Elkuldott elemek', 'Odoslane'],
])('a folder that is called %s without accents is the one of sent mail', async (name) => {
  await using servers = await startMailServers()
  const address = 'names@example.com'
  const folders = { [`Alte/${name}`]: null, [name]: null, 'Wysłane faktury': null }
  servers.store.addAccount({ address, password: 'x', folders })
  const credential = { kind: 'password' as const, password: 'x' }
  const login = annasServer(servers.imapPort, { username: address, credential })
  await using connection = await net.connectImap(login)
  const sent = (await connection.folders()).filter(({ specialUse }) => specialUse === 'sent')
  expect(sent).toEqual([{ path: name, specialUse: 'sent' }])
})

test('reads from a UID on, in order, and marks nothing as seen', async () => {
  await using servers = await startMailServers()
  for (let i = 1; i <= 5; i++) servers.store.file(servers.anna, dottedMail(`<${i}@example.com>`))
  await using connection = await connect(servers)
  expect(await connection.select('INBOX')).toEqual({ uidValidity: '1', uidNext: 6 })
  const mails = await read(connection, 3)
  expect(mails.map(({ uid }) => uid)).toEqual([3, 4, 5])
  expect(mails[0]).toMatchObject({
    ...{ source: dottedMail('<3@example.com>'), isCut: false, flags: [], labels: [] },
    sizeBytes: dottedMail('<3@example.com>').length,
    receivedAt: expect.any(Date),
  })
  // `6:*` would be answered with the last mail.
  expect(await read(connection, 6)).toEqual([])
  expect(servers.anna.folders.get('INBOX')?.mails.every(({ flags }) => flags.size === 0)).toBe(true)
})

test('of a mail of 25 MB only the beginning is read', async () => {
  await using servers = await startMailServers()
  const large = Buffer.concat([dottedMail(), Buffer.alloc(25 * 1024 * 1024, 'x')])
  servers.store.file(servers.anna, large)
  await using proxy = await startTcpProxy(servers.imapPort)
  await using connection = await net.connectImap(annasServer(proxy.port))
  await connection.select('INBOX')
  const [mail] = await read(connection, 1, 1000)
  expect(mail).toMatchObject({ isCut: true, sizeBytes: large.length })
  expect(mail?.source).toEqual(large.subarray(0, 1000))
})

test('one mail is read whole, in pieces, or as far as is asked for, and stays unseen', async () => {
  await using servers = await startMailServers()
  const whole = Buffer.from(`Subject: Large\r\n\r\n${'0123456789'.repeat(200_000)}`)
  servers.store.file(servers.anna, whole)
  // As large as a piece, after which only the next one tells that nothing is left.
  const piece = Buffer.alloc(512 * 1024, 'x')
  servers.store.file(servers.anna, piece)
  await using connection = await connect(servers)
  await connection.select('INBOX')
  const bytesMax = whole.length
  expect(await connection.fetchSource(1, bytesMax)).toEqual({ source: whole, isCut: false })
  expect(await connection.fetchSource(2, bytesMax)).toEqual({ source: piece, isCut: false })
  const beginning = whole.subarray(0, bytesMax - 1)
  expect(await connection.fetchSource(1, bytesMax - 1)).toEqual({ source: beginning, isCut: true })
  expect(await connection.fetchSource(2, 1000)).toMatchObject({ isCut: true })
  expect(await connection.fetchSource(3, bytesMax)).toBeUndefined()
  expect(servers.anna.folders.get('INBOX')?.mails.every(({ flags }) => flags.size === 0)).toBe(true)
})

test('many mails come in groups, so that other questions can be asked between them', async () => {
  await using servers = await startMailServers()
  const count = 600
  for (let i = 1; i <= count; i++)
    servers.store.file(servers.anna, dottedMail(`<${i}@example.com>`))
  await using connection = await connect(servers)
  await connection.select('INBOX')
  const seen: number[] = []
  for await (const { uid } of connection.fetch(1, { sourceBytesMax: 500 })) {
    if (uid % 200 === 0) {
      expect(await connection.findByMessageId(`<${uid}@example.com>`)).toEqual([uid])
    }
    seen.push(uid)
  }
  expect(seen).toEqual(Array.from({ length: count }, (_, i) => i + 1))
})

test('finds a mail in a folder by its Message-ID', async () => {
  await using servers = await startMailServers()
  await using connection = await connect(servers)
  await connection.append('Sent', dottedMail('<sent@example.com>'), ['\\Seen'])
  await connection.select('Sent')
  expect(await connection.findByMessageId('<sent@example.com>')).toEqual([1])
  expect(await connection.findByMessageId('<other@example.com>')).toEqual([])
  expect([...(servers.anna.folders.get('Sent')?.mails[0]?.flags ?? [])]).toEqual(['\\Seen'])
  const path = `Entwürfe ${encodeName('&')}`
  await expect(connection.append(path, dottedMail(), [])).rejects.toMatchObject({
    ...{ stage: 'imap', kind: 'refused', response: expect.stringContaining('no such folder') },
  })
})

test('finds where to begin by when each mail came in, in whatever order they lie', async () => {
  await using servers = await startMailServers()
  const days = [24, 3, 22, 23]
  for (const [at, day] of days.entries()) {
    const folder = servers.anna.folders.get('INBOX')
    folder?.add(dottedMail(`<${at}@example.com>`), new Date(Date.UTC(2026, 10, day, 12)))
  }
  await using connection = await connect(servers)
  await connection.select('INBOX')
  const since = new Date('2026-11-22T18:00:00Z')
  expect(await connection.findFirstSince(since)).toBe(1)
  const uids: number[] = []
  for await (const { uid } of connection.fetch(1, { sourceBytesMax: 500, since })) uids.push(uid)
  expect(uids).toEqual([1, 4])
  expect(await connection.findFirstSince(new Date('2026-11-27T00:00:00Z'))).toBeNull()
})

test('a mail wakes who is idle at once', async () => {
  await using servers = await startMailServers()
  await using connection = await connect(servers)
  await connection.select('INBOX')
  const woken = connection.idle(longMs)
  servers.store.file(servers.anna, dottedMail())
  expect(await woken).toBe('changed')
  expect(await read(connection, 1)).toHaveLength(1)
  // Once it was read, it is no news.
  expect(await connection.idle(50)).toBe('timeout')
})

test('a mail that comes while nobody listens wakes the next who does', async () => {
  await using servers = await startMailServers()
  await using connection = await connect(servers)
  await connection.select('INBOX')
  await read(connection, 1)
  servers.store.file(servers.anna, dottedMail())
  expect(await connection.idle(longMs)).toBe('changed')
})

test('idling ends when it is told to, and the connection goes on', async () => {
  await using servers = await startMailServers()
  await using connection = await connect(servers)
  await connection.select('INBOX')
  const abort = new AbortController()
  const idle = connection.idle(longMs, abort.signal)
  abort.abort()
  expect(await idle).toBe('timeout')
  expect(await connection.idle(longMs, abort.signal)).toBe('timeout')
  expect(await read(connection, 1)).toEqual([])
})

test('a server without IDLE is asked from time to time', async () => {
  await using servers = await startMailServers({
    imap: { capabilities: ['IMAP4rev1', 'AUTH=PLAIN'] },
  })
  await using connection = await connect(servers)
  await connection.select('INBOX')
  const idle = connection.idle(100)
  servers.store.file(servers.anna, dottedMail())
  expect(await idle).toBe('changed')
})

test('a connection that breaks fails what waits on it, and ends no process', async () => {
  await using servers = await startMailServers()
  await using proxy = await startTcpProxy(servers.imapPort)
  const connection = await net.connectImap(annasServer(proxy.port))
  await connection.select('INBOX')
  const idle = connection.idle(longMs)
  proxy.drop()
  await expect(idle).rejects.toMatchObject({ stage: 'imap', kind: 'closed' })
  expect(connection.isOpen).toBe(false)
  await expect(connection.folders()).rejects.toMatchObject({ kind: 'closed' })
  await connection[Symbol.asyncDispose]()
})

test('a connection that is dead but open is given up', async () => {
  await using servers = await startMailServers()
  await using proxy = await startTcpProxy(servers.imapPort)
  const hasty = localNetwork({ timeouts: { commandMs: 300, idleMs: 100 } })
  const connection = await hasty.connectImap(annasServer(proxy.port))
  await connection.select('INBOX')
  proxy.freeze()
  await expect(connection.idle(longMs)).rejects.toMatchObject({ stage: 'imap', kind: 'timeout' })
  expect(connection.isOpen).toBe(false)
  await connection[Symbol.asyncDispose]()
})

test('a folder whose numbers have changed says so when it is opened again', async () => {
  await using servers = await startMailServers()
  servers.store.file(servers.anna, dottedMail())
  const connection = await connect(servers)
  const before = await connection.select('INBOX')
  const idle = connection.idle(longMs)
  servers.anna.folders.get('INBOX')?.renumber()
  await expect(idle).rejects.toMatchObject({ kind: 'closed' })
  await using again = await connect(servers)
  const after = await again.select('INBOX')
  expect(after.uidValidity).not.toBe(before.uidValidity)
  await connection[Symbol.asyncDispose]()
})

test('a folder that is not there is a refusal', async () => {
  await using servers = await startMailServers()
  await using connection = await connect(servers)
  await expect(connection.select('Nowhere')).rejects.toMatchObject({ kind: 'refused' })
})
