import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { operator } from '../../server/src/features/audit/index.ts'
import { emit } from '../../server/src/features/events/index.ts'
import { createWebhook } from '../../server/src/features/webhooks/webhooks.ts'
import { transaction } from '../../server/src/kernel/db/transaction.ts'
import type { FreeContext } from '../../server/test/context.ts'

export type EventType =
  | 'lead.interested'
  | 'lead.not_interested'
  | 'lead.closed'
  | 'lead.no_show'
  | 'lead.lost'
  | 'lead.neutral'

export async function subscribe(
  ctx: FreeContext,
  workspaceId: string,
  url: string,
  type: EventType | 'all_events',
) {
  const input = { name: 'bench', target_hook_url: url, event_type: type }
  await createWebhook(ctx, workspaceId, input, operator)
}

export const sampleData = { lead: { email: 'ada@example.com', note: 'x'.repeat(700) } }

const makeEvent = (type: EventType) => ({
  type,
  campaign: null,
  leadEmail: 'ada@example.com',
  data: sampleData,
})

export const emitMany = (ctx: FreeContext, workspaceId: string, type: EventType, count: number) =>
  transaction(ctx, (tx) =>
    emit(
      tx,
      workspaceId,
      Array.from({ length: count }, () => makeEvent(type)),
    ),
  )

/**
 * Events of one lead each, for every destination of the workspace that asked for the type, straight
 * into the tables: writing them one by one is not what is measured. They fall due all at once.
 */
export async function insertPending(
  ctx: FreeContext,
  workspaceId: string,
  type: EventType,
  { events, dueInMs }: { events: number; dueInMs: number },
): Promise<Date> {
  const body = JSON.stringify({ type, data: sampleData })
  const due = new Date(ctx.now().getTime() + dueInMs)
  const expires = new Date(due.getTime() + 72 * 3_600_000)
  const prefix = ctx.newId().slice(0, 14)
  const eventId = sql`(${`${prefix}7000-8000-`}::text || lpad(to_hex(n), 12, '0'))::uuid`
  await transaction(ctx, async ({ db }) => {
    // A million rows take longer than a request may.
    await sql`set local statement_timeout = 0`.execute(db)
    await sql`
      insert into events (workspace_id, id, type, lead_email, body)
      select ${workspaceId}::uuid, ${eventId}, ${type}, 'lead' || n || '@example.com', ${body}
      from generate_series(1, ${events}::int) n`.execute(db)
    await sql`
      insert into deliveries (workspace_id, id, bucket, webhook_id, event_id, due_at, expires_at)
      select ${workspaceId}::uuid, uuidv7(), get_byte(uuid_send(w.id), 15), w.id, ${eventId},
        ${due}::timestamptz, ${expires}::timestamptz
      from generate_series(1, ${events}::int) n, webhooks w
      where w.workspace_id = ${workspaceId}::uuid and w.event_type = ${type}
      order by n, w.id`.execute(db)
  })
  return due
}

/** By event id: the time, in ms since 1970, at which its COMMIT was sent. */
export type CommitTimes = Map<string, number>

/** One transaction per event. */
export async function emitSteadily(
  ctx: FreeContext,
  workspaceId: string,
  type: EventType,
  { seconds, perSecond }: { seconds: number; perSecond: number },
): Promise<CommitTimes> {
  const times: CommitTimes = new Map()
  const emitOne = () =>
    transaction(ctx, async (tx) => {
      const [id = ''] = await emit(tx, workspaceId, [makeEvent(type)])
      times.set(id, performance.timeOrigin + performance.now())
    })
  const total = seconds * perSecond
  const startedMs = performance.now()
  const open: Promise<unknown>[] = []
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, ((performance.now() - startedMs) / 1000) * perSecond)
    for (; sent < due; sent++) open.push(emitOne())
    await wait(1)
  }
  await Promise.all(open)
  return times
}
