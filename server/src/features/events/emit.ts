import type { Context } from '../../kernel/context.ts'
import { requireTransaction } from '../../kernel/db/transaction.ts'
import { nextTurn } from '../../kernel/next-turn.ts'
import { enqueueDeliveries } from '../deliveries/index.ts'
import { type Topic, tellPages, topicsOfEvent } from '../live/index.ts'
import { buildBody, type NewEvent } from './body.ts'
import * as queries from './queries.ts'

/**
 * Stores events and what is to be delivered of them, in the transaction that changed the facts they
 * tell: either all of it happened, or nothing. Events are stored whether or not a destination
 * matches, so that they can be replayed. Open pages are told.
 *
 * @returns the events' ids, in the order given
 */
export async function emit(
  tx: Context,
  workspaceId: string,
  events: NewEvent[],
): Promise<string[]> {
  if (events.length === 0) return []
  requireTransaction(tx)
  const stored = await storeEvents(tx, workspaceId, events)
  await enqueueDeliveries(tx, workspaceId, stored)
  const topics = new Set<Topic>()
  for (const { type } of stored) for (const topic of topicsOfEvent(type)) topics.add(topic)
  tellPages(tx, workspaceId, topics)
  return stored.map((event) => event.id)
}

/** Characters of bodies that are made in one step. */
const partLength = 256 * 1024

/** Stores events without delivering them anywhere. */
export async function storeEvents(
  tx: Context,
  workspaceId: string,
  events: NewEvent[],
): Promise<queries.EventToInsert[]> {
  const at = tx.now()
  const rows: queries.EventToInsert[] = []
  let length = 0
  for (const event of events) {
    const id = tx.newId()
    const body = buildBody(event, id, workspaceId, event.at ?? at)
    rows.push({
      ...{ id, type: event.type, body, test: event.test ?? false },
      ...{ campaign_id: event.campaign?.id ?? null, lead_email: event.leadEmail },
    })
    length += body.length
    // A body that has to be cut takes some ten milliseconds, and a change may tell of a thousand leads.
    if (length < partLength) continue
    length = 0
    await nextTurn()
  }
  await queries.insertEvents(tx.db, workspaceId, rows)
  return rows
}
