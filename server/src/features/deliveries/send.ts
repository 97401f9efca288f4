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
): Promise<PostOutcome> {
  const { now, worldTime = now } = ctx
  const { url } = destination
  const { body } = event
  const headers = {
    ...destination.headers,
    ...fixedHeaders(ctx),
    ...signatureHeaders(event.id, worldTime(), body, destination.secrets),
  }
  return (
    receiveDelivery(ctx, url, { headers, body }) ??
    ctx.http.post({ use, url, headers, body, timeoutMs: attemptTimeoutMs, connectTimeoutMs })
  )
}
