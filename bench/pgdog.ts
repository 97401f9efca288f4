import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { ask, type PostgresProcess } from '../server/test/postgres-process.ts'
import { type EachPart, type Figure, shown } from './figure.ts'
import {
  type Change,
  change,
  compare,
  createWorkspaces,
  poolForEach,
  type ShardAccess,
  startLoad,
  startShards,
  throughPgDog,
  type Workspace,
} from './pgdog/load.ts'
import { type PgDog, startPgDog } from './pgdog/proxy.ts'
import { readServerTime, readTime } from './processor-time.ts'

const kills = 10
const tries = 20
const moves = 3
/** A transaction of Outrider's has several statements, and work between them. */
const openMs = 50

type Part = () => Promise<Figure[]>

export const parts: Record<string, Part> = {
  faults: tryFaults,
  kills: killEach,
  moving: moveUnderLoad,
  costs: compareCosts,
}

/**
 * What decision 0142 rests on: PgDog, the program that PGDOG names, and a pool for each shard, before
 * the same databases under the same load.
 */
export function bench(eachPart: EachPart<Part>): Promise<Figure[]> {
  return eachPart((part) => part())
}

const none = (name: string, value: number, unit: string): Figure => ({
  ...{ name, value, unit, target: '0', met: value === 0 },
})

async function tryFaults(): Promise<Figure[]> {
  await using shards = await startShards(2)
  const figures: Figure[] = []
  {
    await using pgDog = await startPgDog({ outrider: shards.servers })
    const workspaces = await createWorkspaces(shards.servers, pgDog)
    figures.push(
      none(
        'reads that found nothing after set, reset and a rollback',
        await readAfterReset(pgDog, workspaces),
        `of ${tries}`,
      ),
      none(
        'good transactions refused after one with an invalid key',
        await workAfterInvalidKey(pgDog, workspaces),
        `of ${tries}`,
      ),
    )
  }
  {
    const settings = ['two_phase_commit = true']
    await using pgDog = await startPgDog({ outrider: shards.servers }, settings)
    await using access = throughPgDog(pgDog)
    const [{ id } = { id: '' }] = (await ask(
      shards.servers[0]?.url ?? '',
      'select id from workspaces limit 1',
    )) as { id: string }[]
    const refused = await countFailures(() => change(access, { id, shard: 0 }))
    figures.push(none('pinned commits refused with two-phase commit', refused, `of ${tries}`))
  }
  return figures
}

async function countFailures(attempt: () => Promise<unknown>) {
  let failures = 0
  for (let n = 0; n < tries; n++) {
    await attempt().catch((error: Error) => {
      failures += 1
      if (failures === 1) console.log(`first refusal: ${error.message}`)
    })
  }
  return failures
}

/** Reads that name their workspace, on a connection that was pinned, was freed, and rolled something back. */
async function readAfterReset(pgDog: PgDog, workspaces: Workspace[]) {
  await using client = await open(pgDog.urlOf('outrider'))
  const { query } = client
  await query('set pgdog.shard to 0')
  await query('reset pgdog.shard')
  await query('begin')
  await query('rollback')
  const elsewhere = workspaces.filter(({ shard }) => shard === 1)
  let missed = 0
  for (let n = 0; n < tries; n++) {
    const id = elsewhere[n % elsewhere.length]?.id
    const { rows } = await query('select id from workspaces where id = $1', [id])
    if (rows.length === 0) missed += 1
  }
  return missed
}

async function workAfterInvalidKey(pgDog: PgDog, workspaces: Workspace[]) {
  await using client = await open(pgDog.urlOf('outrider'))
  const { query } = client
  await query(`set pgdog.sharding_key to 'nonsense'`)
  await query('select 1').catch(() => undefined)
  await query('reset pgdog.sharding_key').catch(() => undefined)
  return await countFailures(async () => {
    await query('begin')
    await query(`set local pgdog.sharding_key to '${workspaces[0]?.id}'`)
    await query('select 1')
    await query('commit')
  })
}

