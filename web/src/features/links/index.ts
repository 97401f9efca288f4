/** Pages that other features lead to. */
export type PageName =
  | 'campaign'
  | 'campaigns'
  | 'connect'
  | 'conversation'
  | 'heldBack'
  | 'import'
  | 'inbox'
  | 'keys'
  | 'lead'
  | 'mailbox'
  | 'uncertain'
  | 'webhook'
  | 'webhooks'

/**
 * The path of a page of the application, where only a record that was read says which page it is.
 *
 * @param id of the record that the page shows, where it shows one
 */
export function pagePath(handle: string, name: PageName, id?: string | null): string {
  const paths: Record<PageName, string> = {
    campaign: `campaigns/${id}`,
    campaigns: 'campaigns',
    // Wherever it stands: one that was answered waits no more.
    conversation: `inbox?view=all&thread=${id}`,
    connect: 'settings/mailboxes/connect',
    heldBack: `campaigns/${id}?tab=leads&sending=held_back`,
    import: 'leads/import',
    inbox: 'inbox',
    keys: 'settings/keys',
    lead: `leads?lead=${id}`,
    mailbox: `settings/mailboxes/${id}`,
    uncertain: `campaigns/${id}?tab=mails&state=uncertain`,
    webhook: `settings/webhooks/${id}`,
    webhooks: 'settings/webhooks',
  }
  return `/w/${handle}/${paths[name]}`
}
