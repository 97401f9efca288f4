import type { Figure } from '../figure.ts'
import type { BenchService } from '../service.ts'
import { describe } from './mail-cost.ts'
import { startSink } from './sink.ts'
import { createTenants, type Sent, startSender } from './workload.ts'

const mailboxes = 20
const mails = 10_000
const warmUpMails = 4_000
const rounds = 3

/** Sends as many mails through as many mailboxes, of one workspace and of twenty, in turns. */
export async function measureWorkspaces(service: BenchService): Promise<Figure[]> {
  await using sink = await startSink()
  const { port } = sink
  const one = await createTenants(service, { workspaces: 1, mailboxes, port })
  const many = await createTenants(service, { workspaces: mailboxes, mailboxes: 1, port })
  await using sender = await startSender(service, sink)
  for (const tenants of [one, many]) await sender.send(tenants, warmUpMails)
  const ofOne: Sent[] = []
  const ofMany: Sent[] = []
  for (let round = 0; round < rounds; round++) {
    ofOne.push(await sender.send(one, mails))
    ofMany.push(await sender.send(many, mails))
  }
  const [alone, apart] = [medianRound(ofOne), medianRound(ofMany)]
  const speed = ({ perSecond }: Sent) => `${perSecond.toFixed(0)}/s`
  return [
    {
      name: `processor time of a mail, ${mailboxes} workspaces (${describe(apart.cpu)}, ${speed(apart)})`,
      value: apart.cpu.all,
      unit: 'µs',
      limit: {
        name: `one workspace: ${describe(alone.cpu)}, ${speed(alone)}`,
        value: alone.cpu.all,
      },
      target: '≤ 110 % of one workspace',
      met: apart.cpu.all <= 1.1 * alone.cpu.all,
    },
  ]
}

function medianRound(sent: Sent[]): Sent {
  const sorted = sent.toSorted((a, b) => a.cpu.all - b.cpu.all)
  return sorted[sorted.length >> 1] as Sent
}
