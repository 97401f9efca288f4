import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { MailStore, startSmtpServer } from '../../server/src/demo/mail-server/index.ts'
import { operator } from '../../server/src/features/audit/index.ts'
import { createCampaign } from '../../server/src/features/campaigns/campaigns.ts'
import { updateCampaign } from '../../server/src/features/campaigns/update-campaign.ts'
import { addLeads } from '../../server/src/features/leads/index.ts'
import { addMailbox } from '../../server/src/features/mailboxes/index.ts'
import { createWorkspace } from '../../server/src/features/workspaces/index.ts'
import type { FreeContext } from '../../server/test/context.ts'
import { startRole } from '../child.ts'
import { type Figure, percentile } from '../figure.ts'
import type { BenchService } from '../service.ts'
import { benchCampaign, benchLead, benchMail, benchMailbox } from './campaign.ts'

const healthyMailboxes = 20
const hangingMailboxes = 300
/** Longer than a server may take to greet: the mailboxes that hang fail and are tried again in it. */
const seconds = 60
const leadsPerSecond = 5

/** A lead's way to its first mail in one workspace, alone and beside 300 mailboxes that hang. */
export async function measureIsolation(service: BenchService): Promise<Figure[]> {
  const { ctx } = service
  const arrivedAtMs = new Map<string, number>()
  const store = new MailStore({
    now: () => new Date(),
    onOutside: ({ to }) => void arrivedAtMs.set(to, performance.now()),
  })
  await using smtp = await startSmtpServer(store)
  await using hanging = await startHanging()
  await using _runner = await startRole('runner', service)

  const time = async (name: string) => {
    const campaign = await startCampaign(ctx, name, { count: healthyMailboxes, port: smtp.port })
    for (let n = 0; n < healthyMailboxes; n++) {
      store.addAccount({ address: benchMailbox(n, 0).address, password: 'secret' })
    }
    const addedAtMs = new Map<string, number>()
    for (let n = 0; n < seconds * leadsPerSecond; n++) {
      const lead = { ...benchLead(n), email: `${name}${n}@company.example` }
      await addTo(ctx, campaign, [lead])
      addedAtMs.set(lead.email, performance.now())
      await wait(1000 / leadsPerSecond)
    }
    await wait(2000)
    const ms = [...addedAtMs].map(
      ([email, added]) => (arrivedAtMs.get(email) ?? Number.POSITIVE_INFINITY) - added,
    )
    return percentile(ms, 0.99)
  }

  await time('warm')
  const alone = await time('alone')
  const stuck = await startCampaign(ctx, 'hanging', {
    ...{ count: hangingMailboxes, port: hanging.port, imapPort: hanging.port },
  })
  const leads = Array.from({ length: 1000 }, (_, n) => benchLead(n))
  await addTo(ctx, stuck, leads)
  while (hanging.accepted < hangingMailboxes) await wait(100)
  const beside = await time('beside')
  return [
    {
      name: `p99 to a first mail beside ${hangingMailboxes} mailboxes that hang (${hanging.accepted} connections to them)`,
      value: beside,
      unit: 'ms',
      limit: { name: 'alone', value: alone },
      target: '< 2× of alone',
      met: beside < 2 * alone,
    },
  ]
}

interface Servers {
  count: number
  port: number
  imapPort?: number
}

/** With the second step to come, no campaign is completed between two leads. */
const sequences = [
  { steps: [{ variants: [benchMail] }, { delay: 30, variants: [{ ...benchMail, subject: '' }] }] },
]

/** Of a workspace of its own, and active. */
async function startCampaign(ctx: FreeContext, name: string, { count, port, imapPort }: Servers) {
  const { id: workspaceId } = await createWorkspace(ctx, name)
  const email_list: string[] = []
  for (let n = 0; n < count; n++) {
    const mailbox = benchMailbox(n, port)
    const imap = { ...mailbox.imap, port: imapPort ?? mailbox.imap.port }
    email_list.push((await addMailbox(ctx, workspaceId, { ...mailbox, imap }, operator)).address)
  }
  const { id } = await createCampaign(ctx, workspaceId, {
    ...{ ...benchCampaign, sequences, email_list },
  })
  await updateCampaign(ctx, workspaceId, id, { status: 'active' })
  return { workspaceId, id }
}

const addTo = (
  ctx: FreeContext,
  { workspaceId, id }: { workspaceId: string; id: string },
  leads: ReturnType<typeof benchLead>[],
) =>
  addLeads(ctx, workspaceId, {
    ...{ campaign_id: id, leads, skip_if_in_workspace: false, overwrite: false },
  })

/** Accepts every connection and never says a word. */
async function startHanging() {
  const sockets = new Set<Socket>()
  let accepted = 0
  const server = createServer((socket) => {
    accepted += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return accepted
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
