import { startInboxRunner } from '../../../src/features/inbox/index.ts'
import { followSteps } from '../../../src/features/leads/index.ts'
import { startSendingRunner } from '../../../src/features/sending/index.ts'
import type { MailNetwork } from '../../../src/kernel/mail/index.ts'
import { hintChannel } from '../../../src/kernel/runner/hint.ts'
import { startLoop } from '../../../src/kernel/runner/loop.ts'
import type { Seat } from '../engine/fleet.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { Life, Scenario } from '../engine/scenario.ts'
import type { Wait } from '../engine/scheduler.ts'
import type { World } from '../engine/world.ts'
import { clearUp } from './aftermath.ts'
import { Chronicle } from './chronicle.ts'
import { faults } from './faults.ts'
import { furniture } from './furniture.ts'
import { readHistory } from './history.ts'
import { SimulatedImap } from './imap.ts'
import { judge } from './judge.ts'
import { LiveJudge } from './live-judge.ts'
import { MailLine, type MailRoom } from './mail-line.ts'
import { Pastime } from './pastime.ts'
import { People } from './people.ts'
import { PostOffice } from './post-office.ts'
import { SimulatedSmtp } from './smtp.ts'
import { drawSendingForecast, type SendingForecast } from './weather.ts'
import { Workload } from './workload.ts'

/** Two runners send campaigns and read what comes back; operators and people do as they like. */
export const sending: Scenario<SendingForecast> = {
  name: 'sending',
  furniture,
  faults,
  seeds: { tested: 200, replayed: 1, remembered: [48, 717, 20_755] },
  drawForecast: drawSendingForecast,
  begin,
}

/** Pauses of the loops of a runner: between them there is nothing that could be waited for. */
const pollPauseMs = 250
const loopPausesMs = new Set([1_000, 2_000, 5_000, 15_000, 30_000])
/** Shorter than this nobody sleeps before another try, and longer nobody who is in the middle of it. */
const retryMinMs = 2_500
const followEveryMs = 2_000

async function begin(world: World, forecast: SendingForecast): Promise<Life> {
  const chronicle = new Chronicle(world)
  const office = new PostOffice(world, forecast)
  chronicle.judge = new LiveJudge(world, chronicle, office)
  const workload = new Workload(world, forecast, chronicle, office)
  const people = new People(world, forecast, office, chronicle, workload)
  const pastime = new Pastime(world, chronicle, office)
  const room: MailRoom = {
    world,
    forecast,
    random: world.random.fork('mail'),
    office,
    stuck: new Map(),
  }
  await chronicle.begin()
  world.scheduler.quiet = pastime.quiet
  scheduleClockJumps(world, forecast)

  const run = async (process: SimulatedProcess) => {
    const { ctx } = process
    const sending = await startSendingRunner(ctx, {
      listen: async (onHint) => {
        process.listeners.set(hintChannel, onHint)
        return async () => undefined
      },
    })
    const inboxes = startInboxRunner(ctx)
    const following = startLoop(ctx, 'following', followEveryMs, () => followSteps(ctx))
    pastime.running.set(process, { sending, inboxes, startedAt: world.leaseTime() })
    return {
      async stop(withinMs?: number) {
        await Promise.all([sending.stop(withinMs), inboxes.stop(), following.stop()])
      },
    }
  }
  const serve = async (process: SimulatedProcess) => {
    await workload.use(process)
    return undefined
  }
  const runners = ['R1', 'R2'].slice(0, forecast.runners)
  const seats: Seat[] = [
    ...runners.map((name) => ({ role: 'runner' as const, name, start: run })),
    { role: 'api', name: 'A1', start: serve },
  ]
  const networkOf = (process: SimulatedProcess): MailNetwork => ({
    connectSmtp: async (server) =>
      new SimulatedSmtp(await MailLine.open(room, process, server), people),
    connectImap: async (server) => new SimulatedImap(await MailLine.open(room, process, server)),
  })
  return {
    observer: chronicle,
    seats,
    surround: (process) => ({
      context: { http: nobody, mail: networkOf(process) },
      waitOf: (ms) => (process.role === 'runner' ? waitOf(ms, forecast) : 'event'),
    }),
    isOver: () => workload.isOver,
    endWithinMs: 60_000,
    end: () => workload.end(),
    clearUp: (fleet) => clearUp(world, fleet, { workload, people, pastime }),
    async judge() {
      const history = await readHistory(world.admin)
      return { violations: judge(history, chronicle), history }
    },
  }
}

function waitOf(ms: number, { leaseMs }: SendingForecast): Wait {
  if (ms === leaseMs / 3) return 'beating'
  if (ms === pollPauseMs) return 'polling'
  if (loopPausesMs.has(ms)) return 'routine'
  return ms > retryMinMs ? 'retrying' : 'event'
}

/** Within what clocks are off anyway. */
function scheduleClockJumps(world: World, { clockJumps, disturbedMs, skewMaxMs }: SendingForecast) {
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
