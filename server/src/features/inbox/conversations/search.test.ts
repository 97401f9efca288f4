import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, setUp } from '../../../../test/browser.ts'
import { asService } from '../../../../test/context.ts'
import { addMails } from '../../../../test/conversations.ts'
import { type Inbox, letter, testInbox } from '../../../../test/inbox.ts'
import { tablesWith } from '../../../../test/tables-with.ts'
import { dropPartition, listPartitions } from '../../../kernel/db/partitions.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import { ensurePartitions } from '../../../partitions.ts'
import { eraseLead } from '../../erasure/index.ts'
import { indexThreads, renewThreadWords } from '../../messages/index.ts'
import { messagesTable } from '../../messages/retention.ts'
import { forgetDroppedReplies } from '../../sending/index.ts'
import { replyInThread } from '../index.ts'

let inbox: Inbox
let owner: Browser
beforeAll(async () => {
  inbox = await testInbox()
  owner = await setUp(inbox)
  // Before the reader, which looks for new ones every 5 s.
  await inbox.createReadMailbox()
  inbox.startReader()
  await inbox.startSender()
})
afterAll(() => inbox[Symbol.asyncDispose]())

const ask = (path: string) =>
  owner.call('GET', `/app${path}`, { headers: { 'x-workspace-id': inbox.workspaceId } })

interface Row {
  id: string
  excerpt: { text: string; is_match: boolean }[] | null
}

const search = async (words: string, more = ''): Promise<Row[]> =>
  (await ask(`/threads?limit=100${more}&search=${encodeURIComponent(words)}`)).body.items
const found = async (words: string, more = '') => (await search(words, more)).map(({ id }) => id)
const marked = async (words: string) =>
  (await search(words))[0]?.excerpt?.map(({ text, is_match }) => (is_match ? `[${text}]` : text))

let people = 0

/** Somebody has answered, with this. */
async function answered(body: string, more: { first_name?: string; subject?: string } = {}) {
  people += 1
  const email = `seeker${people}@lead.example`
  const { first_name = 'Ada', ...mail } = more
  const lead = { email, first_name, company_name: 'Zeppelin Werft' }
  const { leadId, messageId } = await inbox.contact([lead as unknown as string])
  const headers = [`In-Reply-To: ${messageId}`]
  inbox.arrive(letter({ from: email, headers, body, ...mail }))
  const isThere = async () => (await ask(`/threads/${leadId}`)).status === 200 || undefined
  await inbox.untilRead(isThere)
  return { id: leadId, email }
}

const peek = () => inbox.ctx.database.peek
const upkeep = (ctx = inbox.ctx) =>
  renewThreadWords(ctx, inbox.workspaceId, new AbortController().signal)

test('a conversation is found by all of the words together, wherever in it they stand', async () => {
  const { id } = await answered('We have a framework agreement with a supplier.', {
    ...{ first_name: 'Zoë', subject: 'Re: Quicksilver' },
  })
  for (const words of [
    ...['framework', 'agreement framework', 'FRAMEWORK zoe', 'Quicksilver supplier'],
    ...['zeppelin framework', 'framework, agreement!', `framework seeker${people}@lead.example`],
  ]) {
    expect([words, await found(words)]).toEqual([words, [id]])
  }
  expect(await found('framework nothing')).toEqual([])
  expect(await found('framework', '&view=done')).toEqual([])
})

test('only the last word may go on, and in any script and with any accents', async () => {
  const { id } = await answered('Żółte gęsi, Straße: 東京都に住んでいます。 İstanbul’a')
  expect(await found('zolte ges')).toEqual([id])
  expect(await found('zolt gesi')).toEqual([])
  expect(await found('STRASSE')).toEqual([id])
  expect(await found('京都')).toEqual([id])
  expect(await found('東京都に住')).toEqual([id])
  expect(await found('istanbul')).toEqual([id])
})

test('what somebody types is never read as an expression', async () => {
  await answered("It's a 'quoted' \\ text & more")
  for (const words of ["'", "''", '\\', ':*', '&', '!a', "a' | 'b", '(', "quoted':*", '%']) {
    expect((await ask(`/threads?search=${encodeURIComponent(words)}`)).status).toBe(200)
  }
  expect(await found("it's quoted")).toHaveLength(1)
  expect(await found("nobody' | 'quoted")).toEqual([])
})

