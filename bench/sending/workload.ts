import { operator } from '../../server/src/features/audit/index.ts'
import { createCampaign } from '../../server/src/features/campaigns/campaigns.ts'
import { updateCampaign } from '../../server/src/features/campaigns/update-campaign.ts'
import { addLeads } from '../../server/src/features/leads/index.ts'
import { MailboxOwner } from '../../server/src/features/mailbox-lanes/index.ts'
import { addMailbox } from '../../server/src/features/mailboxes/index.ts'
import { startSendingRunner } from '../../server/src/features/sending/index.ts'
import { createWorkspace } from '../../server/src/features/workspaces/index.ts'
import type { BenchService } from '../service.ts'
import { benchCampaign, benchLead, benchMailbox } from './campaign.ts'
import { type ProcessorTime, perMail, readProcessorTime } from './mail-cost.ts'
import type { Sink } from './sink.ts'

/** A workspace with mailboxes, and what its campaigns and mailboxes have beside the bench's own. */
interface Tenant {
  workspaceId: string
  addresses: string[]
}

export interface Sent {
  perSecond: number
  /** Microseconds for each mail. */
  cpu: ProcessorTime & { all: number }
}

/** So many workspaces of as many mailboxes each. */
export async function createTenants(
  { ctx }: BenchService,
  { workspaces, mailboxes, port }: { workspaces: number; mailboxes: number; port: number },
  more: object = {},
): Promise<Tenant[]> {
  const tenants: Tenant[] = []
  for (let w = 0; w < workspaces; w++) {
    const { id: workspaceId } = await createWorkspace(ctx, `workspace ${w} of ${workspaces}`)
    const addresses: string[] = []
    for (let n = 0; n < mailboxes; n++) {
      const mailbox = { ...benchMailbox(n, port), ...more }
      addresses.push((await addMailbox(ctx, workspaceId, mailbox, operator)).address)
    }
    tenants.push({ workspaceId, addresses })
  }
  return tenants
}

/** A runner in this process that sends what it is given, and tells what that took. */
export async function startSender(service: BenchService, sink: Sink) {
  const { ctx } = service
  let onSettled = () => {}
  const owner = new MailboxOwner(ctx)
  const runner = await startSendingRunner(ctx, owner, { onSettled: () => onSettled() })
  return {
    /**
     * Only sending is timed: from the activation of the campaigns to the last record.
     *
     * @param leads of all tenants together
     */
    async send(tenants: Tenant[], leads: number, campaign: object = {}, steps = 1): Promise<Sent> {
      const each = leads / tenants.length
      const campaigns: { workspaceId: string; id: string }[] = []
      for (const tenant of tenants) campaigns.push(await fill(service, tenant, each, campaign))
      const mails = leads * steps
      const done = Promise.withResolvers<void>()
      let left = mails
      onSettled = () => {
        left -= 1
        if (left === 0) done.resolve()
      }
      const before = await readProcessorTime(service, sink)
      const startedMs = performance.now()
      await Promise.all(
        campaigns.map(({ workspaceId, id }) =>
          updateCampaign(ctx, workspaceId, id, { status: 'active' }),
        ),
      )
      await done.promise
      const seconds = (performance.now() - startedMs) / 1000
      const cpu = perMail(before, await readProcessorTime(service, sink), mails)
      return { perSecond: mails / seconds, cpu }
    },
    async [Symbol.asyncDispose]() {
      await runner.stop()
      await owner.stop()
    },
  }
}

async function fill(
  { ctx }: BenchService,
  { workspaceId, addresses }: Tenant,
  count: number,
  more: object,
) {
  const { id } = await createCampaign(ctx, workspaceId, {
    ...{ ...benchCampaign, ...more, email_list: addresses },
  })
  for (let done = 0; done < count; done += 1000) {
    const length = Math.min(1000, count - done)
    const leads = Array.from({ length }, (_, n) => benchLead(done + n))
    await addLeads(ctx, workspaceId, {
      ...{ campaign_id: id, leads, skip_if_in_workspace: false, overwrite: false },
    })
  }
  return { workspaceId, id }
}
