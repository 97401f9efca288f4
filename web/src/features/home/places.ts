/** Where something is begun, seen or mended. */
export type PlaceName =
  | 'campaign'
  | 'campaigns'
  | 'connect'
  | 'import'
  | 'inbox'
  | 'keys'
  | 'lead'
  | 'mailbox'
  | 'sends'
  | 'webhook'
  | 'webhooks'

/**
 * An address of the application, for what names its record only when it is read.
 *
 * @param id of the record, where it is the place of one
 */
export function placeOf(handle: string, name: PlaceName, id?: string | null): string {
  const paths: Record<PlaceName, string> = {
    campaign: `campaigns/${id}`,
    campaigns: 'campaigns',
    connect: 'settings/mailboxes/connect',
    import: 'leads/import',
    inbox: 'inbox',
    keys: 'settings/keys',
    lead: `leads?lead=${id}`,
    mailbox: `settings/mailboxes/${id}`,
    sends: `campaigns/${id}?tab=mails`,
    webhook: `settings/webhooks/${id}`,
    webhooks: 'settings/webhooks',
  }
  return `/w/${handle}/${paths[name]}`
}
