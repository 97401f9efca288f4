import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asService } from '../../../test/context.ts'
import { importText } from '../../../test/directory-files.ts'
import { importer } from '../../../test/imports.ts'
import { type Inbox, letter, report, testInbox } from '../../../test/inbox.ts'
import { tablesWith } from '../../../test/tables-with.ts'
import { optOutEverywhere } from '../acquisition/index.ts'
import { readAnalytics } from '../campaigns/analytics.ts'
import { listSummaries } from '../campaigns/summary.ts'
import { replyInThread } from '../inbox/index.ts'
import { changeMany, findLead } from '../leads/index.ts'
import { exportLeads } from '../leads/lists/export-csv.ts'
import { readFilter } from '../leads/lists/filter.ts'
import { countLeads, listLeads } from '../leads/lists/list-leads.ts'
import { dropOldMessages } from '../messages/index.ts'
import { upsertView } from '../saved-views/queries.ts'
import { listUncertain } from '../sending/index.ts'
import { createTryOut } from '../webhooks/try-out/try-outs.ts'
import { getErasure, startErasure } from './erase.ts'
import { eraseLead, runErasures } from './index.ts'

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

const ada = 'Ada@lead.example'
const folded = 'ada@lead.example'

async function keptAnswers(): Promise<string[]> {
  const { peek } = inbox.ctx.database
  const rows = await peek.selectFrom('idempotency_answers').select('answer').execute()
  const purpose = `idempotency:${inbox.workspaceId}`
  return rows.flatMap(({ answer }) => (answer ? [inbox.ctx.secrets.open(answer, purpose)] : []))
}

/** Whose list has the person's address wherever an address can stand that is another's. */
const bob = {
  ...{ email: 'bob@lead.example', first_name: ada, last_name: ada, company_name: `with ${ada}` },
  ...{ company_domain: folded, job_title: `successor of ${ada}`, phone: `via ${ada}` },
  ...{ website: `https://lead.example/?by=${ada}`, personalization: `${ada} says hello.` },
  custom_variables: { referrer: ada },
}
const introduced = [
  { steps: [{ variants: [{ subject: 'Intro by {{referrer}}', body: '<p>Hi</p>' }] }] },
]

/** A person who is wherever a person can be. */
async function someoneKnownEverywhere() {
  const { messageId, campaign, leadId } = await inbox.contact([ada])
  const other = await inbox.contact([bob], { sequences: introduced })
  inbox.startReader()
  inbox.arrive(report({ recipient: folded, messageId }, { action: 'delayed', status: '4.4.1' }))
  const answering = (id: string) => [`In-Reply-To: ${messageId}`, `Message-ID: <${id}@x.example>`]
  inbox.arrive(letter({ from: `Ada <${ada}>`, headers: answering('a1'), body: `Call me. ${ada}` }))
  await inbox.waitForEvents('lead.replied')
  const toBob = [`In-Reply-To: ${other.messageId}`, 'Message-ID: <a2@x.example>']
  inbox.arrive(letter({ from: ada, headers: toBob, body: 'Bob will answer himself.' }))
  const answer = { from: 'bob@lead.example', body: 'Ask ADA@LEAD.example about it.' }
  const headers = [`In-Reply-To: ${other.messageId}`, 'Message-ID: <b1@x.example>']
  inbox.arrive(letter({ ...answer, headers }))
  await inbox.readAll()
  const added = { email: ada, first_name: 'Ada', custom_variables: { note: folded } }
  await inbox.call('POST', '/api/v2/lead/add', {
    headers: { 'idempotency-key': 'add-ada' },
    body: { campaign_id: other.campaign.id, leads: [added] },
  })
  await importText(
    inbox.ctx,
    `first_name,last_name,email,domain\nAda,Lovelace,${folded},lead.example\n`,
  )
  const { body: contacts } = await inbox.call('POST', '/api/v1/leadbank/find', {
    body: { query: 'ada lovelace' },
  })
  await inbox.call('POST', '/api/v1/leadbank/acquire_email', {
    body: { contact_id: contacts.items[0].id },
  })
  await recordAttempt()
  await refuseMail(leadId)
  await refuseMail(other.leadId)
  await answerByHand(leadId, 'Gladly.')
  await answerByHand(other.leadId, `I have asked Ada (${ada}).`)
  await callTryOut()
  await importFiles(other.campaign.id)
  await lookFor(ada)
  return campaign
}

