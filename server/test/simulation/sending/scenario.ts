import { startInboxRunner } from '../../../src/features/inbox/index.ts'
import { rescheduleLeads } from '../../../src/features/leads/index.ts'
import { MailboxOwner } from '../../../src/features/mailbox-lanes/index.ts'
import { startSendingRunner } from '../../../src/features/sending/index.ts'
import type {
  LastSeen,
  LastSeenFile,
} from '../../../src/features/sending/restore-guard/marker-file.ts'
import type { MailNetwork } from '../../../src/kernel/mail/index.ts'
import { startLeader } from '../../../src/kernel/runner/leader.ts'
import { startLoop } from '../../../src/kernel/runner/loop.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { ProcessSlot } from '../engine/process-slots.ts'
import type { Life, Scenario } from '../engine/scenario.ts'
import type { Wait } from '../engine/scheduler.ts'
import type { World } from '../engine/world.ts'
import { AfterFailover } from './after-failover.ts'
import { drawSendingConditions, type SendingConditions } from './conditions.ts'
import { drain } from './drain.ts'
import { faults } from './faults.ts'
import { checkHistory } from './final-checks.ts'
import { readHistory } from './history.ts'
import { IdleTime } from './idle-time.ts'
import { SimulatedImap } from './imap.ts'
import { MailConnection, type MailWorld } from './mail-connection.ts'
import { MailProviders } from './mail-providers.ts'
import { OnlineChecks } from './online-checks.ts'
import { People } from './people.ts'
import { Recorder } from './recorder.ts'
import { seedRows } from './seed-rows.ts'
import { SimulatedSmtp } from './smtp.ts'
import { Workload } from './workload.ts'

/** Two runners send campaigns and read what comes back; operators and people do as they like. */
export const sending: Scenario<SendingConditions> = {
  name: 'sending',
  seedRows,
  faults,
  seeds: { tested: 80, replayed: 1, remembered: [48, 717, 20_755, 50_110, 80_308] },
  drawConditions: drawSendingConditions,
  begin,
}

/** What a machine keeps of the database that it sent from, from one process to the next. */
function markerOf(markers: Map<string, LastSeen>, { label }: SimulatedProcess): LastSeenFile {
  const machine = label.split('.')[0] ?? ''
  return {
    ownsDatabase: false,
    recall: async () => markers.get(machine),
    async note(mark) {
      markers.set(machine, { ...mark, isCopy: false })
    },
  }
}

/** Pauses of the loops of a runner: between them there is nothing that could be waited for. */
const pollPauseMs = 250
const loopPausesMs = new Set([1_000, 2_000, 5_000, 15_000, 30_000])
/** Shorter than this nobody sleeps before another try, and longer nobody who is in the middle of it. */
const retryMinMs = 2_500
const rescheduleEveryMs = 2_000

async function begin(world: World, conditions: SendingConditions): Promise<Life> {
  const recorder = new Recorder(world)
  const providers = new MailProviders(world, conditions)
  recorder.checks = new OnlineChecks(world, recorder, providers)
  const workload = new Workload(world, conditions, recorder, providers)
  const afterFailover = new AfterFailover(world, conditions, recorder)
  recorder.onPromoted = (promotion) => afterFailover.promoted(promotion)
  const markers = new Map<string, LastSeen>()
  const people = new People(world, conditions, providers, recorder, workload)
  const idleTime = new IdleTime(world, recorder, providers)
  const room: MailWorld = {
    world,
    conditions,
    random: world.random.fork('mail'),
    providers,
    stuck: new Map(),
  }
  await recorder.begin()
  world.scheduler.quiet = idleTime.quiet
  scheduleClockJumps(world, conditions)

  const run = async (process: SimulatedProcess) => {
    const { ctx, listen } = process
    const leader = await startLeader(ctx, listen)
    const owner = new MailboxOwner(ctx)
    const shared = { listen, scope: leader.scope }
    const marker = markerOf(markers, process)
    const sending = await startSendingRunner(ctx, owner, { ...shared, marker })
    const { holdsAll } = sending
    const inboxes = startInboxRunner(ctx, owner, { ...shared, holdsAll })
    const rescheduling = startLoop(ctx, 'rescheduling', rescheduleEveryMs, () =>
      rescheduleLeads(ctx),
    )
    idleTime.running.set(process, { sending, inboxes, startedAt: world.leaseTime() })
    return {
      async stop(withinMs?: number) {
        await Promise.all([sending.stop(withinMs), inboxes.stop(), rescheduling.stop()])
        await owner.stop()
        await leader.stop()
      },
    }
  }
  const serve = async (process: SimulatedProcess) => {
    await workload.use(process)
    return undefined
  }
  const runners = ['R1', 'R2'].slice(0, conditions.runners)
  const slots: ProcessSlot[] = [
    ...runners.map((name) => ({ role: 'runner' as const, name, start: run })),
    { role: 'api', name: 'A1', start: serve },
  ]
  const networkOf = (process: SimulatedProcess): MailNetwork => ({
    connectSmtp: async (server) =>
      new SimulatedSmtp(await MailConnection.open(room, process, server), people),
    connectImap: async (server) =>
      new SimulatedImap(await MailConnection.open(room, process, server)),
  })
  return {
    observer: recorder,
    slots,
    contextOf: (process) => ({
      context: { http: nobody, mail: networkOf(process) },
      waitOf: (ms) => (process.role === 'runner' ? waitOf(ms, conditions) : 'event'),
    }),
    isOver: () => workload.isOver,
    endWithinMs: 60_000,
    end: () => workload.end(),
    drain: (slots) => drain(world, slots, { workload, people, idleTime }),
    async check() {
      const history = await readHistory(world.admin)
      return { violations: checkHistory(history, recorder), history }
    },
  }
}

function waitOf(ms: number, { leaseMs }: SendingConditions): Wait {
  if (ms === leaseMs / 3) return 'beating'
  if (ms === pollPauseMs) return 'polling'
  if (loopPausesMs.has(ms)) return 'routine'
  return ms > retryMinMs ? 'retrying' : 'event'
}

/** Within what clocks are off anyway. */
function scheduleClockJumps(
  world: World,
  { clockJumps, disturbedMs, skewMaxMs }: SendingConditions,
) {
  const random = world.random.fork('clocks')
  for (let jump = 0; jump < clockJumps; jump++) {
    world.scheduler.after(random.between(0, disturbedMs), null, () => {
      if (world.processes.size === 0) return
      const process = random.pick([...world.processes])
      process.skewMs = random.between(-skewMaxMs, skewMaxMs)
      world.note(`the clock of ${process.label} is set`)
    })
  }
}

/** No webhook has a destination here. */
const nobody = {
  post: async (): Promise<never> => {
    throw new Error('Nobody is to be called.')
  },
  close: async () => undefined,
}
