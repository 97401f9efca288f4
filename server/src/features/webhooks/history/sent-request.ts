import { type Static, Type } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import { rowsOf } from '../../../kernel/db/rows-of.ts'
import { notFound } from '../../../kernel/errors.ts'
import { Nullable } from '../../../kernel/http/schema.ts'
import { timeOfId } from '../../../kernel/ids.ts'
import { fixedHeaders, signatureHeaders } from '../../deliveries/index.ts'
import { mask } from '../headers.ts'
import { findDestination, openDestination } from '../index.ts'
import * as queries from './queries.ts'

const Header = Type.Object({ name: Type.String(), value: Type.String() })

export const WebhookRequest = Type.Object(
  {
    url: Type.String(),
    headers: Type.Array(Header, {
      description: 'Secrets are masked. The time of sending is exact to about a second.',
    }),
    body: Nullable(
      Type.String({ description: 'The exact bytes; null when the event is kept no longer.' }),
    ),
    signed: Nullable(
      Type.Array(Header, {
        description:
          'Signed now, so that a receiver takes it, for who may replay; null for everybody else.',
      }),
    ),
  },
  {
    $id: 'WebhookRequest',
    description: 'The request of an attempt.',
    examples: [
      {
        url: 'https://crm.example.com/hooks/outreach',
        headers: [{ name: 'content-type', value: 'application/json' }],
        body: '{"id":"019a9d5e-7f00-7c31-9d0a-5e1f6a2b3c4d"}',
        signed: null,
      },
    ],
  },
)

/**
 * What an attempt sent. The body is kept; headers are made anew, because they would be the same few
 * with every attempt: those of the destination are as they are now.
 */
export async function getSentRequest(
  ctx: Context,
  workspaceId: string,
  id: string,
  mayReplay: boolean,
): Promise<Static<typeof WebhookRequest>> {
  const attempt = await queries.findAttempt(ctx.db, workspaceId, id)
  if (!attempt) throw notFound('webhook event')
  const { event_id, webhook_id, webhook_url: url, response_time_ms } = attempt
  const [event] = await rowsOf(ctx.db, queries.selectBodies(workspaceId, [event_id]))
  const row = await findDestination(ctx.db, workspaceId, webhook_id)
  const destination = row && openDestination(ctx, row)
  const sentAtMs = timeOfId(id).getTime() - (response_time_ms ?? 0)
  const body = event?.body ?? null
  return {
    url,
    headers: [
      ...entriesOf(fixedHeaders(ctx)),
      { name: 'webhook-id', value: event_id },
      { name: 'webhook-timestamp', value: String(Math.floor(sentAtMs / 1000)) },
      { name: 'webhook-signature', value: `v1,${mask}` },
      ...Object.keys(destination?.headers ?? {}).map((name) => ({ name, value: mask })),
    ],
    body,
    signed:
      mayReplay && destination && body !== null
        ? entriesOf(signatureHeaders(event_id, ctx.now(), body, destination.secrets))
        : null,
  }
}

const entriesOf = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))
