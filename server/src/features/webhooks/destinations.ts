import type { AnyContext, Context } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { recordAudit, service } from '../audit/index.ts'
import { lockLane } from '../deliveries/lane-health/index.ts'
import { allEvents } from './event-types.ts'
import type { Destination, Subscriber } from './queries.ts'
import * as queries from './queries.ts'
import { openHeaders, openSecretBytes } from './sealed.ts'

// What the delivery engine needs of a destination.

/**
 * Active destinations of these types or of all events, in the order of their ids; none while the
 * plan is without webhooks. The caller compares the campaign, where a destination has one.
 */
export const findSubscribers = (
  db: Db,
  workspaceId: string,
  types: string[],
): Promise<Subscriber[]> => queries.findSubscribers(db, workspaceId, [...types, allEvents])

export async function findDestination(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<Destination | undefined> {
  const [row] = await queries.findDestinations(db, workspaceId, [id])
  return row
}

/**
 * The address of a destination, which stays as it is until the transaction ends; undefined: it is
 * deleted. A change locks the lane first, too.
 */
export async function lockAddress(
  { db }: Context,
  workspaceId: string,
  id: string,
): Promise<string | undefined> {
  await lockLane(db, workspaceId, id)
  return (await queries.lockWebhook(db, workspaceId, id))?.target_hook_url
}

/** What a request to the destination is made with; it holds secrets and is never logged. */
export interface OpenDestination {
  url: string
  headers: Readonly<Record<string, string>>
  /** The newest first; two while they are rotated. */
  secrets: Buffer[]
  /** When the older secret ends; null: these secrets are valid until the destination changes. */
  until: Date | null
}

export function openDestination(ctx: AnyContext, row: Destination): OpenDestination {
  const { previous_secret: previous, previous_secret_expires: expires } = row
  const older = previous && expires && expires > ctx.now() ? previous : undefined
  const sealed = older ? [row.secret, older] : [row.secret]
  return {
    url: row.target_hook_url,
    headers: openHeaders(ctx, row, row.headers),
    secrets: sealed.map((secret) => openSecretBytes(ctx, row, secret)),
    until: older && expires ? expires : null,
  }
}

/**
 * Disables a destination whose receiver has said that it is gone, or has failed for days.
 *
 * @param url the address that said so: one that the destination has left disables nothing
 * @returns false when it was disabled or deleted already
 */
export async function disableDestination(
  tx: Context,
  workspaceId: string,
  id: string,
  reason: 'gone' | 'failing',
  url?: string,
): Promise<boolean> {
  if (!(await queries.disableWebhook(tx.db, workspaceId, id, reason, tx.now(), url))) return false
  await recordAudit(tx, {
    workspaceId,
    ...service,
    action: 'webhook.disabled',
    subjectType: 'webhook',
    subjectId: id,
    details: { reason },
  })
  return true
}
