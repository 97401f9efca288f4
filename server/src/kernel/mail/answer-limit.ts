import type { ImapFlow } from 'imapflow'

/** One response, and all that a command is answered with which asks for no more. */
export const answerBytesMax = 1024 * 1024
/** A few bytes of a server can stand for as many numbers as a folder has mails. */
export const folderMailsMax = 2_000_000

/**
 * How much a server may say until the next command. imapflow keeps what belongs to a command until the
 * command is over, and limits nothing but the single response: who says more loses the connection.
 */
export class AnswerLimit {
  readonly #client: ImapFlow
  #receivedMax = answerBytesMax
  #isExceeded = false

  /** @param client emits `log` with each response, before it keeps anything of it */
  constructor(client: ImapFlow) {
    this.#client = client
    client.on('log', () => {
      if (client.stats().received > this.#receivedMax) this.#exceed()
    })
    client.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code?.endsWith('TooLarge')) this.#exceed()
    })
    client.on('exists', ({ count }) => {
      if (count > folderMailsMax) this.#exceed()
    })
    client.on('expunge', ({ vanished }) => {
      if (!vanished) return
      // Nobody has asked for such a list of UIDs, which imapflow goes through without a pause.
      this.#exceed()
      throw new Error('A server tells of mails by their UIDs, unasked.')
    })
  }

  get isExceeded(): boolean {
    return this.#isExceeded
  }

  /** A command begins. */
  begin(bytesMax: number = answerBytesMax) {
    this.#receivedMax = this.#client.stats().received + bytesMax
  }

  #exceed() {
    if (this.#isExceeded) return
    this.#isExceeded = true
    this.#client.close()
  }
}
