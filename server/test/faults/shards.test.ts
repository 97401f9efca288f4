import { expect, test } from 'vitest'
import { type Outreach, startOutreach } from '../outreach.ts'
import {
  makeDataDir,
  operatorJson,
  runOperator,
  type ServiceProcess,
  type Settings,
  startService,
} from '../processes.ts'
import { rowsOf, shardedDatabases } from '../sharded.ts'
import { createSignal } from '../signal.ts'

const leads = 30

/**
 * One process with workspaces on two databases, killed while it sends and delivers for both: what the
 * API took is sent once or told as uncertain, and each event of it is delivered, on either database.
 */
test('kill -9 of a process with two shards loses nothing of either, and each goes on when the other is away', async () => {
  await using databases = await shardedDatabases()
  const settings = {
    ...databases.settings,
    ...{ DATA_DIR: await makeDataDir(), LEASE_MS: '1500', WEBHOOK_RETRY_SCHEDULE: '0.2,0.2,1,1' },
  }
  await using ofFirst = await startOutreach()
  await using ofSecond = await startOutreach()
  let service = await start(settings)
  try {
    const north = await operatorJson(
      ['workspaces', 'create', '--name', 'north', '--shard', 'b'],
      settings,
    )
    expect(north.shard).toBe('b')
    const listed = await operatorJson(['shards', 'list'], settings)
    expect(listed.items).toEqual([
      { name: 'b', workspaces: 1, workspaces_max: null },
      { name: 'first', workspaces: 1, workspaces_max: null },
    ])
    let first = await ofFirst.setUp(service, settings)
    let second = await ofSecond.setUp(service, settings, 'north')
    await Promise.all([first.addLeads(people('a')), second.addLeads(people('b'))])
    await Promise.all([ofFirst.outbox.waitFor(5), ofSecond.outbox.waitFor(5)])

    service.kill('SIGKILL')
    await service.exited
    service = await start(settings)
    const address = await service.address()
    ;[first, second] = [first.at(address), second.at(address)]
    await settled(databases.first, ofFirst)
    await settled(databases.second, ofSecond)
    expect(await rowsOf(databases.first, north.id)).toEqual({})

    databases.takeAway()
    await first.addLeads(['late@example.com'])
    await sent(ofFirst, 'late@example.com')
    await expect(second.addLeads(['refused@example.com'])).rejects.toThrow('503')
    databases.bringBack()
    await untilTaken(() => second.addLeads(['back@example.com']))
    await sent(ofSecond, 'back@example.com')

    const doctor = await runOperator(['doctor', '--json'], settings)
    const checks = JSON.parse(doctor.stdout).checks as { check: string; status: string }[]
    const statusOf = (name: string) => checks.find(({ check }) => check === name)?.status
    expect([statusOf('shards'), statusOf('b: migrations'), statusOf('b: runners')]).toEqual([
      ...['ok', 'ok', 'ok'],
    ])
    service.kill('SIGTERM')
    expect(await service.exited).toEqual({ code: 0, signal: null })
  } finally {
    await service[Symbol.asyncDispose]()
  }
})

async function start(settings: Settings): Promise<ServiceProcess> {
  const service = startService('main', settings)
  await service.address()
  return service
}

const people = (letter: string) =>
  Array.from({ length: leads }, (_, n) => `${letter}${n}@example.com`)

type Databases = Awaited<ReturnType<typeof shardedDatabases>>

/** Each lead has one mail or nobody knows, and every event has arrived. */
async function settled({ peek, until, hear }: Databases['first'], { outbox, receiver }: Outreach) {
  await hear('sends')
  await hear('deliveries')
  const sends = await until(async () => {
    const rows = await peek.selectFrom('sends').select(['state', 'lead_id']).execute()
    const isOver = rows.every(({ state }) => ['sent', 'uncertain'].includes(state))
    return rows.length === leads && isOver && rows
  })
  await until(async () => (await peek.selectFrom('deliveries').select('id').execute()).length === 0)
  const addresses = outbox.mails.map(({ to }) => to)
  expect(new Set(addresses).size).toBe(addresses.length)
  const uncertain = sends.filter(({ state }) => state === 'uncertain').length
  expect(addresses.length).toBeGreaterThanOrEqual(leads - uncertain)
  const events = await peek.selectFrom('events').select('id').execute()
  const received = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']))
  expect(received.size).toBeGreaterThanOrEqual(events.length)
}

const sent = async ({ outbox }: Outreach, address: string) => {
  while (!outbox.mails.some(({ to }) => to === address))
    await outbox.waitFor(outbox.mails.length + 1)
}

async function untilTaken(add: () => Promise<unknown>) {
  const { until, raise } = createSignal()
  await until(async () => {
    const taken = await add().then(
      () => true,
      (error: Error) => {
        expect(error.message).toContain('503')
        // The client of a service that says 503 waits a little, and asks again.
        setTimeout(raise, 20)
      },
    )
    return taken
  })
}
