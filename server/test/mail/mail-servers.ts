import type { SMTPServerOptions } from 'smtp-server'
import {
  type Account,
  type ImapServerOptions,
  MailStore,
  type SubmittedMail,
  startImapServer,
  startSmtpServer,
} from '../../src/demo/mail-server/index.ts'
import {
  createMailNetwork,
  type MailNetwork,
  type MailServer,
} from '../../src/kernel/mail/index.ts'

export interface MailServers extends AsyncDisposable {
  store: MailStore
  anna: Account
  bob: Account
  smtpPort: number
  imapPort: number
}

const annasPassword = 'correct horse'
export const annasToken = 'annas-token'

/** Real SMTP and IMAP servers on loopback, with the mail of two people. */
export async function startMailServers(
  options: {
    smtp?: SMTPServerOptions
    imap?: ImapServerOptions
    onOutside?: (mail: SubmittedMail) => void
  } = {},
): Promise<MailServers> {
  const { onOutside } = options
  const store = new MailStore({ now: () => new Date(), ...(onOutside ? { onOutside } : {}) })
  const anna = store.addAccount({
    address: 'anna@example.com',
    password: annasPassword,
    accessToken: annasToken,
  })
  const bob = store.addAccount({ address: 'bob@example.com', password: 'battery' })
  const smtp = await startSmtpServer(store, options.smtp)
  const imap = await startImapServer(store, options.imap)
  return {
    ...{ store, anna, bob, smtpPort: smtp.port, imapPort: imap.port },
    async [Symbol.asyncDispose]() {
      await Promise.all([smtp[Symbol.asyncDispose](), imap[Symbol.asyncDispose]()])
    },
  }
}

/** How Anna reaches a server; every name is loopback to `localNetwork`. */
export const annasServer = (port: number, more: Partial<MailServer> = {}): MailServer => ({
  host: 'mail.test',
  port,
  security: 'none',
  username: 'anna@example.com',
  credential: { kind: 'password', password: annasPassword },
  ...more,
})

export const localNetwork = (
  options: Partial<Parameters<typeof createMailNetwork>[0]> = {},
): MailNetwork =>
  createMailNetwork({
    policy: { mode: 'any', allow: [] },
    lookup: async () => ['127.0.0.1'],
    ...options,
  })

/** A mail with lines that begin with dots. */
export const dottedMail = (messageId = '<one@example.com>') =>
  Buffer.from(
    [
      'From: anna@example.com',
      'To: bob@example.com',
      'Subject: Dots',
      `Message-ID: ${messageId}`,
      '',
      '.',
      '..',
      'text',
      '.end',
      '',
    ].join('\r\n'),
  )
