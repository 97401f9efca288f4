/** Where something is begun, seen or mended. */
export type AddressName =
  | 'campaign'
  | 'campaigns'
  | 'connect'
  | 'conversation'
  | 'import'
  | 'inbox'
  | 'keys'
  | 'lead'
  | 'mailbox'
  | 'uncertain'
  | 'webhook'
  | 'webhooks'

/**
 * An address of the application, for what names its record only when it is read.
 *
 * @param id of the record, where it is the address of one
 */
export function addressOf(handle: string, name: AddressName, id?: string | null): string {
  const paths: Record<AddressName, string> = {
    campaign: `campaigns/${id}`,
    campaigns: 'campaigns',
    // Wherever it stands: one that was answered waits no more.
    conversation: `inbox?view=all&thread=${id}`,
    connect: 'settings/mailboxes/connect',
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
