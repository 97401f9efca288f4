import type { Command } from 'commander'
import { parseAtLeastOne, parseCount } from './arguments.ts'
import {
  assumptions,
  type Capacity,
  type Load,
  reckon,
  unitBytes,
  unitCosts,
} from './size-model.ts'
import { formatTable, print } from './terminal.ts'

export const sizeCommand = (program: Command) =>
  void program
    .command('size')
    .description('Reckon what a load takes: cores, processes, memory, disk; asks no database')
    .option('--mails <number>', 'mails a day', parseCount, 10_000)
    .option('--deliveries <number>', 'webhooks a second in the busiest hour', parseCount, 10)
    .option('--changes <number>', 'changes a second through the API then', parseCount, 10)
    .option('--leads <number>', 'leads', parseCount, 100_000)
    .option('--mailboxes <number>', 'mailboxes', parseCount, 100)
    .option('--attempt-days <number>', 'WEBHOOK_RETENTION_DAYS', parseAtLeastOne, 30)
    .option(
      '--message-days <number>',
      'MESSAGE_RETENTION_DAYS; unset keeps mails for good: say for how long you plan',
      parseAtLeastOne,
      365,
    )
    .option('--json', 'print JSON')
    .action(({ json, mails, ...rest }: Options) => {
      const load: Load = { mailsPerDay: mails, ...rest }
      const capacity = reckon(load)
      const all = { load, ...capacity, unitCosts, unitBytes, assumptions }
      print(json ? JSON.stringify(all, undefined, 2) : describe(load, capacity))
    })

interface Options extends Omit<Load, 'mailsPerDay'> {
  mails: number
  json?: true
}

function describe(load: Load, capacity: Capacity): string {
  return [needs(capacity), advice(capacity), costs(load, capacity), notes].join('\n\n')
}

function needs({ cores, processes, connections, memory, disk }: Capacity): string {
  const { apis, runners, together } = processes
  const started = together ? '1: npm start' : `${apis + runners}: ${apis} api, ${runners} runner`
  return formatTable(
    ['', 'Node', 'PostgreSQL'],
    [
      ['cores', whole(cores.node), whole(cores.postgres)],
      ['memory', megabytes(memory.node), megabytes(memory.postgres)],
      ['disk', '', bytes(disk.total)],
      ['processes', started, `${connections} connections`],
    ],
  )
}

function advice({ processes, connections, pooled, needs, cores, disk }: Capacity): string {
  const { together, apis, runners } = processes
  const lines: [string, string | false][] = [
    [
      'process',
      !together &&
        `start ${apis} times "npx outrider api" and ${runners} times "npx outrider runner"`,
    ],
    [
      'pooler',
      pooled !== undefined &&
        `PgBouncer with default_pool_size = ${pooled}, for ${connections} connections`,
    ],
    [
      'PostgreSQL',
      needs.ownPostgres
        ? `give it a machine of its own with ${whole(cores.postgres)} cores: DATABASE_URL`
        : !together &&
          'one of your own for all processes, on this machine if you like: DATABASE_URL',
    ],
    [
      'standby',
      needs.standby && `keep one: ${bytes(disk.total)} take ${hours(disk.total)} to put back`,
    ],
    [
      'shard',
      needs.shards > 1 &&
        `more than one PostgreSQL holds: spread the workspaces over ${needs.shards} by DATABASE_SHARDS, or keep mails and attempts for fewer days`,
    ],
  ]
  return formatTable(
    ['to add', ''],
    lines.map(([name, what]) => [name, what || 'not needed']),
  )
}

function costs(load: Load, { busy, disk, mailsPerSecond }: Capacity): string {
  const rows = [
    { name: 'mail', perSecond: mailsPerSecond, of: busy.mails, ...unitCosts.mail },
    { name: 'delivery', perSecond: load.deliveries, of: busy.deliveries, ...unitCosts.delivery },
    { name: 'change', perSecond: load.changes, of: busy.changes, ...unitCosts.change },
  ]
  const processors = formatTable(
    ['one', 'a second', 'Node', 'PostgreSQL', 'busy cores', 'measured by'],
    rows.map(({ name, perSecond, of, node, postgres, bench }) => [
      ...[name, number(perSecond), `${node} µs`, `${postgres} µs`],
      `${of.node.toFixed(2)} + ${of.postgres.toFixed(2)}`,
      `npm run bench -- ${bench}`,
    ]),
  )
  const disks = formatTable(
    ['one', 'bytes', 'disk', 'measured by'],
    (['lead', 'mail', 'attempt'] as const).map((name) => [
      ...[name, number(unitBytes[name]), bytes(disk[`${name}s`])],
      'npm run bench -- capacity --only disk',
    ]),
  )
  return `${processors}\n\n${disks}`
}

const whole = (count: number) => String(Math.max(1, Math.ceil(count)))
const number = (count: number) => count.toLocaleString('en-US', { maximumFractionDigits: 1 })
const megabytes = (count: number) => bytes(count * 1e6)
const hours = (count: number) =>
  `${Math.max(0.1, count / assumptions.restoredPerSecond / 3600).toFixed(1)} hours`

function bytes(count: number): string {
  const units = ['MB', 'GB', 'TB']
  const at = count < 1e9 ? 0 : count < 1e12 ? 1 : 2
  return `${(count / 1e6 / 1000 ** at).toFixed(at === 0 ? 0 : 1)} ${units[at]}`
}

const { sendingHours, averageShare, busyShare, diskSpare } = assumptions
const percent = (share: number) => `${Math.round(100 * share)} %`
const notes = `Reckoned with: mails go out in ${sendingHours} hours of a day; an average hour has ${percent(averageShare)} of the busiest
one's deliveries; cores are busy to ${percent(busyShare)} at most; ${percent(diskSpare - 1)} is added to the disk.
Processor time is that of one machine, and others differ by a factor of two: measure yours with the
benches above. docs/scaling.md says more.`
