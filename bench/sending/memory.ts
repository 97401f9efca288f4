import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import {
  MailStore,
  startImapServer,
  startSmtpServer,
} from '../../server/src/demo/mail-server/index.ts'
import { operator } from '../../server/src/features/audit/index.ts'
import { createCampaign } from '../../server/src/features/campaigns/campaigns.ts'
import { updateCampaign } from '../../server/src/features/campaigns/update-campaign.ts'
import { addLeads } from '../../server/src/features/leads/index.ts'
import { addMailbox } from '../../server/src/features/mailboxes/index.ts'
import { createWorkspace } from '../../server/src/features/workspaces/index.ts'
import type { FreeContext } from '../../server/test/context.ts'
import { peakMegabytes } from '../../server/test/memory.ts'
import { startRole } from '../child.ts'
import type { Figure } from '../figure.ts'
import type { BenchService } from '../service.ts'
import { benchCampaign, benchLead, benchMail, benchMailbox } from './campaign.ts'

const workspaces = 50
const mailboxesEach = 100
const campaignsEach = 40
const leadsEach = 2
const readMs = 60_000

/** A runner that reads 5,000 mailboxes and sends from them for 2,000 campaigns of 1 MB each. */
export async function measureMemory({ ctx, ...service }: BenchService): Promise<Figure[]> {
  let sent = 0
  let logins = 0
  const onOutside = () => {
    sent += 1
  }
  const onConnection = () => {
    logins += 1
  }
  const store = new MailStore({ now: () => new Date(), onOutside })
  await using smtp = await startSmtpServer(store)
  await using imap = await startImapServer(store, { onConnection })
  for (let n = 0; n < mailboxesEach; n++) {
    store.addAccount({ address: benchMailbox(n, 0).address, password: 'secret' })
  }
  for (let w = 0; w < workspaces; w++) await fill(ctx, `workspace ${w}`, smtp.port, imap.port)
  await using runner = await startRole('runner', service)
  await wait(readMs)
  const peak = await peakMegabytes(runner.pid)
  return [
    {
      name: `peak memory of a runner with 5,000 mailboxes and 2,000 campaigns of 1 MB (${sent} mails sent, ${logins} connections to read)`,
      value: peak,
      unit: 'MB',
      target: '< 400 MB',
      met: peak < 400,
    },
  ]
}

/** A megabyte of texts: two steps of two variants. */
function largeSequences() {
  const paragraph = `${benchMail.body}\n<p>${'What we do for teams like yours, in one more line. '.repeat(20)}</p>\n`
  const body = paragraph.repeat(Math.floor(250_000 / paragraph.length))
  const variants = [0, 1].map((n) => ({ subject: `${benchMail.subject} ${n}`, body }))
  return [{ steps: [{ variants }, { delay: 30, variants }] }]
}

async function fill(ctx: FreeContext, name: string, smtpPort: number, imapPort: number) {
  const { id: workspaceId } = await createWorkspace(ctx, name)
  const email_list: string[] = []
  for (let n = 0; n < mailboxesEach; n++) {
    const mailbox = benchMailbox(n, smtpPort)
    const imap = { ...mailbox.imap, port: imapPort }
    email_list.push((await addMailbox(ctx, workspaceId, { ...mailbox, imap }, operator)).address)
  }
  const first = await createCampaign(ctx, workspaceId, {
    ...{ ...benchCampaign, sequences: largeSequences(), email_list },
  })
  const ids = [first.id, ...Array.from({ length: campaignsEach - 1 }, () => ctx.newId())]
  await sql`
    insert into campaigns
    select (jsonb_populate_record(c, jsonb_build_object('id', k.id))).*
    from campaigns c, unnest(${ids.slice(1)}::uuid[]) as k (id)
    where c.workspace_id = ${workspaceId}::uuid and c.id = ${first.id}::uuid`.execute(ctx.db)
  await sql`
    insert into campaign_lead_counts (workspace_id, campaign_id)
    select ${workspaceId}::uuid, k.id from unnest(${ids}::uuid[]) as k (id)
    on conflict do nothing`.execute(ctx.db)
  for (const [index, id] of ids.entries()) {
    const leads = Array.from({ length: leadsEach }, (_, n) => benchLead(leadsEach * index + n))
    await addLeads(ctx, workspaceId, {
      ...{ campaign_id: id, leads, skip_if_in_workspace: false, overwrite: false },
    })
  }
  await updateCampaign(ctx, workspaceId, first.id, { status: 'active' })
  await sql`
    update campaigns set status = 'active'
    where workspace_id = ${workspaceId}::uuid`.execute(ctx.db)
}
