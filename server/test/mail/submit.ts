import { createTransport, type SendMailOptions } from 'nodemailer'
import type { MailServer } from '../../src/kernel/mail/index.ts'

/** What a person sends with a mail program of their own, to a server on this machine. */
export async function submit(server: MailServer, mail: SendMailOptions): Promise<void> {
  const { port, username, credential } = server
  const pass = credential.kind === 'password' ? credential.password : ''
  const transport = createTransport({
    ...{ host: '127.0.0.1', port, secure: false, ignoreTLS: true },
    auth: { user: username, pass },
  })
  await transport.sendMail(mail)
  transport.close()
}
