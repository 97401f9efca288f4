import { afterEach, describe, expect, test } from 'vitest'
import { setUp } from '../../../test/browser.ts'
import { type SmtpFault, startSmtpFaults } from '../../../test/mail/smtp-faults.ts'
import { type Sending, testSending } from '../../../test/sending.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { ensurePartitions } from '../../partitions.ts'
import { operator } from '../audit/index.ts'
import { listRefusedCopies } from '../campaigns/index.ts'
import { type LeadActivity, recordActivities, rescheduleLeads } from '../leads/index.ts'
import { pauseMailbox, reportInboxUnread, updateMailbox } from '../mailboxes/index.ts'

let sending: Sending
let closing: AsyncDisposable[] = []
afterEach(async () => {
  await sending[Symbol.asyncDispose]()
  for (const each of closing) await each[Symbol.asyncDispose]()
  closing = []
})

type Callback = (error?: Error | null) => void
const refusal = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode })

/** A mail server that answers to a recipient what the test says. */
const answering = (
  answer: (address: string) => Error | undefined | Promise<Error | undefined>,
) => ({
  onRcptTo({ address }: { address: string }, _session: unknown, callback: Callback) {
    void Promise.resolve(answer(address)).then((error) => callback(error ?? null))
  },
})

/** A mailbox whose connections break as the test says. */
async function faultyMailbox(fault: (moment: string, seenBefore: number) => SmtpFault) {
  const proxy = await startSmtpFaults(sending.smtpPort, fault)
  closing.push(proxy)
  return { mailbox: await sending.createMailbox('anna@example.com', {}, proxy.port), proxy }
}

const states = (count: number, state: string) => (entries: { state: string }[]) =>
  entries.filter((entry) => entry.state === state).length === count

const eventTypes = async () =>
  (await sending.ctx.database.peek.selectFrom('events').select(['type', 'lead_email']).execute())
    .filter(({ type }) => !type.startsWith('campaign.'))
    .map(({ type, lead_email }) => `${type} ${lead_email ?? ''}`.trim())
    .sort()

const lead = async (campaignId: string, email: string) =>
  (
    await sending.call(
      'GET',
      `/api/v2/lead/get?email=${encodeURIComponent(email)}&campaign_id=${campaignId}`,
    )
  ).body

const mailboxStatus = (id: string) =>
  sending.ctx.database.peek
    .selectFrom('mailboxes')
    .select(['status', 'status_reason'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const untilInError = (id: string) =>
  sending.ctx.database.until(async () => (await mailboxStatus(id)).status === 'error')

/** Over all days: a mail that is tried again may be so after midnight. */
const counted = async () => {
  const { peek } = sending.ctx.database
  const campaigns = await peek.selectFrom('campaign_days').selectAll().execute()
  const mailboxes = await peek.selectFrom('mailbox_days').selectAll().execute()
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)
  return {
    campaign: sum(campaigns.map(({ sent }) => sent)),
    new_leads: sum(campaigns.map(({ new_leads }) => new_leads)),
    mailbox: sum(mailboxes.map(({ sent }) => sent)),
  }
}

test('a recipient that is refused for good bounces, and no other lead is touched', async () => {
  sending = await testSending({
    smtp: answering((address) =>
      address.startsWith('gone') ? refusal(550, '5.1.1 No such user') : undefined,
    ),
  })
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example', 'gone@lead.example', 'b@lead.example'])
  const entries = await sending.waitForLedger(
    (all) => states(2, 'sent')(all) && states(1, 'failed')(all),
  )
  expect(entries.find(({ state }) => state === 'failed')?.error_message).toContain('No such user')
  expect(await lead(campaign.id, 'gone@lead.example')).toMatchObject({
    status: 'bounced',
    sending_state: 'stopped',
    stop_reason: 'bounced',
  })
  expect(await eventTypes()).toEqual([
    'email.bounced gone@lead.example',
    'email.sent a@lead.example',
    'email.sent b@lead.example',
    'lead.completed a@lead.example',
    'lead.completed b@lead.example',
  ])
  expect(await counted()).toEqual({ campaign: 2, new_leads: 2, mailbox: 2 })
  expect(await mailboxStatus(mailbox.id)).toMatchObject({ status: 'connected' })
})

test('a copy to an address beyond ASCII stops no lead where the server takes only ASCII', async () => {
  sending = await testSending({ smtp: { hideSMTPUTF8: true } })
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox], {
    cc_list: ['jörg@copy.example', 'peer@copy.example'],
    bcc_list: ['zoë@copy.example'],
  })
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example', 'é@lead.example'])
  await sending.waitForLedger(states(1, 'sent'))
  expect(sending.outbox.map((mail) => mail.to).sort()).toEqual([
    'a@lead.example',
    'peer@copy.example',
  ])
  expect(sending.outbox[0]?.source.toString()).not.toContain('rg@copy.example')
  const { peek } = sending.ctx.database
  const refused = await listRefusedCopies(peek, sending.workspaceId)
  expect(refused.map(({ address, code }) => [address, code])).toEqual([
    ['jörg@copy.example', '5.6.7'],
    ['zoë@copy.example', '5.6.7'],
  ])
  const [message] = await peek.selectFrom('messages').select('cc_addresses').execute()
  expect(message).toEqual({ cc_addresses: ['peer@copy.example'] })
  await sending.waitForLedger(states(1, 'failed'))
  expect(await lead(campaign.id, 'é@lead.example')).toMatchObject({ sending_state: 'paused' })
})

