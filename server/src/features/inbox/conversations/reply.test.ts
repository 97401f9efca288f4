import { simpleParser } from 'mailparser'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { FreeContext } from '../../../../test/context.ts'
import { type Inbox, letter, testInbox } from '../../../../test/inbox.ts'
import {
  type FaultySmtp,
  type SmtpFault,
  startSmtpFaults,
} from '../../../../test/mail/smtp-faults.ts'
import { operator } from '../../audit/index.ts'
import { pauseMailbox, removeMailbox, resumeMailbox, updateMailbox } from '../../mailboxes/index.ts'
import {
  confirmArrived,
  listUncertain,
  type SendingRunner,
  sendAgain,
} from '../../sending/index.ts'
import { addSuppression } from '../../suppression/index.ts'
import { getThread, listThreads, replyInThread } from '../index.ts'

let inbox: Inbox
let proxy: FaultySmtp
let mailboxId: string
let fault: (moment: string) => SmtpFault
let sender: SendingRunner
/** Between the beginning and the end of the next mail. */
let inBetween: (() => unknown) | undefined
beforeAll(async () => {
  inbox = await testInbox()
  proxy = await startSmtpFaults(inbox.smtpPort, (moment) => fault(moment))
  const { id } = await inbox.createReadMailbox()
  mailboxId = id
  await updateMailbox(
    inbox.ctx,
    inbox.workspaceId,
    id,
    {
      smtp: { port: proxy.port, password: 'correct horse' },
    },
    operator,
  )
  inbox.startReader()
  sender = await inbox.startSender(senderContext())
})
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await inbox[Symbol.asyncDispose]()
})
beforeEach(() => {
  fault = () => undefined
})

function senderContext(): FreeContext {
  const { ctx } = inbox
  const connectSmtp: typeof ctx.mail.connectSmtp = async (server) => {
    const connection = await ctx.mail.connectSmtp(server)
    const begin = connection.begin.bind(connection)
    connection.begin = async (envelope) => {
      await begin(envelope)
      const happens = inBetween
      inBetween = undefined
      await happens?.()
    }
    return connection
  }
  return { ...ctx, mail: { ...ctx.mail, connectSmtp } }
}

const page = { limit: 10, startingAfter: undefined }
let people = 0

/** A conversation in which somebody has answered. */
async function conversation(headers: string[] = []) {
  people += 1
  const from = `person${people}@lead.example`
  const { leadId, messageId } = await inbox.contact([from])
  const answer = `<answer${people}@lead.example>`
  inbox.arrive(
    letter({ from, headers: [`Message-ID: ${answer}`, `In-Reply-To: ${messageId}`, ...headers] }),
  )
  await inbox.untilRead(() => threadOf(leadId))
  inbox.outbox.length = 0
  return { thread_id: leadId, from, messageId, answer, idempotency_key: `key ${people}` }
}

const reply = (
  input: { thread_id: string; idempotency_key: string },
  more: object = {},
  ctx: FreeContext = inbox.ctx,
) => {
  const { thread_id, idempotency_key } = input
  return replyInThread(ctx, inbox.workspaceId, {
    ...{ thread_id, idempotency_key, text: 'Gladly.' },
    ...more,
  })
}

const threadOf = async (id: string) =>
  (await listThreads(inbox.ctx, inbox.workspaceId, { ...page, limit: 50 })).items.find(
    (thread) => thread.id === id,
  )

const inThread = async (threadId: string) => {
  const { messages, replies } = await getThread(inbox.ctx, inbox.workspaceId, threadId, page)
  return { kinds: messages.items.map(({ kind }) => kind), replies }
}

test('a reply is sent in its thread, is kept there, and once for a key', async () => {
  const about = await conversation()
  const sent = await reply(about)
  expect(sent).toMatchObject({ state: 'sent', to_address: about.from, attempt: 1 })
  expect(await reply(about)).toEqual(sent)
  expect(inbox.outbox.map(({ to }) => to)).toEqual([about.from])
  const mail = await simpleParser(inbox.outbox[0]?.source ?? '')
  expect(mail).toMatchObject({
    ...{ subject: 'Re: Hello', messageId: sent.message_id, inReplyTo: about.answer },
    references: [about.messageId, about.answer],
  })
  expect(mail.text?.trim()).toBe('Gladly.')
  expect(await inThread(about.thread_id)).toEqual({
    kinds: ['manual', 'reply', 'step'],
    replies: [],
  })
  const { items } = await listThreads(inbox.ctx, inbox.workspaceId, page)
  expect(items[0]).toMatchObject({ id: about.thread_id, unread: false, snippet: 'Gladly.' })

  const other = reply(about, { text: 'Something else.' })
  await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  inbox.arrive(
    letter({
      from: 'secretary@lead.example',
      headers: ['Message-ID: <more@lead.example>', `In-Reply-To: ${sent.message_id}`],
    }),
  )
  await inbox.untilRead(async () =>
    (await inThread(about.thread_id)).kinds.length === 4 ? true : undefined,
  )
})

