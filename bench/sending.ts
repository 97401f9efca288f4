import { compileStep, compose } from '../server/src/features/messages/index.ts'
import { tokenBoxOf, webLinks } from '../server/src/features/tracking/index.ts'
import type { FreeContext } from '../server/test/context.ts'
import type { EachPart, Figure } from './figure.ts'
import { benchCampaign, benchLead, benchMailbox } from './sending/campaign.ts'
import { measureIsolation } from './sending/isolation.ts'
import { describe } from './sending/mail-cost.ts'
import { measureMemory } from './sending/memory.ts'
import { startSink } from './sending/sink.ts'
import { measureUsualMail } from './sending/usual.ts'
import { createTenants, startSender } from './sending/workload.ts'
import { measureWorkspaces } from './sending/workspaces.ts'
import { type BenchService, openService } from './service.ts'

const mails = 20_000
const connections = 20
/** Of another campaign: the service is not measured while its code is being compiled. */
const warmUpMails = 4_000

type Part = (service: BenchService) => Promise<Figure[]>

export const parts: Record<string, Part> = {
  throughput: measureThroughput,
  workspaces: measureWorkspaces,
  usual: measureUsualMail,
  isolation: measureIsolation,
  memory: measureMemory,
}

export async function bench(eachPart: EachPart<Part>): Promise<Figure[]> {
  await using service = await openService()
  return await eachPart((part) => part(service))
}

async function measureThroughput(service: BenchService): Promise<Figure[]> {
  await using sink = await startSink()
  const { ctx, workspaceId } = service
  const limit = await measureClient(ctx, workspaceId, sink.port)
  const tenants = await createTenants(service, {
    ...{ workspaces: 1, mailboxes: connections, port: sink.port },
  })
  await using sender = await startSender(service, sink)
  await sender.send(tenants, warmUpMails)
  const { perSecond, cpu } = await sender.send(tenants, mails)
  const megabytes = process.memoryUsage().rss / 1e6
  return [
    {
      name: `mails sent (this process ${megabytes.toFixed(0)} MB)`,
      value: perSecond,
      unit: '/s',
      limit: { name: 'the same client, the same bytes, no database', value: limit },
      target: '≥ 3,000/s',
      met: perSecond >= 3000,
    },
    {
      name: `processor time of a mail (${describe(cpu)})`,
      value: cpu.all,
      unit: 'µs',
      target: '≤ 450 µs',
      met: cpu.all <= 450,
    },
  ]
}

/** As many connections, each with the next mail as soon as the last one was taken. */
async function measureClient(ctx: FreeContext, workspaceId: string, port: number): Promise<number> {
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

function composeSome(ctx: FreeContext, workspaceId: string, count: number) {
  const [variant] = benchCampaign.sequences[0]?.steps[0]?.variants ?? []
  const stepId = ctx.newId()
  const compiled = compileStep(
    {
      ...benchCampaign,
      ...{ workspace_id: workspaceId, text_only: false, first_email_text_only: false },
      ...{ insert_unsubscribe_header: true, cc_list: [], bcc_list: [] },
    },
    { id: stepId },
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
