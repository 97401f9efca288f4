import { sql } from 'kysely'
import type { SMTPServerOptions } from 'smtp-server'
import type { Config } from '../src/config.ts'
import {
  type Account,
  type ImapServerOptions,
  type MailStore,
  type SubmittedMail,
  startImapServer,
  startSmtpServer,
} from '../src/demo/mail-server/index.ts'
import { operator } from '../src/features/audit/index.ts'
import { MailboxOwner } from '../src/features/mailbox-lanes/index.ts'
import { addMailbox, type Mailbox } from '../src/features/mailboxes/index.ts'
import {
  type SendingRunner,
  type SendingRunnerOptions,
  startSendingRunner,
} from '../src/features/sending/index.ts'
import type { Db } from '../src/kernel/db/db.ts'
import { listen } from '../src/kernel/db/listen.ts'
import { hintChannel } from '../src/kernel/runner/hint.ts'
import { type Answer, type TestApi, testApi } from './app.ts'
import { asService, type FreeContext } from './context.ts'
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
  /** A runner on this database, stopped when the test file ends; with a context of its own, if given. */
  startRunner: (ctx?: FreeContext, options?: RunnerOptions) => Promise<SendingRunner>
  /** What owns the mailboxes that the last runner sends from: whoever reads them reads these. */
  owner: () => MailboxOwner
  ledger: () => Promise<LedgerEntry[]>
  /** Resolves once the ledger looks like that. */
  waitForLedger: (isDone: (entries: LedgerEntry[]) => boolean) => Promise<LedgerEntry[]>
  /** Resolves once every mailbox that has a lane sleeps; with a time, until exactly then. */
  untilAsleep: (until?: Date | null) => Promise<unknown>
  smtpPort: number
  /** The mail server's: what is put there has come in. */
  store: MailStore
  account: (address: string) => Account
  /** The same mail, to be read; ends with the rest. @returns its port, for `imapSettings` */
  startImap: (options?: ImapServerOptions) => Promise<number>
}

interface RunnerOptions extends Pick<SendingRunnerOptions, 'marker' | 'onSettled'> {
  /** Of a process in which something else works, too; it outlives the runner. */
  owner?: MailboxOwner | undefined
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
  timestamp_claimed: Date
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

const loginOf = (username: string, port: number) => ({
  ...{ host: '127.0.0.1', port, security: 'none', username, password },
})

/** Settings that make a runner read the mailbox's folders. */
export const imapSettings = (imapPort: number, address: string) => ({
  imap: loginOf(address, imapPort),
})

/** As if the inbox had just been read, at any time: follow-ups never wait for a reading. */
export const keepInboxRead = (db: Db, mailboxId: string) =>
  sql`update mailboxes set inbox_read_at = 'infinity' where id = ${mailboxId}::uuid`.execute(db)

/** The API, a mail server and runners on one private database, with the clock running. */
export async function testSending(
  options: { config?: Partial<Config>; smtp?: SMTPServerOptions; hasReader?: boolean } = {},
): Promise<Sending> {
  const api = await testApi(options.config)
  api.ctx.clock.run()
  const { store, mails: outbox, waitFor: waitForMails } = createOutbox(api.ctx.now)
  const smtp = await startSmtpServer(store, options.smtp)
  const runners: SendingRunner[] = []
  let owner: MailboxOwner | undefined
  const servers: AsyncDisposable[] = [smtp]
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
    account(address) {
      const account = store.find(address)
      if (account) return account
      throw new Error(`There is no mailbox ${address}.`)
    },
    async startImap(options) {
      const imap = await startImapServer(store, options)
      servers.push(imap)
      return imap.port
    },
    waitForMails,
    async createMailbox(address, more = {}, port = smtp.port) {
      store.addAccount({ address, password })
      const mailbox = await addMailbox(
        api.ctx,
        api.workspaceId,
        {
          address,
          smtp: loginOf(address, port),
          ...imapSettings(1, address),
          daily_limit: 10_000,
          ...more,
        },
        operator,
      )
      if (!options.hasReader) await keepInboxRead(api.ctx.database.peek, mailbox.id)
      return mailbox
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
    async startRunner(given = api.ctx, { owner: shared, ...options } = {}) {
      const ctx = given === api.ctx ? asService(api.ctx) : given
      owner = shared ?? new MailboxOwner(ctx)
      const own = shared ? undefined : owner
      const running = await startSendingRunner(ctx, owner, {
        ...options,
        listen: (onHint) => listen(api.ctx.database.url, hintChannel, onHint, ctx.log),
      })
      const runner = {
        ...running,
        async stop(withinMs?: number) {
          await running.stop(withinMs)
          await own?.stop()
        },
      }
      runners.push(runner)
      return runner
    },
    owner() {
      if (!owner) throw new Error('No runner was started.')
      return owner
    },
    ledger,
    waitForLedger: (isDone) =>
      api.ctx.database.until(async () => {
        const entries = await ledger()
        return isDone(entries) && entries
      }),
    untilAsleep: (until) =>
      api.ctx.database.until(async () => {
        const { peek } = api.ctx.database
        // In this order: whoever is woken is awake by the time the lanes are read.
        const marked = await peek.selectFrom('woken_campaigns').selectAll().execute()
        if (marked.length > 0) return false
        const lanes = await peek.selectFrom('mailbox_lanes').select('wake_at').execute()
        return lanes.every(({ wake_at }) =>
          until === undefined
            ? wake_at === null || wake_at > api.ctx.now()
            : wake_at?.getTime() === until?.getTime(),
        )
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all(runners.map((runner) => runner.stop(1_000)))
      for (const server of servers) await server[Symbol.asyncDispose]()
      await api[Symbol.asyncDispose]()
    },
  }
}
