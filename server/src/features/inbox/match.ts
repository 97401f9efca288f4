import type { Context } from '../../kernel/context.ts'
import { parseEmail } from '../../kernel/email.ts'
import { findByMessageIds } from '../messages/index.ts'
import type { Incoming } from './incoming.ts'
import * as queries from './queries.ts'
import type { ReadMailbox } from './read-mailbox.ts'

/** Whose conversation a mail belongs to, and how sure that is. */
export interface Match {
  leadId: string
  /** By a Message-ID, or only by who wrote it to whom. */
  by: 'message_id' | 'address'
  /** The mail of ours that it is about; null: the last one to the lead. */
  sentId: string | null
}

/**
 * Finds the leads behind mails: by the Message-IDs that they refer to, and else by the address of
 * the sender, or of the recipient that a report names, where this mailbox wrote to it.
 *
 * @returns for each mail its leads: none, or more than one only for a report about several people
 */
export async function matchIncoming(
  ctx: Context,
  mailbox: ReadMailbox,
  mails: Incoming[],
): Promise<Match[][]> {
  const { workspace_id } = mailbox
  const known = await findByMessageIds(
    ctx.db,
    workspace_id,
    mails.flatMap(({ about }) => about),
  )
  const addresses = [...new Set(mails.flatMap(addressesIn))]
  const leads =
    addresses.length === 0
      ? []
      : await queries.findContacted(ctx.db, workspace_id, mailbox.id, addresses)
  const byAddress = new Map(leads.map((lead) => [lead.email_folded, lead.id]))
  return mails.map((mail) => {
    const sent = mail.about.map((id) => known.get(id)).find((found) => found?.lead_id)
    if (sent?.lead_id) return [{ leadId: sent.lead_id, by: 'message_id', sentId: sent.id }]
    return addressesIn(mail).flatMap((address): Match[] => {
      const leadId = byAddress.get(address)
      return leadId ? [{ leadId, by: 'address', sentId: null }] : []
    })
  })
}

function addressesIn({ message, inbound }: Incoming): string[] {
  if (inbound.kind === 'bounce') return inbound.bounces.flatMap(({ recipient }) => recipient ?? [])
  if (inbound.kind === 'complaint') return inbound.recipient === null ? [] : [inbound.recipient]
  const sender = parseEmail(message.from?.address ?? '')
  return sender ? [sender.folded] : []
}
