import { keepListener } from '../features/kept-settings/index.ts'
import { findLinkUrl, isPublicAddress, linkAddressRemedy } from '../features/link-address/index.ts'
import type { ProcessContext } from '../kernel/context.ts'

/**
 * Says where the links of mails lead.
 *
 * @param listener where this process answers; undefined when it does not
 */
export async function tellLinkAddress(ctx: ProcessContext, listener: string | undefined) {
  if (listener !== undefined) await keepListener(ctx, listener)
  const url = findLinkUrl(ctx)
  if (isPublicAddress(url)) ctx.log.info({ url }, 'links of mails')
  else ctx.log.warn({ url }, `links of mails reach nobody elsewhere. ${linkAddressRemedy}`)
}