test.each([
  ['is gone', refusal(550, '5.1.1 No such user')],
  ['is put off', refusal(451, '4.2.0 Greylisted')],
  ['ends the connection', refusal(421, '4.3.0 Closing')],
])(
  'a copy whose address %s stops no lead: the mail goes without it, and the campaign says so',
  async (_what, answer) => {
    sending = await testSending({
      smtp: answering((address) => (/^boss/i.test(address) ? answer : undefined)),
    })
    const mailbox = await sending.createMailbox('anna@example.com')
    const campaign = await sending.createCampaign([mailbox], {
      cc_list: ['Boss@copy.example', 'peer@copy.example'],
      bcc_list: ['boss-too@copy.example'],
    })
    await sending.startRunner()
    const leads = ['a@lead.example', 'b@lead.example']
    await sending.addLeads(campaign.id, leads)
    await sending.waitForLedger(states(2, 'sent'))
    const to = sending.outbox.map((mail) => mail.to)
    expect(to.sort()).toEqual([
      'a@lead.example',
      'b@lead.example',
      'peer@copy.example',
      'peer@copy.example',
    ])
    const { peek } = sending.ctx.database
    const refused = await listRefusedCopies(peek, sending.workspaceId)
    expect(refused).toMatchObject(
      ['Boss@copy.example', 'boss-too@copy.example'].map((address) => ({
        ...{
          campaign_id: campaign.id,
          address,
          mails: 2,
          message: expect.stringContaining(answer.message),
        },
      })),
    )
    const told = peek.selectFrom('audit_log').select('action')
    expect(await told.where('action', '=', 'campaign.copy_refused').execute()).toHaveLength(1)
    const [message] = await peek.selectFrom('messages').select('cc_addresses').execute()
    expect(message).toEqual({ cc_addresses: ['peer@copy.example'] })
    expect(await mailboxStatus(mailbox.id)).toMatchObject({ status: 'connected' })

    const lists = { cc_list: ['peer@copy.example'] }
    await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body: lists })
    expect(await listRefusedCopies(peek, sending.workspaceId)).toEqual([])
  },
)

test('a recipient that is put off is tried again later, with the same Message-ID', async () => {
  let refusals = 2
  sending = await testSending({
    smtp: answering(() => (refusals-- > 0 ? refusal(450, '4.2.0 Greylisted') : undefined)),
  })
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  const [first] = await sending.waitForLedger(states(1, 'failed'))
  expect(await counted()).toEqual({ campaign: 0, new_leads: 0, mailbox: 0 })
  const { timestamp_next_send } = await lead(campaign.id, 'a@lead.example')
  const waitMs = Date.parse(timestamp_next_send) - sending.ctx.now().getTime()
  expect(waitMs).toBeGreaterThan(4 * 60_000)
  expect(waitMs).toBeLessThan(6 * 60_000)
  sending.ctx.clock.advance(6 * 60_000)
  await sending.waitForLedger(([entry]) => entry?.attempt === 2 && entry.state === 'failed')
  sending.ctx.clock.advance(20 * 60_000)
  const [sent] = await sending.waitForLedger(states(1, 'sent'))
  expect(sent).toMatchObject({ attempt: 3, message_id: first?.message_id })
  expect(await counted()).toEqual({ campaign: 1, new_leads: 1, mailbox: 1 })
  expect(sending.outbox).toHaveLength(1)
})

test.each([
  ['at the recipient', 'rcpt'],
  ['at its end', 'message'],
])('a mail that is refused %s keeps the gap of its mailbox', async (_where, stage) => {
  let refusals = 1
  const answer = () => (refusals-- > 0 ? refusal(451, '4.7.500 Server busy') : undefined)
  sending = await testSending({
    smtp:
      stage === 'rcpt'
        ? answering(answer)
        : {
            onData(stream, _session, callback) {
              stream.resume().on('end', () => callback(answer() ?? null))
            },
          },
  })
  const campaign = await sending.createCampaign(
    [await sending.createMailbox('anna@example.com', { gap_seconds: 60 })],
    { email_gap: 5 },
  )
  await sending.addLeads(campaign.id, ['a@lead.example', 'b@lead.example'])
  await sending.startRunner()
  await sending.waitForLedger(states(1, 'failed'))
  await sending.untilAsleep()
  expect(await sending.ledger()).toHaveLength(1)
  const { peek } = sending.ctx.database
  const lane = await peek.selectFrom('mailbox_lanes').selectAll().executeTakeFirstOrThrow()
  const gapMs = (lane.next_send_at?.getTime() ?? 0) - (lane.last_sent_at?.getTime() ?? 0)
  expect(gapMs).toBe(300_000)
  expect(lane).toMatchObject({ failures: 0, not_before: null })
  sending.ctx.clock.advance(300_000)
  await sending.waitForLedger(states(1, 'sent'))
})

