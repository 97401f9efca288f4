import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FetchedMail, ImapConnection } from '../../src/kernel/mail/index.ts'
import { localNetwork } from './mail-servers.ts'
import {
  bouncing,
  people,
  type RealServers,
  startRealServers,
  whyNoRealServers,
} from './real-servers.ts'

const net = localNetwork()
const [anna = '', , lea = ''] = people
const longMs = 30_000

if (whyNoRealServers) console.warn(`Without postfix and dovecot: ${whyNoRealServers}.`)

describe.skipIf(whyNoRealServers)('with postfix and dovecot', () => {
  let real: RealServers
  const trustedBefore = getCACertificates('default')

  beforeAll(async () => {
    real = await startRealServers()
  })
  afterAll(async () => {
    setDefaultCACertificates(trustedBefore)
    await real?.[Symbol.asyncDispose]()
  })

  const send = async (to: string, source: Buffer, more: { from?: string } = {}) => {
    const connection = await net.connectSmtp(real.server('smtp', anna))
    try {
      const envelope = { from: more.from ?? anna, to: [to], sizeBytes: source.length, utf8: false }
      await connection.begin(envelope)
      await connection.finish(source)
    } finally {
      await connection.close()
    }
  }

  /** The next mail in INBOX that fits, waited for by IDLE. */
  async function next(
    imap: ImapConnection,
    fits: (source: string) => boolean,
  ): Promise<FetchedMail> {
    await imap.select('INBOX')
    for (;;) {
      for await (const mail of imap.fetch(1, { sourceBytesMax: 100_000 })) {
        if (fits(mail.source.toString())) return mail
      }
      expect(await imap.idle(longMs)).toBe('changed')
    }
  }

  test('a mail that is submitted wakes its reader, and a wrong password does not', async () => {
    await using imap = await net.connectImap(real.server('imap', lea))
    await imap.select('INBOX')
    const woken = imap.idle(longMs)
    await send(lea, compose({ to: lea, id: '<one@acme.test>' }))
    expect(await woken).toBe('changed')
    expect((await next(imap, (source) => source.includes('<one@acme.test>'))).isCut).toBe(false)
    const credential = { kind: 'password' as const, password: 'wrong' }
    for (const kind of ['smtp', 'imap'] as const) {
      const server = real.server(kind, anna, { credential })
      const attempt = kind === 'smtp' ? net.connectSmtp(server) : net.connectImap(server)
      await expect(attempt).rejects.toMatchObject({ stage: 'login', kind: 'refused' })
    }
  })

  test('STARTTLS on both', async () => {
    setDefaultCACertificates([...trustedBefore, real.certificate])
    const security = 'starttls'
    const smtp = await net.connectSmtp(real.server('smtp', anna, { security }))
    await smtp.close()
    await using imap = await net.connectImap(real.server('imap', anna, { security }))
    expect(imap.isOpen).toBe(true)
  })

  test('what is filed under Sent is found there by its Message-ID', async () => {
    await using imap = await net.connectImap(real.server('imap', anna))
    const folders = await imap.folders()
    expect(folders).toEqual(
      expect.arrayContaining([
        { path: 'INBOX', specialUse: 'inbox' },
        { path: 'Gesendet', specialUse: 'sent' },
        { path: 'Spam', specialUse: 'junk' },
      ]),
    )
    const before = await imap.select('Gesendet')
    await imap.append('Gesendet', compose({ to: lea, id: '<filed@acme.test>' }), ['\\Seen'])
    const after = await imap.select('Gesendet')
    expect(after).toEqual({ uidValidity: before.uidValidity, uidNext: before.uidNext + 1 })
    expect(await imap.findByMessageId('<filed@acme.test>')).toEqual([before.uidNext])
    expect(await imap.findByMessageId('<lost@acme.test>')).toEqual([])
    const yesterday = new Date(Date.now() - 86_400_000)
    expect(await imap.findFirstSince(yesterday)).toBeLessThanOrEqual(before.uidNext)
  })

  test('of a mail of 25 MB the beginning is read, or all of it, and it stays unseen', async () => {
    const text = `${'x'.repeat(70)}\r\n`.repeat(364_089)
    await send(lea, compose({ to: lea, id: '<large@acme.test>', text }))
    await using imap = await net.connectImap(real.server('imap', lea))
    const mail = await next(imap, (source) => source.includes('<large@acme.test>'))
    expect(mail).toMatchObject({ isCut: true, flags: expect.not.arrayContaining(['\\Seen']) })
    expect(mail.source).toHaveLength(100_000)
    expect(mail.sizeBytes).toBeGreaterThan(25 * 1024 * 1024)
    const whole = await imap.fetchSource(mail.uid, 36 * 1024 * 1024)
    expect(whole?.isCut).toBe(false)
    // Headers were added on the way.
    expect(whole?.source.subarray(-text.length).toString() === text).toBe(true)
    expect(whole?.source).toHaveLength(mail.sizeBytes)
    const again = await next(imap, (source) => source.includes('<large@acme.test>'))
    expect(again.flags).not.toContain('\\Seen')
  })

  test('what the server does not take is refused before it is sent', async () => {
    const connection = await net.connectSmtp(real.server('smtp', anna))
    const envelope = { from: anna, to: [lea], utf8: false }
    await expect(connection.begin({ ...envelope, sizeBytes: 40_000_001 })).rejects.toMatchObject({
      code: 552,
      certain: true,
    })
    // A recipient that is nobody, then one that is: over the same connection.
    await expect(
      connection.begin({ ...envelope, to: ['nobody@lead.test'], sizeBytes: 1 }),
    ).rejects.toMatchObject({ stage: 'rcpt', code: 550, enhanced: '5.1.1', certain: true })
    const source = compose({ to: lea, id: '<after@acme.test>' })
    await connection.begin({ ...envelope, sizeBytes: source.length })
    await connection.finish(source)
    await connection.close()
  })

  test('a letter beyond ASCII in an address is no obstacle', async () => {
    const connection = await net.connectSmtp(real.server('smtp', anna))
    const source = compose({ to: 'jürgen@acme.test', id: '<utf8@acme.test>' })
    const to = ['jürgen@acme.test']
    await connection.begin({ from: anna, to, sizeBytes: source.length, utf8: true })
    await connection.finish(source)
    await connection.close()
    await using imap = await net.connectImap(real.server('imap', 'juergen@acme.test'))
    const mail = await next(imap, (text) => text.includes('<utf8@acme.test>'))
    expect(mail.source.toString()).toContain('To: jürgen@acme.test')
  })

  test.each<[string, string, RegExp]>([
    ['failed at once', bouncing.hard, /^Action: failed\r?\nStatus: 5\.1\.1/m],
    ['delayed', bouncing.soft, /^Action: delayed\r?\nStatus: 4\.2\.2/m],
    ['expired', bouncing.soft, /^Action: failed\r?\nStatus: 4\.2\.2/m],
  ])('a mail that is %s comes back as a report', async (what, to, report) => {
    const id = `<${what.replaceAll(' ', '-')}@acme.test>`
    await using imap = await net.connectImap(real.server('imap', anna))
    await send(to, compose({ to, id }))
    const { source } = await next(imap, (text) => text.includes(id) && report.test(text))
    expect(source.toString()).toContain('multipart/report')
  })
})

function compose({
  to,
  id,
  text = 'Hello\r\n',
}: {
  to: string
  id: string
  text?: string
}): Buffer {
  const header = [`From: ${anna}`, `To: ${to}`, 'Subject: Hello', `Message-ID: ${id}`]
  return Buffer.from(`${header.join('\r\n')}\r\n\r\n${text}`)
}
