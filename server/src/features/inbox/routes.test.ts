import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Browser, openBrowser, setUp } from '../../../test/browser.ts'
import { addMails } from '../../../test/conversations.ts'
import { type Inbox, letter, testInbox } from '../../../test/inbox.ts'
import { patience } from '../../../test/patience.ts'
import { createMember } from '../../../test/people.ts'
import { bind } from '../../kernel/db/db.ts'
import { listAudit, operator } from '../audit/index.ts'
import { addSuppression } from '../suppression/index.ts'
import { tokenBoxOf, webLinks } from '../tracking/index.ts'
import { showConversation } from './conversations/shown-conversation.ts'

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

const ask = (method: string, path: string, body?: object, more: Record<string, string> = {}) =>
  owner.call(method, `/app${path}`, {
    ...(body ? { body } : {}),
    headers: { 'x-workspace-id': inbox.workspaceId, ...more },
  })

let people = 0

/** Somebody has answered, with this. */
async function answered(
  mail: { headers?: string[]; body?: string; from?: string } = {},
  campaign: object = {},
) {
  people += 1
  const email = `person${people}@lead.example`
  const lead = { email, first_name: 'Ada', last_name: `Nr. ${people}`, company_name: 'Lead Ltd' }
  const { leadId, messageId } = await inbox.contact([lead as unknown as string], campaign)
  const { headers = [], ...rest } = mail
  inbox.arrive(letter({ from: email, headers: [`In-Reply-To: ${messageId}`, ...headers], ...rest }))
  await inbox.untilRead(async () => ((await thread(leadId)).status === 200 ? true : undefined))
  return { id: leadId, email, messageId }
}

const thread = (id: string) => ask('GET', `/threads/${id}`)
const idsOf = async (query: string) =>
  (await ask('GET', `/threads?limit=100${query}`)).body.items.map((each: { id: string }) => each.id)
const counts = async () => (await ask('GET', '/threads/counts')).body

test('a reply waits until it is answered, done or put off, and comes back when something comes in', async () => {
  const { id, messageId, email } = await answered()
  const waits = async () => (await idsOf('&view=waiting')).includes(id)
  expect(await waits()).toBe(true)
  await ask('POST', '/threads/done', { ids: [id], done: true })
  expect(await waits()).toBe(false)
  expect(await idsOf('&view=done')).toContain(id)
  await ask('POST', '/threads/done', { ids: [id], done: false })
  expect(await waits()).toBe(true)

  const until = new Date(inbox.ctx.now().getTime() + 3 * 86_400_000)
  const snooze = (to?: Date) =>
    ask('POST', '/threads/snooze', { ids: [id], ...(to ? { until: to.toISOString() } : {}) })
  expect((await snooze(until)).status).toBe(200)
  expect(await waits()).toBe(false)
  expect(await idsOf('&view=snoozed')).toContain(id)
  await snooze()
  expect(await waits()).toBe(true)
  await snooze(until)
  inbox.arrive(letter({ from: email, headers: [`In-Reply-To: ${messageId}`], body: 'And?' }))
  await inbox.untilRead(async () => ((await waits()) ? true : undefined))

  const sent = await ask('POST', `/threads/${id}/reply`, { text: 'Gladly.' })
  expect(sent.body).toMatchObject({ state: 'sent', to_address: email })
  expect(await waits()).toBe(false)
  const { items } = await listAudit(
    inbox.ctx,
    inbox.workspaceId,
    { limit: 9, startingAfter: undefined },
    { action: 'thread.', subjectId: id },
  )
  const actions = items.map(({ action }) => action)
  expect(actions).toContain('thread.answered')
  expect(actions.toReversed().slice(0, 3)).toEqual([
    'thread.done',
    'thread.reopened',
    'thread.snoozed',
  ])
  expect(items.every(({ actor_type }) => actor_type === 'user')).toBe(true)
})

