import { expect, test } from 'vitest'
import { startHostileImap } from '../../../test/mail/hostile-imap.ts'
import { startImapFaults } from '../../../test/mail/imap-faults.ts'
import { annasServer, localNetwork, startMailServers } from '../../../test/mail/mail-servers.ts'
import { type FetchedMail, type ImapConnection, tooManyMailsDetail } from './index.ts'

const net = localNetwork()
const mebibyte = 1024 ** 2
/** What is on its way when a client closes: buffers of both ends. */
const underWayBytes = 12 * mebibyte

function* endless(text: string) {
  // For a client that takes everything: it fails the test, and not the machine that runs it.
  for (let bytes = 0; bytes < 32 * mebibyte; bytes += text.length) yield text
}

/** A word without end, which costs its reader little. */
const longWord = 'x'.repeat(100_000)
const answer = (words: string) => `* 1 FETCH (${words})\r\n`
const examined = (mails: number, uidNext: number) => [
  `* ${mails} EXISTS\r\n* OK [UIDVALIDITY 1] .\r\n* OK [UIDNEXT ${uidNext}] .\r\n`,
]
const source = (bytes: number) => `BODY[]<0> {${bytes}}\r\n${'x'.repeat(bytes)}`

async function readAll(connection: ImapConnection) {
  await connection.select('INBOX')
  const mails: FetchedMail[] = []
  for await (const mail of connection.fetch(1, { sourceBytesMax: 524_288 })) mails.push(mail)
  return mails
}

const askForSizes = (words: string) => !words.includes('BODY')

const readsFolders = (connection: ImapConnection) => connection.folders()
const searches = async (connection: ImapConnection) => {
  await connection.select('INBOX')
  return connection.findByMessageId('<one@example.com>')
}
const listens = async (connection: ImapConnection) => {
  await connection.select('INBOX')
  return connection.idle(1)
}

test.each<{
  says: string
  to: string
  /** What it says, where it is asked for this. */
  asked?: (words: string) => boolean
  texts: () => Iterable<string>
  use: (connection: ImapConnection) => Promise<unknown>
}>([
  {
    says: 'folders without end',
    to: 'LIST',
    // A login asks for the delimiter alone.
    asked: (words) => words !== '"" ""',
    texts: () => endless(`* LIST () "/" ${longWord}\r\n`),
    use: readsFolders,
  },
  {
    says: 'the sizes of mails without end',
    to: 'UID FETCH',
    asked: askForSizes,
    texts: () => endless(answer(`UID 1 RFC822.SIZE 9 FLAGS (${longWord})`)),
    use: readAll,
  },
  {
    says: 'a mail again and again',
    to: 'UID FETCH',
    asked: (words) => !askForSizes(words),
    texts: () => endless(answer(`UID 1 ${source(500_000)}`)),
    use: readAll,
  },
  {
    says: 'a mail that is larger than was asked for',
    to: 'UID FETCH',
    asked: (words) => !askForSizes(words),
    texts: () => [answer(`UID 1 ${source(2 * mebibyte)}`)],
    use: readAll,
  },
  {
    says: 'words of one line without end',
    to: 'UID SEARCH',
    texts: () => ['* SEARCH', ...endless(' 1'.repeat(50_000)), '\r\n'],
    use: searches,
  },
  {
    says: 'more numbers than a folder has mails, in a few bytes',
    to: 'UID SEARCH',
    texts: () => ['* 4000000 EXISTS\r\n', '* ESEARCH UID ALL 1:4000000\r\n'],
    use: searches,
  },
  {
    says: 'unasked which mails are gone, in a few bytes',
    to: 'NOOP',
    texts: () => ['* VANISHED 1:4000000\r\n'],
    use: listens,
  },
])('a server that says $says loses the connection', async ({ to, asked, texts, use }) => {
  await using server = await startHostileImap((name, words) =>
    name === to && (asked?.(words) ?? true) ? texts() : undefined,
  )
  await using connection = await net.connectImap(annasServer(server.port))
  await expect(use(connection)).rejects.toMatchObject({ stage: 'imap', kind: 'protocol' })
  expect(connection.isOpen).toBe(false)
  expect(server.saidBytes).toBeLessThan(8 * mebibyte + underWayBytes)
})