test('a sender that is refused pauses its mailbox with one event, and its leads go to another', async () => {
  let isBlocked = true
  sending = await testSending({
    smtp: {
      onMailFrom({ address }, _session, callback) {
        const blocked = isBlocked && address === 'anna@example.com'
        callback(blocked ? refusal(550, '5.7.1 Sender not allowed') : null)
      },
    },
  })
  const anna = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([anna])
  await sending.addLeads(campaign.id, ['a@lead.example', 'b@lead.example'])
  await sending.startRunner()
  await untilInError(anna.id)
  expect((await mailboxStatus(anna.id)).status_reason).toBeTruthy()
  expect(await eventTypes()).toEqual(['mailbox.error'])
  for (const email of ['a@lead.example', 'b@lead.example']) {
    expect(await lead(campaign.id, email)).toMatchObject({
      sending_state: 'pending',
      status: 'new',
    })
  }
  expect(await counted()).toEqual({ campaign: 0, new_leads: 0, mailbox: 0 })

  const bert = await sending.createMailbox('bert@example.com')
  await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, {
    body: { email_list: [anna.address, bert.address] },
  })
  const entries = await sending.waitForLedger(states(2, 'sent'))
  expect(entries.map(({ mailbox_id }) => mailbox_id)).toEqual([bert.id, bert.id])
  isBlocked = false
})

test('a login that is refused is a mailbox error, told once; the mailbox recovers by itself', async () => {
  let isBroken = true
  sending = await testSending()
  const { mailbox, proxy } = await faultyMailbox((moment) =>
    isBroken && moment.startsWith('AUTH') ? { answer: '535 5.7.8 Bad credentials\r\n' } : undefined,
  )
  const campaign = await sending.createCampaign([mailbox])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  await untilInError(mailbox.id)
  const logins = () => proxy.commands.filter((line) => line.startsWith('AUTH')).length
  // Tried again and again, and told once.
  for (let tries = logins(); tries < 4; tries = logins()) {
    sending.ctx.clock.advance(3_600_000)
    await sending.ctx.database.until(() => logins() > tries)
  }
  expect(await eventTypes()).toEqual(['mailbox.error'])
  isBroken = false
  sending.ctx.clock.advance(3_600_000)
  await sending.waitForLedger(states(1, 'sent'))
  expect(await mailboxStatus(mailbox.id)).toEqual({ status: 'connected', status_reason: null })
})

test('a mailbox that may log in and not send is tried less and less', async () => {
  sending = await testSending({
    smtp: {
      onMailFrom(_address, _session, callback) {
        callback(refusal(550, '5.7.1 Sender not allowed'))
      },
    },
  })
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  const { ctx } = sending
  await sending.addLeads(
    campaign.id,
    Array.from({ length: 7 }, (_, index) => `lead${index}@lead.example`),
  )
  await sending.startRunner()
  for (const [index, seconds] of [10, 30, 60, 300, 900, 1800, 1800].entries()) {
    const lane = await ctx.database.until(async () => {
      const { peek } = ctx.database
      const row = await peek.selectFrom('mailbox_lanes').selectAll().executeTakeFirst()
      return row?.failures === index + 1 && row
    })
    const pauseMs = (lane.not_before?.getTime() ?? 0) - ctx.now().getTime()
    expect(pauseMs).toBeGreaterThan(seconds * 500)
    expect(pauseMs).toBeLessThan(seconds * 1_200)
    await untilInError(mailbox.id)
    ctx.clock.advance(pauseMs)
  }
})

test('a password that was changed is tried at once', async () => {
  sending = await testSending()
  const mailbox = await sending.createMailbox('anna@example.com', {
    smtp: {
      ...{ host: '127.0.0.1', port: sending.smtpPort, security: 'none' },
      ...{ username: 'anna@example.com', password: 'an old one' },
    },
  })
  const campaign = await sending.createCampaign([mailbox])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  await untilInError(mailbox.id)
  const { ctx, workspaceId } = sending
  await updateMailbox(
    ctx,
    workspaceId,
    mailbox.id,
    { smtp: { password: 'correct horse' } },
    operator,
  )
  await sending.waitForLedger(states(1, 'sent'))
})