test('what came in while somebody decided is neither put away nor read unseen', async () => {
  const { id, email, messageId } = await answered()
  const { last_message_id: seen_message_id } = (await thread(id)).body
  const newer = async () => (await thread(id)).body.last_message_id !== seen_message_id
  inbox.arrive(letter({ from: email, headers: [`In-Reply-To: ${messageId}`], body: 'Wait!' }))
  await inbox.untilRead(async () => ((await newer()) ? true : undefined))
  const until = new Date(inbox.ctx.now().getTime() + 3_600_000).toISOString()
  const seen = { ids: [id], seen_message_id }
  for (const answer of [
    await ask('POST', '/threads/done', { ...seen, done: true }),
    await ask('POST', '/threads/snooze', { ...seen, until }),
  ]) {
    expect(answer).toMatchObject({ status: 409, body: { code: 'version_conflict' } })
  }
  await ask('POST', '/threads/read', { ...seen, read: true })
  expect((await thread(id)).body).toMatchObject({
    ...{ timestamp_done: null, snoozed_until: null, unread: true, waiting: true },
  })

  // A colleague has looked at it meanwhile.
  await ask('POST', '/threads/read', { ids: [id], read: true })
  expect((await ask('POST', '/threads/done', { ...seen, done: true })).status).toBe(409)
  await ask('POST', '/threads/read', { ids: [id], read: false })

  const { last_message_id } = (await thread(id)).body
  const now = { ids: [id], seen_message_id: last_message_id }
  await ask('POST', '/threads/read', { ...now, read: true })
  expect((await thread(id)).body.unread).toBe(false)
  // An answer of one's own is nothing new.
  await ask('POST', `/threads/${id}/reply`, { text: 'I wait.' })
  expect((await ask('POST', '/threads/done', { ...now, done: true })).status).toBe(200)
})

test('what was put off is the newest of all once its time has come, and an undo finds it there', async () => {
  const first = await answered()
  const second = await answered()
  const until = new Date(inbox.ctx.now().getTime() + 3_600_000).toISOString()
  await ask('POST', '/threads/snooze', { ids: [first.id], until })
  expect((await idsOf('&view=waiting'))[0]).toBe(second.id)
  inbox.ctx.clock.advance(3_600_000)
  expect((await idsOf('&view=waiting')).slice(0, 2)).toEqual([first.id, second.id])

  // Answered and put off again, only its time tells that it was there: an undo gives it back.
  await ask('POST', `/threads/${first.id}/reply`, { text: 'I wait.' })
  await ask('POST', '/threads/snooze', { ids: [first.id], until })
  expect((await idsOf('&view=waiting')).slice(0, 2)).toEqual([first.id, second.id])
  const past = { ids: [first.id], until: '2001-01-01T00:00:00Z' }
  expect((await ask('POST', '/threads/snooze', past)).body.code).toBe('invalid_field')
})

test('an undo of what was put off leaves it above what came in before its last message', async () => {
  const colleague = 'cleo@ours.example'
  const first = await answered({}, { cc_list: [colleague] })
  const until = new Date(inbox.ctx.now().getTime() + 3_600_000).toISOString()
  await ask('POST', '/threads/snooze', { ids: [first.id], until })
  inbox.ctx.clock.advance(3_660_000)
  const second = await answered()
  inbox.ctx.clock.advance(60_000)
  const copied = [`In-Reply-To: ${first.messageId}`, 'Message-ID: <later@example.com>']
  inbox.arrive(letter({ from: colleague, headers: copied, body: 'I know them.' }))
  await inbox.untilRead(async () =>
    (await thread(first.id)).body.messages.length === 3 ? true : undefined,
  )
  const firstTwo = async () => (await idsOf('&view=waiting')).slice(0, 2)
  expect(await firstTwo()).toEqual([first.id, second.id])
  const later = new Date(inbox.ctx.now().getTime() + 3_600_000).toISOString()
  await ask('POST', '/threads/snooze', { ids: [first.id], until: later })
  expect((await firstTwo())[0]).toBe(second.id)
  await ask('POST', '/threads/snooze', { ids: [first.id], until })
  expect(await firstTwo()).toEqual([first.id, second.id])
})

