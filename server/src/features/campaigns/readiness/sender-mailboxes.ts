import type { Db } from '../../../kernel/db/db.ts'
import { parseEmail } from '../../../kernel/email.ts'
import { AppError } from '../../../kernel/errors.ts'
import { findMailboxesByAddress, type MailboxStatus } from '../../mailboxes/index.ts'

export interface Senders {
  /** Each mailbox once, in the mailbox's own spelling: what is stored and joined with mailboxes. */
  addresses: string[]
  /** The mailboxes that exist. */
  mailboxes: SenderMailbox[]
}

export interface SenderMailbox {
  status: MailboxStatus
  sends_locally: boolean
}

/**
 * The mailboxes of an `email_list`. Unknown addresses are a 400 that names them, except those
 * in `kept`: a list sent back unchanged stays valid when one of its mailboxes was removed meanwhile.
 */
export async function getSenders(
  db: Db,
  workspaceId: string,
  addresses: string[],
  kept: string[] = [],
): Promise<Senders> {
  if (addresses.length === 0) return { addresses: [], mailboxes: [] }
  const folded = addresses.map((address) => parseEmail(address)?.folded)
  const known = folded.filter((address) => address !== undefined)
  const mailboxes = new Map(
    (await findMailboxesByAddress(db, workspaceId, known)).map((row) => [row.address_folded, row]),
  )
  const senders = new Map<string, SenderMailbox | undefined>()
  const unknown: { address: string; index: number }[] = []
  for (const [index, address] of addresses.entries()) {
    const mailbox = mailboxes.get(folded[index] ?? '')
    if (mailbox) {
      const { status, sends_locally } = mailbox
      senders.set(mailbox.address, { status: status as MailboxStatus, sends_locally })
    } else if (kept.includes(address)) senders.set(address, undefined)
    else unknown.push({ address, index })
  }
  if (unknown.length > 0) throw unknownMailboxes(unknown)
  return {
    addresses: [...senders.keys()],
    mailboxes: [...senders.values()].filter((mailbox) => mailbox !== undefined),
  }
}

const namedMax = 10

function unknownMailboxes(unknown: { address: string; index: number }[]) {
  const named = unknown.slice(0, namedMax).map(({ address }) => address)
  const more = unknown.length > namedMax ? ` and ${unknown.length - namedMax} more` : ''
  return new AppError(
    'invalid_field',
    `email_list may name only mailboxes of this workspace; it has none for ${named.join(', ')}${more}`,
    {
      details: unknown.slice(0, 100).map(({ address, index }) => ({
        path: `/email_list/${index}`,
        message: `no mailbox of this workspace has the address ${address}`,
      })),
    },
  )
}
