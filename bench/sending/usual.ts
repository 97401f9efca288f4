import { sql } from 'kysely'
import { captureStatements } from '../../server/src/kernel/db/client.ts'
import { type Figure, shown } from '../figure.ts'
import type { BenchService } from '../service.ts'
import { benchMail } from './campaign.ts'
import { describe } from './mail-cost.ts'
import { startSink } from './sink.ts'
import { createTenants, startSender } from './workload.ts'

const mailboxes = 40
const leads = 400

/** A first mail and two follow-ups, due as soon as the last one was sent. */
const sequences = [
  {
    steps: [0, 1, 2].map((n) => ({
      ...{ delay: 0, delay_unit: 'minutes' },
      variants: [{ ...benchMail, subject: n === 0 ? benchMail.subject : '' }],
    })),
  },
]

/** What loops of the process ask whether there is a mail or not. */
const always = /^\s*\/\* cross-workspace: |bucket_leases|\brunners\b|pg_notify/

/** Three steps from mailboxes with a gap: each mail is planned, claimed, marked and settled by itself. */
export async function measureUsualMail(service: BenchService): Promise<Figure[]> {
  await using sink = await startSink()
  const tenants = await createTenants(
    service,
    { workspaces: 1, mailboxes, port: sink.port },
    { gap_seconds: 1 },
  )
  // As if a reader had nothing else to do: follow-ups never wait for one.
  await sql`update mailboxes set inbox_read_at = 'infinity'`.execute(service.ctx.db)
  await using sender = await startSender(service, sink)
  const steps = sequences[0]?.steps.length ?? 0
  await sender.send(tenants, mailboxes, { sequences }, steps)
  let statements = 0
  captureStatements((text) => {
    if (!always.test(text)) statements += 1
  })
  const { cpu, perSecond } = await sender.send(tenants, leads, { sequences }, steps)
  captureStatements(undefined)
  return [
    shown(
      `processor time of a mail with a gap, in three steps (${describe(cpu)}, ${perSecond.toFixed(0)}/s)`,
      cpu.all,
      'µs',
    ),
    {
      name: `statements of a mail with a gap, in three steps, ${mailboxes} mailboxes at once`,
      ...{
        value: statements / (leads * steps),
        unit: '',
        target: '≤ 38',
        met: statements <= 38 * leads * steps,
      },
    },
  ]
}