test('done leaves what is put off as it was, and a colleague leaves it its place', async () => {
  const colleague = 'carl@ours.example'
  const first = await answered({}, { cc_list: [colleague] })
  const second = await answered()
  const until = new Date(inbox.ctx.now().getTime() + 3_600_000).toISOString()
  const done = (id: string, isDone: boolean) =>
    ask('POST', '/threads/done', { ids: [id], done: isDone })
  await ask('POST', '/threads/snooze', { ids: [first.id], until })
  await done(first.id, true)
  await done(second.id, true)
  expect(await idsOf('&view=snoozed')).not.toContain(first.id)
  expect((await idsOf('&view=done')).slice(0, 2)).toEqual([second.id, first.id])
  expect((await thread(first.id)).body.snoozed_until).toBeNull()
  await done(first.id, false)
  expect(await idsOf('&view=snoozed')).toContain(first.id)
  expect((await thread(first.id)).body.snoozed_until).toBe(until)
  await done(second.id, false)

  const { messageId } = first
  const copied = [`In-Reply-To: ${messageId}`, 'Message-ID: <copied@example.com>']
  inbox.arrive(letter({ from: colleague, headers: copied, body: 'I know them.' }))
  await inbox.untilRead(async () =>
    (await thread(first.id)).body.messages.length === 3 ? true : undefined,
  )
  inbox.ctx.clock.advance(3_600_000)
  expect((await idsOf('&view=waiting')).slice(0, 2)).toEqual([first.id, second.id])
  // What was answered, and put off to be asked again, comes back all the same.
  await done(first.id, true)
  await done(first.id, false)
  expect((await idsOf('&view=waiting'))[0]).toBe(first.id)
})

test('pages have each conversation once, and filters and search find what they say', async () => {
  const some = [await answered(), await answered({ body: '100%_sure \\ of it' })]
  const pages: string[] = []
  let cursor = ''
  do {
    const { body } = await ask('GET', `/threads?limit=1${cursor}`)
    pages.push(...body.items.map(({ id }: { id: string }) => id))
    cursor = body.next_starting_after ? `&starting_after=${body.next_starting_after}` : ''
  } while (cursor !== '')
  expect(pages).toEqual(await idsOf(''))
  expect(new Set(pages).size).toBe(pages.length)

  const last = some.at(-1)
  expect(await idsOf(`&search=${encodeURIComponent('100%_sure \\')}`)).toEqual([last?.id])
  expect(await idsOf(`&search=${encodeURIComponent('%%')}`)).toEqual([])
  expect(await idsOf(`&search=${last?.email.toUpperCase()}`)).toEqual([last?.id])
  const body = { campaign_id: '', email: last?.email, new_status: 'interested' }
  body.campaign_id = (await thread(last?.id ?? '')).body.campaign_id
  await ask('POST', '/api/v2/lead/update/status', body)
  expect(await idsOf('&label=interested')).toEqual([last?.id])
  const { by_label, by_mailbox, waiting } = await counts()
  expect(by_label).toContainEqual({ label: 'interested', waiting: 1 })
  expect(by_mailbox).toMatchObject([{ address: 'anna@example.com', waiting }])

  const unread = await idsOf('&unread=true')
  expect(unread).toContain(last?.id)
  await ask('POST', '/threads/read', { ids: [last?.id], read: true })
  expect(await idsOf('&unread=true')).toEqual(unread.filter((id: string) => id !== last?.id))
})

test('a conversation tells where an answer goes, and why one cannot be sent', async () => {
  const { id, email } = await answered({ headers: ['Reply-To: desk@lead.example'] })
  expect((await thread(id)).body).toMatchObject({
    ...{ answer_to: 'desk@lead.example', answer_problem: null, may_force: false },
    ...{ lead_email: email, mailbox_address: 'anna@example.com', has_older: false },
    messages: [
      { kind: 'reply', matched_by: 'message_id' },
      { kind: 'step', has_html: true },
    ],
  })
  await addSuppression(inbox.ctx, inbox.workspaceId, 'desk@lead.example', operator)
  expect((await thread(id)).body).toMatchObject({
    ...{ answer_problem: expect.stringContaining('suppressed'), may_force: true },
  })
  const refused = await ask('POST', `/threads/${id}/reply`, { text: 'Hello' })
  expect(refused.body.code).toBe('not_eligible')
  const forced = await ask('POST', `/threads/${id}/reply`, { text: 'Hello', force: true })
  expect(forced.body.state).toBe('sent')
})

