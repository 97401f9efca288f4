import { createCampaign } from '../server/src/features/campaigns/campaigns.ts'
import { updateCampaign } from '../server/src/features/campaigns/update-campaign.ts'
import { addLeads } from '../server/src/features/leads/index.ts'
import { addMailbox } from '../server/src/features/mailboxes/index.ts'
import { compileStep, compose } from '../server/src/features/messages/index.ts'
import { startSendingRunner } from '../server/src/features/sending/index.ts'
import { tokenBoxOf, webLinks } from '../server/src/features/tracking/index.ts'
import type { Context } from '../server/src/kernel/context.ts'
import type { Figure } from './figure.ts'
import { benchCampaign, benchLead, benchMailbox } from './sending/campaign.ts'
import { measureIsolation } from './sending/isolation.ts'
import { measureMemory } from './sending/memory.ts'
import { startSink } from './sending/sink.ts'
import { type BenchService, openService } from './service.ts'

const mails = 20_000
const connections = 20
/** Of another campaign: the service is not measured while its code is being compiled. */
const warmUpMails = 4_000

export const parts = {
  throughput: measureThroughput,
  isolation: measureIsolation,
  memory: measureMemory,
}

export async function bench(only: string[] = Object.keys(parts)): Promise<Figure[]> {
  await using service = await openService()
  const figures: Figure[] = []
  for (const part of only) {
    figures.push(...((await parts[part as keyof typeof parts]?.(service)) ?? []))
  }
  return figures
}

async function measureThroughput(service: BenchService): Promise<Figure[]> {
  await using sink = await startSink()
  const { ctx, workspaceId } = service
  const limit = await measureClient(ctx, workspaceId, sink.port)

  const mailboxes = []
  for (let n = 0; n < connections; n++) {
    mailboxes.push(await addMailbox(ctx, workspaceId, benchMailbox(n, sink.port)))
  }
  const addresses = mailboxes.map(({ address }) => address)
  let onSettled = () => {}
  const runner = await startSendingRunner(ctx, { onSettled: () => onSettled() })
  /** Only sending is timed: from the campaign's activation to the last record. */
  const send = async (count: number) => {
    const campaignId = await makeCampaign(service, addresses, count)
    const done = Promise.withResolvers<void>()
    let left = count
    onSettled = () => {
      left -= 1
      if (left === 0) done.resolve()
    }
    const startedMs = performance.now()
    const cpu = process.cpuUsage()
    await updateCampaign(ctx, workspaceId, campaignId, { status: 'active' })
    await done.promise
    const { user, system } = process.cpuUsage(cpu)
    return { seconds: (performance.now() - startedMs) / 1000, cpuUs: (user + system) / count }
  }
  await send(warmUpMails)
  const { seconds, cpuUs } = await send(mails)
  await runner.stop()
  const perSecond = mails / seconds
  const megabytes = process.memoryUsage().rss / 1e6
  return [
    {
      name: `mails sent (this process ${cpuUs.toFixed(0)} µs of CPU each, ${megabytes.toFixed(0)} MB)`,
      value: perSecond,
      unit: '/s',
      limit: { name: 'the same client, the same bytes, no database', value: limit },
      target: '≥ 50 % of the limit, ≥ 4,500/s',
      met: perSecond >= 0.5 * limit && perSecond >= 4500,
    },
  ]
}

async function makeCampaign(
  { ctx, workspaceId }: BenchService,
  email_list: string[],
  count: number,
): Promise<string> {
  const { id } = await createCampaign(ctx, workspaceId, { ...benchCampaign, email_list })
  for (let done = 0; done < count; done += 1000) {
    const leads = Array.from({ length: 1000 }, (_, n) => benchLead(done + n))
    await addLeads(ctx, workspaceId, {
      ...{ campaign_id: id, leads, skip_if_in_workspace: false, overwrite: false },
    })
  }
  return id
}

/** As many connections, each with the next mail as soon as the last one was taken. */
async function measureClient(ctx: Context, workspaceId: string, port: number): Promise<number> {
  const bytes = composeSome(ctx, workspaceId, 2000)
  let sent = 0
  const server = benchMailbox(0, port).smtp
  const open = () =>
    ctx.mail.connectSmtp({
      ...server,
      credential: { kind: 'password', password: server.password },
    })
  const all = await Promise.all(Array.from({ length: connections }, open))
  const startedMs = performance.now()
  await Promise.all(
    all.map(async (connection) => {
      const take = () => (sent < mails ? bytes[sent++ % bytes.length] : undefined)
      for (let mail = take(), next = take(); mail; mail = next, next = take()) {
        await connection.begin(mail.envelope)
        await connection.finish(mail.bytes, next?.envelope)
      }
    }),
  )
  const seconds = (performance.now() - startedMs) / 1000
  await Promise.all(all.map((connection) => connection.close()))
  return mails / seconds
}

function composeSome(ctx: Context, workspaceId: string, count: number) {
  const [variant] = benchCampaign.sequences[0]?.steps[0]?.variants ?? []
  const stepId = ctx.newId()
  const compiled = compileStep(
    {
      ...benchCampaign,
      ...{ workspace_id: workspaceId, text_only: false, first_email_text_only: false },
      ...{ insert_unsubscribe_header: true, cc_list: [], bcc_list: [] },
    },
    { id: stepId, number: 1 },
    { id: ctx.newId(), subject: variant?.subject ?? '', body: variant?.body ?? '' },
  )
  const links = webLinks(tokenBoxOf(ctx), ctx.config.apiUrl)
  return Array.from({ length: count }, (_, n) => {
    const { email, first_name, company_name, job_title, custom_variables } = benchLead(n)
    const nothing = { last_name: null, company_domain: null, phone: null, website: null }
    const { bytes, from, recipients, sizeBytes } = compose(compiled, {
      lead: {
        ...{ id: ctx.newId(), email, first_name, company_name, job_title, custom_variables },
        ...{ ...nothing, personalization: null },
      },
      mailbox: { address: 'sender0@example.com', display_name: 'Ada Lovelace', signature: null },
      messageId: `<${n}@example.com>`,
      thread: null,
      at: ctx.now(),
      links,
    })
    return { bytes, envelope: { from, to: recipients, sizeBytes, utf8: false } }
  })
}
