import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { createCampaign } from '../server/src/features/campaigns/campaigns.ts'
import { addLeads } from '../server/src/features/leads/index.ts'
import { load } from './api.ts'
import { changeIn, prepareChanges } from './changes.ts'
import { startRole } from './child.ts'
import { type EventType, emitMany, subscribe } from './deliveries/load.ts'
import { countSettled } from './deliveries/throughput.ts'
import { type EachPart, type Figure, shown } from './figure.ts'
import { readPostgresTime, readTime } from './processor-time.ts'
import { startBenchReceiver } from './receiver.ts'
import { benchLead } from './sending/campaign.ts'
import { startSink } from './sending/sink.ts'
import { createTenants, startSender } from './sending/workload.ts'
import { type BenchService, openService } from './service.ts'

const leads = 20_000
const mails = 4_000
const mailboxes = 20
const events = 10_000
const eventsAtOnce = 500
const type: EventType = 'lead.interested'
const destinations = 3

type Part = (service: BenchService) => Promise<Figure[]>

export const parts: Record<string, Part> = {
  disk: measureDisk,
  changes: measureChanges,
}

/** What `outrider size` reckons with: bytes on disk of a lead, a mail, an attempt; the cost of a change. */
export function bench(eachPart: EachPart<Part>): Promise<Figure[]> {
  return eachPart(async (part) => {
    await using service = await openService()
    return await part(service)
  })
}

/** Each written by the verbs that the service writes it by; indexes and dead rows included. */
async function measureDisk(service: BenchService): Promise<Figure[]> {
  const lead = await growth(service, leads, () => writeLeads(service))
  const mail = await growth(service, mails, () => sendMails(service))
  const attempt = await growth(service, events, () => deliver(service))
  return [
    shown(`bytes of a lead, of ${leads}`, lead, 'bytes'),
    shown(`bytes of a mail with its message, of ${mails}`, mail - lead, 'bytes'),
    shown(`bytes of an attempt with its event, of ${events}`, attempt, 'bytes'),
  ]
}

async function growth(service: BenchService, count: number, write: () => Promise<void>) {
  const before = await readSize(service)
  await write()
  return ((await readSize(service)) - before) / count
}

/** Without the queue, whose room is used again. */
async function readSize({ ctx }: BenchService): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and relname <> 'deliveries'`.execute(ctx.db)
  return rows[0]?.bytes ?? Number.NaN
}

async function writeLeads({ ctx, workspaceId }: BenchService) {
  const { id } = await createCampaign(ctx, workspaceId, { name: 'leads' })
  for (let at = 0; at < leads; at += 1000) {
    const some = Array.from({ length: 1000 }, (_, n) => benchLead(at + n))
    await addLeads(ctx, workspaceId, {
      ...{ campaign_id: id, leads: some, skip_if_in_workspace: false, overwrite: false },
    })
  }
}

/** Each to a lead of its own, which is taken off again above. */
async function sendMails(service: BenchService) {
  await using sink = await startSink()
  const tenants = await createTenants(service, { workspaces: 1, mailboxes, port: sink.port })
  await using sender = await startSender(service, sink)
  await sender.send(tenants, mails)
}

async function deliver(service: BenchService) {
  const { ctx, workspaceId } = service
  using receiver = await startBenchReceiver()
  await subscribe(ctx, workspaceId, `${receiver.url}/ok`, type)
  await using _runner = await startRole('runner', service)
  for (let at = 0; at < events; at += eventsAtOnce) {
    await emitMany(ctx, workspaceId, type, eventsAtOnce)
  }
  while ((await countSettled(ctx, workspaceId)) < events) await wait(25)
}

/** Status updates through the API, each an event that is queued for three destinations. */
async function measureChanges(service: BenchService): Promise<Figure[]> {
  const { ctx, workspaceId, key } = service
  for (let n = 0; n < destinations; n++) {
    await subscribe(ctx, workspaceId, `http://127.0.0.1:9/${n}`, 'all_events')
  }
  await using api = await startRole('api', service)
  const update = (campaign: string) =>
    load(`${api.address}/api/v2/lead/update/status`, key, JSON.stringify(changeIn(campaign)))
  await update(await prepareChanges(ctx, workspaceId, 'warm-up'))
  const campaign = await prepareChanges(ctx, workspaceId, 'changes')
  const read = async () => ({
    node: await readTime(api.pid),
    postgres: await readPostgresTime(service),
    changes: await countEvents(service),
  })
  const before = await read()
  const perSecond = await update(campaign)
  const after = await read()
  const changes = after.changes - before.changes
  return [
    shown('changes through one API', perSecond, '/s'),
    shown('processor time of a change, Node', (after.node - before.node) / changes, 'µs'),
    shown(
      'processor time of a change, PostgreSQL',
      (after.postgres - before.postgres) / changes,
      'µs',
    ),
  ]
}

async function countEvents({ ctx }: BenchService): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from events`.execute(
    ctx.db,
  )
  return rows[0]?.count ?? 0
}
