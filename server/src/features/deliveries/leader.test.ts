import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Delivering, testDelivering } from '../../../test/delivering.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { listen } from '../../kernel/db/listen.ts'
import { hintChannel } from '../../kernel/runner/hint.ts'
import type { Scope } from '../../kernel/runner/leader.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import { type DeliveryRunner, startDeliveryRunner } from './index.ts'

let service: Delivering
let receiver: Receiver
const runners: DeliveryRunner[] = []

beforeEach(async () => {
  service = await testDelivering({ leaseMs: 1_500 })
  await service.runner.stop()
  receiver = await startReceiver()
})
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.stop(1_000)
  await service[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

async function startRunner(scope: Scope, sent: string[] = []) {
  const { ctx } = service
  const runner = await startDeliveryRunner(ctx, {
    scope: () => scope,
    listen: (onHint) => listen(ctx.database.url, hintChannel, onHint, ctx.log),
    onAttempt: ({ webhook_id }) => void sent.push(webhook_id),
  })
  runners.push(runner)
  return runner
}

/** Deliveries of an event to each of these destinations, of which no hint tells. */
async function insertDue(webhookIds: string[], lateMs: number) {
  const { ctx, workspaceId } = service
  const { peek } = ctx.database
  const id = ctx.newId()
  const event = { workspace_id: workspaceId, id, type: 'lead.interested', body: '{}' }
  await peek
    .insertInto('events')
    .values({ ...event, lead_email: 'a@lead.example' })
    .execute()
  const due = new Date(ctx.now().getTime() - lateMs)
  const rows = webhookIds.map((webhook_id) => ({
    ...{ workspace_id: workspaceId, id: ctx.newId(), bucket: bucketOf(webhook_id), webhook_id },
    ...{ event_id: id, due_at: due, expires_at: new Date(due.getTime() + 3_600_000) },
  }))
  await peek.insertInto('deliveries').values(rows).execute()
}

test('the leader finds what is due for all, and the owner of each lane sends it', async () => {
  const byLeader: string[] = []
  const byOther: string[] = []
  const leader = await startRunner('all', byLeader)
  const other = await startRunner('none', byOther)
  const isShared = () => [leader, other].every((runner) => runner.buckets().length === 128)
  await service.ctx.database.until(isShared)
  const webhookIds: string[] = []
  for (let n = 0; n < 12; n++) webhookIds.push((await service.createWebhook(receiver.url)).id)
  const owned = (runner: DeliveryRunner) => {
    const buckets = new Set(runner.buckets())
    return webhookIds.filter((id) => buckets.has(bucketOf(id))).sort()
  }
  const [ofLeader, ofOther] = [owned(leader), owned(other)]
  expect(ofOther).not.toEqual([])
  await insertDue(webhookIds, 0)
  await receiver.waitFor(webhookIds.length)
  await service.ctx.database.until(() => byLeader.length + byOther.length === webhookIds.length)
  expect(byLeader.sort()).toEqual(ofLeader)
  expect(byOther.sort()).toEqual(ofOther)
})

test('a runner that got buckets looks through them once, whoever else looks for all', async () => {
  const { id } = await service.createWebhook(receiver.url)
  // Longer ago than any poll goes back.
  await insertDue([id], 60_000)
  await startRunner('none')
  await receiver.waitFor(1)
})
