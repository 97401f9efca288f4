import type { MailNetwork, MailServer, SmtpConnection } from '../../kernel/mail/index.ts'
import type { Letter } from './letter.ts'

/** Brings the letters of everybody outside to the mail server, one after the other. */
export class Postman {
  readonly #mail: MailNetwork
  readonly #server: MailServer
  #connection: SmtpConnection | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(mail: MailNetwork, server: MailServer) {
    this.#mail = mail
    this.#server = server
  }

  deliver(letter: Letter): Promise<void> {
    const delivered = this.#last.then(() => this.#deliver(letter))
    this.#last = delivered.catch(() => undefined)
    return delivered
  }

  async close(): Promise<void> {
    await this.#last
    await this.#connection?.close()
  }

  async #deliver({ from, to, source }: Letter) {
    if (!this.#connection?.isOpen) this.#connection = await this.#mail.connectSmtp(this.#server)
    await this.#connection.begin({ from, to: [to], sizeBytes: source.length, utf8: false })
    await this.#connection.finish(source)
  }
}