async function open(connectionString: string) {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  return {
    query: (text: string, values?: unknown[]) => client.query(text, values),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** -9 at random instants under load. What is killed comes back after a second or two. */
async function killEach(): Promise<Figure[]> {
  await using shards = await startShards(2)
  await using pgDog = await startPgDog({ outrider: shards.servers })
  const { servers } = shards
  const workspaces = await createWorkspaces(servers, pgDog)
  const [, second] = servers as [PostgresProcess, PostgresProcess]
  const figures: Figure[] = []
  {
    await using access = throughPgDog(pgDog)
    figures.push(...(await killUnderLoad('PgDog', 'the proxy', access, servers, workspaces, pgDog)))
    figures.push(...(await killUnderLoad('PgDog', 'a shard', access, servers, workspaces, second)))
  }
  {
    await using access = poolForEach(servers)
    figures.push(
      ...(await killUnderLoad('a pool for each', 'a shard', access, servers, workspaces, second)),
    )
  }
  return figures
}

async function killUnderLoad(
  engine: string,
  what: string,
  access: ShardAccess,
  servers: PostgresProcess[],
  workspaces: Workspace[],
  victim: Pick<PostgresProcess, 'kill' | 'start'>,
): Promise<Figure[]> {
  const load = startLoad(access, workspaces)
  for (let n = 0; n < kills; n++) {
    await wait(1000 + Math.random() * 1000)
    await victim.kill()
    await wait(1000 + Math.random() * 1000)
    await victim.start()
  }
  await wait(3000)
  await load.stop()
  const { lost, elsewhere, torn } = await compare(servers, load.acknowledged)
  const others = load.failures.filter(({ shard }) => shard === 0).length
  const name = (text: string) => `${engine}, ${what} killed ${kills} times: ${text}`
  const codes = Map.groupBy(load.failures, ({ code }) => code)
  console.log(name('failures'), new Map([...codes].map(([code, all]) => [code, all.length])))
  return [
    none(name('lost'), lost.length, `of ${load.acknowledged.length}`),
    none(name('on another shard'), elsewhere, `of ${load.acknowledged.length}`),
    none(name('workspaces with half a change'), torn, `of ${workspaces.length}`),
    ...(what === 'a shard'
      ? [
          none(name("the other shard's failures"), others, ''),
          shown(name("the other shard's longest pause"), load.longestPauses.get(0) ?? 0, 'ms'),
        ]
      : []),
  ]
}

/**
 * PgDog moves whole clusters: everything is copied from two servers to two others and followed, and
 * then clients are led to those; the way back is the same without the copy. The load goes on.
 */
async function moveUnderLoad(): Promise<Figure[]> {
  const sums = { acknowledged: 0, lost: 0, left: 0, torn: 0 }
  for (let n = 0; n < moves; n++) {
    for (const moved of await moveThereAndBack()) {
      sums.acknowledged += moved.acknowledged
      sums.lost += moved.lost
      sums.left += moved.left
      sums.torn += moved.torn
    }
  }
  const name = (text: string) => `PgDog, ${2 * moves} cutovers under load: ${text}`
  return [
    none(name('lost'), sums.lost, `of ${sums.acknowledged}`),
    shown(name('of these only where the clients were before'), sums.left, ''),
    none(name('workspaces with half a change'), sums.torn, ''),
  ]
}

async function moveThereAndBack() {
  const logical = ['wal_level=logical', 'max_wal_senders=20', 'max_replication_slots=20']
  await using from = await startShards(2, logical)
  await using to = await startShards(2, logical)
  const settings = ['resharding_copy_format = "text"']
  const clusters = { outrider: from.servers, bigger: to.servers }
  await using pgDog = await startPgDog(clusters, settings)
  const workspaces = await createWorkspaces(from.servers, pgDog)
  for (const { url } of [...from.servers, ...to.servers]) {
    await ask(url, 'create publication moving for table workspaces, labels')
    // Rows of the two tables arrive in any order.
    await ask(url, 'alter table labels drop constraint labels_workspace_id_fkey')
  }
  await using access = throughPgDog(pgDog)
  const found: { acknowledged: number; lost: number; left: number; torn: number }[] = []
  const lostBefore = new Set<Change>()
  const acknowledged: Change[] = []
  for (const [servers, others, command] of [
    [to.servers, from.servers, 'reshard outrider bigger moving'],
    [from.servers, to.servers, 'cutover'],
  ] as const) {
    const load = startLoad(access, workspaces, openMs)
    await wait(1000)
    await pgDog.command(command)
    await untilChangedOver(pgDog, found.length + 1)
    await wait(2000)
    await load.stop()
    const codes = Map.groupBy(load.failures, ({ code }) => code)
    console.log(command, 'failures', new Map([...codes].map(([code, all]) => [code, all.length])))
    acknowledged.push(...load.acknowledged)
    // What was acknowledged has to be where the clients are now.
    const { lost, torn } = await compare(servers, acknowledged)
    const lostNow = lost.filter((each) => !lostBefore.has(each))
    for (const each of lostNow) lostBefore.add(each)
    const gone = (await compare(others, lostNow)).lost.length
    const counts = { lost: lostNow.length, left: lostNow.length - gone, torn }
    console.log(command, counts, new Set(lostNow.map(({ workspace }) => workspace.id)).size)
    found.push({ acknowledged: load.acknowledged.length, ...counts })
  }
  return found
}

/** @throws after a minute, with PgDog's log */
async function untilChangedOver(pgDog: PgDog, times: number) {
  for (let n = 0; n < 600; n++) {
    if ((await pgDog.log()).split('[cutover] complete').length > times) return
    await wait(100)
  }
  throw new Error(await pgDog.log())
}

const changes = 1000
const rounds = 2

/** Processor time of a change of two statements in a transaction, and of a read, in turns. */
async function compareCosts(): Promise<Figure[]> {
  await using shards = await startShards(2)
  const { servers } = shards
  await using pgDog = await startPgDog({ outrider: servers })
  const workspaces = await createWorkspaces(servers, pgDog)
  const [first] = servers as [PostgresProcess]
  const onFirst = workspaces.filter(({ shard }) => shard === 0)
  await using one = poolForEach([first])
  await using pools = poolForEach(servers)
  await using proxy = throughPgDog(pgDog)
  const accesses = [
    ['one database', one, onFirst],
    ['a pool for each of two', pools, workspaces],
    ['PgDog before two', proxy, workspaces],
  ] as const
  const read = async () => {
    const times = await Promise.all([
      readTime(process.pid),
      readTime(pgDog.pid),
      ...servers.map(({ pid }) => readServerTime(pid)),
    ])
    return times.reduce((sum, each) => sum + each, 0)
  }
  const sums = new Map<string, number>()
  for (let round = 0; round <= rounds; round++) {
    for (const [name, access, all] of accesses) {
      for (const [unit, act] of Object.entries(units)) {
        const before = await read()
        await Promise.all(
          Array.from({ length: 16 }, async (_, client) => {
            for (let n = client; n < changes; n += 16)
              await act(access, all[n % all.length] as Workspace)
          }),
        )
        // The first round opens connections and makes plans.
        const key = `${unit}, ${name}`
        if (round > 0) sums.set(key, (sums.get(key) ?? 0) + ((await read()) - before))
      }
    }
  }
  return [...sums].map(([name, us]) =>
    shown(`processor time of a ${name}`, us / (changes * rounds), 'µs'),
  )
}

const units = {
  change: (access: ShardAccess, workspace: Workspace) => change(access, workspace),
  read: (access: ShardAccess, workspace: Workspace) =>
    access.transaction(workspace, async (client) => {
      await client.query({
        name: 'read_label',
        text: 'select * from labels where workspace_id = $1 limit 1',
        values: [workspace.id],
      })
    }),
}