async function answerByHand(thread_id: string, text: string) {
  const { ctx, workspaceId } = inbox
  const sender = await inbox.startSender()
  await replyInThread(ctx, workspaceId, { thread_id, text, idempotency_key: thread_id })
  await sender.stop()
}

/** A mail server named the person in what it said of a mail. */
const refuseMail = (leadId: string) =>
  inbox.ctx.database.peek
    .updateTable('sends')
    .set({ error_message: `<${folded}> is over its quota` })
    .where('lead_id', '=', leadId)
    .execute()

/** Somebody tries a receiver out with the person in the body. */
async function callTryOut() {
  const { pathname } = new URL(createTryOut(inbox.ctx, inbox.workspaceId).url)
  const body = { lead_email: ada }
  expect((await inbox.call('POST', pathname, { body, key: null })).status).toBe(200)
}

/** Somebody keeps a view of the person, and changes those who are found by the address. */
async function lookFor(search: string) {
  const { ctx, workspaceId } = inbox
  const userId = ctx.newId()
  await upsertView(ctx.db, workspaceId, userId, { name: search, search: { q: search } }, ctx.now())
  const by = { actor: { type: 'user', id: userId } as const }
  await changeMany(ctx, workspaceId, { action: 'pause', filter: { search } }, by)
}

const note = 'collects stamps'

/** The person is in a file that is imported, which left a row out, and in one that waits. */
async function importFiles(campaign_id: string) {
  const imports = importer(inbox)
  const rows = `email,note\neve@lead.example,asks ${ada}\n${ada},${note}\n`
  const { id } = await imports.send(rows, { campaign_id })
  expect((await imports.check(id)).preview).not.toBeNull()
  expect((await imports.start(id)).state).toBe('finished')
  await imports.send(rows, { campaign_id })
}

/** Of a delivery whose receiver sent back what it got. */
async function recordAttempt() {
  const { ctx, workspaceId } = inbox
  const id = ctx.newId()
  await ctx.database.peek
    .insertInto('webhook_events')
    .values({
      ...{ workspace_id: workspaceId, id, webhook_id: id, event_id: id, retry_group_id: id },
      ...{ webhook_url: 'https://crm.example', event_type: 'lead.replied', lead_email: ada },
      ...{ retry_count: 0, status_code: 200, success: true, will_retry: false },
      response_body: `thanks for ${folded}`,
    })
    .execute()
}

/** Of a delivery of the event with the text, whose receiver sent that back. */
async function recordEcho(text: string) {
  const { ctx, workspaceId: workspace_id } = inbox
  const { peek } = ctx.database
  const event = await peek
    .selectFrom('events')
    .select(['id', 'type'])
    .where('body', 'like', `%${text}%`)
    .executeTakeFirstOrThrow()
  const id = ctx.newId()
  await peek
    .insertInto('webhook_events')
    .values({
      ...{ workspace_id, id, webhook_id: id, event_id: event.id, retry_group_id: id },
      ...{ webhook_url: 'https://crm.example', event_type: event.type, lead_email: null },
      ...{ retry_count: 0, status_code: 200, success: true, will_retry: false },
      response_body: `{"snippet":"${text}"}`,
    })
    .execute()
}