test('an answer goes where the conversation says, however many servers have answered since', async () => {
  const { id, email } = await answered()
  const { ctx, workspaceId } = inbox
  await addMails(ctx, workspaceId, id, 22)
  const automatic = ctx.database.peek.updateTable('messages').set({ kind: 'auto_reply' })
  await automatic.where('thread_id', '=', id).where('text', 'like', 'Mail %').execute()
  expect((await thread(id)).body.answer_to).toBe(email)
  const sent = await ask('POST', `/threads/${id}/reply`, { text: 'Gladly.' })
  expect(sent.body).toMatchObject({ state: 'sent', to_address: email })
})

test('of a long conversation each mail is read once, page by page', async () => {
  const { id } = await answered()
  const { ctx, workspaceId } = inbox
  await addMails(ctx, workspaceId, id, 60)
  const newest = (await thread(id)).body
  expect([newest.messages.length, newest.has_older]).toEqual([20, true])
  const read: string[] = []
  let after: string | undefined
  do {
    const query = `limit=25${after ? `&starting_after=${after}` : ''}`
    const { body } = await ask('GET', `/threads/${id}/messages?${query}`)
    read.push(...body.items.map((each: { id: string }) => each.id))
    after = body.next_starting_after
  } while (after)
  expect(read.length).toBe(62)
  expect(new Set(read).size).toBe(62)
  expect(read.slice(0, 20)).toEqual(newest.messages.map((each: { id: string }) => each.id))
  expect((await ask('GET', `/threads/${ctx.newId()}/messages`)).status).toBe(404)
})

test('opening a long conversation reads the texts of no more mails than it shows', async () => {
  const { id } = await answered()
  const { ctx, workspaceId } = inbox
  await addMails(ctx, workspaceId, id, 60)
  let texts = 0
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      texts += result.rows.filter((row) => 'text' in row).length
      return result
    },
  }
  const db = bind(ctx.db, workspaceId).withPlugin(counting) as typeof ctx.db
  const { messages } = await showConversation({ ...ctx, db }, workspaceId, id)
  expect(messages.length).toBe(20)
  // One more than a page tells that there are older ones.
  expect(texts).toBe(21)
})

test('of two people who answer at once, the second one is told to look first', async () => {
  const { id } = await answered()
  const seen_message_id = (await thread(id)).body.last_message_id
  const answer = (text: string) =>
    ask('POST', `/threads/${id}/reply`, { text, seen_message_id }, { 'idempotency-key': text })
  expect((await answer('First')).body).toMatchObject({ state: 'sent', idempotency_key: 'First' })
  expect((await answer('Second')).body.code).toBe('version_conflict')
  // The first one's own repetition is no conflict.
  expect((await answer('First')).body.state).toBe('sent')
  const { messages } = (await thread(id)).body
  expect(messages.filter(({ kind }: { kind: string }) => kind === 'manual')).toHaveLength(1)
  expect(messages[0].written_by).toMatch(/^[0-9a-f-]{36}$/)
})

