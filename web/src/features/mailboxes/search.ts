import { oneOf, type Search, textOf } from '../../lib/search.ts'

/** Which mailboxes are shown, as it stands in the address. */
export interface MailboxFilter {
  search?: string | undefined
  status?: Status | undefined
}

export const statuses = ['connected', 'error', 'paused'] as const
type Status = (typeof statuses)[number]

export const mailboxesSearchOf = ({ search, status }: Search): MailboxFilter => ({
  search: textOf(search, 320),
  status: oneOf(statuses, status),
})

/** How far somebody has come in connecting a mailbox. */
interface ConnectSearch {
  address?: string | undefined
  /** Its id, once its login is known. */
  mailbox?: string | undefined
}

export const connectSearchOf = ({ address, mailbox }: Search): ConnectSearch => ({
  address: typeof address === 'string' ? address : undefined,
  mailbox: typeof mailbox === 'string' ? mailbox : undefined,
})
