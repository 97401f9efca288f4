import type { Context } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Campaign } from '../campaigns/index.ts'
import { findMailboxes, findSenderMailboxes, type Mailbox } from '../mailboxes/index.ts'

/**
 * The mailbox that the lead's thread is in. Before there is one, which of the campaign's is free
 * first is not known yet: the first that works stands for it.
 *
 * @throws AppError `not_ready`
 */
export async function getSender(
  ctx: Context,
  { workspace_id, email_list }: Campaign,
  { mailbox_id: id }: { mailbox_id: string | null },
) {
  const [own] = id ? await findMailboxes(ctx.db, workspace_id, [id]) : []
  if (own) return own
  const found = await findSenderMailboxes(ctx.db, workspace_id, email_list)
  const byList = (mailbox: Mailbox) => email_list.indexOf(mailbox.address)
  const inOrder = found.toSorted((a, b) => byList(a) - byList(b))
  const sender = inOrder.find(({ status }) => status === 'connected') ?? inOrder[0]
  if (sender) return sender
  throw new AppError('not_ready', 'email_list names no mailbox to send from.')
}
