/** Which mailboxes are shown, as it stands in the address. */
export interface MailboxFilter {
  search?: string | undefined
  status?: Status | undefined
}

export const statuses = ['connected', 'error', 'paused'] as const
type Status = (typeof statuses)[number]

/** Of whatever somebody has in their address bar. */
export const mailboxFilterOf = ({ search, status }: Record<string, unknown>): MailboxFilter => ({
  search:
    search === undefined || search === '' ? undefined : String(search).slice(0, 320).toWellFormed(),
  status: statuses.find((each) => each === status),
})
