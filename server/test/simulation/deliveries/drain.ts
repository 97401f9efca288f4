import type pg from 'pg'
import type { ProcessSlots } from '../engine/process-slots.ts'
import type { World } from '../engine/world.ts'

const hourMs = 3_600_000
/**
 * Undisturbed, a delivery that could be made is made within so long; what has expired behind a disabled
 * destination, which is looked for once a minute by lanes that wake every few seconds, is closed.
 */
const patienceMs = 75_000
/** The longest that a commit can still be on its way, and what its user does after it. */
const lateMs = 30_000
/** What becomes possible within so long is waited for; the rest is slept over. */
const foresightMs = 15_000

/**
 * Nothing breaks any more and all receivers are well. Whatever can be delivered must be, with nothing to
 * help it along: no crash that makes a lane new, no event that wakes it. What waits for a distant
 * time, or for its end because its destination is disabled, has to end in the days that follow.
 */
export async function drain(world: World, slots: ProcessSlots) {
  const { scheduler } = world
  await scheduler.runUntil(scheduler.nowMs + lateMs, () => !slots.isUsed)
  let pending = await deliverAll(world, 'the environment was quiet')
  for (const sleepMs of [25 * hourMs, 50 * hourMs]) {
    if (pending === 0) return
    slots.sleep(sleepMs)
    await scheduler.runUntil(scheduler.nowMs + sleepMs)
    pending = await deliverAll(world, 'a long sleep')
  }
}

/** @returns how many are pending all the same */
async function deliverAll(world: World, since: string): Promise<number> {
  const { scheduler, admin } = world
  const startedMs = scheduler.nowMs
  for (;;) {
    await scheduler.runUntil(scheduler.nowMs + 1_000)
    const { pending, expected } = await countPending(admin, world.time())
    if (expected === 0) return pending
    if (scheduler.nowMs - startedMs < patienceMs) continue
    world.violate(`${expected} deliveries wait, undisturbed, ${patienceMs} ms after ${since}`)
    return pending
  }
}

async function countPending(admin: pg.Client, now: Date) {
  const { rows } = await admin.query<{ pending: number; expected: number }>(
    `select count(*)::int as pending,
       count(*) filter (where w.id is null or d.expires_at <= $1 or (
         w.status = 'active' and p.plan_webhooks
         and greatest(d.due_at, l.not_before) <= $1::timestamptz + $2 * interval '1 ms'
       ))::int + (select count(*)::int from fanouts) as expected
     from deliveries d
     join workspaces p on p.id = d.workspace_id
     left join webhooks w on w.workspace_id = d.workspace_id and w.id = d.webhook_id
     left join webhook_lanes l on l.workspace_id = d.workspace_id and l.webhook_id = d.webhook_id`,
    [now, foresightMs],
  )
  return rows[0] ?? { pending: 0, expected: 0 }
}
