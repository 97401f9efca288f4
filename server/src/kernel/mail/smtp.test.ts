import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import {
  annasServer,
  annasToken,
  dottedMail,
  localNetwork,
  startMailServers,
} from '../../../test/mail/mail-servers.ts'
import { startTerseSmtp } from '../../../test/mail/scripted-server.ts'
import { type SmtpFault, type SmtpMoment, startSmtpFaults } from '../../../test/mail/smtp-faults.ts'
import type { Envelope, MailFailure, SmtpConnection } from './index.ts'

const net = localNetwork()
/** For servers that never answer. */
const hasty = localNetwork({
  timeouts: { commandMs: 300, greetingMs: 300, transferMs: 10, acceptanceMs: 300 },
})
const mail = dottedMail()
const envelope = (more: Partial<Envelope> = {}): Envelope => ({
  from: 'anna@example.com',
  to: ['bob@example.com'],
  sizeBytes: mail.length,
  utf8: false,
  ...more,
})

async function send(connection: SmtpConnection, message = mail): Promise<void> {
  await connection.begin(envelope({ sizeBytes: message.length }))
  await connection.finish(message)
}

/** A server behind faults, a connection to it, and what has arrived. */
async function faulty(fault: (moment: SmtpMoment, seenBefore: number) => SmtpFault) {
  const stack = new AsyncDisposableStack()
  const servers = stack.use(await startMailServers())
  const { port, commands } = stack.use(await startSmtpFaults(servers.smtpPort, fault))
  const inbox = servers.bob.folders.get('INBOX')
  return {
    commands,
    connect: (network = net) => network.connectSmtp(annasServer(port)),
    arrived: () => inbox?.mails.map(({ source }) => source.toString()) ?? [],
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('mails arrive byte for byte, several over one connection', async () => {
  await using servers = await startMailServers()
  const connection = await net.connectSmtp(annasServer(servers.smtpPort))
  const mails = ['<1@example.com>', '<2@example.com>', '<3@example.com>'].map(dottedMail)
  for (const one of mails) await send(connection, one)
  await connection.close()
  expect(connection.isOpen).toBe(false)
  const arrived = servers.bob.folders.get('INBOX')?.mails.map(({ source }) => source)
  expect(arrived).toEqual(mails)
})

test('a message of 3 MB arrives whole', async () => {
  await using servers = await startMailServers()
  const connection = await net.connectSmtp(annasServer(servers.smtpPort))
  const large = Buffer.concat([mail, Buffer.from(`${'.x'.repeat(35)}\r\n`.repeat(42_000))])
  await send(connection, large)
  await connection.close()
  expect(servers.bob.folders.get('INBOX')?.mails[0]?.source.equals(large)).toBe(true)
})

test.each([
  ['PLAIN', annasServer(0).credential],
  ['LOGIN', annasServer(0).credential],
  ['XOAUTH2', { kind: 'oauth2' as const, accessToken: annasToken }],
])('logs in by %s', async (method, credential) => {
  await using servers = await startMailServers({ smtp: { authMethods: [method] } })
  const connection = await net.connectSmtp(annasServer(servers.smtpPort, { credential }))
  await send(connection)
  await connection.close()
})

test.each([
  ['PLAIN', { kind: 'password' as const, password: 'wrong' }],
  ['LOGIN', { kind: 'password' as const, password: 'wrong' }],
  ['XOAUTH2', { kind: 'oauth2' as const, accessToken: 'wrong' }],
])('a login by %s that is refused says so', async (method, credential) => {
  await using servers = await startMailServers({ smtp: { authMethods: [method] } })
  await expect(
    net.connectSmtp(annasServer(servers.smtpPort, { credential })),
  ).rejects.toMatchObject({ stage: 'login', kind: 'refused', code: 535, certain: true })
})

test('a greeting that refuses is told with its code', async () => {
  await using server = await faulty((moment) =>
    moment === 'CONNECT' ? { answer: '421 4.7.0 Try again later\r\n' } : undefined,
  )
  await expect(server.connect()).rejects.toMatchObject({
    ...{ stage: 'connect', kind: 'refused', code: 421, enhanced: '4.7.0', certain: true },
    response: '421 4.7.0 Try again later',
  })
})

test.each<[string, RegExp, string, object]>([
  ['MAIL', /^MAIL/, '451 4.3.0 later', { stage: 'mail', code: 451, enhanced: '4.3.0' }],
  ['MAIL', /^MAIL/, '550 5.7.1 no', { stage: 'mail', code: 550, enhanced: '5.7.1' }],
  ['RCPT', /^RCPT/, '450 4.2.1 slow down', { stage: 'rcpt', code: 450, enhanced: '4.2.1' }],
  ['RCPT', /^RCPT/, '550 5.1.1 who?', { stage: 'rcpt', code: 550, enhanced: '5.1.1' }],
  ['DATA', /^DATA/, '451 busy', { stage: 'data', code: 451, enhanced: null }],
  ['the message', /^\.$/, '452 4.2.2 full', { stage: 'message', code: 452, enhanced: '4.2.2' }],
  ['the message', /^\.$/, '554 5.7.1 spam', { stage: 'message', code: 554, enhanced: '5.7.1' }],
])(
  '%s refused: certainly not sent, and the connection goes on',
  async (_what, at, text, failure) => {
    await using server = await faulty((moment, seenBefore) =>
      at.test(moment) && seenBefore === 0 ? { answer: `${text}\r\n` } : undefined,
    )
    const connection = await server.connect()
    await expect(send(connection)).rejects.toMatchObject({
      ...{ kind: 'refused', certain: true, response: text },
      ...failure,
    })
    expect(connection.isOpen).toBe(true)
    await send(connection)
    expect(server.arrived()).toHaveLength(1)
    await connection.close()
  },
)

test('a refused recipient is named', async () => {
  await using server = await faulty((moment) =>
    moment.startsWith('RCPT') && moment.includes('carol')
      ? { answer: '550 5.1.1 who?\r\n' }
      : undefined,
  )
  const connection = await server.connect()
  const to = ['bob@example.com', 'carol@example.com']
  await expect(connection.begin(envelope({ to }))).rejects.toMatchObject({
    ...{ stage: 'rcpt', recipient: 'carol@example.com', code: 550 },
  })
  // Its fellow was taken, so DATA would have been as well.
  expect(server.commands).not.toContain('DATA')
  await send(connection)
  expect(server.commands).toContain('RSET')
  expect(server.arrived()).toHaveLength(1)
})

test.each(['EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', '.'])(
  'a server that closes with 421 at %s has certainly not taken the mail',
  async (command) => {
    await using server = await faulty((moment) =>
      moment.startsWith(command) ? { answer: '421 4.3.2 closing\r\n' } : undefined,
    )
    let connection: SmtpConnection | undefined
    const attempt = async () => {
      connection = await server.connect()
      await send(connection)
    }
    await expect(attempt()).rejects.toMatchObject({ kind: 'refused', code: 421, certain: true })
    expect(connection?.isOpen ?? false).toBe(false)
  },
)

test.each(['AUTH', 'MAIL', 'RCPT', 'DATA'])(
  'a connection that breaks at %s has certainly not sent',
  async (command) => {
    await using server = await faulty((moment) => (moment.startsWith(command) ? 'drop' : undefined))
    const attempt = async () => send(await server.connect())
    await expect(attempt()).rejects.toMatchObject({ kind: 'closed', certain: true })
    expect(server.arrived()).toEqual([])
  },
)

test('a server that hangs up between 354 and the message has certainly not got it', async () => {
  const asked = Promise.withResolvers<Socket>()
  await using server = await startTerseSmtp((line, socket) => {
    if (line === 'DATA') asked.resolve(socket)
    return undefined
  })
  const connection = await net.connectSmtp(annasServer(server.port))
  await connection.begin(envelope())
  const socket = await asked.promise
  socket.end()
  await once(socket, 'close')
  await expect(connection.finish(mail)).rejects.toMatchObject({ kind: 'closed', certain: true })
})

test('a mail that was taken but not answered for is uncertain', async () => {
  await using server = await faulty((moment) => (moment === '.' ? 'drop-after' : undefined))
  const connection = await server.connect()
  await expect(send(connection)).rejects.toMatchObject({
    ...{ stage: 'message', kind: 'closed', certain: false },
  })
  expect(server.arrived()).toHaveLength(1)
})

test.each<[string, SmtpFault, string]>([
  ['silence', 'silence', 'timeout'],
  ['an answer that never ends', 'drip', 'timeout'],
  ['garbage', { answer: 'HTTP/1.1 200 OK\r\n' }, 'protocol'],
  ['an answer that means nothing here', { answer: '354 go on\r\n' }, 'protocol'],
])('after the final dot %s is uncertain', async (_what, fault, kind) => {
  await using server = await faulty((moment) => (moment === '.' ? fault : undefined))
  const connection = await server.connect(hasty)
  await expect(send(connection)).rejects.toMatchObject({ stage: 'message', kind, certain: false })
  expect(connection.isOpen).toBe(false)
})

test.each(['CONNECT', 'EHLO', 'AUTH', 'MAIL', 'DATA'])(
  'a server that drips at %s does not hold a mail longer than its time',
  async (command) => {
    await using server = await faulty((moment) => (moment.startsWith(command) ? 'drip' : undefined))
    const attempt = async () => send(await server.connect(hasty))
    await expect(attempt()).rejects.toMatchObject({ kind: 'timeout', certain: true })
  },
)

test('breaking off between begin and finish sends nothing', async () => {
  await using server = await faulty(() => undefined)
  const connection = await server.connect()
  await connection.begin(envelope())
  await connection.close()
  await expect(connection.finish(mail)).rejects.toMatchObject({ kind: 'closed', certain: true })
  const next = await server.connect()
  await send(next)
  expect(server.arrived()).toHaveLength(1)
})

test('a connection that breaks in the middle of a large message has certainly not sent it', async () => {
  await using server = await startTerseSmtp((line, socket) => {
    if (line.startsWith('X')) socket.destroy()
    return line.startsWith('X') ? '' : undefined
  })
  const connection = await net.connectSmtp(annasServer(server.port))
  const huge = Buffer.alloc(50 * 1024 * 1024, 'X')
  await connection.begin(envelope({ sizeBytes: huge.length }))
  await expect(connection.finish(huge)).rejects.toMatchObject({ stage: 'data', certain: true })
})

test('a server that stops reading does not hold a large message for ever', async () => {
  await using server = await startTerseSmtp((line, socket) => {
    if (line.startsWith('X')) socket.pause()
    return line.startsWith('X') ? '' : undefined
  })
  const connection = await hasty.connectSmtp(annasServer(server.port))
  const large = Buffer.alloc(32 * 1024 * 1024, 'X')
  await connection.begin(envelope({ sizeBytes: 1 }))
  await expect(connection.finish(large)).rejects.toMatchObject({ kind: 'timeout', certain: true })
})

test('what is larger than the server takes is refused before a word is said', async () => {
  await using servers = await startMailServers({ smtp: { size: 500 } })
  const connection = await net.connectSmtp(annasServer(servers.smtpPort))
  await expect(connection.begin(envelope({ sizeBytes: 501 }))).rejects.toMatchObject({
    ...{ kind: 'refused', code: 552, enhanced: '5.3.4', response: null, certain: true },
  })
  await send(connection)
  await connection.close()
})

test('an address beyond ASCII needs SMTPUTF8, its domain does not', async () => {
  await using servers = await startMailServers({ smtp: { hideSMTPUTF8: true } })
  servers.store.addAccount({ address: 'bob@xn--bcher-kva.example', password: 'b' })
  const connection = await net.connectSmtp(annasServer(servers.smtpPort))
  for (const more of [{ to: ['jürgen@example.com'] }, { utf8: true }]) {
    await expect(connection.begin(envelope(more))).rejects.toMatchObject({
      ...{ kind: 'refused', code: 550, enhanced: '5.6.7', certain: true },
    })
  }
  await connection.begin(envelope({ to: ['bob@bücher.example'] }))
  await connection.finish(mail)
  await connection.close()
})

test('with SMTPUTF8 an address beyond ASCII is written to', async () => {
  await using servers = await startMailServers()
  const account = servers.store.addAccount({ address: 'jürgen@example.com', password: 'b' })
  const connection = await net.connectSmtp(annasServer(servers.smtpPort))
  await connection.begin(envelope({ to: ['jürgen@example.com'] }))
  await connection.finish(mail)
  await connection.close()
  expect(account.folders.get('INBOX')?.mails).toHaveLength(1)
})

test('an envelope goes out in one piece where the server pipelines, and only there', async () => {
  for (const extensions of [['PIPELINING', 'AUTH PLAIN'], ['AUTH PLAIN']]) {
    await using server = await startTerseSmtp(() => undefined, extensions)
    const connection = await net.connectSmtp(annasServer(server.port))
    await connection.begin(envelope())
    const chunks = server.chunks.slice(2)
    expect(chunks).toHaveLength(extensions.length === 2 ? 1 : 3)
    expect(chunks.join('')).toBe(
      'MAIL FROM:<anna@example.com>\r\nRCPT TO:<bob@example.com>\r\nDATA\r\n',
    )
    await connection.close()
  }
})

test('the next envelope leaves with the end of a message where the server pipelines, and only there', async () => {
  for (const extensions of [['PIPELINING', 'AUTH PLAIN'], ['AUTH PLAIN']]) {
    await using server = await startTerseSmtp(() => undefined, extensions)
    const connection = await net.connectSmtp(annasServer(server.port))
    await connection.begin(envelope())
    const said = server.chunks.length
    const next = envelope()
    await connection.finish(mail, next)
    const [end] = server.chunks.slice(said)
    expect(
      end?.endsWith('.\r\nMAIL FROM:<anna@example.com>\r\nRCPT TO:<bob@example.com>\r\nDATA\r\n'),
    ).toBe(extensions.length === 2)
    await connection.begin(next)
    await connection.finish(mail)
    expect(server.chunks.join('').match(/MAIL FROM/g)).toHaveLength(2)
    await connection.close()
  }
})

test('mails that leave one behind the other arrive byte for byte, a refused one aside', async () => {
  await using server = await faulty((moment, seenBefore) => {
    if (moment === '.' && seenBefore === 1) return { answer: '452 4.2.2 full\r\n' }
    if (moment.startsWith('RCPT') && seenBefore === 2) return { answer: '550 5.1.1 who?\r\n' }
    return undefined
  })
  const connection = await server.connect()
  const mails = [1, 2, 3, 4].map((n) => dottedMail(`<${n}@example.com>`))
  const envelopes = mails.map((one) => envelope({ sizeBytes: one.length }))
  const outcomes: string[] = []
  for (const [index, one] of mails.entries()) {
    try {
      await connection.begin(envelopes[index] as Envelope)
      await connection.finish(one, envelopes[index + 1])
      outcomes.push('sent')
    } catch (failure) {
      expect(failure).toMatchObject({ kind: 'refused', certain: true })
      outcomes.push((failure as MailFailure).stage)
    }
  }
  expect(outcomes).toEqual(['sent', 'message', 'rcpt', 'sent'])
  expect(server.arrived()).toEqual([mails[0]?.toString(), mails[3]?.toString()])
  await connection.close()
})

test('a connection that waits for one mail takes no other, and nothing of it is sent', async () => {
  await using server = await faulty(() => undefined)
  for (const leave of [
    (connection: SmtpConnection) =>
      expect(connection.begin(envelope())).rejects.toMatchObject({
        ...{ stage: 'connect', kind: 'closed', certain: true },
      }),
    (connection: SmtpConnection) => connection.close(),
  ]) {
    const connection = await server.connect()
    await connection.begin(envelope())
    await connection.finish(mail, envelope())
    await leave(connection)
    expect(connection.isOpen).toBe(false)
  }
  expect(server.arrived()).toHaveLength(2)
})

test('what the server would not take is no failure of the message before it', async () => {
  await using servers = await startMailServers({ smtp: { size: 500 } })
  const connection = await net.connectSmtp(annasServer(servers.smtpPort))
  const large = envelope({ sizeBytes: 501 })
  await connection.begin(envelope())
  await connection.finish(mail, large)
  await expect(connection.begin(large)).rejects.toMatchObject({ kind: 'refused', code: 552 })
  await send(connection)
  await connection.close()
})

test('a server that wants the message for nobody gets none', async () => {
  await using server = await startTerseSmtp((line) =>
    line.startsWith('RCPT') ? '550 5.1.1 who?\r\n' : undefined,
  )
  const connection = await net.connectSmtp(annasServer(server.port))
  await expect(connection.begin(envelope())).rejects.toMatchObject({ stage: 'rcpt', code: 550 })
  // It said 354 all the same: the next line would be taken for a message.
  expect(connection.isOpen).toBe(false)
})

test('a refusal in the middle of a large message is told, and certain', async () => {
  const over = Promise.withResolvers<void>()
  let isOver = false
  await using server = await startTerseSmtp((line, socket) => {
    if (!line.startsWith('X')) return undefined
    if (isOver) return ''
    isOver = true
    over.resolve()
    socket.pause()
    return '552 5.3.4 too much for me\r\n'
  })
  const connection = await net.connectSmtp(annasServer(server.port))
  await connection.begin(envelope())
  const large = Buffer.alloc(32 * 1024 * 1024, 'X')
  const sent = connection.finish(large)
  await over.promise
  server.drop()
  await expect(sent).rejects.toMatchObject({ stage: 'data', code: 552, certain: true })
})

test('answers to what was not asked end the connection before a message is sent', async () => {
  await using server = await startTerseSmtp((line) =>
    line === 'DATA' ? '354 go on\r\n250 taken already\r\n' : undefined,
  )
  const connection = await net.connectSmtp(annasServer(server.port))
  await expect(connection.begin(envelope())).rejects.toMatchObject({ kind: 'protocol' })
  expect(connection.isOpen).toBe(false)
})

test.each([
  ['a line', '2'.repeat(100_000)],
  ['an answer', '250-and so on\r\n'.repeat(10_000)],
  ['a flood of answers', '250 and so on\r\n'.repeat(1_000)],
])('%s without end is not read to its end', async (_what, text) => {
  await using server = await startTerseSmtp((line) => (line.startsWith('MAIL') ? text : undefined))
  const connection = await net.connectSmtp(annasServer(server.port))
  await expect(connection.begin(envelope())).rejects.toMatchObject({ kind: 'protocol' })
  expect(connection.isOpen).toBe(false)
})

test('a server that says AUTH twice is taken at both words', async () => {
  await using server = await startTerseSmtp(() => undefined, ['AUTH XOAUTH2', 'AUTH=LOGIN PLAIN'])
  for (const credential of [
    { kind: 'oauth2' as const, accessToken: annasToken },
    annasServer(0).credential,
  ]) {
    const connection = await net.connectSmtp(annasServer(server.port, { credential }))
    await connection.close()
  }
  expect(server.chunks.join('')).toMatch(/AUTH XOAUTH2 .*AUTH PLAIN /s)
})

test('a connection that was silent for long is asked whether it lives', async () => {
  let elapsedMs = 0
  const aging = localNetwork({ monotonicMs: () => elapsedMs, timeouts: { aliveMs: 200 } })
  let isDead = false
  await using server = await startTerseSmtp(() => (isDead ? '' : undefined))
  const connection = await aging.connectSmtp(annasServer(server.port))
  await send(connection)
  expect(server.chunks.join('')).not.toContain('NOOP')
  elapsedMs += 40_000
  await send(connection)
  expect(server.chunks.join('')).toContain('NOOP')
  elapsedMs += 40_000
  isDead = true
  await expect(send(connection)).rejects.toMatchObject({
    ...{ stage: 'connect', kind: 'timeout', certain: true },
  })
  expect(connection.isOpen).toBe(false)
})

test('what a server says is one line without control characters', async () => {
  await using server = await startTerseSmtp((line) =>
    line.startsWith('MAIL') ? '550-5.7.1 no\u0000\u001b[2J\r\n550 really\r\n' : undefined,
  )
  const connection = await net.connectSmtp(annasServer(server.port))
  await expect(connection.begin(envelope())).rejects.toMatchObject({
    ...{ enhanced: '5.7.1', response: '550 5.7.1 no [2J really' },
  })
  await connection.close()
})

test('an address cannot smuggle in a command', async () => {
  await using server = await startTerseSmtp(() => undefined)
  const connection = await net.connectSmtp(annasServer(server.port))
  const said = server.chunks.length
  for (const to of [
    'bob@example.com>\r\nRCPT TO:<eve@example.com',
    'b ob@example.com',
    'ü\n@a.b',
  ]) {
    await expect(connection.begin(envelope({ to: [to] }))).rejects.toThrow()
  }
  expect(server.chunks).toHaveLength(said)
  await connection.close()
})
