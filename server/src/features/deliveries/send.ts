import type { AnyContext } from '../../kernel/context.ts'
import type { PostOutcome } from '../../kernel/outbound/index.ts'
import type { OpenDestination } from '../webhooks/index.ts'
import { receiveDelivery } from '../webhooks/try-out/index.ts'
import { signatureHeaders } from './signature.ts'

const attemptTimeoutMs = 15_000
const connectTimeoutMs = 5_000

/** What every request has beside its signature and the headers of the destination. */
export const fixedHeaders = ({ config }: AnyContext) => ({
  'content-type': 'application/json',
  'user-agent': `Outrider-Webhooks/${config.version}`,
})

/** One signed request: live deliveries, retries and test calls all go through here. */
export function send(
  ctx: AnyContext,
  use: 'deliveries' | 'webhook tests',
  destination: OpenDestination,
  event: { id: string; body: string },
  stop?: AbortSignal,
): Promise<PostOutcome> {
  const { now, worldTime = now, shard } = ctx
  const { url } = destination
  const { body } = event
  const headers = {
    ...destination.headers,
    ...fixedHeaders(ctx),
    ...signatureHeaders(event.id, worldTime(), body, destination.secrets),
  }
  const limits = { timeoutMs: attemptTimeoutMs, connectTimeoutMs, stop }
  const request = { url, headers, body, ...limits, needsNoBody: true as const }
  return (
    receiveDelivery(ctx, url, { headers, body }) ??
    // Each of several databases has its own slots, all of which receivers that hang may hold.
    ctx.http.post({ ...request, use: shard === undefined ? use : `${use} of ${shard}` })
  )
}
