import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { makeCertificate } from '../../../test/certificate.ts'
import { annasServer, localNetwork, startMailServers } from '../../../test/mail/mail-servers.ts'
import { startScriptedServer, startTerseSmtp } from '../../../test/mail/scripted-server.ts'
import { startTcpProxy } from '../../../test/mail/tcp-proxy.ts'
import type { MailNetwork, MailServer } from './index.ts'

const trustedBefore = getCACertificates('default')
afterEach(() => setDefaultCACertificates(trustedBefore))

const net = localNetwork()
const certificate = makeCertificate(['mail.test'])

const trust = ({ cert }: { cert: string }) => setDefaultCACertificates([...trustedBefore, cert])

/** What of the two protocols can be said in one breath. */
const connectors: [string, (network: MailNetwork, server: MailServer) => Promise<unknown>][] = [
  ['SMTP', (network, server) => network.connectSmtp(server).then((opened) => opened.close())],
  [
    'IMAP',
    (network, server) =>
      network.connectImap(server).then((opened) => opened[Symbol.asyncDispose]()),
  ],
]

test('STARTTLS comes before the login, and the server says anew what it can', async () => {
  trust(certificate)
  await using servers = await startMailServers({
    smtp: { ...certificate, disabledCommands: [], allowInsecureAuth: false },
  })
  const server = annasServer(servers.smtpPort, { security: 'starttls' })
  const connection = await net.connectSmtp(server)
  await connection.close()
  await expect(net.connectSmtp({ ...server, security: 'none' })).rejects.toMatchObject({
    stage: 'login',
  })
})

test('a certificate nobody trusts gets no password', async () => {
  let logins = 0
  await using servers = await startMailServers({
    smtp: {
      ...certificate,
      disabledCommands: [],
      onAuth: (_auth, _session, callback) => {
        logins++
        callback(null, { user: {} })
      },
    },
  })
  await expect(
    net.connectSmtp(annasServer(servers.smtpPort, { security: 'starttls' })),
  ).rejects.toMatchObject({ stage: 'tls', kind: 'tls', detail: 'the certificate is self-signed' })
  expect(logins).toBe(0)
})

test('without STARTTLS on offer nothing secret is said in the clear', async () => {
  await using smtp = await startTerseSmtp(() => undefined)
  await expect(
    net.connectSmtp(annasServer(smtp.port, { security: 'starttls' })),
  ).rejects.toMatchObject({ stage: 'tls', detail: 'the server does not offer STARTTLS' })
  expect(smtp.chunks.join('')).toMatch(/^EHLO \[127\.0\.0\.1\]\r\n$/)

  await using servers = await startMailServers()
  await expect(
    net.connectImap(annasServer(servers.imapPort, { security: 'starttls' })),
  ).rejects.toMatchObject({ stage: 'tls', detail: 'the server does not offer STARTTLS' })
})

test('words that were slipped in before the handshake are not taken for words under TLS', async () => {
  await using smtp = await startTerseSmtp(
    (line) => (line === 'STARTTLS' ? '220 go on\r\n250 slipped in\r\n' : undefined),
    ['STARTTLS', 'AUTH PLAIN'],
  )
  await expect(
    net.connectSmtp(annasServer(smtp.port, { security: 'starttls' })),
  ).rejects.toMatchObject({ stage: 'tls', kind: 'protocol' })
})

test.each(connectors)('%s in TLS from the first byte', async (protocol, connect) => {
  trust(certificate)
  await using servers = await startMailServers()
  const port = protocol === 'SMTP' ? servers.smtpPort : servers.imapPort
  await using front = await startTcpProxy(port, certificate)
  await connect(net, annasServer(front.port, { security: 'tls' }))
  await expect(
    connect(net, annasServer(front.port, { security: 'tls', host: 'other.test' })),
  ).rejects.toMatchObject({ stage: 'tls', detail: 'the certificate is for another host name' })
})

test.each(connectors)('%s: TLS on a port without it is named', async (protocol, connect) => {
  await using servers = await startMailServers()
  const port = protocol === 'SMTP' ? servers.smtpPort : servers.imapPort
  await expect(connect(net, annasServer(port, { security: 'tls' }))).rejects.toMatchObject({
    ...{ stage: 'tls', kind: 'tls', detail: 'the server does not speak TLS on this port' },
  })
})

test.each(connectors)('%s: a server that never speaks is given up', async (_protocol, connect) => {
  await using server = await startScriptedServer('', () => undefined)
  const hasty = localNetwork({ timeouts: { greetingMs: 200 } })
  await expect(connect(hasty, annasServer(server.port))).rejects.toMatchObject({
    ...{ stage: 'connect', kind: 'timeout', certain: true },
  })
})

test.each(connectors)('%s: what is no such server is told from a dead one', async (_p, connect) => {
  await using server = await startScriptedServer(
    'HTTP/1.1 400 Bad Request\r\n\r\n',
    () => undefined,
  )
  const hasty = localNetwork({ timeouts: { greetingMs: 300 } })
  await expect(connect(hasty, annasServer(server.port))).rejects.toMatchObject({ stage: 'connect' })
})

test.each(connectors)('%s connects to no address that the policy refuses', async (_p, connect) => {
  await using server = await startScriptedServer('220 ready\r\n', () => undefined)
  const inward = localNetwork({ policy: { mode: 'public', allow: [] } })
  for (const host of ['127.0.0.1', 'mail.test', '::ffff:127.0.0.1']) {
    await expect(connect(inward, annasServer(server.port, { host }))).rejects.toMatchObject({
      ...{ stage: 'connect', kind: 'blocked' },
    })
  }
  for (const host of ['169.254.169.254', 'fe80::1']) {
    await expect(connect(net, annasServer(server.port, { host }))).rejects.toMatchObject({
      ...{ stage: 'connect', kind: 'blocked' },
    })
  }
  expect(server.connections).toBe(0)
})

test.each(connectors)(
  '%s: a port that nobody listens on, a name that nobody has',
  async (_p, connect) => {
    const server = await startScriptedServer('', () => undefined)
    const { port } = server
    await server[Symbol.asyncDispose]()
    await expect(connect(net, annasServer(port))).rejects.toMatchObject({ kind: 'unreachable' })
    const lost = localNetwork({
      lookup: () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })),
    })
    await expect(connect(lost, annasServer(port))).rejects.toMatchObject({
      ...{ stage: 'connect', kind: 'dns', detail: 'the host name does not exist' },
    })
  },
)