test('it goes where answers are wanted, in HTML that is kept fit to be shown', async () => {
  const about = await conversation(['Reply-To: desk@lead.example'])
  const html = '<p onclick="x()">Yes</p><script>x()</script>'
  const { thread_id, idempotency_key } = about
  const sent = await replyInThread(inbox.ctx, inbox.workspaceId, {
    thread_id,
    idempotency_key,
    html,
  })
  expect(sent).toMatchObject({ state: 'sent', to_address: 'desk@lead.example' })
  const { messages } = await getThread(inbox.ctx, inbox.workspaceId, thread_id, page)
  expect(messages.items[0]).toMatchObject({ html: '<p>Yes</p>', text: 'Yes' })
})

test('nothing goes to a suppressed address, unless it is forced', async () => {
  const about = await conversation()
  await addSuppression(inbox.ctx, inbox.workspaceId, about.from, operator)
  await expect(reply(about)).rejects.toMatchObject({ code: 'not_eligible' })
  expect(inbox.outbox).toEqual([])
  expect(await reply(about, { force: true })).toMatchObject({ state: 'sent' })
})

/** The same call, where something happens between the beginning and the end of the mail. */
function replySlowly(
  about: { thread_id: string; idempotency_key: string },
  happens: () => unknown,
) {
  inBetween = happens
  return reply(about)
}

test('the last look at the suppressions is the one before the end of the mail', async () => {
  const about = await conversation()
  const suppress = () => addSuppression(inbox.ctx, inbox.workspaceId, about.from, operator)
  expect(await replySlowly(about, suppress)).toMatchObject({ state: 'failed' })
  expect(inbox.outbox).toEqual([])
})

/** As whoever takes over the mailbox of a runner that died before the mark. */
const giveUp = (threadId: string) =>
  inbox.ctx.database.peek
    .updateTable('sends')
    .set({ state: 'failed' })
    .where('lead_id', '=', threadId)
    .where('kind', '=', 'manual')
    .execute()

const untilState = (threadId: string, state: string) =>
  inbox.waitForLedger((sends) =>
    sends.some((send) => send.lead_id === threadId && send.state === state),
  )

test('while it is being sent nobody else sends it, and who was given up finishes nothing', async () => {
  const about = await conversation()
  const first = await replySlowly(about, async () => {
    await expect(reply(about)).rejects.toMatchObject({ code: 'idempotency_key_in_progress' })
    await giveUp(about.thread_id)
  })
  expect(first).toMatchObject({ state: 'failed', attempt: 1 })
  expect(inbox.outbox).toEqual([])
  let again: Promise<unknown> | undefined
  const waits = Promise.withResolvers<void>()
  const looksAgain = Promise.withResolvers<void>()
  const sleep = () => {
    waits.resolve()
    return looksAgain.promise
  }
  inBetween = async () => {
    await waits.promise
    await giveUp(about.thread_id)
    again = reply(about)
    await untilState(about.thread_id, 'waiting')
    looksAgain.resolve()
  }
  const second = await reply(about, {}, { ...inbox.ctx, sleep })
  expect(await again).toMatchObject({ state: 'sent', attempt: 3 })
  expect(second).toMatchObject({ state: 'sent', attempt: 3 })
  expect(inbox.outbox).toHaveLength(1)
})

test('one that was begun before a failover is not finished while the new primary is asked', async () => {
  const about = await conversation()
  inBetween = () => writeInstance({ sending_identity: 'the old primary' })
  expect(await reply(about)).toMatchObject({ state: 'failed' })
  expect(inbox.outbox).toEqual([])
  await forgetInstance()
  expect(await reply(about)).toMatchObject({ state: 'sent', attempt: 2 })
})

