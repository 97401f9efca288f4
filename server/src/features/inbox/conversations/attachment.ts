import type { Context } from '../../../kernel/context.ts'
import { AppError, isNotFound, notFound } from '../../../kernel/errors.ts'
import { limitAtOnce } from '../../../kernel/limit-at-once.ts'
import { type ImapConnection, MailFailure } from '../../../kernel/mail/index.ts'
import { workerModule } from '../../../kernel/own-files.ts'
import { FairSemaphore } from '../../../kernel/runner/fair-semaphore.ts'
import { within } from '../../../kernel/within.ts'
import { WorkerThread } from '../../../kernel/worker-thread.ts'
import { explainFailure } from '../../mailboxes/index.ts'
import { findMessage, type StoredMessage } from '../../messages/index.ts'
import type { Attached, ParsedMessage } from '../classify/message.ts'
import { isMadeOfSource } from '../ingest/inbound-message.ts'
import { connect } from '../reading/connect.ts'
import { findCopies } from '../reading/find-copies.ts'
import { fileNameOf } from './attachment-name.ts'

export interface WholeMail {
  source: Uint8Array
  index: number
}

/** What providers let through: 25 MB, which leave as a third more. It is in memory as a whole. */
const mailBytesMax = 36 * 1024 * 1024
/** A proxy gives up after a minute without an answer. */
const usualMs = 50_000
/** Of processor time, for one mail. */
const workerMs = 20_000

const worker = new WorkerThread<WholeMail, Attached | undefined>(
  workerModule('features/inbox/conversations/attachment-worker'),
  { memoryMb: 256 },
)

/**
 * Several files of a mail are asked for at once, and few mails are in memory at a time. A slot is held until
 * the answer has left: for who reads slowly a file is kept in memory.
 */
const takeSlot = limitAtOnce('downloads of attachments', { ofWorkspaceMax: 12, ofProcessMax: 48 })
const turns = new FairSemaphore(4, 2)

type Kept = Pick<StoredMessage, 'workspace_id' | 'mailbox_id' | 'details'> & { messageId: string }
type Attachment = ParsedMessage['attachments'][number]

/** What was attached to a mail, in its order; of a large mail as far as it was read. */
export const attachedTo = ({ details }: Pick<StoredMessage, 'details'>): Attachment[] =>
  (details.attachments as Attachment[] | undefined) ?? []

/**
 * One of the files that were attached to a mail, out of its mailbox: nothing of them is kept here.
 *
 * @param index its place in `attachedTo`
 * @param left aborted once the answer has left, or who asked has gone
 */
export async function fetchAttachment(
  ctx: Context,
  workspaceId: string,
  messageId: string,
  index: number,
  left: AbortSignal,
  timeMs = usualMs,
): Promise<{ fileName: string; content: Uint8Array }> {
  const message = await findMessage(ctx, workspaceId, messageId)
  if (!message) throw notFound('message')
  const attachment = attachedTo(message)[index]
  if (!attachment) throw notFound('attachment')
  if ((message.size_bytes ?? 0) > mailBytesMax) throw tooLarge()
  if (message.message_id === null || isMadeOfSource(message.message_id)) {
    throw gone(`Its mail has no Message-ID to find it by: ${openItThere}`)
  }
  const kept = { ...message, messageId: message.message_id }
  if (left.aborted) throw tookTooLong()
  const slot = takeSlot(ctx.mail, workspaceId)
  left.addEventListener('abort', () => slot[Symbol.dispose]())
  const late = new AbortController()
  const signal = AbortSignal.any([left, late.signal])
  const finding = turns.run(workspaceId, () => find(ctx, kept, attachment, index, signal))
  try {
    const content = await within(ctx, timeMs, finding)
    if (!content) {
      late.abort()
      throw tookTooLong()
    }
    return { fileName: fileNameOf(attachment), content }
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error
    const { what } = explainFailure(error, 'imap')
    throw new AppError(
      'unavailable',
      `${what} Try again; if it stays so, look at the page of the mailbox.`,
    )
  }
}

/** @returns nothing when it was given up meanwhile @throws MailFailure */
async function find(
  ctx: Context,
  kept: Kept,
  attachment: Attachment,
  index: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  if (signal.aborted) return undefined
  await using imap = await connectTo(ctx, kept, signal)
  if (!imap) return undefined
  const close = () => void imap[Symbol.asyncDispose]()
  signal.addEventListener('abort', close)
  for await (const { source, isCut } of findCopies(imap, kept.messageId, mailBytesMax)) {
    if (isCut) throw tooLarge()
    const found = await worker.ask(kept.workspace_id, { source, index }, workerMs).catch(() => null)
    if (found === null) throw gone(`It cannot be taken out of its mail: ${openItThere}`)
    if (found && isThat(found, attachment, kept)) return found.content
  }
  throw gone('It is no longer in the mailbox: its mail was deleted there, or moved elsewhere.')
}

async function connectTo(
  ctx: Context,
  { workspace_id, mailbox_id: id }: Kept,
  signal: AbortSignal,
): Promise<ImapConnection | null> {
  try {
    return await connect(ctx, { workspace_id, id }, signal)
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw gone('The mailbox that it came to was removed: connect its address again to open it.')
  }
}

/** Another letter may have the same Message-ID. */
function isThat({ name, type, date }: Attached, attachment: Attachment, { details }: Kept) {
  const isSameDate = details.date === undefined || details.date === date
  return isSameDate && name === attachment.name && type === attachment.type
}

const openItThere = 'open it in the mailbox.'

const tooLarge = () => gone(`Its mail is larger than 36 MB: ${openItThere}`)

/** Whatever was slow: its mailbox need not be. */
const tookTooLong = () => new AppError('unavailable', 'It took too long to fetch it; try again.')

/** Asking again finds nothing either. */
const gone = (message: string) => new AppError('not_found', message)
