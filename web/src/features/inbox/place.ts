/** What of the inbox is looked at, as it stands in the address. */
export interface InboxPlace {
  view?: (typeof views)[number] | undefined
  label?: string | undefined
  mailbox?: string | undefined
  unread?: true | undefined
  search?: string | undefined
  thread?: string | undefined
}

/** The first one is what is shown when the address says nothing. */
export const views = ['waiting', 'all', 'done', 'snoozed', 'automatic', 'bounces'] as const

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const idOf = (value: unknown) => (typeof value === 'string' && uuid.test(value) ? value : undefined)
const textOf = (value: unknown) =>
  ['string', 'number'].includes(typeof value) && value !== ''
    ? String(value).slice(0, 200).toWellFormed()
    : undefined

/** Of whatever somebody typed into the address: what makes no sense is undefined. */
export function inboxPlaceOf(search: Record<string, unknown>): InboxPlace {
  const view = views.find((each) => each === search.view)
  return {
    view: view === views[0] ? undefined : view,
    label: textOf(search.label),
    mailbox: idOf(search.mailbox),
    unread: search.unread === true ? true : undefined,
    search: textOf(search.search),
    thread: idOf(search.thread),
  }
}

/** As the server takes it. */
export function threadQueryOf({ view, label, mailbox, unread, search }: InboxPlace) {
  return {
    view: view ?? views[0],
    limit: 50,
    ...(label ? { label } : {}),
    ...(mailbox ? { mailbox_id: mailbox } : {}),
    ...(unread ? { unread } : {}),
    ...(search ? { search } : {}),
  }
}
