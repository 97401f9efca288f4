import {
  copyLinkAddress,
  findLinkAddress,
  findLinkUrl,
  isPublicAddress,
  keepGivenAddress,
  keepListenerAddress,
  linkAddressRemedy,
  reportContradiction,
} from '../features/link-address/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { startLoop } from '../kernel/runner/loop.ts'

const compareEveryMs = 60_000

/** Before anything is sent: what this process was told of the links of mails holds for all. */
export async function settleLinkAddress(ctx: ProcessContext): Promise<void> {
  const replaced = await keepGivenAddress(ctx)
  await noteKeptAddress(ctx)
  if (replaced === undefined) return
  const urls = { url: ctx.config.trackingUrl, replaced }
  ctx.log.warn(urls, `links of mails lead to another address from now on; ${sameEverywhere}`)
}

/** A proxy that brings the requests of its links to this process brings those for /metrics, too. */
async function noteKeptAddress(ctx: ProcessContext): Promise<void> {
  const kept = await findLinkAddress(ctx.db)
  ctx.keptLinks.url = kept?.is_given ? kept.url : undefined
}

/**
 * Says where the links of mails lead, and goes on comparing: a process that was started later may
 * have been given another address.
 *
 * @param listener where this process answers; undefined when it does not
 */
export async function watchLinkAddress(
  ctx: ProcessContext,
  listener: string | undefined,
): Promise<AsyncDisposable> {
  if (listener !== undefined) await keepListenerAddress(ctx, listener)
  const url = await findLinkUrl(ctx)
  if (isPublicAddress(url)) ctx.log.info({ url }, 'links of mails')
  else ctx.log.warn({ url }, `links of mails reach nobody elsewhere. ${linkAddressRemedy}`)
  let told: string | undefined
  const comparing = startLoop(ctx, 'link address', compareEveryMs, async () => {
    await noteKeptAddress(ctx)
    const used = await reportContradiction(ctx)
    if (used !== undefined && used !== told) {
      const urls = { url: used, given: ctx.config.trackingUrl }
      ctx.log.warn(
        urls,
        `links of mails lead elsewhere than this process was told; ${sameEverywhere}`,
      )
    }
    told = used
  })
  return { [Symbol.asyncDispose]: comparing.stop }
}

/** A process of a shard's mails has it before it sends one, and what another was given soon after. */
export async function followLinkAddress(
  first: ProcessContext,
  shard: ProcessContext,
): Promise<AsyncDisposable> {
  await copyLinkAddress(first, shard)
  const following = startLoop(shard, 'link address', compareEveryMs, () =>
    copyLinkAddress(first, shard),
  )
  return { [Symbol.asyncDispose]: following.stop }
}

const sameEverywhere = 'give the same TRACKING_URL to every process'