test('the words of a search are told as the conversation spells them, for marking them in its mails', async () => {
  const { id } = await answered('Das Getriebe der Förderanlagen und Anna’s 東京都庁. GETRIEBE!')
  const spelt = async (words: string) =>
    (await ask(`/threads/${id}/found-words?search=${encodeURIComponent(words)}`)).body.words
  expect(await spelt('getriebe forder')).toEqual(['Getriebe', 'Förderanlagen', 'GETRIEBE'])
  // Neighbours of a script without spaces are one word to look at.
  expect(await spelt('annas 東京都')).toEqual(['Anna’s', '東京都'])
  expect(await spelt('nothing')).toEqual([])
  expect(await spelt('...')).toEqual([])
  const other = await ask(`/threads/${inbox.ctx.newId()}/found-words?search=getriebe`)
  expect(other.status).toBe(404)
})

test('a row shows the mail around what was found, with the words marked', async () => {
  const long = 'Lorem ipsum dolor sit amet. '.repeat(20)
  await answered(`${long}The gearbox of\nmachine seven is gone. ${long}`)
  const parts = await marked('gearbox mach')
  expect(parts?.join('')).toContain('The [gearbox] of [machine] seven is gone.')
  expect(parts?.join('')).toMatch(/^… .{5,60}\[gearbox\].*…$/)
  expect((await marked('gearbox'))?.join('').length).toBeLessThan(200)
  expect(await marked(`seeker${people}`)).toBeUndefined()
  const { items } = (await ask('/threads?limit=1')).body
  expect(items[0].excerpt).toBeNull()
})

test('excerpts are looked for in so many characters of the newest mails, however long the mails are', async () => {
  const { id } = await answered('The needle is here.')
  const answerAtLength = (count: number) =>
    addMails(inbox.ctx, inbox.workspaceId, id, count, () => 'hay '.repeat(4_000))
  await answerAtLength(10)
  expect((await marked('needle'))?.join('')).toContain('The [needle] is here.')
  await answerAtLength(4)
  expect(await search('needle')).toMatchObject([{ id, excerpt: null }])
})

test('what we answer is found at once, what a campaign sends after upkeep', async () => {
  const { id } = await answered('And then?')
  const { ctx, workspaceId } = inbox
  await replyInThread(ctx, workspaceId, {
    ...{ thread_id: id, text: 'Have a look at the marmalade.', idempotency_key: id },
  })
  expect(await found('marmalade')).toEqual([id])
  await peek().updateTable('leads').set({ first_name: 'Wilhelmina' }).where('id', '=', id).execute()
  inbox.ctx.clock.advance(1000)
  await peek()
    .updateTable('leads')
    .set({ timestamp_updated: inbox.ctx.now() })
    .where('id', '=', id)
    .execute()
  inbox.ctx.clock.advance(1000)
  expect(await found('wilhelmina')).toEqual([])
  await upkeep()
  expect(await found('wilhelmina')).toEqual([id])
})

test('upkeep makes what was there before found, and forgets the words of mails that are gone alone', async () => {
  const { id } = await answered('The porcelain is broken.')
  await peek().deleteFrom('thread_words').execute()
  expect(await found('porcelain')).toEqual([])
  await upkeep()
  expect(await found('porcelain')).toEqual([id])

  await peek().deleteFrom('messages').where('thread_id', '=', id).execute()
  await upkeep()
  expect(await found('porcelain')).toEqual([id])
  // Of this one a mail is left.
  const { id: whole } = await answered('The teapot is whole.')
  const longAgo = firstIdAt(new Date(0))
  await peek()
    .updateTable('thread_words')
    .set({ oldest_message_id: longAgo })
    .where('thread_id', 'in', [id, whole])
    .execute()
  await upkeep(forgetful())
  expect(await found('porcelain')).toEqual([])
  expect(await found(`seeker${people - 1}`)).toEqual([id])
  expect(await found('teapot')).toEqual([whole])
})

test('what people wrote is shown nowhere once the mails are gone, and no answer can be sent again', async () => {
  const { ctx, workspaceId } = inbox
  const { id } = await answered('The sextant is broken.', { subject: 'Sextants' })
  const reply = { thread_id: id, text: 'We mend sextants.', idempotency_key: id }
  await replyInThread(ctx, workspaceId, reply)
  const forget = async () => {
    await upkeep(forgetful())
    await forgetDroppedReplies(forgetful(), workspaceId)
  }
  await forget()
  expect((await ask(`/threads/${id}`)).body).toMatchObject({ snippet: 'We mend sextants.' })
  await dropMessages()
  try {
    await forget()
    const named = await tablesWith(peek(), 'sextant')
    expect(named.filter((table) => !['events', 'deliveries'].includes(table))).toEqual([])
    expect((await ask(`/threads/${id}`)).body).toMatchObject({ subject: '', snippet: '' })
    await expect(replyInThread(ctx, workspaceId, reply)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    })
  } finally {
    await ensurePartitions(ctx)
  }
})

