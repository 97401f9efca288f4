import { startPgBouncer, throughPooler } from '../server/test/pgbouncer.ts'
import { load } from './api.ts'
import { changeIn, prepareChanges } from './changes.ts'
import { type Child, startRole } from './child.ts'
import { subscribe } from './deliveries/load.ts'
import { destinations, measureRunner } from './deliveries/throughput.ts'
import { type EachPart, type Figure, medianOf } from './figure.ts'
import { type BenchReceiver, startBenchReceiver } from './receiver.ts'
import { type BenchService, openService } from './service.ts'

const rounds = 3
const events = 500
const type = 'lead.lost'

interface World {
  service: BenchService
  receiver: BenchReceiver
  /** Settings of a process that goes through PgBouncer. */
  pooled: Record<string, string>
}

/** Of each round: directly, and through PgBouncer. */
type Rounds = [directly: number, pooled: number][]

type Part = (world: World) => Promise<Rounds>

export const parts: Record<string, Part> = {
  reads: (world) => measureApi(world, (api, campaign) => read(world, api, campaign)),
  updates: (world) => measureApi(world, (api, campaign) => update(world, api, campaign)),
  deliveries: measureDeliveries,
}

/**
 * Processes that go through PgBouncer and processes that do not take turns on one database. PgBouncer
 * is Debian's, or that of PGBOUNCER; before 1.21 it is measured without prepared statements.
 */
export async function bench(eachPart: EachPart<Part>): Promise<Figure[]> {
  await using service = await openService()
  using receiver = await startBenchReceiver()
  await using pooler = await startPgBouncer(service.databaseUrl)
  const pooled = throughPooler(pooler, service.databaseUrl)
  return await eachPart(async (part, name) => {
    const measured = await part({ service, receiver, pooled })
    const [limit, value] = [0, 1].map((at) =>
      medianOf(measured, (round) => round[at] ?? Number.NaN),
    ) as [number, number]
    return [
      {
        name: `${name} through PgBouncer`,
        value,
        unit: '/s',
        limit: { name: 'directly', value: limit },
        target: '≥ 90 % of directly',
        met: value >= 0.9 * limit,
      },
    ]
  })
}

async function measureApi(
  { service, pooled }: World,
  measure: (api: Child, campaign: string) => Promise<number>,
): Promise<Rounds> {
  await using direct = await startRole('api', service)
  await using through = await startRole('api', service, pooled)
  const id = await prepareChanges(service.ctx, service.workspaceId, 'bench')
  const measured: Rounds = []
  for (let round = 0; round < rounds; round++) {
    measured.push([await measure(direct, id), await measure(through, id)])
  }
  return measured
}

const read = ({ service }: World, { address }: Child, campaign: string) =>
  load(`${address}/api/v2/campaigns/${campaign}`, service.key)

/** Each writes an event. */
const update = ({ service }: World, { address }: Child, campaign: string) =>
  load(`${address}/api/v2/lead/update/status`, service.key, JSON.stringify(changeIn(campaign)))

/** One runner after the other: side by side they would share the work. */
async function measureDeliveries({ service, receiver, pooled }: World): Promise<Rounds> {
  const { ctx, workspaceId } = service
  for (let i = 0; i < destinations; i++) {
    await subscribe(ctx, workspaceId, `${receiver.url}/ok?${i}`, type)
  }
  const once = async (env: Record<string, string>) => {
    await using _runner = await startRole('runner', service, env)
    await measureRunner(ctx, workspaceId, type, 100)
    // The runner lives until this has its value.
    return await measureRunner(ctx, workspaceId, type, events)
  }
  const measured: Rounds = []
  for (let round = 0; round < rounds; round++) measured.push([await once({}), await once(pooled)])
  return measured
}
