import type { SendMailOptions } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { localNetwork } from '../../../../test/mail/mail-servers.ts'
import {
  bouncing,
  people,
  type RealServers,
  startRealServers,
  whyNoRealServers,
} from '../../../../test/mail/real-servers.ts'
import { submit } from '../../../../test/mail/submit.ts'
import { type Receiver, startReceiver } from '../../../../test/receiver.ts'
import { alwaysOpen } from '../../../../test/sending.ts'
import { listen } from '../../../kernel/db/listen.ts'
import { hintChannel } from '../../../kernel/runner/hint.ts'
import { type Runner, startRunner } from '../../../loops.ts'
import { operator } from '../../audit/index.ts'
import { addMailbox } from '../../mailboxes/index.ts'
import { getThread, listThreads, replyInThread } from '../index.ts'

if (whyNoRealServers) console.warn(`Without postfix and dovecot: ${whyNoRealServers}.`)

const [anna = '', , lea = '', leo = ''] = people
const page = { limit: 20, startingAfter: undefined }

describe.skipIf(whyNoRealServers)('with postfix and dovecot', () => {
  let real: RealServers
  let api: TestApi
  let receiver: Receiver
  let runner: Runner

  beforeAll(async () => {
    real = await startRealServers()
    api = await testApi()
    await api.ctx.useRealTime()
    receiver = await startReceiver()
    runner = await startRunner(api.ctx, {
      listen: (onHint) => listen(api.ctx.database.url, hintChannel, onHint, api.ctx.log),
    })
  })
  afterAll(async () => {
    await runner?.stop()
    await api?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
    await real?.[Symbol.asyncDispose]()
  })

  const login = (kind: 'smtp' | 'imap') => {
    const { port, username, credential } = real.server(kind, anna)
    const password = credential.kind === 'password' ? credential.password : ''
    return { host: '127.0.0.1', port, security: 'none', username, password }
  }

  /** The next mail in somebody's INBOX that fits, waited for by IDLE. */
  async function received(person: string, fits: (source: string) => boolean): Promise<string> {
    await using imap = await localNetwork().connectImap(real.server('imap', person))
    await imap.select('INBOX')
    for (;;) {
      for await (const { source } of imap.fetch(1, { sourceBytesMax: 100_000 })) {
        if (fits(source.toString())) return source.toString()
      }
      await imap.idle(30_000)
    }
  }

  const write = (person: string, mail: SendMailOptions) =>
    submit(real.server('smtp', person), { from: person, to: anna, ...mail })

  const post = async (path: string, body: object) => (await api.call('POST', path, { body })).body

  const is = (type: string) => (event: { type: string }) => event.type === type

  /** Resolves with the events that webhooks told of a lead, when they are these. */
  async function told(email: string, types: string[]) {
    for (let count = receiver.requests.length; ; count += 1) {
      const events = receiver.requests
        .map(({ body }) => JSON.parse(body.toString()))
        .filter((event) => event.lead_email === email)
      const seen = events.map(({ type }) => type)
      if (types.every((type) => seen.includes(type)) && seen.length >= types.length) return events
      await receiver.waitFor(count + 1)
    }
  }

  test('mails go out, and everything that comes back is seen and told within seconds', async () => {
    const { ctx, workspaceId } = api
    await post('/api/v2/webhooks', {
      ...{ name: 'all', target_hook_url: receiver.url, event_type: 'all_events' },
    })
    await addMailbox(
      ctx,
      workspaceId,
      {
        ...{ address: anna, display_name: 'Anna', smtp: login('smtp'), imap: login('imap') },
      },
      operator,
    )
    const steps = [
      { variants: [{ subject: 'Hello {{first_name}}', body: '<p>Hi {{first_name}}</p>' }] },
      { delay: 3, variants: [{ subject: '', body: '<p>Again</p>' }] },
    ]
    const campaign = await post('/api/v2/campaigns', {
      ...{ name: 'real', campaign_schedule: alwaysOpen, email_list: [anna] },
      ...{ email_gap: 0, random_wait_max: 0, sequences: [{ steps }] },
    })
    const emails = [lea, leo, bouncing.hard, bouncing.soft]
    await post('/api/v2/lead/add', {
      campaign_id: campaign.id,
      leads: emails.map((email) => ({ email, first_name: 'Lea' })),
    })
    const path = `/api/v2/campaigns/${campaign.id}`
    expect((await api.call('PATCH', path, { body: { status: 'active' } })).status).toBe(200)

    const answer = async (person: string, mail: SendMailOptions) => {
      const source = await received(person, (text) => text.includes('Subject: Hello Lea'))
      const messageId = /^Message-ID: (\S+)/im.exec(source)?.[1] ?? ''
      await write(person, { ...mail, inReplyTo: messageId, references: messageId })
    }
    const back = new Date(ctx.now().getTime() + 20 * 86_400_000).toISOString().slice(0, 10)
    await Promise.all([
      answer(lea, {
        subject: 'Re: Hello Lea',
        text: 'Sounds good. — Lea',
        html: '<p>Sounds good.</p>',
      }),
      answer(leo, {
        subject: 'Automatic reply: Hello Lea',
        headers: { 'Auto-Submitted': 'auto-replied' },
        text: `I am out of the office and back on ${back}.`,
      }),
    ])

    const replied = (await told(lea, ['email.sent', 'lead.replied'])).find(is('lead.replied'))
    expect(replied.data).toMatchObject({
      lead: { status: 'replied', sending_state: 'stopped', stop_reason: 'replied' },
      reply: { text: 'Sounds good. — Lea', html: expect.stringContaining('<p>Sounds good.</p>') },
    })
    const away = (await told(leo, ['email.sent', 'lead.auto_replied'])).find(
      is('lead.auto_replied'),
    )
    expect(away.data.lead).toMatchObject({ sending_state: 'active' })
    expect(away.data.lead.timestamp_next_send.slice(0, 10)).toBe(back)
    const hard = (await told(bouncing.hard, ['email.sent', 'email.bounced'])).find(
      is('email.bounced'),
    )
    expect(hard.data).toMatchObject({
      lead: { status: 'bounced', sending_state: 'stopped', stop_reason: 'bounced' },
      bounce: { kind: 'hard', code: '5.1.1', diagnostic: expect.stringContaining('no such user') },
    })

    // A person answers from the unified inbox, and the conversation goes on where it was.
    const { items } = await listThreads(ctx, workspaceId, page, { kind: 'reply' })
    const [thread] = items
    expect(items).toMatchObject([{ from_address: lea, subject: 'Re: Hello Lea', unread: true }])
    const sent = await replyInThread(ctx, workspaceId, {
      ...{ thread_id: thread?.id ?? '', idempotency_key: 'one', text: 'Tuesday at ten?' },
    })
    expect(sent.state).toBe('sent')
    const inbound = (await getThread(ctx, workspaceId, thread?.id ?? '', page)).messages.items[1]
    const arrived = await received(lea, (text) => text.includes('Tuesday at ten?'))
    expect(arrived).toContain(`In-Reply-To: ${inbound?.message_id}`)
    expect(arrived).toContain(`Message-ID: ${sent.message_id}`)

    // Delayed after four seconds, which is no bounce, given up after ten; the address may still work.
    const soft = await told(bouncing.soft, ['email.sent', 'email.bounced'])
    const bounces = soft.filter(is('email.bounced')).map(({ data }) => data.bounce)
    expect(bounces.map(({ kind, code }) => [kind, code])).toEqual([['soft', '4.2.2']])
    expect(soft.at(-1).data.lead).toMatchObject({ status: 'contacted', sending_state: 'active' })
    const { peek } = ctx.database
    const suppressed = await peek.selectFrom('suppressions').select(['value', 'reason']).execute()
    expect(suppressed).toEqual([{ value: bouncing.hard, reason: 'bounced' }])
  })
})
