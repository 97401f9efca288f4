import { readBacklog } from '../features/deliveries/index.ts'
import type { Log } from '../kernel/log.ts'
import { ensurePartitions } from '../partitions.ts'
import { explainFailure } from '../process/failure.ts'
import type { StopRequest } from '../process/shutdown.ts'
import { makeSite, type NamedDatabases } from './database.ts'
import { countDelivered } from './history.ts'
import { type Office, openOffice } from './office.ts'
import { makeUpPeople } from './people/made-up.ts'
import { type ReceivedEvent, type Receiver, startReceiver } from './receiver.ts'
import { createJsonScreen, createScreen } from './screen.ts'
import { beginning, type DemoResult, greeting, summary, whatToTry } from './words.ts'
import { openWorld, type World } from './world.ts'

export interface DemoOptions {
  leads: number
  port: number | undefined
  /** Ends by itself once everything was seen. */
  untilDone: boolean
  json: boolean
  databases: NamedDatabases
  log: Log
}

/** The whole has to be over by then. */
const patienceMs = 300_000
const lookEveryMs = 250

/** Shows the product at work until everything was seen, and then leaves it to the user. */
export async function runDemo(options: DemoOptions, stop: StopRequest): Promise<DemoResult> {
  const startedMs = performance.now()
  const names = new Map<string, string>()
  const screen = options.json ? createJsonScreen() : createScreen(names)
  await using stack = new AsyncDisposableStack()
  screen.say(greeting(options.leads))
  const { log, databases } = options
  const { signal } = stop
  const site = stack.use(await makeSite(databases, { log, signal }))
  const people = makeUpPeople(options.leads)
  const world = stack.use(
    await openWorld({
      ...{ site, people, log, signal, port: options.port },
      ...{ daysAgo: daysFor(options.leads), leapMs: leapFor(options.leads) },
      onFailure: (error) => signal.aborted || screen.trouble(explainFailure(error)),
    }),
  )
  screen.done(`PostgreSQL, the service and a mail server, in ${secondsSince(startedMs)} s`)
  // Shown once everything is set up.
  const arrived: ReceivedEvent[] = []
  let hear = (event: ReceivedEvent): void => void arrived.push(event)
  const receiver = stack.use(
    await startReceiver({
      verified: (event) => hear(event),
      refused: () => screen.trouble('A webhook was refused: its signature does not hold.'),
      stumbled: () => screen.trouble('The receiver answers 503 once; the service will come again.'),
    }),
  )
  const office = await openOffice(world, receiver, people, screen.done)
  for (const [type, name] of office.labelNames) names.set(type, name)
  screen.say(beginning(world))
  hear = (event) => {
    screen.event(event)
    office.colleague.hear(event)
  }
  for (const event of arrived) hear(event)

  const untilMs = options.untilDone ? startedMs + patienceMs : Number.POSITIVE_INFINITY
  const goesOn = () => !signal.aborted && performance.now() < untilMs
  world.clock.start()
  // Twice in a row: what is just being read from a mailbox is nowhere else to be seen.
  for (let quiet = 0; goesOn() && quiet < 2; ) {
    await world.ctx.sleep(lookEveryMs, signal)
    quiet = (await isDone(world, receiver, office)) ? quiet + 1 : 0
  }
  if (signal.aborted) return resultOf(receiver, [], startedMs)

  const counted = await countTypes(world, receiver, office)
  const missing = counted
    .filter(({ delivered, verified }) => verified === 0 || verified < delivered)
    .map(({ type }) => type)
  const result = resultOf(receiver, missing, startedMs)
  screen.table(counted)
  const campaign = await world.api.get(`/api/v2/campaigns/${office.campaignId}`)
  screen.say(summary(result, receiver.refusals(), campaign))
  if (options.untilDone) return result
  world.clock.catchUp()
  await ensurePartitions(world.ctx)
  screen.say(whatToTry(world, site, office.campaignId, people[0]?.email ?? ''))
  await stop.requested
  return result
}

/** The more there is to send, the smaller the steps of the clock. */
const leapFor = (leads: number) => Math.min(30, Math.max(10, 4000 / leads)) * 60_000

/**
 * So many days are enough, and hardly more, so that what the sandbox shows when all is over is of the
 * last days. 400 people take 17 to 24 days: where the machine is fast, less happens between two leaps.
 */
const daysFor = (leads: number) => Math.max(28, Math.ceil(leads / 18))

async function isDone(world: World, receiver: Receiver, { eventTypes }: Office) {
  const counts = receiver.counts()
  if (!world.clock.isFree || eventTypes.some((type) => !counts[type])) return false
  const { pending } = await readBacklog(world.ctx)
  return pending === 0
}

async function countTypes(world: World, receiver: Receiver, { eventTypes }: Office) {
  const delivered = await countDelivered(world.api)
  const verified = receiver.counts()
  return eventTypes.map((type) => ({
    ...{ type, delivered: delivered.get(type) ?? 0, verified: verified[type] ?? 0 },
  }))
}

const resultOf = (receiver: Receiver, missing: string[], startedMs: number): DemoResult => ({
  ...{ events: receiver.counts(), missing },
  seconds: Number(secondsSince(startedMs)),
})

const secondsSince = (startedMs: number) => ((performance.now() - startedMs) / 1000).toFixed(1)
