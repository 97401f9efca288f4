import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeCertificate } from '../../../test/certificate.ts'
import { answerWith, startReceiver } from '../../../test/receiver.ts'
import { createOutboundHttp, type OutboundHttp } from './index.ts'

const HOST = 'hooks.test'
const trustedBefore = getCACertificates('default')

let http: OutboundHttp
beforeEach(() => {
  http = createOutboundHttp({
    policy: { mode: 'any', allow: [] },
    lookup: () => Promise.resolve(['127.0.0.1']),
  })
})
afterEach(async () => {
  setDefaultCACertificates(trustedBefore)
  await http.close()
})

const startTls = (certificate: { key: string; cert: string }) =>
  startReceiver(answerWith(200, 'secure'), { tls: certificate })

const post = (url: string) =>
  http.post({ use: 'tests', url, headers: {}, body: '{}', timeoutMs: 10_000 })

test('a certificate nobody trusts is a TLS error, and nothing is sent', async () => {
  await using receiver = await startTls(makeCertificate([HOST]))
  expect(await post(`https://${HOST}:${receiver.port}/`)).toMatchObject({
    kind: 'failure',
    error: 'tls_error',
    detail: 'the certificate is self-signed',
  })
  expect(receiver.requests).toEqual([])
})

test.each([
  ['for another host', makeCertificate(['other.test']), 'the certificate is for another host name'],
  [
    'that has expired',
    makeCertificate([HOST], { from: new Date('2020-01-01'), to: new Date('2021-01-01') }),
    'the certificate has expired',
  ],
  [
    'of the future',
    makeCertificate([HOST], { from: new Date('2090-01-01'), to: new Date('2091-01-01') }),
    'the certificate is not valid yet',
  ],
])('a trusted certificate %s is a TLS error', async (_what, certificate, detail) => {
  setDefaultCACertificates([...trustedBefore, certificate.cert])
  await using receiver = await startTls(certificate)
  expect(await post(`https://${HOST}:${receiver.port}/`)).toMatchObject({
    kind: 'failure',
    error: 'tls_error',
    detail,
  })
  expect(receiver.requests).toEqual([])
})

test('a server without TLS is a TLS error', async () => {
  await using receiver = await startReceiver()
  expect(await post(`https://127.0.0.1:${receiver.port}/`)).toMatchObject({
    kind: 'failure',
    error: 'tls_error',
    detail: 'the TLS handshake failed',
  })
})

test.each([
  [HOST, HOST],
  [`${HOST}.`, HOST],
  ['127.0.0.1', false],
])('a valid certificate for %s is accepted, and its connection kept', async (host, serverName) => {
  const certificate = makeCertificate([HOST, '127.0.0.1'])
  setDefaultCACertificates([...trustedBefore, certificate.cert])
  const serverNames: unknown[] = []
  await using receiver = await startReceiver(answerWith(200, 'secure'), {
    tls: certificate,
    onConnection: (socket) => {
      if (socket instanceof TLSSocket) serverNames.push(socket.servername)
    },
  })
  const url = `https://${host}:${receiver.port}/`
  expect(await post(url)).toMatchObject({ kind: 'response', status: 200, body: 'secure' })
  expect(await post(url)).toMatchObject({ kind: 'response', status: 200, body: 'secure' })
  expect(serverNames).toEqual([serverName])
})