test('one that was begun before a hold is not finished', async () => {
  const about = await conversation()
  inBetween = () =>
    writeInstance({ sending_held_since: inbox.ctx.now(), sending_held_reason: 'operator' })
  expect(await reply(about)).toMatchObject({ state: 'failed' })
  expect(inbox.outbox).toEqual([])
  await forgetInstance()
  expect(await reply(about)).toMatchObject({ state: 'sent', attempt: 2 })
})

test('while sending is held none is begun, and who wrote it is told where to look', async () => {
  const about = await conversation()
  const { ctx } = inbox
  await writeInstance({ sending_held_since: ctx.now(), sending_held_reason: 'operator' })
  let elapsedMs = 0
  const impatient = { ...ctx, monotonicMs: () => (elapsedMs += 10_000) }
  expect(await reply(about, {}, impatient)).toMatchObject({
    ...{ state: 'failed', error_message: expect.stringContaining('outrider doctor') },
  })
  expect(inbox.outbox).toEqual([])
  await forgetInstance()
  // It would ask again by itself, after a while by this clock, which stands still.
  await sender.stop()
  sender = await inbox.startSender(senderContext())
  // Before that no service is there that could send it.
  await inbox.ctx.database.until(() => inbox.owner().buckets().length > 0)
  expect(await reply(about)).toMatchObject({ state: 'sent', attempt: 2 })
})

test("a change of the sender's name that was answered before the end of a reply holds for it", async () => {
  const about = await conversation()
  const { ctx, workspaceId } = inbox
  inBetween = () => updateMailbox(ctx, workspaceId, mailboxId, { display_name: 'Berg' }, operator)
  expect(await reply(about)).toMatchObject({ state: 'sent', attempt: 1 })
  expect(inbox.outbox.map(({ to }) => to)).toEqual([about.from])
  const mail = await simpleParser(inbox.outbox[0]?.source ?? '')
  expect(mail.from?.value).toEqual([{ address: 'anna@example.com', name: 'Berg' }])
  await updateMailbox(ctx, workspaceId, mailboxId, { display_name: null }, operator)
})

test('no reply leaves a mailbox that was paused before its end, nor one that waits behind it', async () => {
  const about = await conversation()
  const other = await conversation()
  const { ctx, workspaceId } = inbox
  let behind: Promise<unknown> | undefined
  const first = await replySlowly(about, async () => {
    behind = reply(other)
    await untilState(other.thread_id, 'waiting')
    await pauseMailbox(ctx, workspaceId, mailboxId, operator)
  })
  const refused = { state: 'failed', error_message: expect.stringContaining('was paused') }
  expect([first, await behind]).toMatchObject([refused, refused])
  expect(inbox.outbox).toEqual([])
  await resumeMailbox(ctx, workspaceId, mailboxId, operator)
  expect(await reply(about)).toMatchObject({ state: 'sent', attempt: 2 })
})

test('a reply whose mailbox is paused and resumed before its end is sent, and once', async () => {
  const about = await conversation()
  const { ctx, workspaceId } = inbox
  inBetween = async () => {
    await pauseMailbox(ctx, workspaceId, mailboxId, operator)
    await resumeMailbox(ctx, workspaceId, mailboxId, operator)
  }
  expect(await reply(about)).toMatchObject({ state: 'sent', attempt: 1 })
  expect(inbox.outbox.map(({ to }) => to)).toEqual([about.from])
})

test('no reply leaves a mailbox that was removed before its end, nor one that waits behind it', async () => {
  const about = await conversation()
  const behind = await conversation()
  const { ctx, workspaceId } = inbox
  const other = await inbox.createMailbox('carl@example.com', {}, proxy.port)
  const { peek } = ctx.database
  await peek
    .updateTable('threads')
    .set({ mailbox_id: other.id })
    .where('id', 'in', [about.thread_id, behind.thread_id])
    .execute()
  let second: Promise<unknown> | undefined
  const first = await replySlowly(about, async () => {
    second = reply(behind)
    await untilState(behind.thread_id, 'waiting')
    await removeMailbox(ctx, workspaceId, other.id, operator)
  })
  const refused = {
    ...{ state: 'failed', mailbox_id: other.id },
    error_message: expect.stringContaining('was removed meanwhile: connect its address again'),
  }
  expect([first, await second]).toMatchObject([refused, refused])
  expect(inbox.outbox).toEqual([])
})