test('who is erased is in no column of any table, and nobody adds or writes to them again', async () => {
  const campaign = await someoneKnownEverywhere()
  const before = await tablesWith(inbox.ctx.database.peek, folded)
  for (const table of [
    ...['leads', 'messages', 'threads', 'events', 'webhook_events'],
    ...['acquired_contacts', 'directory_contacts', 'sends', 'try_out_calls'],
    ...['imports', 'import_parts', 'import_skipped', 'saved_views', 'lead_jobs'],
  ]) {
    expect(before).toContain(table)
  }
  expect((await keptAnswers()).join().toLowerCase()).toContain(folded)

  const erased = await eraseLead(inbox.ctx, ada)
  expect(erased).toMatchObject({ leads: 2, conversations: 1, directory_contacts: 1 })
  expect(erased.answers_by_hand).toBe(2)
  expect(await tablesWith(inbox.ctx.database.peek, folded)).toEqual([])
  expect(await tablesWith(inbox.ctx.database.peek, note)).toEqual([])
  expect((await keptAnswers()).join().toLowerCase()).not.toContain(folded)

  const { body } = await inbox.call('GET', `/api/v2/campaigns/${campaign.id}`)
  expect(body.lead_counts.total).toBe(0)
  const again = await inbox.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: campaign.id, leads: [{ email: ada }] },
  })
  expect(again.body).toMatchObject({ leads_uploaded: 0, in_blocklist: 1 })
  expect(await tablesWith(inbox.ctx.database.peek, folded)).toEqual([])
  expect(await eraseLead(inbox.ctx, folded)).toMatchObject({ leads: 0, messages: 0, events: 0 })
})

test('what an erased person wrote in the conversation of somebody else is nowhere, whoever it names', async () => {
  const { peek } = inbox.ctx.database
  const { messageId, leadId } = await inbox.contact(['bob@lead.example'])
  const silent = await inbox.contact(['eve@lead.example'])
  inbox.startReader()
  const send = (from: string, to: string, id: string, body: string) => {
    const headers = [`In-Reply-To: ${to}`, ...(id ? [`Message-ID: <${id}@x.example>`] : [])]
    inbox.arrive(letter({ from, headers, body }))
  }
  send('bob@lead.example', messageId, 'b1', 'Ada knows more.')
  send(ada, messageId, 'a1', 'Bob will answer himself.')
  send(ada, silent.messageId, '', 'Eve has left the company.')
  await inbox.waitForEvents('lead.replied', 3)
  await recordEcho('Eve has left the company.')
  for (const table of ['events', 'messages', 'threads']) {
    expect(await tablesWith(peek, 'bob will answer himself')).toContain(table)
  }

  expect(await eraseLead(inbox.ctx, ada)).toMatchObject({ messages: 2, events: 2 })
  expect(await tablesWith(peek, 'bob will answer himself')).toEqual([])
  expect(await tablesWith(peek, 'eve has left')).toEqual([])
  expect(await tablesWith(peek, 'ada knows more')).toEqual(['events', 'messages', 'threads'])
  const shown = await peek.selectFrom('threads').selectAll().execute()
  const left = await peek
    .selectFrom('messages')
    .select('id')
    .where('direction', '=', 'in')
    .execute()
  expect(shown.find(({ id }) => id === leadId)).toMatchObject({
    ...{ from_address: 'bob@lead.example', snippet: 'Ada knows more.' },
    last_message_id: left[0]?.id,
  })
  expect(shown.find(({ id }) => id === silent.leadId)).toMatchObject({
    ...{ from_address: '[erased]', subject: '', snippet: '' },
  })
})

test('what tells of a reply that names an erased person goes whole once retention has dropped its mail', async () => {
  const { ctx } = inbox
  const { peek } = ctx.database
  const { messageId } = await inbox.contact(['bob@lead.example'])
  inbox.startReader()
  const headers = [`In-Reply-To: ${messageId}`, 'Message-ID: <a1@x.example>']
  inbox.arrive(letter({ from: ada, headers, body: `Bob will answer himself. Ada, ${ada}` }))
  await inbox.waitForEvents('lead.replied')
  const now = () => new Date(ctx.now().getTime() + 50 * 86_400_000)
  await dropOldMessages({
    ...asService(ctx),
    ...{ now, config: { ...ctx.config, messageRetentionDays: 30 } },
  })
  expect(await peek.selectFrom('messages').select('id').execute()).toEqual([])
  expect(await eraseLead(ctx, ada)).toMatchObject({ messages: 0, events: 1 })
  const [event] = await inbox.waitForEvents('lead.replied')
  expect(event).toMatchObject({ lead_email: null, data: { erased: true } })
})

