import { idOf, oneOf, type Search, textOf } from '../../lib/search.ts'

/** What of the inbox is looked at, as it stands in the address. */
export interface InboxSearch {
  view?: (typeof views)[number] | undefined
  label?: string | undefined
  mailbox?: string | undefined
  unread?: true | undefined
  search?: string | undefined
  thread?: string | undefined
}

/** The first one is what is shown when the address says nothing. */
export const views = ['waiting', 'all', 'done', 'snoozed', 'automatic', 'bounces'] as const

const textMax = 200

export function inboxSearchOf(search: Search): InboxSearch {
  const view = oneOf(views, search.view)
  return {
    view: view === views[0] ? undefined : view,
    label: textOf(search.label, textMax),
    mailbox: idOf(search.mailbox),
    unread: oneOf([true], search.unread),
    search: textOf(search.search, textMax),
    thread: idOf(search.thread),
  }
}

/** As the server takes it. */
export function threadQueryOf({ view, label, mailbox, unread, search }: InboxSearch) {
  return {
    view: view ?? views[0],
    limit: 50,
    ...(label ? { label } : {}),
    ...(mailbox ? { mailbox_id: mailbox } : {}),
    ...(unread ? { unread } : {}),
    ...(search ? { search } : {}),
  }
}