/** What the database says of itself: it is the one of these tests, but for what is given. */
const writeInstance = (told: object) =>
  inbox.ctx.database.peek
    .insertInto('instance')
    .values({
      ...{ id: inbox.ctx.newId(), secret_key_id: 'k', timestamp_created: inbox.ctx.now() },
      ...told,
    })
    .execute()

const forgetInstance = () => inbox.ctx.database.peek.deleteFrom('instance').execute()

test('it waits for no gap and for no mailbox that is to be left alone for a while', async () => {
  const about = await conversation()
  const tomorrow = new Date(inbox.ctx.now().getTime() + 86_400_000)
  const { peek } = inbox.ctx.database
  await peek
    .updateTable('mailbox_lanes')
    .set({ next_send_at: tomorrow, not_before: tomorrow })
    .execute()
  expect(await reply(about)).toMatchObject({ state: 'sent' })
  const [day] = await peek.selectFrom('mailbox_days').select('sent').execute()
  expect(day?.sent).toBe(people)
  await peek.updateTable('mailbox_lanes').set({ next_send_at: null, not_before: null }).execute()
})

test('however many people answer, mails of campaigns leave in between', async () => {
  const about = await conversation()
  const { campaign } = await inbox.contact(['early@lead.example'])
  inbox.outbox.length = 0
  const { peek, until } = inbox.ctx.database
  const key = (number: number) => ({ ...about, idempotency_key: `many ${number}` })
  const others: Promise<unknown>[] = []
  inBetween = async () => {
    for (let number = 1; number <= 20; number++) others.push(reply(key(number)))
    const waiting = peek.selectFrom('sends').select('id').where('state', '=', 'waiting')
    await until(async () => (await waiting.execute()).length === 20)
    await inbox.addLeads(campaign.id, ['late@lead.example'])
  }
  await reply(key(0))
  await Promise.all(others)
  await inbox.waitForMails(22)
  const at = inbox.outbox.findIndex(({ to }) => to === 'late@lead.example')
  expect(at).toBeGreaterThan(0)
  expect(at).toBeLessThanOrEqual(8)
})

test('without a service that sends it is refused at once, and the same call sends it later', async () => {
  const about = await conversation()
  await sender.stop()
  await expect(reply(about)).rejects.toMatchObject({
    ...{ code: 'unavailable', message: expect.stringContaining('is not running') },
  })
  sender = await inbox.startSender(senderContext())
  expect(await reply(about)).toMatchObject({ state: 'sent', attempt: 1 })
  expect(inbox.outbox).toHaveLength(1)
})

test('what a service does not take within half a minute is not sent after it', async () => {
  const about = await conversation()
  await sender.stop()
  const { ctx } = inbox
  const { peek } = ctx.database
  const stalled = { id: ctx.newId(), kind: 'mailboxes', heartbeat_at: ctx.now() }
  await peek.insertInto('runners').values(stalled).execute()
  let waitedMs = 0
  const hurried: FreeContext = {
    ...ctx,
    monotonicMs: () => waitedMs,
    sleep: async (ms) => {
      waitedMs += 100 * ms
    },
  }
  const failed = await reply(about, {}, hurried)
  expect(failed).toMatchObject({ state: 'failed', attempt: 1 })
  expect(failed.error_message).toContain('within half a minute')
  await peek.deleteFrom('runners').where('id', '=', stalled.id).execute()
  sender = await inbox.startSender(senderContext())
  expect(await reply(about)).toMatchObject({ state: 'sent', attempt: 2 })
  expect(inbox.outbox).toHaveLength(1)
})

test('a reply that failed was not sent, and the same call sends it', async () => {
  const about = await conversation()
  fault = (moment) => (moment.startsWith('RCPT') ? { answer: '450 4.2.0 later\r\n' } : undefined)
  const failed = await reply(about)
  expect(failed).toMatchObject({ state: 'failed', error_code: '4.2.0', attempt: 1 })
  expect((await inThread(about.thread_id)).replies).toMatchObject([{ state: 'failed' }])
  fault = (moment) => (moment === '.' ? { answer: '554 5.7.1 no\r\n' } : undefined)
  expect(await reply(about)).toMatchObject({ state: 'failed', error_code: '5.7.1', attempt: 2 })
  expect(inbox.outbox).toEqual([])
  fault = () => undefined
  expect(await reply(about)).toMatchObject({
    ...{ state: 'sent', attempt: 3, error_code: null, message_id: failed.message_id },
  })
  expect(inbox.outbox).toHaveLength(1)
})

