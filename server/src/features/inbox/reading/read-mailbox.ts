import type { Context } from '../../../kernel/context.ts'
import { dayMs } from '../../../kernel/durations.ts'
import {
  type FetchOptions,
  type ImapConnection,
  MailFailure,
  type MailFolder,
  tooManyMailsDetail,
} from '../../../kernel/mail/index.ts'
import type { InboxMailbox } from '../inbox-mailbox.ts'
import { IngestBatch } from '../ingest/ingest-batch.ts'
import { learnProviderIds } from '../matching/learn-provider-ids.ts'
import { type Checkpoint, findCheckpoint, findFirstInFlight } from './folder-queries.ts'
import { type Refusals, warnOfWithheld } from './refusals.ts'

export interface ReadOptions {
  /** Asked before every mail. */
  goesOn: () => boolean
  /** Called whenever something was read, and what follows from it is done. */
  onRead?: () => void
  /** Not given by who reads once: nothing is taken in without its text. */
  refusals?: Refusals
}

/** Paths of the folders that are read whenever a mail has come. */
export interface MainFolders {
  /** New mail comes to it. */
  inbox: string
  /** Copies of what was sent lie there; undefined where the server names none. */
  sent: string | undefined
}

/** The result of reading a mailbox. */
export interface Reading extends MainFolders {
  /** How many mails belonged to a conversation, and were new. */
  taken: number
  /** Why the first mail was not handed out that is still to be read; undefined: none is. */
  refused: MailFailure | undefined
}

/**
 * Answers come to the inbox. What a filter has moved, or a person has put away before it was read here,
 * is in one of the others.
 */
export const readUses = new Set<MailFolder['specialUse']>([
  'inbox',
  'junk',
  'all',
  'archive',
  'trash',
])

/** Enough for every text; the rest of a larger mail is attachments. */
const sourceBytesMax = 512 * 1024

/** Before it wrote to anybody, nothing in a mailbox is an answer to us; its clock may be off. */
const lookBackMs = 3 * dayMs
/** Mail is answered within weeks, or not at all. */
const lookBackMaxMs = 30 * dayMs
/** A mail that arrived while the folder was last read may have been filed late. */
const overlapMs = 3_600_000
/** Where nothing comes, that the folder was read is noted so often: a hand-over tells until when it was. */
const noteEveryMs = dayMs

/**
 * Reads every folder that answers come to, the inbox first, once the Message-IDs are learnt that they
 * may cite: what cites none of ours when it is read is matched by less, for good.
 *
 * @throws MailFailure
 */
export async function readMailbox(
  ctx: Context,
  imap: ImapConnection,
  mailbox: InboxMailbox,
  options: ReadOptions,
): Promise<Reading> {
  const folders = await imap.folders()
  const read = folders
    .filter(({ specialUse }) => readUses.has(specialUse))
    .sort((a, b) => Number(b.specialUse === 'inbox') - Number(a.specialUse === 'inbox'))
  const sent = folders.find(({ specialUse }) => specialUse === 'sent')?.path
  const { result, refused } = await afterSent(
    ctx,
    imap,
    mailbox,
    sent,
    options,
    async (refused) => {
      let total = 0
      for (const { path, specialUse } of read) {
        if (!options.goesOn()) break
        try {
          total += await readFolder(ctx, imap, mailbox, path, options, refused)
        } catch (error) {
          if (specialUse === 'inbox' || !hasTooManyMails(error)) throw error
          ctx.log.warn({ mailbox: mailbox.id, specialUse }, 'a folder is left out: it is too large')
        }
      }
      return total
    },
  )
  return { inbox: read[0]?.path ?? 'INBOX', sent, taken: result, refused }
}

const hasTooManyMails = (error: unknown) =>
  error instanceof MailFailure && error.detail === tooManyMailsDetail

/** Reads what has come in since: a mail may have left, and come back, within seconds. @throws MailFailure */
export async function readInbox(
  ctx: Context,
  imap: ImapConnection,
  mailbox: InboxMailbox,
  { inbox, sent }: MainFolders,
  options: ReadOptions,
): Promise<void> {
  const { refused } = await afterSent(ctx, imap, mailbox, sent, options, async (refused) => {
    if (options.goesOn()) await readFolder(ctx, imap, mailbox, inbox, options, refused)
  })
  if (refused) throw refused
}

