import { setTimeout as wait } from 'node:timers/promises'
import { operator } from '../../server/src/features/audit/index.ts'
import { hintChannel, startDeliveryRunner } from '../../server/src/features/deliveries/index.ts'
import { emit } from '../../server/src/features/events/index.ts'
import { createWebhook } from '../../server/src/features/webhooks/webhooks.ts'
import type { Context } from '../../server/src/kernel/context.ts'
import { listen } from '../../server/src/kernel/db/listen.ts'
import { transaction } from '../../server/src/kernel/db/transaction.ts'
import type { BenchService } from '../service.ts'

export const startRunner = ({ ctx, databaseUrl }: BenchService) =>
  startDeliveryRunner(ctx, {
    listen: (onHint) => listen(databaseUrl, hintChannel, onHint, ctx.log),
  })

export async function subscribe(ctx: Context, workspaceId: string, url: string, type: string) {
  const input = { name: 'bench', target_hook_url: url, event_type: type }
  await createWebhook(ctx, workspaceId, input, { actor: operator })
}

export const sampleData = { lead: { email: 'ada@example.com', note: 'x'.repeat(700) } }

export const emitMany = (
  ctx: Context,
  workspaceId: string,
  type: 'lead.interested' | 'lead.lost',
  count: number,
) =>
  transaction(ctx, (tx) =>
    emit(
      tx,
      workspaceId,
      Array.from({ length: count }, () => ({
        type,
        campaign: null,
        leadEmail: 'ada@example.com',
        data: sampleData,
      })),
    ),
  )

/** Event by event, each with the time its transaction began to commit. */
export async function emitSteadily(
  ctx: Context,
  workspaceId: string,
  type: 'lead.closed' | 'lead.no_show',
  seconds: number,
  perSecond: number,
) {
  const total = seconds * perSecond
  const startedMs = performance.now()
  const open: Promise<unknown>[] = []
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, ((performance.now() - startedMs) / 1000) * perSecond)
    for (; sent < due; sent++) {
      const committed_at = performance.timeOrigin + performance.now()
      const event = {
        type,
        campaign: null,
        leadEmail: 'ada@example.com',
        data: { committed_at },
      }
      open.push(transaction(ctx, (tx) => emit(tx, workspaceId, [event])))
    }
    await wait(1)
  }
  await Promise.all(open)
}
