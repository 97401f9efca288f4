import type { Context } from '../../../kernel/context.ts'
import { AppError, invalidField } from '../../../kernel/errors.ts'
import { snippetOf, storable } from '../../../kernel/text.ts'
import type { ChangedBy } from '../../audit/index.ts'
import { MailRefused } from '../../messages/index.ts'
import { composeReplyMail, findReply, inProgress, isOpen, sendReply } from '../../sending/index.ts'
import { safeHtml } from '../classify/html.ts'
import { visibleText } from '../classify/visible-text.ts'
import { draftReply, type GivenReply, type ReplyDraft, refuseUnseen } from './reply-draft.ts'
import { type ShownReply, shownReply } from './shown-reply.ts'

export type NewReply = {
  thread_id: string
  /** The caller's, 1 to 255 characters: with the same one it is the same reply. */
  idempotency_key: string
  /** The reply goes to an address that is suppressed, when its owner has asked for an answer. */
  force?: boolean
  /** The last message that the person has seen: where there is a newer one nothing is sent. */
  seen_message_id?: string
  /** The person who answers, in the application. */
  by?: ChangedBy
} & ({ text: string } | { html: string })

/**
 * A person answers in a conversation, through its mailbox. The mail is sent once for each key,
 * whatever ends in the middle of it: what nobody knows to have arrived is `uncertain` and is never
 * sent again. A reply that failed was certainly not sent; the same call makes it anew, from the mailbox
 * and to the address that an answer has by then.
 *
 * It counts for no limit and waits for no schedule, and the lead's campaign goes on as it was. To a
 * suppressed address nothing is sent, unless it is forced.
 */
export async function replyInThread(
  ctx: Context,
  workspaceId: string,
  input: NewReply,
): Promise<ShownReply> {
  const given = check(input)
  const stored = await findStored(ctx, workspaceId, given)
  if (stored && isOpen(stored)) throw inProgress()
  if (stored && stored.state !== 'failed') return shownReply(stored)
  // Nothing was sent of one that failed: it goes where an answer goes by now.
  const { draft, displayName } = await draftReply(ctx, workspaceId, given)
  const reply = {
    ...draft.reply,
    ...shownOf(ctx, draft, displayName),
    is_forced: input.force ?? false,
    ...(stored ? { timestamp_created: stored.reply.timestamp_created } : {}),
  }
  const { by, seen_message_id: seen } = input
  const mayGo = async (tx: Context) => {
    if (seen !== undefined) await refuseUnseen(tx, workspaceId, draft, seen)
  }
  return shownReply(await sendReply(ctx, workspaceId, { ...draft, reply }, { by, mayGo }))
}

/** The text and HTML that people see in the conversation once the reply was sent. */
function shownOf(ctx: Context, draft: ReplyDraft, displayName: string | null) {
  try {
    const { text, html } = composeReplyMail(draft, displayName, ctx.now())
    return {
      shown_html: html === null ? null : safeHtml(html),
      snippet: snippetOf(visibleText({ text, to: [], subject: '' })),
    }
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error
    throw new AppError('not_eligible', 'The address that this reply would go to is not valid.')
  }
}

function check(input: NewReply): GivenReply {
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
  return {
    ...{ thread_id, idempotency_key: storable(idempotency_key), text, html },
    ...(input.by?.actor.type === 'user' ? { written_by: input.by.actor.id } : {}),
  }
}

const keyCharactersMax = 255
const contentCharactersMax = 1_000_000

async function findStored(ctx: Context, workspaceId: string, given: GivenReply) {
  const stored = await findReply(ctx.db, workspaceId, given.idempotency_key)
  if (!stored) return undefined
  const { lead_id, reply } = stored
  const isSame = reply.text === given.text && reply.html === given.html
  if (lead_id === given.thread_id && isSame) return stored
  throw new AppError(
    'idempotency_key_reused',
    'Another reply was given under this idempotency key: take a new one.',
  )
}
