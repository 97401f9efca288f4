import { startSmtpServer } from '../../server/src/demo/mail-server/index.ts'
import { operator } from '../../server/src/features/audit/index.ts'
import { MailboxOwner } from '../../server/src/features/mailbox-lanes/index.ts'
import { addMailbox } from '../../server/src/features/mailboxes/index.ts'
import { startSendingRunner } from '../../server/src/features/sending/index.ts'
import { listen } from '../../server/src/kernel/db/listen.ts'
import { hintChannel } from '../../server/src/kernel/runner/hint.ts'
import { createConversation, type LastMail } from '../../server/test/conversations.ts'
import { createOutbox, type Outbox } from '../../server/test/mail/outbox.ts'
import type { Application } from './application.ts'

interface NewLead {
  email: string
  first_name?: string
  company_name?: string
}

export interface InboxWorld extends AsyncDisposable {
  mailboxAddress: string
  campaignId: string
  /** What the mail server took. */
  outbox: Outbox
  /** A conversation with somebody new. */
  converse: (lead: NewLead, mail?: LastMail) => Promise<{ id: string; messageId: string }>
}

/** A mailbox whose mails leave by a mail server that is really there, and a campaign. */
export async function createInboxWorld({ api, asOwner }: Application): Promise<InboxWorld> {
  const mailboxAddress = 'anna@example.com'
  const password = 'correct horse'
  const outbox = createOutbox(api.ctx.now)
  outbox.store.addAccount({ address: mailboxAddress, password })
  const smtp = await startSmtpServer(outbox.store)
  const login = (port: number) => ({
    ...{ host: '127.0.0.1', port, security: 'none' as const, username: mailboxAddress, password },
  })
  const mailbox = { address: mailboxAddress, smtp: login(smtp.port), imap: login(1) }
  await addMailbox(api.ctx, api.workspaceId, mailbox, operator)
  const steps = [
    { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] },
    { delay: 3, variants: [{ subject: '', body: '<p>Again</p>' }] },
  ]
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', {
    ...{ name: 'Autumn, DACH', email_list: [mailboxAddress], sequences: [{ steps }] },
  })
  const owner = new MailboxOwner(api.ctx)
  const runner = await startSendingRunner(api.ctx, owner, {
    listen: (onHint) => listen(api.ctx.database.url, hintChannel, onHint, api.ctx.log),
  })
  return {
    ...{ mailboxAddress, campaignId: campaign.id, outbox },
    async converse(lead, mail = {}) {
      await asOwner('POST', '/app/api/v2/lead/add', { campaign_id: campaign.id, leads: [lead] })
      return createConversation(api, api.workspaceId, campaign.id, { email: lead.email, ...mail })
    },
    async [Symbol.asyncDispose]() {
      await runner.stop(1_000)
      await owner.stop()
      await smtp[Symbol.asyncDispose]()
    },
  }
}

/**
 * An inbox and a home page as they look in use.
 *
 * @returns a conversation to be opened
 */
export async function fillInbox(application: Application): Promise<string> {
  const { api } = application
  await using world = await createInboxWorld(application)
  const { converse, campaignId } = world
  const lead = (first_name: string, last_name: string, company_name: string) => ({
    ...{ email: `${first_name.toLowerCase()}@${company_name.toLowerCase()}.example` },
    ...{
      first_name,
      last_name,
      company_name,
      job_title: 'Head of Operations',
      phone: '+49 30 123',
    },
  })
  await converse(lead('Otto', 'Lehmann', 'Spedition'), {
    ...{ kind: 'auto_reply', subject: 'Automatic reply: Hello' },
    text: 'I am out of the office until 2 December. In urgent cases write to my colleague.',
  })
  await converse(lead('Nils', 'Berg', 'Fjord'), {
    ...{ kind: 'bounce', from: 'mailer-daemon@fjord.example', subject: 'Undelivered Mail' },
    text: 'The following address failed: nils@fjord.example',
  })
  await converse(lead('Sofia', 'Marino', 'Aurora'), { text: 'Could you send me the price list?' })
  await converse(lead('Jonas', 'Weber', 'Holzbau'), {
    ...{ text: 'Please take me off your list, thank you.', suggestion: 'unsubscribed' },
    ...{ from: 'office@holzbau.example', details: { matched_by: 'subject' } },
  })
  const { id } = await converse(lead('Ada', 'Lovelace', 'Analytical'), {
    text: 'Sounds good. Can we talk on Tuesday at ten?',
    html: `<p>Sounds good. Can we talk on <b>Tuesday at ten</b>?</p>
      <p>— Ada Lovelace<br><span style="color:#666">Head of Operations, Analytical</span></p>
      <img src="https://pixel.example/logo.png" alt="Logo">
      <blockquote>On Monday Anna wrote:<br>Hi Ada, would you like to see it?</blockquote>`,
    ...{ from: 'assistant@analytical.example', details: { matched_by: 'message_id' } },
  })
  for (const name of ['Chen', 'Björn', 'Marta', 'Yuki', 'Paula', 'Ivan']) {
    const text = 'Interesting. Who else uses it, and what does it cost for a team of twelve?'
    await converse(lead(name, 'Example', 'Nordwind'), { text })
  }
  const { peek } = api.ctx.database
  const days = Array.from({ length: 30 }, (_, ago) => {
    const day = new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay())
    const sent = isWeekend ? 0 : 90 + ((ago * 37) % 60)
    const [replied, interested] = [Math.round(sent / 17), Math.round(sent / 50)]
    return {
      ...{ workspace_id: api.workspaceId, campaign_id: campaignId, day },
      ...{ sent, replied, interested, bounced: isWeekend ? 0 : ago % 3 },
    }
  })
  await peek.insertInto('campaign_step_days').values(days).execute()
  await peek
    .updateTable('leads')
    .set({ status: 'interested' })
    .where('first_name', '=', 'Sofia')
    .execute()
  await peek
    .updateTable('mailboxes')
    .set({
      status: 'error',
      status_reason: 'The server refuses the password. Make a new app password.',
    })
    .where('address', '=', world.mailboxAddress)
    .execute()
  return id
}
