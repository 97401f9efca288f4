import type { AnyContext } from '../../kernel/context.ts'
import { isPublicHost } from '../../kernel/outbound/index.ts'
import { listenerOf, trackingUrlOf } from '../kept-settings/index.ts'

/** What it takes to make `url` an address that links can use, as a sentence for an operator. */
export const linkAddressRemedy =
  'Set TRACKING_URL to an https address that leads to this service from everywhere, and restart it.'

/** Where the links of mails lead, the same for every process of the installation. */
export const findLinkUrl = (ctx: Pick<AnyContext, 'config' | 'keptSettings'>): string =>
  trackingUrlOf(ctx) ??
  listenerOf(ctx) ??
  // Nothing is kept before the first start of a server.
  ctx.config.apiUrl

/** Whether a recipient's mail program can open it, and use it for one click (RFC 8058 §3.1). */
export function isPublicAddress(url: string): boolean {
  const address = URL.parse(url)
  return address?.protocol === 'https:' && isPublicHost(address.hostname)
}

/** What decides whether the mails of a mailbox can carry links. */
export interface LinkSender {
  address: string
  /** Its mail server is of this machine, and so are those who read its mail: a sandbox, a test. */
  sends_locally: boolean
}

export const canCarryLinks = ({ sends_locally }: Pick<LinkSender, 'sends_locally'>, url: string) =>
  sends_locally || isPublicAddress(url)