test('a server that cannot be reached is an error only when it stays so, and no lead is held to it', async () => {
  sending = await testSending()
  let isDown = true
  const { mailbox } = await faultyMailbox((moment) =>
    isDown && moment === 'CONNECT' ? 'drop' : undefined,
  )
  const campaign = await sending.createCampaign([mailbox])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  const failures = async () =>
    (await sending.ctx.database.peek.selectFrom('mailbox_lanes').selectAll().executeTakeFirst())
      ?.failures
  const { until } = sending.ctx.database
  await until(async () => (await failures()) === 1)
  expect(await mailboxStatus(mailbox.id)).toMatchObject({ status: 'connected' })
  for (const expected of [2, 3]) {
    sending.ctx.clock.advance(120_000)
    await until(async () => (await failures()) === expected)
  }
  expect(await mailboxStatus(mailbox.id)).toMatchObject({ status: 'error' })
  expect(await eventTypes()).toEqual(['mailbox.error'])
  expect(await lead(campaign.id, 'a@lead.example')).toMatchObject({ sending_state: 'pending' })
  isDown = false
  sending.ctx.clock.advance(3_600_000)
  await sending.waitForLedger(states(1, 'sent'))
})

test('what finds no way to its server is no attempt at the lead', async () => {
  let isDown = true
  sending = await testSending({
    smtp: answering(() => (isDown ? undefined : refusal(450, '4.2.0 Greylisted'))),
  })
  const { mailbox } = await faultyMailbox((moment) =>
    isDown && moment === 'CONNECT' ? 'drop' : undefined,
  )
  const campaign = await sending.createCampaign([mailbox])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  await sending.waitForLedger(states(1, 'failed'))
  isDown = false
  sending.ctx.clock.advance(3_600_000)
  const [entry] = await sending.waitForLedger(([first]) =>
    Boolean(first?.state === 'failed' && first.error_message?.includes('Greylisted')),
  )
  expect(entry?.attempt).toBe(1)
})