test('of two answers that are on their way to the ledger at the same instant one is sent', async () => {
  const { id } = await answered()
  const seen_message_id = (await thread(id)).body.last_message_id
  const { peek } = inbox.ctx.database
  const answers = await peek.transaction().execute(async (holding) => {
    await sql`lock table sends in share mode`.execute(holding)
    const answering = ['One', 'Two'].map((text) =>
      ask('POST', `/threads/${id}/reply`, { text, seen_message_id }, { 'idempotency-key': text }),
    )
    await vi.waitFor(async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          and query ilike '%insert into sends%'`.execute(peek)
      expect(rows).toHaveLength(2)
    }, patience)
    return { answering }
  })
  const told = await Promise.all(answers.answering)
  expect(told.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(told.find(({ status }) => status === 409)?.body.code).toBe('version_conflict')
  const { messages, replies } = (await thread(id)).body
  expect(messages.filter(({ kind }: { kind: string }) => kind === 'manual')).toHaveLength(1)
  expect(replies).toEqual([])
})

test('a viewer reads and answers nothing', async () => {
  const { id } = await answered()
  const person = await createMember(inbox, 'viewer@team.example', 'viewer')
  const headers = { 'x-workspace-id': inbox.workspaceId }
  const answer = await person.browser.call('POST', `/app/threads/${id}/reply`, {
    ...{ headers, body: { text: 'Hello' } },
  })
  expect(answer.body.code).toBe('role_required')
})

const hostile = `<html><head><meta http-equiv="refresh" content="0; url=https://evil.example/">
<link rel="stylesheet" href="https://evil.example/a.css"><style>@import "https://evil.example/b.css"</style>
<base href="https://evil.example/"><script>alert(1)</script></head>
<body onload="alert(1)" style="position:fixed;color:red" background="https://evil.example/c.png">
<p style="background:url(https://evil.example/d.png);color:green">Hello <b>bold</b></p>
<img src="https://pixel.example/open.gif" width="1" height="1" onerror="alert(1)">
<img src=//pixel.example/second.gif><img src="data:image/png;base64,AAAA" alt="inline">
<a href="javascript:alert(1)">bad</a> <a href="https://good.example/">good</a> <a href="/app/session">here</a>
<form action="https://evil.example/"><input name="password"><button>Send</button></form>
<iframe src="https://evil.example/"></iframe><object data="https://evil.example/"></object>
<svg onload="alert(1)"><script>alert(1)</script></svg><video src="https://evil.example/e.mp4"></video>
</body></html>`

test('the body of a mail is a page of its own in which nothing acts and nothing is loaded', async () => {
  const { id, email, messageId } = await answered()
  const source = letter({ from: email, headers: [`In-Reply-To: ${messageId}`], body: hostile })
  const html = source.toString().replace('text/plain', 'text/html')
  inbox.arrive(Buffer.from(html))
  const message = await inbox.untilRead(async () => {
    const [newest] = (await thread(id)).body.messages
    return newest.has_html && newest.direction === 'in' ? newest : undefined
  })
  expect(message.has_remote_images).toBe(true)
  const read = (query = '') =>
    ask('GET', `/messages/${message.id}/body?workspace=${inbox.workspaceId}${query}`)
  const plain = await read()
  expect(plain.headers['content-type']).toBe('text/html; charset=utf-8')
  const policy = String(plain.headers['content-security-policy'])
  expect(policy).toContain('sandbox allow-same-origin allow-popups')
  expect(policy).not.toContain('allow-scripts')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain('img-src data:;')
  expect(plain.body).toContain('Hello <b>bold</b>')
  expect(plain.body).toContain('color:green')
  expect(plain.body).toContain('href="https://good.example/"')
  expect(plain.body).toContain('data:image/png')
  for (const gone of [
    'evil.example',
    'pixel.example',
    'alert',
    '<form',
    'refresh',
    '/app/session',
  ]) {
    expect(plain.body).not.toContain(gone)
  }
  const shown = await read('&images=true')
  expect(shown.headers['content-security-policy']).toContain('img-src data: https:;')
  expect(shown.body).toContain('src="https://pixel.example/open.gif"')
  expect(shown.body).toContain('src="https://pixel.example/second.gif"')
  expect(shown.body).not.toContain('evil.example')

  const stranger = await openBrowser(inbox).call('GET', `/app/messages/${message.id}/body`)
  expect(stranger.status).toBe(401)
  const events = await inbox.waitForEvents('lead.replied')
  expect(JSON.stringify(events)).not.toContain('evil.example')
})

test('whoever looks at an answer that quotes our links opens, follows and unsubscribes nothing', async () => {
  const { id, email, messageId } = await answered()
  const links = webLinks(tokenBoxOf(inbox.ctx), 'https://links.example/go')
  const mail = { workspaceId: inbox.workspaceId, leadId: id, stepId: id }
  const mailed = (more: string) => `<p>Yes.</p><blockquote>
<a href="${links.click(mail, 'https://good.example/?a=1&b=2')}">good</a>
<a href="${links.unsubscribe(mail, email)}">out</a><img src="${links.open(mail)}">${more}</blockquote>`
  const arrive = async (more: string) => {
    const headers = [`In-Reply-To: ${messageId}`]
    const source = letter({ from: email, headers, body: mailed(more) })
    inbox.arrive(Buffer.from(source.toString().replace('text/plain', 'text/html')))
  }
  const shown = (before?: { id: string }) =>
    inbox.untilRead(async () => {
      const [newest] = (await thread(id)).body.messages
      return newest.has_html && newest.id !== before?.id ? newest : undefined
    })
  const read = async (message: { id: string }) =>
    (await ask('GET', `/messages/${message.id}/body?images=true`)).body
  await arrive('')
  const ours = await shown()
  expect(ours.has_remote_images).toBe(false)
  const body = await read(ours)
  expect(body).toContain('<a href="https://good.example/?a=1&amp;b=2"')
  expect(body).not.toContain('links.example')
  await arrive('<img src="https://pixel.example/theirs.gif">')
  const theirs = await shown(ours)
  expect(theirs.has_remote_images).toBe(true)
  const other = await read(theirs)
  expect(other).toContain('src="https://pixel.example/theirs.gif"')
  expect(other).not.toContain('links.example')

  // As a mail gateway has put its own address around them.
  const wrapped = (url: string) =>
    `https://eur01.gateway.example/?url=${encodeURIComponent(url)}&amp;data=05%7C01&amp;reserved=0`
  await arrive(`<a href="${wrapped(links.click(mail, 'https://good.example/wrapped'))}">good</a>
<a href="${wrapped(links.unsubscribe(mail, email))}">out</a>
<a href="${wrapped('https://theirs.example/c/x')}">theirs</a>`)
  const third = await read(await shown(theirs))
  expect(third).toContain('<a href="https://good.example/wrapped"')
  expect(third).not.toContain('links.example')
  expect(third.split('gateway.example')).toHaveLength(2)
})

test('a database that was put back logs in to no mailbox, whoever asks', async () => {
  const { ctx } = inbox
  const { peek } = ctx.database
  const { id: leadId } = await answered()
  const { campaign_id, mailbox_id } = (await thread(leadId)).body
  let logins = 0
  const { connectImap, connectSmtp } = ctx.mail
  ctx.mail.connectImap = (...server) => {
    logins++
    return connectImap(...server)
  }
  ctx.mail.connectSmtp = (...server) => {
    logins++
    return connectSmtp(...server)
  }
  const hold = (sending_held_since: Date | null, sending_held_reason: string | null) =>
    peek.updateTable('instance').set({ sending_held_since, sending_held_reason }).execute()
  const sentFrom = (sending_identity: string | null) =>
    peek.updateTable('instance').set({ sending_identity }).execute()
  const mail = { lead_id: leadId, step: 1, mailbox_id, to: 'me@ours.example' }
  const askAll = async () => [
    await ask('POST', '/mailboxes/sync', {}),
    await ask('POST', `/mailboxes/${mailbox_id}/test`),
    await ask('POST', `/campaigns/${campaign_id}/test-mail`, mail),
  ]
  await hold(ctx.now(), 'another_database')
  const answers = await askAll()
  // Nobody has looked yet, and it is held once somebody does.
  await hold(null, null)
  await sentFrom('another.00000001.1')
  answers.push(...(await askAll()))
  Object.assign(ctx.mail, { connectImap, connectSmtp })
  await sentFrom(null)
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
    answers.map(() => [409, 'not_ready']),
  )
  expect(logins).toBe(0)
})