test('an answer of which nobody knows whether it was sent keeps its words until that is decided', async () => {
  const { ctx, workspaceId } = inbox
  const { id } = await answered('Is the astrolabe mended?')
  const reply = { thread_id: id, text: 'Tomorrow.', idempotency_key: id }
  await replyInThread(ctx, workspaceId, reply)
  const sends = () => peek().selectFrom('sends').where('kind', '=', 'manual')
  const { id: answer } = await sends()
    .select('id')
    .where('lead_id', '=', id)
    .executeTakeFirstOrThrow()
  await peek().updateTable('sends').set({ state: 'uncertain' }).where('id', '=', answer).execute()
  await dropMessages()
  try {
    await forgetDroppedReplies(forgetful(), workspaceId)
    const [kept] = await sends().select('reply').where('id', '=', answer).execute()
    expect(kept?.reply).toMatchObject({ text: 'Tomorrow.' })
  } finally {
    await ensurePartitions(ctx)
  }
})

/** As where MESSAGE_RETENTION_DAYS is set. */
const forgetful = () => ({
  ...inbox.ctx,
  config: { ...inbox.ctx.config, messageRetentionDays: 30 },
})

/** As if all of them were past their retention time. */
async function dropMessages() {
  const { db } = asService(inbox.ctx)
  for (const week of await listPartitions(db, messagesTable)) {
    if (week.start <= inbox.ctx.now()) await dropPartition(db, messagesTable, week)
  }
}

test('of a common word the newest conversations are listed, each page after the other', async () => {
  const { id, email } = await answered('A common opinion.')
  const { workspaceId } = inbox
  const lead = await peek()
    .selectFrom('threads')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  // More than are sorted: rows of the past beside the real one.
  await sql`
    insert into threads select (jsonb_populate_record(t, jsonb_build_object('id', new.id, 'sort_id', new.id))).*
    from threads t cross join (select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid as id
      from generate_series(1, 5010) n) new
    where t.workspace_id = ${workspaceId}::uuid and t.id = ${id}::uuid`.execute(peek())
  await sql`
    insert into thread_words
    select t.workspace_id, t.id, null, w.words, w.timestamp_updated
    from threads t join thread_words w on w.workspace_id = t.workspace_id and w.thread_id = ${id}::uuid
    where t.workspace_id = ${workspaceId}::uuid and t.sort_id < ${lead.sort_id}::uuid
      and t.id < ${firstIdAt(new Date(1))}::uuid`.execute(peek())
  const { body } = await ask('/threads?limit=2&search=opinion')
  expect(body.items[0]).toMatchObject({ id, lead_email: email })
  const next = await ask(
    `/threads?limit=2&search=opinion&starting_after=${body.next_starting_after}`,
  )
  expect(next.body.items.map((row: Row) => row.id)).toEqual([
    '00000000-0000-7000-8000-000000005009',
    '00000000-0000-7000-8000-000000005008',
  ])
  await sql`delete from threads where id < ${firstIdAt(new Date(1))}::uuid`.execute(peek())
})

test('nobody finds a conversation of another workspace', async () => {
  const { id } = await answered('The secret of the pyramid.')
  const stranger = await inbox.createStranger()
  const { ctx } = inbox
  await transaction(ctx, (tx) => indexThreads(tx, stranger.workspaceId, [id]))
  const rows = await peek()
    .selectFrom('thread_words')
    .select('workspace_id')
    .where('thread_id', '=', id)
    .execute()
  expect(rows).toEqual([{ workspace_id: inbox.workspaceId }])
})

test('who is erased is found by no word any more, neither in their own mails nor in those of others', async () => {
  const ada = await answered('My walrus is called Tusker.')
  const bob = await answered(`Ask ${ada.email} about the ferret.`)
  expect(await found('walrus')).toEqual([ada.id])
  expect(await found(`ferret ${ada.email}`)).toEqual([bob.id])
  await eraseLead(inbox.ctx, ada.email)
  expect(await found('walrus')).toEqual([])
  expect(await found('ferret')).toEqual([bob.id])
  expect(await found(ada.email)).toEqual([])
  const { rows } = await sql<{ words: number }>`
    select count(*)::integer as words from thread_words
    where words::text like '%tusker%' or words::text like ${`%${ada.email.split('@')[0]}'%`}`.execute(
    peek(),
  )
  expect(rows).toEqual([{ words: 0 }])
})