describe('what a server says of one recipient', () => {
  const refusing = async (code: number, words: string) => {
    sending = await testSending({
      smtp: answering((address) => (address.startsWith('ada') ? refusal(code, words) : undefined)),
    })
    const mailbox = await sending.createMailbox('anna@example.com')
    const campaign = await sending.createCampaign([mailbox])
    await sending.startRunner()
    await sending.addLeads(campaign.id, ['ada@lead.example', 'bob@lead.example'])
    await sending.waitForLedger((all) => states(1, 'sent')(all) && states(1, 'failed')(all))
    return { mailbox, campaign }
  }
  const suppressions = () =>
    sending.ctx.database.peek.selectFrom('suppressions').selectAll().execute()

  test.each([
    [452, '4.2.2 Recipient over quota'],
    [552, 'recipient mailbox quota exceeded'],
    [552, '5.2.2 Recipient mailbox quota exceeded'],
    [550, '5.7.1 Your message was blocked by the recipient domain policy'],
  ])('%i %s: its mailbox goes on writing to others', async (code, words) => {
    const { mailbox, campaign } = await refusing(code, words)
    expect(await mailboxStatus(mailbox.id)).toMatchObject({ status: 'connected' })
    const [lane] = await sending.ctx.database.peek.selectFrom('mailbox_lanes').selectAll().execute()
    expect(lane).toMatchObject({ failures: 0, not_before: null })
    expect(await lead(campaign.id, 'ada@lead.example')).toMatchObject({ sending_state: 'pending' })
    expect(await suppressions()).toEqual([])
  })

  test.each([
    ['at the recipient', 'rcpt', 550],
    ['at its end', 'message', 451],
  ])(
    'what a server says %s to everybody alike is said of the mailbox, and uses up no lead after the other',
    async (_where, stage, code) => {
      let number = 0
      let isClosed = true
      const closed = () => {
        number++
        return isClosed
          ? refusal(code, `Not at this hour, ${number}@host.example (${number})`)
          : null
      }
      sending = await testSending({
        smtp:
          stage === 'rcpt'
            ? answering(() => closed() ?? undefined)
            : {
                onData(stream, _session, callback) {
                  stream.resume().on('end', () => callback(closed()))
                },
              },
      })
      const mailbox = await sending.createMailbox('anna@example.com')
      const campaign = await sending.createCampaign([mailbox])
      await sending.startRunner()
      await sending.addLeads(
        campaign.id,
        Array.from({ length: 9 }, (_, n) => `ada@lead${n}.example`),
      )
      await sending.ctx.database.until(async () => {
        const { peek } = sending.ctx.database
        const [lane] = await peek.selectFrom('mailbox_lanes').selectAll().execute()
        return lane?.failures === 1 && lane.not_before !== null
      })
      expect(number).toBe(3)
      if (code >= 500) {
        expect(await mailboxStatus(mailbox.id)).toEqual({
          status: 'error',
          status_reason: expect.stringContaining('refused what was asked of it'),
        })
      }
      isClosed = false
      sending.ctx.clock.advance(3_600_000)
      await sending.waitForLedger(states(9, 'sent'))
      expect(await mailboxStatus(mailbox.id)).toEqual({ status: 'connected', status_reason: null })
    },
  )

  test('colleagues who are refused alike say nothing of the mailbox, nor do others between whom one is written to', async () => {
    sending = await testSending({
      smtp: answering((address) =>
        address.startsWith('no') ? refusal(550, 'Not wanted here') : undefined,
      ),
    })
    const mailbox = await sending.createMailbox('anna@example.com')
    const campaign = await sending.createCampaign([mailbox])
    const write = async (emails: string[], failed: number) => {
      await sending.addLeads(campaign.id, emails)
      await sending.waitForLedger(states(failed, 'failed'))
      await sending.untilAsleep()
    }
    await sending.startRunner()
    await write(['no1@a.example', 'no2@a.example', 'no3@a.example', 'no@b.example'], 4)
    await sending.addLeads(campaign.id, ['yes@lead.example'])
    await sending.waitForLedger(states(1, 'sent'))
    await write(['no@c.example', 'no@d.example'], 6)
    const [lane] = await sending.ctx.database.peek.selectFrom('mailbox_lanes').selectAll().execute()
    expect(lane).toMatchObject({ failures: 0, not_before: null })
    expect(await mailboxStatus(mailbox.id)).toMatchObject({ status: 'connected' })
  })

  test('recipients who have no room say nothing of the mailbox, of however many domains they are', async () => {
    sending = await testSending({ smtp: answering(() => refusal(552, '5.2.2 Mailbox full')) })
    const mailbox = await sending.createMailbox('anna@example.com')
    const campaign = await sending.createCampaign([mailbox])
    await sending.startRunner()
    await sending.addLeads(
      campaign.id,
      Array.from({ length: 4 }, (_, n) => `ada@lead${n}.example`),
    )
    await sending.waitForLedger(states(4, 'failed'))
    await sending.untilAsleep()
    const [lane] = await sending.ctx.database.peek.selectFrom('mailbox_lanes').selectAll().execute()
    expect(lane).toMatchObject({ failures: 0, not_before: null })
    expect(await mailboxStatus(mailbox.id)).toMatchObject({ status: 'connected' })
  })

  test('a refusal that does not say why suppresses nobody: it is tried again, then shown', async () => {
    const { campaign } = await refusing(550, 'Rejected')
    for (const attempt of [2, 3, 4, 5, 6]) {
      sending.ctx.clock.advance(86_400_000)
      await sending.waitForLedger((all) =>
        all.some((each) => each.state === 'failed' && each.attempt === attempt),
      )
    }
    const shown = await lead(campaign.id, 'ada@lead.example')
    expect(shown.sending_state).toBe('paused')
    expect(shown.skip_reason).toContain('Rejected')
    expect(shown.skip_reason).toContain('tried 6 times')
    expect(await suppressions()).toEqual([])
    expect(await eventTypes()).not.toContain('email.bounced ada@lead.example')
  })

  test('a lead that a limit of its mailbox always meets is shown in the end, and the mailbox says why', async () => {
    sending = await testSending({
      smtp: answering(() => refusal(550, '5.4.5 Daily user sending limit exceeded')),
    })
    const mailbox = await sending.createMailbox('anna@example.com')
    const campaign = await sending.createCampaign([mailbox])
    await sending.startRunner()
    await sending.addLeads(campaign.id, ['ada@lead.example'])
    for (const attempt of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await sending.waitForLedger(([each]) => each?.state === 'failed' && each.attempt === attempt)
      await untilInError(mailbox.id)
      sending.ctx.clock.advance(86_400_000)
    }
    const shown = await lead(campaign.id, 'ada@lead.example')
    expect(shown).toMatchObject({ sending_state: 'paused' })
    expect(shown.skip_reason).toContain('tried 8 times')
  })
})

test('a template that fails for one lead skips that lead with a reason, and sends no braces', async () => {
  sending = await testSending()
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')], {
    sequences: [
      { steps: [{ variants: [{ subject: 'For {{company_name}}', body: '<p>Hi</p>' }] }] },
    ],
  })
  await sending.startRunner()
  await sending.addLeads(campaign.id, [
    { email: 'none@lead.example' },
    { email: 'some@lead.example', company_name: 'Example Ltd' },
  ])
  await sending.waitForLedger((all) => states(1, 'sent')(all) && states(1, 'failed')(all))
  expect(sending.outbox.map(({ to }) => to)).toEqual(['some@lead.example'])
  const skipped = await lead(campaign.id, 'none@lead.example')
  expect(skipped.sending_state).toBe('paused')
  expect(skipped.skip_reason).toContain('company_name')
  expect(await counted()).toEqual({ campaign: 1, new_leads: 1, mailbox: 1 })
})

