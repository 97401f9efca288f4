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
