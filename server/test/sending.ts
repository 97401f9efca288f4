import type { SMTPServerOptions } from 'smtp-server'
import type { Config } from '../src/config.ts'
import {
  type MailStore,
  type SubmittedMail,
  startSmtpServer,
} from '../src/demo/mail-server/index.ts'
import { addMailbox, type Mailbox } from '../src/features/mailboxes/index.ts'
import { type SendingRunner, startSendingRunner } from '../src/features/sending/index.ts'
import { listen } from '../src/kernel/db/listen.ts'
import { hintChannel } from '../src/kernel/runner/hint.ts'
import { type Answer, type TestApi, testApi } from './app.ts'
import { createOutbox } from './mail/outbox.ts'

export interface Sending extends TestApi {
  /** What the mail server took, in that order. */
  outbox: SubmittedMail[]
  /** Resolves with them once there are so many. */
  waitForMails: (count: number) => Promise<SubmittedMail[]>
  /** On the server of this test; `port` puts something between. */
  createMailbox: (address: string, more?: object, port?: number) => Promise<Mailbox>
  /** Active, open around the clock, without gaps or limits; sends from these mailboxes. */
  createCampaign: (mailboxes: Mailbox[], more?: object) => Promise<Answer['body']>
  addLeads: (campaignId: string, emails: (string | object)[]) => Promise<string[]>
  /** A runner on this database, stopped when the test file ends. */
  startRunner: () => Promise<SendingRunner>
  ledger: () => Promise<LedgerEntry[]>
  /** Resolves once the ledger looks like that. */
  waitForLedger: (isDone: (entries: LedgerEntry[]) => boolean) => Promise<LedgerEntry[]>
  smtpPort: number
  /** The mail server's: what is put there has come in. */
  store: MailStore
}

export interface LedgerEntry {
  id: string
  campaign_id: string
  lead_id: string
  step: number
  state: string
  attempt: number
  mailbox_id: string
  message_id: string
  error_message: string | null
  timestamp_transmitting: Date | null
}

export const alwaysOpen = {
  start_date: null,
  end_date: null,
  schedules: [
    {
      name: 'Always',
      timing: { from: '00:00', to: '24:00' },
      days: { 0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true },
      timezone: 'UTC',
    },
  ],
}

const password = 'correct horse'

/** The API, a mail server and runners on one private database, with the clock running. */
export async function testSending(
  options: { config?: Partial<Config>; smtp?: SMTPServerOptions } = {},
): Promise<Sending> {
  const api = await testApi(options.config)
  api.ctx.clock.run()
  const { store, mails: outbox, waitFor: waitForMails } = createOutbox()
  const smtp = await startSmtpServer(store, options.smtp)
  const runners: SendingRunner[] = []
  const ledger = async () =>
    (await api.ctx.database.peek
      .selectFrom('sends')
      .selectAll()
      .orderBy('timestamp_claimed')
      .execute()) as LedgerEntry[]
  return {
    ...api,
    outbox,
    smtpPort: smtp.port,
    store,
    waitForMails,
    async createMailbox(address, more = {}, port = smtp.port) {
      store.addAccount({ address, password })
      const server = { host: '127.0.0.1', security: 'none', username: address, password }
      return addMailbox(api.ctx, api.workspaceId, {
        address,
        smtp: { ...server, port },
        imap: { ...server, port: 1 },
        daily_limit: 10_000,
        ...more,
      })
    },
    async createCampaign(mailboxes, more = {}) {
      const created = await api.call('POST', '/api/v2/campaigns', {
        body: {
          name: 'test',
          campaign_schedule: alwaysOpen,
          email_gap: 0,
          random_wait_max: 0,
          email_list: mailboxes.map(({ address }) => address),
          sequences: [
            { steps: [{ variants: [{ subject: 'Hello {{first_name}}', body: '<p>Hi</p>' }] }] },
          ],
          ...more,
        },
      })
      if (created.status !== 201) throw new Error(JSON.stringify(created.body))
      const path = `/api/v2/campaigns/${created.body.id}`
      const { status, body } = await api.call('PATCH', path, { body: { status: 'active' } })
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body
    },
    async addLeads(campaign_id, emails) {
      const leads = emails.map((email) =>
        typeof email === 'string' ? { email, first_name: 'Ann' } : email,
      )
      const { status, body } = await api.call('POST', '/api/v2/lead/add', {
        body: { campaign_id, leads },
      })
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body.created_leads.map(({ id }: { id: string }) => id)
    },
    async startRunner() {
      const runner = await startSendingRunner(api.ctx, {
        listen: (onHint) => listen(api.ctx.database.url, hintChannel, onHint, api.ctx.log),
      })
      runners.push(runner)
      return runner
    },
    ledger,
    async waitForLedger(isDone) {
      for (;;) {
        const entries = await ledger()
        if (isDone(entries)) return entries
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(runners.map((runner) => runner.stop(1_000)))
      await smtp[Symbol.asyncDispose]()
      await api[Symbol.asyncDispose]()
    },
  }
}
