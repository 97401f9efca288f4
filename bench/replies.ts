import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { MailStore, startImapServer } from '../server/src/demo/mail-server/index.ts'
import { readInbound } from '../server/src/features/inbox/ingest/inbound-message.ts'
import { peakMegabytes } from '../server/test/memory.ts'
import { startRole } from './child.ts'
import type { Figure } from './figure.ts'
import { contactLeads } from './replies/contact-leads.ts'
import { incomingMail, mailbox } from './replies/mails.ts'
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
  await contactLeads(service, imap.port, mails)
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

/** @returns seconds */
async function readBare({ ctx, workspaceId }: BenchService, port: number): Promise<number> {
  await using imap = await ctx.mail.connectImap({
    ...{ host: '127.0.0.1', port, security: 'none', username: mailbox },
    credential: { kind: 'password', password: 'secret' },
  })
  await imap.select('INBOX')
  const startedMs = performance.now()
  for await (const mail of imap.fetch(1, { sourceBytesMax: 512 * 1024 })) {
    await readInbound(workspaceId, mail, ctx.now())
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
