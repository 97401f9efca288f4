import type { Context } from '../../../kernel/context.ts'
import { isAboutData } from '../../../kernel/db/failure.ts'
import { describeError } from '../../../kernel/log.ts'
import type { FetchedMail } from '../../../kernel/mail/index.ts'
import type { CheckpointPosition, InboxMailbox } from '../inbox-mailbox.ts'
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
  readonly #mailbox: InboxMailbox
  readonly #position: CheckpointPosition
  #batch: InboundMessage[] = []
  #bytes = 0
  #againFrom = Number.POSITIVE_INFINITY
  #writing: Promise<number> = Promise.resolve(0)
  taken = 0

  constructor(ctx: Context, mailbox: InboxMailbox, from: CheckpointPosition) {
    this.#ctx = ctx
    this.#mailbox = mailbox
    this.#position = from
  }

  /** The next reading begins with this mail: nobody has seen it. What came after it is known by then. */
  readAgainFrom(uid: number) {
    this.#againFrom = Math.min(this.#againFrom, uid)
  }

  async add(mail: FetchedMail) {
    this.#hasReadTo(mail.uid + 1)
    if (isWrittenHere(mail, this.#position.folder)) return
    try {
      const message = await readInbound(this.#mailbox.workspace_id, mail, this.#ctx.now())
      const { headOnlyBecause: reason } = message
      if (reason) this.#ctx.log.warn(this.#describe(reason), 'a large mail has its headers alone')
      this.#batch.push(message)
    } catch (error) {
      this.#leaveOut(error)
    }
    this.#bytes += mail.source.length
    if (this.#batch.length >= batchMailsMax || this.#bytes >= batchBytesMax) await this.#flush()
  }

  /**
   * Only now the folder counts as read, unless something in it is to be read again.
   *
   * @param at whatever had come by then lies before `uidNext`
   */
  async close(uidNext: number, at: Date) {
    this.#hasReadTo(uidNext)
    if (this.#againFrom === Number.POSITIVE_INFINITY) this.#position.read_at = at
    await this.#flush()
    this.taken += await this.#writing
  }

  #hasReadTo(nextUid: number) {
    const { next_uid } = this.#position
    this.#position.next_uid = Math.min(this.#againFrom, Math.max(next_uid, nextUid))
  }

  /** Resolves when nothing is under way, whatever came of it. */
  async rest() {
    await Promise.allSettled([this.#writing])
  }

  async #flush() {
    const batch = this.#batch
    const position = { ...this.#position }
    this.#batch = []
    this.#bytes = 0
    this.taken += await this.#writing
    this.#writing = this.#ingest(batch, position)
    // Whoever writes the next one hears of it.
    this.#writing.catch(() => undefined)
  }

  /** A mail that the database refuses must not keep the mails behind it waiting for ever. */
  async #ingest(batch: InboundMessage[], position: CheckpointPosition): Promise<number> {
    try {
      return await ingest(this.#ctx, this.#mailbox, batch, position)
    } catch (error) {
      if (!isAboutData(error) || batch.length === 0) throw error
      if (batch.length === 1) {
        this.#leaveOut(error)
        return await ingest(this.#ctx, this.#mailbox, [], position)
      }
      const half = batch.slice(0, batch.length / 2)
      const next_uid = Math.min(position.next_uid, (half.at(-1)?.uid ?? 0) + 1)
      const first = await this.#ingest(half, { ...position, next_uid })
      return first + (await this.#ingest(batch.slice(half.length), position))
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
