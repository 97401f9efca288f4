import { dayOf } from '../../../kernel/calendar.ts'
import type { Context } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../../kernel/http/page.ts'
import { countFollowUps } from '../../leads/index.ts'
import { mailboxLimit } from '../../sending/index.ts'
import { consentProviderOf } from '../mail-clients.ts'
import { toMailbox } from '../mailboxes.ts'
import type { Mailbox, MailboxSettings } from '../schema.ts'
import { openSettings } from '../settings.ts'
import { providerOf } from './presets.ts'
import * as queries from './queries.ts'
import type { MailboxUse, ManagedMailbox, RemovedMailbox } from './schema.ts'

export async function listManagedMailboxes(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
  filter: queries.MailboxFilter,
): Promise<Page<ManagedMailbox>> {
  const rows = await queries.listManaged(ctx.db, workspaceId, page, filter, utcDay(ctx))
  return toPage(
    rows.map((row) => show(ctx, row)),
    page.limit,
  )
}

export async function getManagedMailbox(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<ManagedMailbox> {
  const row = await queries.findManaged(ctx.db, workspaceId, id, utcDay(ctx))
  if (!row) throw notFound('mailbox')
  return show(ctx, row)
}

/** Removed mailboxes whose conversations wait until one is added again, or they are handed over. */
export async function listRemovedMailboxes(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<RemovedMailbox>> {
  return toPage(await queries.listRemoved(ctx.db, workspaceId, page), page.limit)
}

/** Who sends from it, and who waits for a follow-up from it: what removing it touches. */
export async function getMailboxUse(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<MailboxUse> {
  const { address } = await getManagedMailbox(ctx, workspaceId, id)
  const campaigns = await queries.listCampaignsOf(ctx.db, workspaceId, address)
  const waiting = await countFollowUps(ctx.db, workspaceId, id)
  return { campaigns, waiting }
}

/** Of all of them together: how many there are, and what they sent and may send today. */
export async function sumMailboxUse(ctx: Context, workspaceId: string) {
  const sum = { mailboxes: 0, mailboxes_active: 0, mails_today: 0, mails_today_max: 0 }
  const rows = await queries.listAll(ctx.db, workspaceId, utcDay(ctx))
  for (const { settings: _, days, ...row } of rows) {
    const mailbox = toMailbox(row)
    const { sent_today, limit_today } = dayUse(ctx, mailbox, days)
    sum.mailboxes += 1
    const isActive = row.status === 'connected'
    sum.mailboxes_active += Number(isActive)
    sum.mails_today += sent_today
    // What was sent counts also where nothing more is, or the limit was lowered since.
    sum.mails_today_max += Math.max(sent_today, isActive ? limit_today : 0)
  }
  return sum
}

function show(ctx: Context, row: queries.ManagedRow): ManagedMailbox {
  const { settings: sealed, days, is_inbox_read, ...rest } = row
  const mailbox = toMailbox(rest)
  const settings = openSettings(ctx, mailbox.workspace_id, mailbox.id, sealed)
  const { oauth2 } = settings.imap
  const renewedAt = oauth2?.access?.made_at
  return {
    ...mailbox,
    provider: providerOf(settings.smtp.host),
    smtp: showServer(settings.smtp),
    imap: showServer(settings.imap),
    consent: oauth2 ? consentProviderOf(ctx.config, oauth2) : null,
    timestamp_access_renewed: renewedAt === undefined ? null : new Date(renewedAt),
    is_inbox_read,
    ...dayUse(ctx, mailbox, days),
  }
}

const utcDay = ({ now }: Context) => dayOf('UTC', now())

/** What it has sent and may send on the day that it is in its zone. */
function dayUse({ now }: Context, mailbox: Mailbox, days: queries.ManagedRow['days']) {
  const today = dayOf(mailbox.timezone ?? 'UTC', now())
  return {
    sent_today: days?.find(({ day }) => day === today)?.sent ?? 0,
    limit_today: mailboxLimit(mailbox, today),
  }
}

/** Without what opens it. */
const showServer = ({ host, port, security, username, oauth2 }: MailboxSettings['smtp']) => ({
  ...{ host, port, security, username },
  login: oauth2 ? ('oauth2' as const) : ('password' as const),
})