test('who asked the directory to be removed gets nothing more from any workspace', async () => {
  const { leadId } = await inbox.contact([ada])
  expect(await optOutEverywhere(inbox.ctx, ada)).toMatchObject({ leads_stopped: 1 })
  expect(await inbox.lead(leadId)).toMatchObject({ stop_reason: 'unsubscribed' })
  const { body: campaign } = await inbox.call('POST', '/api/v2/campaigns', { body: { name: 'x' } })
  const added = await inbox.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: campaign.id, leads: [{ email: folded }] },
  })
  expect(added.body).toMatchObject({
    leads_uploaded: 0,
    skipped_leads: [{ reason: 'unsubscribed' }],
  })
})

test('who is erased gets nothing more, and the results of campaigns stay as they were', async () => {
  const { ctx, workspaceId } = inbox
  const sequences = [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }]
  const [waits, won, done] = [
    await inbox.contact([ada]),
    await inbox.contact([ada]),
    await inbox.contact([ada], { sequences }),
  ]
  const interested = { campaign_id: won.campaign.id, email: ada, new_status: 'interested' }
  await inbox.call('POST', '/api/v2/lead/update/status', { body: interested })
  const results = () =>
    Promise.all(
      [waits, won, done].map(
        async ({ campaign }) => (await readAnalytics(ctx, workspaceId, campaign.id, {})).items,
      ),
    )
  const before = await results()
  await startErasure(ctx, workspaceId, won.leadId, { actor })
  const standing = [
    { status: 'contacted', sending_state: 'stopped', stop_reason: 'blocked' },
    { status: 'interested', sending_state: 'stopped', stop_reason: 'manual' },
    { status: 'completed', sending_state: 'finished', stop_reason: null },
  ]
  const leads = () => Promise.all([waits, won, done].map(({ leadId }) => inbox.lead(leadId)))
  expect(await leads()).toMatchObject(standing)
  await runErasures(ctx)
  expect(await leads()).toMatchObject(standing)
  expect(await results()).toEqual(before)
  const events = ctx.database.peek.selectFrom('events').select('type')
  expect(await events.where('type', '=', 'lead.unsubscribed').execute()).toEqual([])
})

test('who is erased is listed and counted among the leads no more, and what a campaign came to stays', async () => {
  const { ctx, workspaceId } = inbox
  const { peek } = ctx.database
  const { messageId, campaign, leadId } = await inbox.contact(['bob@lead.example', ada])
  inbox.startReader()
  inbox.arrive(letter({ from: ada, headers: [`In-Reply-To: ${messageId}`] }))
  await inbox.waitForEvents('lead.replied')
  const filter = readFilter({ campaign_id: campaign.id })
  const page = { limit: 25, startingAfter: undefined }
  const came = async () => {
    const { items } = await listSummaries(ctx, workspaceId, page, {})
    return items.map(({ contacted, replied }) => ({ contacted, replied }))
  }
  const shown = async () => {
    const { body } = await inbox.call('GET', `/api/v2/campaigns/${campaign.id}`)
    const { items } = await listLeads(ctx, workspaceId, filter, page)
    const { count } = await countLeads(ctx, workspaceId, filter)
    const chosen = { ids: undefined, excluded: [] }
    let lines = ''
    for await (const line of exportLeads(ctx, workspaceId, filter, chosen)) lines += line
    const { total, replied } = body.lead_counts
    return { total, replied, count, listed: items.length, exported: lines.match(/@lead/g)?.length }
  }
  const before = await came()
  expect(before).toEqual([{ contacted: 2, replied: 1 }])
  const two = { total: 2, replied: 1, count: 2, listed: 2, exported: 2 }
  expect(await shown()).toEqual(two)

  await startErasure(ctx, workspaceId, leadId, { actor })
  await runErasures(ctx)
  const one = { total: 1, replied: 0, count: 1, listed: 1, exported: 1 }
  expect(await shown()).toEqual(one)
  expect(await came()).toEqual(before)

  // Those of who was erased before that was so.
  await peek.updateTable('campaign_lead_counts').set({ total: 2, replied: 1 }).execute()
  const file = new URL('../../../migrations/0151_erased_are_counted_no_more.sql', import.meta.url)
  await sql.raw(readFileSync(file, 'utf8')).execute(peek)
  expect(await shown()).toEqual(one)
})

