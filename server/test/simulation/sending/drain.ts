import type { ProcessSlots } from '../engine/process-slots.ts'
import type { World } from '../engine/world.ts'
import type { IdleTime } from './idle-time.ts'
import type { People } from './people.ts'
import type { Workload } from './workload.ts'

/** The longest that a commit can still be on its way, and what its user does after it. */
const lateMs = 30_000
/** The longest pause between two tries, and a round through the folders. */
const readMs = 1_500_000
const stretchMs = 12 * 3_600_000
/** By then everything that was left must have been sent. */
const stretchesMax = 160

/**
 * Nothing breaks any more, operators put everything right, and people go on answering. With nothing to
 * help it along, every lead must come to its end.
 */
export async function drain(
  world: World,
  slots: ProcessSlots,
  parts: { workload: Workload; people: People; idleTime: IdleTime },
) {
  const { scheduler, admin } = world
  await scheduler.runUntil(scheduler.nowMs + lateMs, () => !slots.isUsed && !parts.workload.isBusy)
  const api = [...world.processes].find(({ role }) => role === 'api')
  if (!api) throw new Error('There is no API left.')
  let mended = false
  void parts.workload.mend(api).then(
    () => {
      mended = true
    },
    (error: Error) => world.violate(`what was wrong could not be put right: ${error.stack}`),
  )
  await scheduler.runUntil(scheduler.nowMs + lateMs, () => mended)
  for (let stretch = 0; stretch < stretchesMax; stretch++) {
    const { rows } = await admin.query<{ left: number }>(
      `select count(*)::int as left from leads where sending_state in ('pending', 'active')`,
    )
    const left = rows[0]?.left ?? 0
    if (left === 0 && parts.people.pending === 0) break
    if (stretch === stretchesMax - 1) world.violate(`${left} leads never came to their end`)
    await scheduler.runUntil(scheduler.nowMs + stretchMs)
  }
  // What came in last is read at the next try to connect, at the latest.
  parts.idleTime.isIdle = false
  await scheduler.runUntil(scheduler.nowMs + readMs, () => parts.idleTime.isIdle)
}
