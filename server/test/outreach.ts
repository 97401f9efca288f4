import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { SMTPServerOptions } from 'smtp-server'
import { inNamed } from '../src/cli/operate.ts'
import { readConfig } from '../src/config.ts'
import {
  type ImapServerOptions,
  startImapServer,
  startSmtpServer,
} from '../src/demo/mail-server/index.ts'
import { operator } from '../src/features/audit/index.ts'
import { createKeyAsOperator } from '../src/features/keys/index.ts'
import { addMailbox } from '../src/features/mailboxes/index.ts'
import { openOperator } from '../src/process/open.ts'
import type { Answer } from './app.ts'
import { createOutbox, type Outbox } from './mail/outbox.ts'
import type { ServiceProcess, Settings } from './processes.ts'
import { type Receiver, type Answer as ReceiverAnswer, startReceiver } from './receiver.ts'
import { alwaysOpen } from './sending.ts'
import { silentLog } from './sharded.ts'

/** The world around a service process: a mail server and a receiver of webhooks. */
export interface Outreach extends AsyncDisposable {
  outbox: Outbox
  receiver: Receiver
  /** A mailbox, a destination of all events and an active campaign that sends at once. */
  setUp: (
    service: ServiceProcess,
    settings: Settings,
    /** Its name; the default one without. */
    workspace?: string,
  ) => Promise<OutreachApi>
}

export interface OutreachApi {
  campaignId: string
  /** Rejects when the service refuses or does not answer. */
  call: (method: string, path: string, body: object) => Promise<Answer['body']>
  post: (path: string, body: object) => Promise<Answer['body']>
  /** A request that is under way, the service waits for its body. What comes back sends it. */
  begin: (path: string, body: object) => Promise<() => Promise<Answer['body']>>
  /** A body of JSON as it stands. */
  postText: (path: string, body: string) => Promise<Answer['body']>
  /** Each gets a mail, and the receiver an event of it. */
  addLeads: (emails: string[]) => Promise<Answer['body']>
  /** The same key and campaign at another address of the service. */
  at: (address: string) => OutreachApi
}

const login = { address: 'anna@example.com', password: 'correct horse' }

export async function startOutreach(
  options: { smtp?: SMTPServerOptions; imap?: ImapServerOptions; answer?: ReceiverAnswer } = {},
): Promise<Outreach> {
  const outbox = createOutbox()
  outbox.store.addAccount(login)
  const smtp = await startSmtpServer(outbox.store, options.smtp)
  const imap = await startImapServer(outbox.store, options.imap)
  const receiver = await startReceiver(options.answer)
  return {
    ...{ outbox, receiver },
    async setUp(service, settings, workspace = 'default') {
      const address = await service.address()
      // As by operator commands, whose processes would take longer than what they do.
      await using opened = await openOperator(readConfig(settings), { log: silentLog })
      const { key } = await inNamed(opened.ctx, workspace, async (ctx, id) => {
        await addMailbox(ctx, id, describeMailbox(smtp.port, imap.port), operator)
        return createKeyAsOperator(ctx, id, { name: 'outreach', scopes: ['all:*'] })
      })
      const { post, call } = callerOf(address, key, '')
      await post('webhooks', {
        ...{ name: 'all', target_hook_url: receiver.url, event_type: 'all_events' },
      })
      const { id } = await post('campaigns', {
        name: 'outreach',
        campaign_schedule: alwaysOpen,
        ...{ email_gap: 0, random_wait_max: 0, daily_limit: 10_000 },
        email_list: [login.address],
        // The second step keeps the campaign from being completed with the first mail.
        sequences: [{ steps: [step, { delay: 1, ...step }] }],
      })
      await call('PATCH', `campaigns/${id}`, { status: 'active' })
      return callerOf(address, key, id)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([smtp, imap, receiver].map((each) => each[Symbol.asyncDispose]()))
    },
  }
}

const step = { variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }

function describeMailbox(smtpPort: number, imapPort: number) {
  const { address, password } = login
  const server = { host: '127.0.0.1', security: 'none', username: address, password }
  return {
    ...{ address, daily_limit: 10_000, save_sent: 'off' },
    smtp: { ...server, port: smtpPort },
    imap: { ...server, port: imapPort },
  }
}

function callerOf(address: string, key: string, campaignId: string): OutreachApi {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  async function send(method: string, path: string, body: string) {
    const response = await fetch(`${address}/api/v2/${path}`, { method, headers, body })
    if (response.ok) return (await response.json()) as Answer['body']
    throw new Error(`${path}: ${response.status} ${await response.text()}`)
  }
  async function begin(path: string, body: object) {
    const begun = request(`${address}/api/v2/${path}`, {
      method: 'POST',
      headers: { ...headers, expect: '100-continue' },
    })
    begun.flushHeaders()
    await once(begun, 'continue')
    return async () => {
      begun.end(JSON.stringify(body))
      const [response] = (await once(begun, 'response')) as [IncomingMessage]
      const answer = (await json(response)) as Answer['body']
      if (response.statusCode === 200) return answer
      throw new Error(`${path}: ${response.statusCode} ${JSON.stringify(answer)}`)
    }
  }
  const call = (method: string, path: string, body: object) =>
    send(method, path, JSON.stringify(body))
  const post = (path: string, body: object) => call('POST', path, body)
  return {
    ...{ campaignId, call, post, begin },
    postText: (path, body) => send('POST', path, body),
    addLeads: (emails) =>
      post('lead/add', { campaign_id: campaignId, leads: emails.map((email) => ({ email })) }),
    at: (other) => callerOf(other, key, campaignId),
  }
}
