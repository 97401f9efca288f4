import type { Context } from '../../../kernel/context.ts'
import { isAboutData } from '../../../kernel/db/failure.ts'
import { describeError } from '../../../kernel/log.ts'
import type { FetchedMail } from '../../../kernel/mail/index.ts'
import type { ReadMailbox, ReadTo } from '../mailbox.ts'
import { type InboundMessage, readInbound } from './inbound-message.ts'
import { ingest } from './ingest.ts'

const batchMailsMax = 100
const batchBytesMax = 2 * 1024 * 1024

/**
 * The mails of a folder, on their way into the database in batches. While one is written the next is
 * read; it is written when the one before it is.
 */
export class IngestBatch {
  readonly #ctx: Context
  readonly #mailbox: ReadMailbox
  readonly #readTo: ReadTo
  #batch: InboundMessage[] = []
  #bytes = 0
  #writing: Promise<number> = Promise.resolve(0)
  taken = 0

  constructor(ctx: Context, mailbox: ReadMailbox, from: ReadTo) {
    this.#ctx = ctx
    this.#mailbox = mailbox
    this.#readTo = from
  }

  async add(mail: FetchedMail) {
    this.#readTo.next_uid = Math.max(this.#readTo.next_uid, mail.uid + 1)
    if (isWrittenHere(mail, this.#readTo.folder)) return
    try {
      const message = await readInbound(mail, this.#ctx.now())
      const { headOnlyBecause: reason } = message
      if (reason) this.#ctx.log.warn(this.#describe(reason), 'a large mail has its headers alone')
      this.#batch.push(message)
    } catch (error) {
      this.#leaveOut(error)
    }
    this.#bytes += mail.source.length
    if (this.#batch.length >= batchMailsMax || this.#bytes >= batchBytesMax) await this.#flush()
  }

  async close(uidNext: number) {
    this.#readTo.next_uid = Math.max(this.#readTo.next_uid, uidNext)
    await this.#flush()
    this.taken += await this.#writing
  }

  /** Resolves when nothing is under way, whatever came of it. */
  async rest() {
    await Promise.allSettled([this.#writing])
  }

  async #flush() {
    const batch = this.#batch
    const readTo = { ...this.#readTo }
    this.#batch = []
    this.#bytes = 0
    this.taken += await this.#writing
    this.#writing = this.#ingest(batch, readTo)
    // Whoever writes the next one hears of it.
    this.#writing.catch(() => undefined)
  }

  /** A mail that the database refuses must not keep the mails behind it waiting for ever. */
  async #ingest(batch: InboundMessage[], readTo: ReadTo): Promise<number> {
    try {
      return await ingest(this.#ctx, this.#mailbox, batch, readTo)
    } catch (error) {
      if (!isAboutData(error) || batch.length === 0) throw error
      if (batch.length === 1) {
        this.#leaveOut(error)
        return await ingest(this.#ctx, this.#mailbox, [], readTo)
      }
      const half = batch.slice(0, batch.length / 2)
      const next_uid = (half.at(-1)?.uid ?? 0) + 1
      const first = await this.#ingest(half, { ...readTo, next_uid })
      return first + (await this.#ingest(batch.slice(half.length), readTo))
    }
  }

  #leaveOut(error: unknown) {
    this.#ctx.log.error(this.#describe(error), 'a mail that nobody can read is left out')
  }

  #describe = (error: unknown) => ({ mailbox: this.#mailbox.id, ...describeError(error) })
}

/**
 * Drafts, and what Gmail keeps of what was sent, lie among all mail, whatever address of the mailbox's
 * owner they are from. What somebody writes to themselves came in as well; Gmail leaves the label of the
 * inbox out where that is the folder that is read.
 */
const isWrittenHere = ({ flags, labels }: FetchedMail, folder: string) =>
  flags.includes('\\Draft') ||
  labels.includes('\\Draft') ||
  (labels.includes('\\Sent') && !labels.includes('\\Inbox') && folder.toUpperCase() !== 'INBOX')
