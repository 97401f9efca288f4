import { findLinkUrl, isPublicAddress, linkAddressRemedy } from '../features/link-address/index.ts'
import type { ProcessContext } from '../kernel/context.ts'

/** Logs where the links of mails lead. */
export function logLinkAddress(ctx: ProcessContext): void {
  const url = findLinkUrl(ctx)
  if (isPublicAddress(url)) ctx.log.info({ url }, 'links of mails')
  else ctx.log.warn({ url }, `links of mails reach nobody elsewhere. ${linkAddressRemedy}`)
}