describe('leads that lack what a mail says', () => {
  const ofCompany = (text: string) => [
    { steps: [{ variants: [{ subject: 'Hello', body: `<p>${text}</p>` }] }] },
  ]
  const lacking = async () => {
    sending = await testSending()
    const mailbox = await sending.createMailbox('anna@example.com')
    const campaign = await sending.createCampaign([mailbox], {
      sequences: ofCompany('For {{plan}}'),
    })
    const ids = await sending.addLeads(campaign.id, ['a@lead.example', 'b@lead.example'])
    const runner = await sending.startRunner()
    await sending.waitForLedger(states(2, 'failed'))
    await sending.untilAsleep()
    return { campaign, id: ids[0] ?? '', runner }
  }
  const statusOf = async (id: string) =>
    (await sending.call('GET', `/api/v2/campaigns/${id}`)).body.sending_status
  const overwrite = (campaign_id: string, lead: object) =>
    sending.call('POST', '/api/v2/lead/add', {
      body: { campaign_id, overwrite: true, leads: [{ email: 'a@lead.example', ...lead }] },
    })
  const inApplication = async (method: string, path: string, body?: object) => {
    const owner = await setUp(sending)
    const headers = { 'x-workspace-id': sending.workspaceId }
    return owner.call(method, `/app${path}`, { headers, ...(body && { body }) })
  }

  test('are counted by their campaign with what the first one lacks, also while another is under way', async () => {
    const { campaign, id } = await lacking()
    const held = {
      leads_held_back: 2,
      held_back_for: 'The lead has no plan, and the template gives no default.',
    }
    expect(await statusOf(campaign.id)).toMatchObject({
      ...{ state: 'waiting', reason: 'leads_held_back' },
      ...held,
    })
    const { body } = await inApplication('GET', '/home')
    expect(body.attention).toContainEqual(
      expect.objectContaining({ id: campaign.id, reason: 'leads_held_back', count: 2 }),
    )
    const { peek } = sending.ctx.database
    await peek
      .updateTable('leads')
      .set({ sending_state: 'pending', timestamp_next_send: '2099-01-01T00:00:00Z' })
      .where('id', '=', id)
      .execute()
    expect(await statusOf(campaign.id)).toMatchObject({
      ...{ reason: 'waiting_for_step_delay' },
      ...{ ...held, leads_held_back: 1 },
    })
  })

  test('are found in the application by what keeps them, and each says it', async () => {
    const { campaign, id } = await lacking()
    await sending.call('POST', '/api/v2/lead/update/status', {
      body: { campaign_id: campaign.id, email: 'b@lead.example', new_status: 'paused' },
    })
    const owner = await setUp(sending)
    const headers = { 'x-workspace-id': sending.workspaceId }
    const ask = async (path: string) => (await owner.call('GET', `/app${path}`, { headers })).body
    const idsIn = async (states: string) =>
      (await ask(`/leads?sending_state=${states}`)).items.map(({ id }: { id: string }) => id)
    expect(await idsIn('held_back')).toEqual([id])
    expect(await idsIn('paused')).toHaveLength(2)
    expect((await ask(`/leads/${id}`)).reasons).toEqual([
      'Nothing is sent to this lead for now, because its mail cannot be made: The lead has no plan, ' +
        'and the template gives no default. It goes on by itself once its values or the text are changed.',
    ])
  })

  test.each<[string, string, (campaignId: string, id: string) => Promise<{ status: number }>]>([
    ['lead/add overwrites their value', 'For Gold', (id) => overwrite(id, { plan: 'Gold' })],
    [
      'a person corrects it',
      'For Gold',
      (_, id) => inApplication('PATCH', `/leads/${id}`, { custom_variables: { plan: 'Gold' } }),
    ],
    [
      'the text gives a default',
      'For all',
      (id) =>
        sending.call('PATCH', `/api/v2/campaigns/${id}`, {
          body: { sequences: ofCompany('For {{plan | default: "all"}}') },
        }),
    ],
  ])('go on by themselves once %s', async (_how, words, mend) => {
    const { campaign, id } = await lacking()
    const { status } = await mend(campaign.id, id)
    expect(status).toBe(200)
    if (words === 'For all') await rescheduleLeads(sending.ctx)
    const mails = await sending.waitForMails(words === 'For all' ? 2 : 1)
    expect(mails[0]?.source.toString()).toContain(words)
    await sending.untilAsleep()
    const left = words === 'For all' ? 0 : 1
    expect(await statusOf(campaign.id)).toMatchObject({ leads_held_back: left })
  })

  test('are not tried again for what they had already, and one that a person paused waits for that person', async () => {
    const { campaign, id, runner } = await lacking()
    await runner.stop()
    const state = async () => (await lead(campaign.id, 'a@lead.example')).sending_state
    await overwrite(campaign.id, { first_name: 'Ann' })
    expect(await state()).toBe('paused')
    await overwrite(campaign.id, { first_name: 'Bea' })
    expect(await state()).toBe('pending')
    const { peek } = sending.ctx.database
    await peek.updateTable('leads').set({ sending_state: 'paused' }).where('id', '=', id).execute()
    await overwrite(campaign.id, { plan: 'Gold' })
    expect(await state()).toBe('paused')
  })
})