test('one that failed is sent again from where and to whom an answer goes by then, and over nobody', async () => {
  const about = await conversation()
  const last = async () => (await threadOf(about.thread_id))?.last_message_id
  const seen_message_id = await last()
  fault = (moment) => (moment.startsWith('RCPT') ? { answer: '450 4.2.0 later\r\n' } : undefined)
  expect(await reply(about, { seen_message_id })).toMatchObject({ state: 'failed' })
  fault = () => undefined
  const colleague = { ...about, idempotency_key: 'of a colleague' }
  expect(await reply(colleague, { seen_message_id })).toMatchObject({ state: 'sent' })
  // What failed is said no more where it was answered since.
  expect(await inThread(about.thread_id)).toMatchObject({ replies: [] })
  const again = reply(about, { seen_message_id })
  await expect(again).rejects.toMatchObject({ code: 'version_conflict' })
  expect(inbox.outbox).toHaveLength(1)

  const other = await inbox.createMailbox('bert@example.com')
  inbox.arrive(
    letter({
      from: 'assistant@lead.example',
      headers: ['Message-ID: <assistant@lead.example>', `In-Reply-To: ${about.messageId}`],
    }),
  )
  await inbox.untilRead(async () =>
    (await threadOf(about.thread_id))?.from_address === 'assistant@lead.example' ? true : undefined,
  )
  await inbox.ctx.database.peek
    .updateTable('threads')
    .set({ mailbox_id: other.id })
    .where('id', '=', about.thread_id)
    .execute()
  const sent = await reply(about, { seen_message_id: await last() })
  expect(sent).toMatchObject({ state: 'sent', attempt: 2, mailbox_id: other.id })
  const mail = await simpleParser(inbox.outbox[1]?.source ?? '')
  expect(mail.from?.value[0]?.address).toBe('bert@example.com')
  expect(inbox.outbox[1]?.to).toBe('assistant@lead.example')
})

test('what nobody knows to have arrived is never sent again, and settled by its copy', async () => {
  const about = await conversation()
  fault = (moment) => (moment === '.' ? 'drop-after' : undefined)
  expect(await reply(about)).toMatchObject({ state: 'uncertain' })
  fault = () => undefined
  expect(await reply(about)).toMatchObject({ state: 'uncertain' })
  expect(inbox.outbox).toHaveLength(1)
  expect(await inThread(about.thread_id)).toMatchObject({ replies: [{ state: 'uncertain' }] })

  const answer = `In-Reply-To: ${(await reply(about)).message_id}`
  inbox.arrive(letter({ from: about.from, headers: ['Message-ID: <u@lead.example>', answer] }))
  await inbox.untilRead(async () =>
    (await inThread(about.thread_id)).replies.length === 0 ? true : undefined,
  )
  expect((await inThread(about.thread_id)).kinds).toEqual(['reply', 'manual', 'reply', 'step'])
  expect(await reply(about)).toMatchObject({ state: 'sent' })
})

test('what a person says of an uncertain answer holds: it arrived, or it is sent again', async () => {
  const { ctx, workspaceId } = inbox
  const by = operator
  const leaveUncertain = async () => {
    const about = await conversation()
    fault = (moment) => (moment === '.' ? 'drop-after' : undefined)
    const { id } = await reply(about)
    fault = () => undefined
    return { ...about, id }
  }
  const arrived = await leaveUncertain()
  await confirmArrived(ctx, workspaceId, arrived.id, by)
  expect(await inThread(arrived.thread_id)).toEqual({
    ...{ kinds: ['manual', 'reply', 'step'], replies: [] },
  })
  const lost = await leaveUncertain()
  const listed = async (id: string) =>
    (await listUncertain(ctx, workspaceId)).find((send) => send.id === id)
  expect(await listed(lost.id)).toMatchObject({ step: null, lead_email: lost.from })
  inbox.outbox.length = 0
  expect(await sendAgain(ctx, workspaceId, lost.id, by)).toMatchObject({ state: 'waiting' })
  await inbox.waitForLedger((sends) =>
    sends.some(({ lead_id, state, attempt }) => {
      return lead_id === lost.thread_id && state === 'sent' && attempt === 2
    }),
  )
  expect(inbox.outbox.map(({ to }) => to)).toEqual([lost.from])
  expect(await inThread(lost.thread_id)).toMatchObject({ replies: [] })

  // What cannot go out again stays what it was: nobody knows.
  const refused = await leaveUncertain()
  await addSuppression(ctx, workspaceId, refused.from, operator)
  const again = sendAgain(ctx, workspaceId, refused.id, by)
  await expect(again).rejects.toMatchObject({ code: 'not_eligible' })
  expect(await listed(refused.id)).toBeDefined()
  await confirmArrived(ctx, workspaceId, refused.id, by)
})

