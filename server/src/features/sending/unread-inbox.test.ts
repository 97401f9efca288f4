import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Inbox, letter, testInbox } from '../../../test/inbox.ts'
import { startProxy } from '../../../test/mail/proxy-server.ts'
import { keepInboxRead } from '../../../test/sending.ts'
import { ensurePartitions } from '../../partitions.ts'
import { operator } from '../audit/index.ts'
import { pauseMailbox, resumeMailbox } from '../mailboxes/index.ts'

// The second step is due two days after the first; ada answers that, bob does not.

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
  // Nothing waits for long.
  inbox.ctx.sleep = (ms, signal) =>
    wait(Math.min(ms, 30), undefined, { ...(signal ? { signal } : {}) }).catch(() => undefined)
})
afterEach(() => inbox[Symbol.asyncDispose]())

const ada = 'ada@lead.example'
const bob = 'bob@lead.example'

const answer = (messageId: string) =>
  letter({ from: ada, headers: [`In-Reply-To: ${messageId}`, 'Message-ID: <yes@lead.example>'] })

/** What lies in the inbox unread, and two leads whose next mail is due. */
async function dueWhileUnread({ leadId, messageId }: { leadId: string; messageId: string }) {
  inbox.arrive(answer(messageId))
  // Less than the three days that the first reading of a folder looks back.
  inbox.ctx.clock.advance(60 * 3_600_000)
  await ensurePartitions(inbox.ctx)
  return { adaId: leadId }
}

/** Resolves when a reading of the mailbox is kept: it is so once all of its folders were read. */
const untilReadingKept = (id: string) =>
  inbox.ctx.database.until(async () => {
    const mailboxes = inbox.ctx.database.peek.selectFrom('mailboxes').select('inbox_read_at')
    const { inbox_read_at } = await mailboxes.where('id', '=', id).executeTakeFirstOrThrow()
    return inbox_read_at !== null
  })

/** Every attempt, also those that nothing came of. */
const attemptsOf = async (leadId: string) =>
  (await inbox.ledger())
    .filter(({ lead_id }) => lead_id === leadId)
    .map(({ step, state }) => `${step} ${state}`)

const bobGotBoth = (adaId: string) =>
  inbox.waitForLedger((entries) =>
    entries.some(({ lead_id, step, state }) => lead_id !== adaId && step === 2 && state === 'sent'),
  )

test('after a restart follow-ups wait until the mailbox was read, and who has answered gets none', async () => {
  const { adaId } = await dueWhileUnread(await inbox.contact([bob, ada]))
  await inbox.startRunner()
  await inbox.untilAsleep()
  expect(inbox.outbox).toHaveLength(2)
  inbox.startReader()
  await bobGotBoth(adaId)
  await inbox.waitForEvents('lead.replied')
  await inbox.untilAsleep()
  expect(await attemptsOf(adaId)).toEqual(['1 sent'])
})

test('a reading from before the start of a process does not count, however short the time', async () => {
  const contacted = await inbox.contact([bob, ada])
  inbox.ctx.clock.advance(60 * 3_600_000)
  await ensurePartitions(inbox.ctx)
  const reader = inbox.startReader()
  await untilReadingKept(contacted.mailbox.id)
  await reader.stop()
  inbox.arrive(answer(contacted.messageId))
  // The process starts after that reading, and a second is short enough.
  inbox.ctx.clock.advance(1_000)
  await inbox.startRunner()
  await inbox.untilAsleep()
  expect(inbox.outbox).toHaveLength(2)
  inbox.startReader()
  await bobGotBoth(contacted.leadId)
  expect(await attemptsOf(contacted.leadId)).toEqual(['1 sent'])
})

test('a reading does not count for long: who nobody reads any more sends no follow-up', async () => {
  const contacted = await inbox.contact([bob, ada])
  await inbox.startRunner()
  const reader = inbox.startReader()
  await untilReadingKept(contacted.mailbox.id)
  await reader.stop()
  // The clock that readings go by, before the one by which the follow-ups fall due.
  await inbox.ctx.database.setClock(new Date(inbox.ctx.now().getTime() + 60 * 3_600_000))
  await dueWhileUnread(contacted)
  // Whoever plans for her plans for the others, too.
  await inbox.addLeads(contacted.campaign.id, ['eve@lead.example'])
  await inbox.waitForMails(3)
  await inbox.untilAsleep()
  expect(await attemptsOf(contacted.leadId)).toEqual(['1 sent'])
  inbox.startReader()
  await bobGotBoth(contacted.leadId)
  expect(await attemptsOf(contacted.leadId)).toEqual(['1 sent'])
})

test('a mailbox that is resumed sends no follow-up before it was read again', async () => {
  const contacted = await inbox.contact([bob, ada])
  const { ctx, workspaceId } = inbox
  const reader = inbox.startReader()
  await inbox.startRunner()
  await inbox.readAll()
  const { id } = contacted.mailbox
  await pauseMailbox(ctx, workspaceId, id, operator)
  await ctx.database.until(() => reader.mailboxesRead() === 0)
  const { adaId } = await dueWhileUnread(contacted)
  await resumeMailbox(ctx, workspaceId, id, operator)
  await bobGotBoth(adaId)
  await inbox.waitForEvents('lead.replied')
  await inbox.untilAsleep()
  expect(await attemptsOf(adaId)).toEqual(['1 sent'])
})