test('a mail that is larger than the server takes is not sent, and says so', async () => {
  sending = await testSending({ smtp: { size: 2000 } })
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')], {
    sequences: [{ steps: [{ variants: [{ subject: 'Hi', body: '<p>{{personalization}}</p>' }] }] }],
  })
  await sending.startRunner()
  await sending.addLeads(campaign.id, [
    { email: 'long@lead.example', personalization: 'x '.repeat(3000) },
    { email: 'short@lead.example', personalization: 'x' },
  ])
  await sending.waitForLedger((all) => states(1, 'sent')(all) && states(1, 'failed')(all))
  const skipped = await lead(campaign.id, 'long@lead.example')
  expect(skipped.skip_reason).toContain('larger')
  expect(sending.outbox.map(({ to }) => to)).toEqual(['short@lead.example'])
})

test('a server without SMTPUTF8 skips who cannot be written to, and no one else', async () => {
  sending = await testSending({ smtp: { hideSMTPUTF8: true } })
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['jürgen@lead.example', 'ann@bücher.example'])
  await sending.waitForLedger((all) => states(1, 'sent')(all) && states(1, 'failed')(all))
  expect(sending.outbox.map(({ to }) => to)).toEqual(['ann@bücher.example'])
  expect((await lead(campaign.id, 'jürgen@lead.example')).skip_reason).toContain('ASCII')
})

test('a connection that breaks after the final dot leaves the mail uncertain; it counts as sent and is not sent again', async () => {
  sending = await testSending()
  const { mailbox } = await faultyMailbox((moment, before) =>
    moment === '.' && before === 0 ? 'drop-after' : undefined,
  )
  const campaign = await sending.createCampaign([mailbox])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  const [entry] = await sending.waitForLedger(states(1, 'uncertain'))
  expect(entry?.error_message).toBeTruthy()
  expect(await counted()).toEqual({ campaign: 1, new_leads: 1, mailbox: 1 })
  expect(await eventTypes()).toEqual(['email.sent a@lead.example', 'lead.completed a@lead.example'])
  sending.ctx.clock.advance(86_400_000)
  await sending.addLeads(campaign.id, ['b@lead.example'])
  await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body: { status: 'active' } })
  await sending.waitForLedger(states(1, 'sent'))
  expect(sending.outbox.map(({ to }) => to)).toEqual(['a@lead.example', 'b@lead.example'])
})

test.each(['drop', 'answer'] as const)(
  'what fails before the final dot (%s) was not sent, and is sent once',
  async (kind) => {
    sending = await testSending()
    const { mailbox } = await faultyMailbox((moment, before) => {
      if (moment !== 'DATA' || before > 0) return undefined
      return kind === 'drop' ? 'drop' : { answer: '451 4.3.0 Not now\r\n' }
    })
    const campaign = await sending.createCampaign([mailbox])
    await sending.startRunner()
    await sending.addLeads(campaign.id, ['a@lead.example'])
    await sending.waitForLedger(states(1, 'failed'))
    sending.ctx.clock.advance(3_600_000)
    await sending.waitForLedger(states(1, 'sent'))
    expect(sending.outbox).toHaveLength(1)
    expect(await eventTypes()).toEqual([
      'email.sent a@lead.example',
      'lead.completed a@lead.example',
    ])
  },
)

test('a kept connection that the server closed is replaced without a word', async () => {
  sending = await testSending()
  const { mailbox, proxy } = await faultyMailbox((moment, before) => {
    const isSecondMail = moment.startsWith('MAIL') && before >= 1 && connections() < 2
    return isSecondMail ? { answer: '421 4.7.0 Too many mails on this connection\r\n' } : undefined
  })
  const connections = () => proxy.commands.filter((line) => line === 'CONNECT').length
  const campaign = await sending.createCampaign([mailbox])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example', 'b@lead.example'])
  await sending.waitForLedger(states(2, 'sent'))
  expect(connections()).toBe(2)
  const [lane] = await sending.ctx.database.peek.selectFrom('mailbox_lanes').selectAll().execute()
  expect(lane?.failures).toBe(0)
})

const message = { message_id: '<m@x>', subject: 'Hi', step: 1, variant: 1, mailbox: 'a@x' }
const reply = { message_id: null, subject: 'Re: Hi', text: 'Yes', html: null, snippet: 'Yes' }
const bounce = { kind: 'hard', code: '5.1.1', diagnostic: 'gone' } as const

/** What came in about the lead of the campaign. */
async function happens(campaignId: string, activity: (leadId: string) => LeadActivity) {
  const { ctx, workspaceId } = sending
  const { id } = await lead(campaignId, 'a@lead.example')
  await transaction(ctx, (tx) => recordActivities(tx, workspaceId, [activity(id)]))
}