/** A Sent folder that cannot be read is told of, and keeps no answer from being read. */
async function afterSent<T>(
  ctx: Context,
  imap: ImapConnection,
  mailbox: InboxMailbox,
  sent: string | undefined,
  { goesOn, refusals }: ReadOptions,
  read: (refused: MailFailure[]) => Promise<T>,
): Promise<{ result: T; refused: MailFailure | undefined }> {
  const learning =
    sent !== undefined && goesOn() && learnProviderIds(ctx, imap, mailbox, sent, refusals)
  const [learnt] = await Promise.allSettled([learning])
  const refused: MailFailure[] = []
  const result = await read(refused)
  if (learnt.status === 'rejected') throw learnt.reason
  return { result, refused: refused[0] }
}

/**
 * Reads what is new in a folder, batch by batch, each taken in with the place it was read to. A
 * folder whose UIDs have come to mean something else is read again, as far back as anything in it can
 * be unread. A mail that the server refuses to hand out is read again, with all behind it.
 *
 * @param refused gets why
 * @returns how many mails belonged to a conversation, and were new
 * @throws MailFailure
 */
async function readFolder(
  ctx: Context,
  imap: ImapConnection,
  mailbox: InboxMailbox,
  folder: string,
  { goesOn, onRead, refusals }: ReadOptions,
  refused: MailFailure[],
): Promise<number> {
  const lookedAt = ctx.now()
  const { uidValidity, uidNext } = await imap.select(folder)
  const checkpoint = await findCheckpoint(ctx.db, mailbox, folder, uidValidity)
  const isKnown = checkpoint?.next_uid !== undefined
  const since = isKnown ? null : await sinceWhen(ctx, mailbox, checkpoint)
  // The first one is told by when each mail came in: what was copied here may lie in any order.
  const first = since && (await imap.findFirstSince(since))
  const from = checkpoint?.next_uid ?? first ?? uidNext
  const read_at = checkpoint?.timestamp_read ?? since ?? ctx.now()
  const position = { folder, uid_validity: uidValidity, next_uid: from, read_at }
  const batch = new IngestBatch(ctx, mailbox, position)
  const keyOf = (uid: number) => `${folder} ${uidValidity} ${uid}`
  const readAgain = (uid: number, refusal: MailFailure) => {
    batch.readAgainFrom(uid)
    refused.push(refusal)
  }
  const options: FetchOptions = {
    ...{ sourceBytesMax, since },
    takesHeaders(uid, refusal) {
      if (refusals?.takesHeaders(keyOf(uid))) return true
      readAgain(uid, refusal)
      return false
    },
    onWithheld(uid, refusal) {
      if (refusals?.passesOver(keyOf(uid))) warnOfWithheld(ctx, mailbox, uid)
      else readAgain(uid, refusal)
    },
  }
  try {
    for await (const mail of uidNext > from ? imap.fetch(from, options) : []) {
      refusals?.handedOut()
      if (!goesOn()) return batch.taken
      await batch.add(mail)
    }
    const isNoted =
      isKnown && ctx.now().getTime() - checkpoint.timestamp_read.getTime() < noteEveryMs
    // A server that names a lower number than before is not read again for it.
    if (!isNoted || uidNext > from) await batch.close(uidNext, lookedAt)
  } finally {
    await batch.rest()
  }
  onRead?.()
  return batch.taken
}

/** A folder that was never read is read since the first mail whose lead is still written to. */
async function sinceWhen(ctx: Context, mailbox: InboxMailbox, checkpoint: Checkpoint | undefined) {
  const nowMs = ctx.now().getTime()
  const unread = checkpoint?.timestamp_read ?? (await findFirstInFlight(ctx.db, mailbox))
  const unreadMs = (unread?.getTime() ?? nowMs) - overlapMs
  const earliestMs = checkpoint ? unreadMs : Math.max(unreadMs, nowMs - lookBackMaxMs)
  return new Date(Math.min(nowMs - lookBackMs, earliestMs))
}