test('follow-ups wait for a mail server that takes its time to greet', async () => {
  const greeting = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<void>()
  await using proxy = await startProxy(inbox.imapPort, (client, server) => {
    waiting.resolve()
    void greeting.promise.then(() => client.pipe(server).pipe(client))
  })
  await inbox.createReadMailbox(proxy.port)
  const { adaId } = await dueWhileUnread(await inbox.contact([bob, ada]))
  await inbox.startRunner()
  inbox.startReader()
  await waiting.promise
  await inbox.untilAsleep()
  expect(inbox.outbox).toHaveLength(2)
  greeting.resolve()
  await bobGotBoth(adaId)
  await inbox.waitForEvents('lead.replied')
  await inbox.untilAsleep()
  expect(await attemptsOf(adaId)).toEqual(['1 sent'])
})

test('a reading that woke nobody is noticed a quarter of an hour later', async () => {
  const contacted = await inbox.contact([bob])
  await dueWhileUnread(contacted)
  await inbox.startRunner()
  await inbox.untilAsleep()
  expect(inbox.outbox).toHaveLength(1)
  await keepInboxRead(inbox.ctx.database.peek, contacted.mailbox.id)
  inbox.ctx.clock.advance(15 * 60_000)
  await inbox.waitForMails(2)
})

test('first mails wait for no reading', async () => {
  const { campaign } = await inbox.contact([bob])
  await inbox.startRunner()
  await inbox.addLeads(campaign.id, [ada])
  await inbox.waitForMails(2)
})

test('a mailbox whose connection was lost sends no follow-up until it was read again', async () => {
  const lost = Promise.withResolvers<void>()
  const greeting = Promise.withResolvers<void>()
  let isBusy = false
  await using proxy = await startProxy(inbox.imapPort, (client, server) => {
    if (isBusy) lost.resolve()
    void (isBusy ? greeting.promise : Promise.resolve()).then(() =>
      client.pipe(server).pipe(client),
    )
  })
  await inbox.createReadMailbox(proxy.port)
  const contacted = await inbox.contact([bob, ada])
  inbox.startReader()
  await inbox.startRunner()
  await untilReadingKept(contacted.mailbox.id)
  isBusy = true
  proxy.drop()
  await lost.promise
  const { adaId } = await dueWhileUnread(contacted)
  await inbox.addLeads(contacted.campaign.id, ['eve@lead.example'])
  await inbox.waitForMails(3)
  await inbox.untilAsleep()
  expect(await attemptsOf(adaId)).toEqual(['1 sent'])
  greeting.resolve()
  await bobGotBoth(adaId)
  expect(await attemptsOf(adaId)).toEqual(['1 sent'])
})

test('while our own database is away follow-ups wait, and it is tried again every 15 s, not as rarely as a mail server', async () => {
  const { ctx } = inbox
  const { peek } = ctx.database
  const { adaId } = await dueWhileUnread(await inbox.contact([bob, ada]))
  // Whoever waits goes by the clock of the test.
  const pauses: number[] = []
  ctx.sleep = async (ms, signal) => {
    // Others rest, too, and this one for milliseconds between two connections.
    if (ms > 1_000 && new Error().stack?.includes('follow-mailbox')) pauses.push(ms)
    const until = ctx.now().getTime() + ms
    while (!signal?.aborted && ctx.now().getTime() < until) await wait(5)
  }
  const passingUntil = async (isDone: () => unknown) => {
    while (!(await isDone())) {
      ctx.clock.advance(250)
      await wait(5)
    }
  }
  await sql`create function away() returns trigger language plpgsql as
    $$ begin raise exception 'away' using errcode = '57P03'; end $$`.execute(peek)
  await sql`create trigger away before update of inbox_read_at on mailboxes
    for each row execute function away()`.execute(peek)
  await inbox.startRunner()
  inbox.startReader()
  const failures = () =>
    ctx.logLines.filter((line) => line.includes('a mailbox is not read for the moment')).length
  await passingUntil(() => failures() >= 6)
  await inbox.untilAsleep()
  expect(inbox.outbox).toHaveLength(2)

  await sql`drop trigger away on mailboxes`.execute(peek)
  const mailbox = peek.selectFrom('mailboxes').select('inbox_read_at')
  await passingUntil(async () => (await mailbox.executeTakeFirstOrThrow()).inbox_read_at)
  // One for each failure: once the two shorter ones are over they are drawn from 12 to 18 s.
  expect(pauses).toHaveLength(failures())
  expect(pauses.slice(2).filter((ms) => ms < 12_000 || ms > 18_000)).toEqual([])
  await bobGotBoth(adaId)
  expect(await attemptsOf(adaId)).toEqual(['1 sent'])
})