const changes: [string, (campaignId: string) => Promise<unknown>, object][] = [
  [
    'its campaign is paused',
    (id) => sending.call('PATCH', `/api/v2/campaigns/${id}`, { body: { status: 'paused' } }),
    { sending_state: 'pending' },
  ],
  ['its lead is stopped', (id) => setStatus(id, 'not_interested'), { sending_state: 'stopped' }],
  ['its lead is paused', (id) => setStatus(id, 'paused'), { sending_state: 'paused' }],
  [
    'its lead has replied',
    (id) => happens(id, (leadId) => ({ kind: 'replied', leadId, message, reply })),
    { sending_state: 'stopped', stop_reason: 'replied', current_step: 0 },
  ],
  [
    'its lead has bounced',
    (id) => happens(id, (leadId) => ({ kind: 'bounced', leadId, message, bounce })),
    { sending_state: 'stopped', stop_reason: 'bounced', current_step: 0 },
  ],
  [
    'its lead is out of office',
    (id) =>
      happens(id, (leadId) => ({
        ...{ kind: 'auto_replied', leadId, message, reply, isOutOfOffice: true },
        resumeAt: new Date(sending.ctx.now().getTime() + 5 * 86_400_000),
      })),
    { sending_state: 'pending', current_step: 0 },
  ],
  ['its lead is gone', () => sending.ctx.database.peek.deleteFrom('leads').execute(), {}],
  [
    'its mailbox is paused',
    async () => {
      const { id } = await sending.ctx.database.peek
        .selectFrom('mailboxes')
        .select('id')
        .executeTakeFirstOrThrow()
      await pauseMailbox(sending.ctx, sending.workspaceId, id, operator)
    },
    { sending_state: 'pending', current_step: 0 },
  ],
  ['its lead unsubscribes', (id) => setStatus(id, 'unsubscribed'), { sending_state: 'stopped' }],
  [
    'its address is suppressed',
    async () => {
      const { addSuppression } = await import('../suppression/index.ts')
      await addSuppression(sending.ctx, sending.workspaceId, 'lead.example', operator)
    },
    { sending_state: 'stopped', stop_reason: 'blocked' },
  ],
  [
    'its workspace loses the plan',
    async () => {
      const { setPlan } = await import('../workspaces/workspaces.ts')
      await setPlan(sending.ctx, sending.workspaceId, { api: false })
    },
    {},
  ],
]

const setStatus = (campaign_id: string, new_status: string) =>
  sending.call('POST', '/api/v2/lead/update/status', {
    body: { campaign_id, email: 'a@lead.example', new_status },
  })

test.each(changes)('a mail is not finished once %s', async (_what, change, expected) => {
  const arrived = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<undefined>()
  sending = await testSending({
    smtp: answering(() => {
      arrived.resolve()
      return goOn.promise
    }),
  })
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  await arrived.promise
  await change(campaign.id)
  goOn.resolve(undefined)
  await sending.waitForLedger(states(1, 'failed'))
  await sending.untilAsleep()
  expect(sending.outbox).toEqual([])
  expect(await counted()).toEqual({ campaign: 0, new_leads: 0, mailbox: 0 })
  if (Object.keys(expected).length > 0) {
    expect(await lead(campaign.id, 'a@lead.example')).toMatchObject(expected)
  }
})

test('a follow-up is not finished once its mailbox cannot be read any more', async () => {
  const followsUp = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<undefined>()
  let mails = 0
  sending = await testSending({
    smtp: answering(() => {
      mails += 1
      if (mails < 2) return undefined
      followsUp.resolve()
      return goOn.promise
    }),
  })
  const { ctx, workspaceId } = sending
  const mailbox = await sending.createMailbox('anna@example.com')
  const steps = ['Hello', ''].map((subject) => ({ variants: [{ subject, body: '<p>Hi</p>' }] }))
  const campaign = await sending.createCampaign([mailbox], {
    sequences: [{ steps: [steps[0], { ...steps[1], delay: 1 }] }],
  })
  await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example'])
  await sending.waitForLedger(states(1, 'sent'))
  ctx.clock.advance(36 * 3_600_000)
  await ensurePartitions(ctx)
  await followsUp.promise
  await reportInboxUnread(ctx, workspaceId, mailbox.id)
  goOn.resolve(undefined)
  await sending.waitForLedger((all) => all.some(({ state }) => state === 'failed'))
  expect(sending.outbox).toHaveLength(1)
})

test('in a burst, what speaks against a mail is looked for again before its end, and those behind it go to another connection', async () => {
  const arrived = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<undefined>()
  sending = await testSending({
    smtp: answering((address) => {
      if (address !== 'a@lead.example') return undefined
      arrived.resolve()
      return goOn.promise
    }),
  })
  const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
  await sending.addLeads(campaign.id, ['x@lead.example', 'a@lead.example', 'z@lead.example'])
  await sending.startRunner()
  await arrived.promise
  await setStatus(campaign.id, 'not_interested')
  // Longer than what was looked at for the first one is trusted.
  sending.ctx.clock.advance(1_000)
  goOn.resolve(undefined)
  await sending.waitForLedger((all) => states(2, 'sent')(all) && states(1, 'failed')(all))
  expect(sending.outbox.map(({ to }) => to)).toEqual(['x@lead.example', 'z@lead.example'])
})