test('an answer that nobody takes is withdrawn, and neither sent later nor in the way of another', async () => {
  const { ctx, workspaceId } = inbox
  const { peek } = ctx.database
  const about = await conversation()
  fault = (moment) => (moment === '.' ? 'drop-after' : undefined)
  const { id } = await reply(about)
  fault = () => undefined
  inbox.outbox.length = 0
  await pauseMailbox(ctx, workspaceId, mailboxId, operator)
  const again = sendAgain(ctx, workspaceId, id, operator)
  await expect(again).rejects.toMatchObject({
    ...{ code: 'not_eligible', message: expect.stringContaining('paused') },
  })
  // As a process leaves it that ended while it waited.
  const waits_since = new Date(ctx.now().getTime() - 31_000)
  await peek
    .updateTable('sends')
    .set({ state: 'waiting', waits_since, look_at: null })
    .where('id', '=', id)
    .execute()
  await resumeMailbox(ctx, workspaceId, mailboxId, operator)
  await untilState(about.thread_id, 'failed')
  const { last_message_id } = (await threadOf(about.thread_id)) ?? { last_message_id: '' }
  const other = { ...about, idempotency_key: 'instead' }
  const instead = await reply(other, { text: 'Instead.', seen_message_id: last_message_id })
  expect(instead).toMatchObject({ state: 'sent' })
  expect(inbox.outbox).toHaveLength(1)
})

test('two calls at a time send one mail', async () => {
  const about = await conversation()
  const settled = await Promise.allSettled([reply(about), reply(about), reply(about)])
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
  expect(new Set(refused)).toEqual(new Set(['idempotency_key_in_progress']))
  expect(inbox.outbox).toHaveLength(1)
})

/** A reply whose runner ended in this state. */
async function leftBehind(state: 'claimed' | 'transmitting') {
  const about = await conversation()
  fault = (moment) => (moment.startsWith('MAIL') ? { answer: '421 no\r\n' } : undefined)
  await reply(about)
  fault = () => undefined
  await sender.stop()
  const { ctx } = inbox
  const timestamp_transmitting = state === 'transmitting' ? ctx.now() : null
  await ctx.database.peek
    .updateTable('sends')
    .set({ state, timestamp_transmitting })
    .where('lead_id', '=', about.thread_id)
    .where('kind', '=', 'manual')
    .execute()
  await ctx.database.peek.updateTable('mailbox_lanes').set({ wake_at: ctx.now() }).execute()
  sender = await inbox.startSender(senderContext())
  await untilState(about.thread_id, state === 'claimed' ? 'failed' : 'uncertain')
  return about
}

test('what an ended runner did not finish is sent by the next call, and what it may have sent is not', async () => {
  const claimed = await leftBehind('claimed')
  const transmitting = await leftBehind('transmitting')
  expect(await reply(claimed)).toMatchObject({ state: 'sent', attempt: 2 })
  expect(await reply(transmitting)).toMatchObject({ state: 'uncertain', attempt: 1 })
  expect(inbox.outbox).toHaveLength(1)
})

test('nobody has to ask to see what became of them', async () => {
  const claimed = await leftBehind('claimed')
  const transmitting = await leftBehind('transmitting')
  expect((await inThread(claimed.thread_id)).replies).toMatchObject([
    { state: 'failed', error_message: expect.stringContaining('before it was sent') },
  ])
  expect((await inThread(transmitting.thread_id)).replies).toMatchObject([{ state: 'uncertain' }])
})

test('a paused mailbox sends no reply, and neither does an empty one', async () => {
  const about = await conversation()
  await pauseMailbox(inbox.ctx, inbox.workspaceId, mailboxId, operator)
  await expect(reply(about)).rejects.toMatchObject({ code: 'not_eligible' })
  await resumeMailbox(inbox.ctx, inbox.workspaceId, mailboxId, operator)
  await expect(reply(about, { text: ' ' })).rejects.toMatchObject({ code: 'invalid_field' })
  const nobody = { ...about, thread_id: inbox.ctx.newId() }
  await expect(reply(nobody)).rejects.toMatchObject({ code: 'not_found' })
})
