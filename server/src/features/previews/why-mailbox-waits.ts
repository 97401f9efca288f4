import type { Context } from '../../kernel/context.ts'
import type { Campaign } from '../campaigns/index.ts'
import type { StoredLead } from '../leads/index.ts'
import { findMailboxes } from '../mailboxes/index.ts'

/** Why the conversation with a lead does not go on from the mailbox that it is in. */
export async function whyMailboxWaits(
  { db }: Context,
  { workspace_id, email_list }: Pick<Campaign, 'workspace_id' | 'email_list'>,
  { sending_state, mailbox_id }: StoredLead,
): Promise<string[]> {
  if (sending_state !== 'active' || !mailbox_id) return []
  const [mailbox] = await findMailboxes(db, workspace_id, [mailbox_id])
  if (!mailbox) {
    return [
      'The mailbox of its conversation was removed: add it again, or hand its conversations over to another one.',
    ]
  }
  const { address, status } = mailbox
  if (!email_list.includes(address)) {
    return [
      `Its conversation is in ${address}, which the campaign does not send from any more: add the mailbox under Options, or hand its conversations over to another one.`,
    ]
  }
  if (status === 'connected') return []
  return [
    `Its conversation is in ${address}, which ${status === 'paused' ? 'is paused' : 'does not work'}: look at the mailbox, or hand its conversations over to another one.`,
  ]
}