test('a folder that has more mails than any is not selected, and others are', async () => {
  await using server = await startHostileImap((name, words) =>
    name === 'EXAMINE' && words.includes('All') ? examined(4_000_000, 2) : undefined,
  )
  await using connection = await net.connectImap(annasServer(server.port))
  await expect(connection.select('All')).rejects.toMatchObject({ detail: tooManyMailsDetail })
  expect(await readAll(connection)).toHaveLength(1)
})

test.each([
  {
    says: 'thirty thousand folders',
    to: 'LIST',
    text: (i: number) => `* LIST () "/" ${'x'.repeat(80)}${i}\r\n`,
    use: readsFolders,
  },
  {
    says: 'that thirty thousand mails are read by now',
    to: 'NOOP',
    text: () => answer('UID 1 FLAGS (\\Seen $NotJunk)'),
    use: listens,
  },
])('a server that says $says keeps the connection', async ({ to, text, use }) => {
  await using server = await startHostileImap((name, words) =>
    name === to && (to !== 'LIST' || words.includes('*'))
      ? [Array.from({ length: 30_000 }, (_, i) => text(i)).join('')]
      : undefined,
  )
  await using connection = await net.connectImap(annasServer(server.port))
  await use(connection)
  expect(connection.isOpen).toBe(true)
  expect(server.saidBytes).toBeGreaterThan(mebibyte)
})

test('as much said while it listens keeps the connection', async () => {
  await using servers = await startMailServers()
  const lines = Array<string>(30_000).fill(answer('UID 1 FLAGS (\\Seen $NotJunk)'))
  await using proxy = await startImapFaults(servers.imapPort, {
    tell: (line) => (line.startsWith('+') ? [line, ...lines, '* 1 EXISTS\r\n'] : [line]),
  })
  await using connection = await net.connectImap(annasServer(proxy.port))
  await connection.select('INBOX')
  expect(await connection.idle(600_000)).toBe('changed')
})

/** An inbox, and what is asked of its mails. Each question for sizes is answered with 6 MB, and one mail. */
async function startLargeInbox(uidNext: number, lines = 60) {
  const asked: string[] = []
  const server = await startHostileImap((name, words) => {
    if (name === 'EXAMINE') return examined(3, uidNext)
    if (name !== 'UID FETCH') return
    const [range = ''] = words.split(' ')
    asked.push(range)
    const uid = Number.parseInt(range, 10)
    if (!askForSizes(words)) return [answer(`UID ${uid} ${source(9)}`)]
    return Array<string>(lines).fill(answer(`UID ${uid} RFC822.SIZE 9 FLAGS (${longWord})`))
  })
  return Object.assign(server, { asked })
}

test('of more mails than fit into an answer those that came first are handed out first', async () => {
  await using server = await startLargeInbox(120_001)
  await using connection = await net.connectImap(annasServer(server.port))
  const mails = await readAll(connection)
  expect(mails.map(({ uid }) => uid)).toEqual([1, 50_001, 100_001])
  expect(server.asked).toEqual([
    ...['1:50000', '1', '50001:100000', '50001'],
    ...['100001:*', '100001'],
  ])
})

test('a server whose UIDs go on for ever is asked a bounded number of questions', async () => {
  await using server = await startLargeInbox(4_294_967_295, 0)
  await using connection = await net.connectImap(annasServer(server.port))
  expect(await readAll(connection)).toEqual([])
  expect(server.asked).toHaveLength(200)
})

test('a server that goes on and on before a login loses the connection', async () => {
  await using server = await startHostileImap((name) =>
    name === 'ID' ? endless(`* ID ("name" "${longWord}")\r\n`) : undefined,
  )
  await expect(net.connectImap(annasServer(server.port))).rejects.toMatchObject({
    ...{ stage: 'connect', kind: 'protocol' },
  })
  expect(server.saidBytes).toBeLessThan(mebibyte + underWayBytes)
})

test('what a server tells of other mails, or again, takes no place of what was asked for', async () => {
  const mail = answer(`UID 1 RFC822.SIZE 9 ${source(9)}`)
  await using server = await startHostileImap((name, words) => {
    if (name !== 'UID FETCH' || askForSizes(words)) return
    return [answer('UID 1 FLAGS (\\Seen)'), answer(`UID 7 ${source(9)}`), mail, mail]
  })
  await using connection = await net.connectImap(annasServer(server.port))
  expect(await readAll(connection)).toMatchObject([{ uid: 1, sizeBytes: 9, isCut: false }])
})