test('a person is erased once the mail to them that is under way has its result', async () => {
  const { ctx, workspaceId } = inbox
  const { leadId } = await inbox.contact([ada])
  const { peek } = ctx.database
  await peek.updateTable('sends').set({ state: 'transmitting' }).execute()
  const { id } = await startErasure(ctx, workspaceId, leadId, { actor })
  await runErasures(ctx)
  expect(await getErasure(ctx, workspaceId, id)).toMatchObject({ state: 'waiting', looked_at: 0 })
  expect(await inbox.lead(leadId)).toMatchObject({ email: ada, sending_state: 'stopped' })
  await peek.updateTable('sends').set({ state: 'sent' }).execute()
  await takeUpAgain()
  await runErasures(ctx)
  expect(await getErasure(ctx, workspaceId, id)).toMatchObject({ state: 'finished' })
  expect(await tablesWith(peek, folded)).toEqual([])
})

const actor = { type: 'operator', id: null } as const

/** As if the time after which another process may take an erasure were over. */
const takeUpAgain = () =>
  inbox.ctx.database.peek.updateTable('erasures').set({ due: inbox.ctx.now() }).execute()

/** Of a process that ends after so many steps. */
function endsAfter(steps: number): AbortSignal {
  let looks = 0
  return {
    get aborted() {
      // Once before an erasure is taken, and then after each step.
      return ++looks > steps
    },
  } as AbortSignal
}

/** How many steps it takes, killed after each. */
async function runKilled(id: string) {
  for (let steps = 1; ; steps++) {
    await runErasures(inbox.ctx, endsAfter(1))
    if ((await getErasure(inbox.ctx, inbox.workspaceId, id)).state === 'finished') return steps
    await takeUpAgain()
  }
}

test('an erasure that ends after any step is taken up there, and nothing of the person is left', async () => {
  const { ctx, workspaceId } = inbox
  const campaign = await someoneKnownEverywhere()
  const lead = await findLead(ctx.db, workspaceId, campaign.id, ada)
  const { id } = await startErasure(ctx, workspaceId, lead?.id ?? '', { actor })
  expect(await runKilled(id)).toBeGreaterThan(8)
  const { erased } = await getErasure(ctx, workspaceId, id)
  expect(erased).toMatchObject({ leads: 2, conversations: 1, answers_by_hand: 2 })
  // The directory is the operator's.
  expect(await tablesWith(ctx.database.peek, folded)).toEqual(['directory_contacts'])
})

