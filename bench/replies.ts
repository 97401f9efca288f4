import { readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { MailStore, startImapServer } from '../server/src/demo/mail-server/index.ts'
import { operator } from '../server/src/features/audit/index.ts'
import { createCampaign } from '../server/src/features/campaigns/campaigns.ts'
import { readInbound } from '../server/src/features/inbox/inbound-message.ts'
import { addLeads } from '../server/src/features/leads/index.ts'
import { addMailbox } from '../server/src/features/mailboxes/index.ts'
import { insertMessages } from '../server/src/features/messages/index.ts'
import { startRole } from './child.ts'
import type { Figure } from './figure.ts'
import { contactedLead, incomingMail, mailbox } from './replies/mails.ts'
import { benchCampaign } from './sending/campaign.ts'
import { type BenchService, openService } from './service.ts'

const mails = 10_000
const secondsMax = 60
const megabytesMax = 300

/**
 * Mails that wait in one folder, read by a runner as an operator starts it, until the last of them is
 * stored with all that follows from it. Beside it the same mails fetched and taken apart, and no more.
 */
export async function bench(): Promise<Figure[]> {
  await using service = await openService()
  const store = new MailStore({ now: () => service.ctx.now() })
  const account = store.addAccount({ address: mailbox, password: 'secret' })
  await using imap = await startImapServer(store)
  await contactAll(service, imap.port)
  for (let index = 0; index < mails; index++) store.file(account, incomingMail(index))
  const limit = mails / (await readBare(service, imap.port))

  await using runner = await startRole('runner', service)
  const startedMs = performance.now()
  while ((await countStored(service)) < mails) await wait(500)
  const seconds = (performance.now() - startedMs) / 1000
  const megabytes = await peakMegabytes(runner.pid)
  return [
    {
      name: `${mails.toLocaleString('en-US')} mails waiting in one folder, read and stored`,
      value: mails / seconds,
      unit: 'mails/s',
      limit: { name: 'fetched and taken apart by one process', value: limit },
      target: `all in < ${secondsMax} s (${seconds.toFixed(1)} s)`,
      met: seconds < secondsMax,
    },
    {
      name: 'peak memory of the runner',
      value: megabytes,
      unit: 'MB',
      target: `< ${megabytesMax} MB`,
      met: megabytes < megabytesMax,
    },
  ]
}

/** Leads that each were sent a mail, as the ledger has it. */
async function contactAll({ ctx, workspaceId }: BenchService, imapPort: number) {
  const login = { host: '127.0.0.1', security: 'none', username: mailbox, password: 'secret' }
  const { id: mailbox_id } = await addMailbox(
    ctx,
    workspaceId,
    {
      ...{ address: mailbox, daily_limit: 10_000 },
      smtp: { ...login, port: 9 },
      imap: { ...login, port: imapPort },
    },
    operator,
  )
  const campaign = await createCampaign(ctx, workspaceId, {
    ...benchCampaign,
    email_list: [mailbox],
  })
  const [step] = campaign.sequences[0]?.steps ?? []
  const step_id = step?.id ?? ''
  for (let done = 0; done < mails; done += 1000) {
    const leads = Array.from({ length: 1000 }, (_, n) => contactedLead(done + n))
    const { created_leads } = await addLeads(ctx, workspaceId, {
      ...{ campaign_id: campaign.id, leads: leads.map(({ email }) => ({ email })) },
      ...{ skip_if_in_workspace: false, overwrite: false },
    })
    const sent = created_leads.map(({ index, id: lead_id }) => ({
      ...{ lead_id, id: ctx.newId() },
      message_id: leads[index]?.messageId ?? '',
      to: leads[index]?.email ?? '',
    }))
    const timestamp = new Date(ctx.now().getTime() - 3_600_000)
    const common = { workspace_id: workspaceId, mailbox_id, campaign_id: campaign.id, step_id }
    await insertMessages(
      ctx.db,
      sent.map(({ to, ...mail }) => ({
        ...{ ...common, ...mail, direction: 'out', kind: 'step', step: 1, variant: 1 },
        ...{ in_reply_to: null, thread_id: mail.lead_id, from_address: mailbox },
        ...{ to_addresses: [to], subject: 'Quick question', text: 'Hello', html: null },
        ...{ size_bytes: 1000, timestamp },
      })),
    )
    await ctx.db
      .insertInto('sends')
      .values(
        sent.map(({ to, ...mail }) => ({
          ...{ ...common, ...mail, step: 1, variant: 1, variant_id: step?.variants[0]?.id ?? '' },
          ...{ subject: 'Quick question', starts_thread: true, state: 'sent', claim_token: 1 },
          ...{ is_new: true, campaign_day: '2026-11-20', mailbox_day: '2026-11-20' },
          ...{ timestamp_claimed: timestamp, timestamp_settled: timestamp },
        })),
      )
      .execute()
  }
  await sql`
    update leads
    set mailbox_id = ${mailbox_id}::uuid, sending_state = 'active', status = 'contacted',
      current_step = 1, sent_step_ids = array[${step_id}::uuid],
      thread_subject = 'Quick question', timestamp_last_contact = now() - interval '1 hour'
    where workspace_id = ${workspaceId}::uuid`.execute(ctx.db)
  await sql`vacuum analyze`.execute(ctx.db)
}

/** @returns seconds */
async function readBare({ ctx }: BenchService, port: number): Promise<number> {
  await using imap = await ctx.mail.connectImap({
    ...{ host: '127.0.0.1', port, security: 'none', username: mailbox },
    credential: { kind: 'password', password: 'secret' },
  })
  await imap.select('INBOX')
  const startedMs = performance.now()
  for await (const mail of imap.fetch(1, { sourceBytesMax: 512 * 1024 })) {
    await readInbound(mail, ctx.now())
  }
  return (performance.now() - startedMs) / 1000
}

async function countStored({ ctx, workspaceId }: BenchService): Promise<number> {
  const { rows } = await sql<{ stored: number }>`
    select count(*)::int as stored
    from messages
    where workspace_id = ${workspaceId}::uuid and direction = 'in'`.execute(ctx.db)
  return rows[0]?.stored ?? 0
}

/** As Linux tells it. */
async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1000
}
