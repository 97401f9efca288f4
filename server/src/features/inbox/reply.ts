import type { Context } from '../../kernel/context.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { MailFailure, type SmtpConnection } from '../../kernel/mail/index.ts'
import { connectMailboxSmtp } from '../mailboxes/index.ts'
import { draftReply, findReplyMailbox, makeMail } from './reply-draft.ts'
import { claimReply, markReply, type ReplyOutcome, settleReply } from './reply-ledger.ts'
import * as queries from './reply-queries.ts'

export type NewReply = {
  thread_id: string
  /** The caller's, 1 to 255 characters: with the same one it is the same reply. */
  idempotency_key: string
  /** Also to an address that is suppressed, when its owner has asked for an answer. */
  force?: boolean
} & ({ text: string } | { html: string })

/**
 * A person answers in a conversation, through its mailbox. The mail is sent once for each key,
 * whatever ends in the middle of it: what nobody knows to have arrived is `uncertain` and is never
 * sent again. A reply that failed was certainly not sent; the same call tries it again.
 *
 * It counts for no limit and waits for no schedule, and the lead's campaign goes on as it was. To a
 * suppressed address nothing is sent, unless it is forced.
 */
export async function replyInThread(
  ctx: Context,
  workspaceId: string,
  input: NewReply,
): Promise<queries.ShownReply> {
  const given = check(input)
  const stored = await findStored(ctx, workspaceId, given)
  if (stored?.state === 'sent' || stored?.state === 'uncertain') return queries.shown(stored)
  // A second attempt makes the same mail.
  const draft = stored ?? (await draftReply(ctx, workspaceId, given))
  const mailbox = await findReplyMailbox(ctx, workspaceId, draft.mailbox_id)
  const mail = makeMail(draft, mailbox, ctx.now())
  const reply = { ...draft, is_forced: input.force ?? false }
  const claim = await claimReply(ctx, reply)
  if (claim.kind === 'known') return claim.reply
  const outcome = await send(ctx, { ...reply, ...claim.attempt }, mail)
  return await settleReply(ctx, claim.attempt, outcome)
}

type Given = Pick<queries.ReplyDraft, 'thread_id' | 'idempotency_key' | 'text' | 'html'>

function check(input: NewReply): Given {
  const { thread_id, idempotency_key } = input
  const text = 'text' in input ? storable(input.text) : null
  const html = 'html' in input ? storable(input.html) : null
  const length = [...storable(idempotency_key)].length
  if (length < 1 || length > keyCharactersMax) {
    throw invalidField('/idempotency_key', 'idempotency_key must have 1 to 255 characters')
  }
  const path = html === null ? '/text' : '/html'
  const content = html ?? text ?? ''
  if (content.trim() === '') throw invalidField(path, 'a reply must not be empty')
  if (content.length > contentCharactersMax) {
    throw invalidField(path, 'a reply must have at most 1,000,000 characters')
  }
  return { thread_id, idempotency_key: storable(idempotency_key), text, html }
}

const keyCharactersMax = 255
const contentCharactersMax = 1_000_000

const storable = (text: string) => text.replaceAll('\0', '').toWellFormed()

async function findStored(ctx: Context, workspaceId: string, given: Given) {
  const stored = await queries.findReply(ctx.db, workspaceId, given.idempotency_key)
  if (!stored) return undefined
  const { thread_id, text, html } = stored
  if (thread_id === given.thread_id && text === given.text && html === given.html) return stored
  throw new AppError(
    'idempotency_key_reused',
    'Another reply was given under this idempotency key: take a new one.',
  )
}

async function send(
  ctx: Context,
  reply: queries.ReplyDraft & queries.ReplyAttempt & { is_forced: boolean },
  mail: ReturnType<typeof makeMail>,
): Promise<ReplyOutcome> {
  let connection: SmtpConnection | undefined
  try {
    connection = (await connectMailboxSmtp(ctx, reply.workspace_id, reply.mailbox_id)).connection
    const { from, recipients: to, sizeBytes, needsUtf8: utf8 } = mail
    await connection.begin({ from, to, sizeBytes, utf8 })
    const refused = await markReply(ctx, reply)
    if (refused) return refused
    await connection.finish(mail.bytes)
    return { kind: 'sent' }
  } catch (error) {
    if (error instanceof MailFailure) return outcomeOf(error)
    if (error instanceof AppError) return { kind: 'failed', code: null, message: error.message }
    throw error
  } finally {
    // Also where nothing was finished: then it breaks off, and nothing was sent.
    await connection?.close().catch(() => undefined)
  }
}

function outcomeOf({ certain, enhanced, code, response, kind }: MailFailure): ReplyOutcome {
  return {
    kind: certain ? 'failed' : 'uncertain',
    code: enhanced ?? (code === null ? null : String(code)),
    message: (response ?? sentences[kind]).slice(0, 500).toWellFormed(),
  }
}

const sentences: Record<MailFailure['kind'], string> = {
  refused: 'The mail server refused.',
  timeout: 'The mail server did not answer in time.',
  closed: 'The mail server closed the connection.',
  unreachable: 'The mail server cannot be reached.',
  dns: 'The name of the mail server is not known.',
  tls: 'No secure connection to the mail server can be made.',
  blocked: 'The address of the mail server is one that nothing may connect to.',
  protocol: 'The mail server says what no mail server would.',
}