test('what is written about a person while they are erased is erased, too, behind it as before it', async () => {
  const { ctx, workspaceId } = inbox
  const { leadId, campaign } = await inbox.contact([ada])
  const other = await inbox.contact(['bob@lead.example'])
  inbox.startReader()
  const { id } = await startErasure(ctx, workspaceId, leadId, { actor })
  const added = await inbox.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: campaign.id, leads: [{ email: ada }] },
  })
  expect(added.body).toMatchObject({ leads_uploaded: 0 })
  // After every step somebody writes of the person once more, wherever that step has been.
  for (let steps = 0; ; steps++) {
    await runErasures(ctx, endsAfter(1))
    if ((await getErasure(ctx, workspaceId, id)).state === 'finished') break
    const headers = [`In-Reply-To: ${other.messageId}`, `Message-ID: <s${steps}@x.example>`]
    inbox.arrive(letter({ from: 'bob@lead.example', body: `Ask ${ada}.`, headers }))
    await inbox.readAll()
    await recordMail(other.campaign.id)
    await inbox.call('POST', '/api/v2/lead/add', {
      headers: { 'idempotency-key': `step-${steps}` },
      body: {
        ...{ campaign_id: campaign.id, overwrite: true },
        leads: [{ email: `eve${steps % 2}@lead.example`, custom_variables: { note: folded } }],
      },
    })
    await takeUpAgain()
  }
  expect(await tablesWith(ctx.database.peek, folded)).toEqual([])
})

/** Somebody else got a mail that names the person in its subject. */
async function recordMail(campaign_id: string) {
  const { ctx, workspaceId: workspace_id } = inbox
  const [id, day] = [ctx.newId(), '2026-01-01']
  await ctx.database.peek
    .insertInto('sends')
    .values({
      ...{
        workspace_id,
        campaign_id,
        id,
        lead_id: id,
        step_id: id,
        mailbox_id: id,
        variant_id: id,
      },
      ...{ step: 1, variant: 1, message_id: `<${id}@x.example>`, subject: `Intro by ${ada}` },
      ...{ claim_token: 0, is_new: true, campaign_day: day, mailbox_day: day },
      ...{ starts_thread: true, state: 'sent', timestamp_claimed: ctx.now() },
    })
    .execute()
}

test('answers to who is erased of which nobody knows whether they arrived wait for nobody any more', async () => {
  const { ctx, workspaceId } = inbox
  const { peek } = ctx.database
  const { messageId, leadId } = await inbox.contact([ada])
  const bob = 'bob@lead.example'
  const other = await inbox.contact([bob])
  inbox.startReader()
  const answer = (from: string, to: string, id: string) => {
    const headers = [`In-Reply-To: ${to}`, `Message-ID: <${id}@x.example>`]
    inbox.arrive(letter({ from, headers }))
  }
  answer(ada, messageId, 'a1')
  answer(bob, other.messageId, 'b1')
  await inbox.readAll()
  await answerByHand(leadId, 'Gladly.')
  await answerByHand(other.leadId, 'Thank you.')
  const look = { state: 'uncertain', look_at: ctx.now() }
  await peek.updateTable('sends').set(look).where('kind', '=', 'manual').execute()

  await eraseLead(ctx, ada)
  expect(await listUncertain(ctx, workspaceId)).toMatchObject([{ lead_email: bob }])
  const toAda = peek.selectFrom('sends').select(['state', 'look_at']).where('kind', '=', 'manual')
  const settled = [{ state: 'sent', look_at: null }]
  expect(await toAda.where('lead_id', '=', leadId).execute()).toEqual(settled)

  // Those of who was erased before that was so.
  await peek.updateTable('sends').set(look).where('kind', '=', 'manual').execute()
  const path = new URL('../../../migrations/0144_erased_answers.sql', import.meta.url)
  await sql.raw(readFileSync(path, 'utf8')).execute(peek)
  expect(await toAda.where('lead_id', '=', leadId).execute()).toEqual(settled)
  expect(await listUncertain(ctx, workspaceId)).toMatchObject([{ lead_email: bob }])
})

test('whoever asks for an erasure that is under way gets that one', async () => {
  const { ctx, workspaceId } = inbox
  const { leadId } = await inbox.contact([ada])
  const { id } = await startErasure(ctx, workspaceId, leadId, { actor })
  expect(await startErasure(ctx, workspaceId, leadId, { actor })).toMatchObject({ id })
  await eraseLead(ctx, ada)
  expect(await getErasure(ctx, workspaceId, id)).toMatchObject({ state: 'finished' })
})
