import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepInboxRead, type Sending, testSending } from '../../../test/sending.ts'
import { operator } from '../audit/index.ts'
import { addMailbox, type Mailbox, removeMailbox } from '../mailboxes/index.ts'
import { upsertThreads } from '../messages/index.ts'
import { handOver, previewHandOver } from './index.ts'

let sending: Sending
beforeEach(async () => {
  sending = await testSending()
})
afterEach(() => sending[Symbol.asyncDispose]())

const anna = 'anna@example.com'
const bert = 'bert@example.com'
const lead = 'ann@lead.example'
const variants = (subject: string) => [{ subject, body: '<p>Hi</p>' }]
const sequences = [
  {
    steps: [
      { variants: variants('Hello') },
      { delay: 2, delay_unit: 'minutes', variants: variants('') },
    ],
  },
]
const sent = (count: number) => (entries: { state: string }[]) =>
  entries.filter(({ state }) => state === 'sent').length === count

/** A campaign whose first step was sent; the second is due in an hour's time. */
async function started(mailbox: Mailbox) {
  const { id } = await sending.createCampaign([mailbox], { sequences })
  await sending.addLeads(id, [lead])
  const runner = await sending.startRunner()
  await sending.waitForLedger(sent(1))
  await runner.stop()
  sending.ctx.clock.advance(3_600_000)
  return `/api/v2/campaigns/${id}`
}

const remove = ({ id }: Mailbox) => removeMailbox(sending.ctx, sending.workspaceId, id, operator)

function addAgain(address = anna) {
  const place = { host: '127.0.0.1', port: sending.smtpPort, security: 'none' }
  const server = { ...place, username: anna, password: 'correct horse' }
  const mailbox = { address, smtp: server, imap: server, daily_limit: 100 }
  return addMailbox(sending.ctx, sending.workspaceId, mailbox, operator)
}

/** The lead asked for some patience, so there is a conversation. */
async function putOff({ id: mailbox_id }: Mailbox) {
  const { ctx, workspaceId } = sending
  const [entry] = await sending.ledger()
  const thread = {
    ...{ id: entry?.lead_id ?? '', campaign_id: entry?.campaign_id ?? '', mailbox_id },
    ...{ last_message_id: ctx.newId(), kind: 'auto_reply', from_address: lead },
    ...{ subject: 'Re: Hello', snippet: 'Soon.', suggestion: null, words: '' },
    arrived_at: ctx.now(),
  }
  await upsertThreads(ctx.database.peek, workspaceId, [thread], ctx.now())
}

const statusOf = async (path: string) => (await sending.call('GET', path)).body.sending_status
const patch = (path: string, body: object) => sending.call('PATCH', path, { body })

describe('a mailbox that was removed and is added again', () => {
  test('goes on with its conversations', async () => {
    const mailbox = await sending.createMailbox(anna)
    await started(mailbox)
    await remove(mailbox)
    expect((await addAgain()).id).toBe(mailbox.id)
    await keepInboxRead(sending.ctx.database.peek, mailbox.id)
    await sending.startRunner()
    const entries = await sending.waitForLedger(sent(2))
    expect(entries.map(({ mailbox_id }) => mailbox_id)).toEqual([mailbox.id, mailbox.id])
  })

  test('is the same one in another spelling; it leaves nothing of its logins behind', async () => {
    const mailbox = await sending.createMailbox(anna)
    await remove(mailbox)
    const kept = await sending.ctx.database.peek
      .selectFrom('removed_mailboxes')
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(Object.keys(kept)).not.toContain('settings')
    expect(await addAgain('Anna@Example.COM')).toMatchObject({ id: mailbox.id, address: anna })
    await expect(addAgain()).rejects.toMatchObject({ code: 'invalid_field' })
  })
})

describe('leads whose mailbox does not send', () => {
  test.each<[string, (mailbox: Mailbox, other: Mailbox, path: string) => Promise<unknown>]>([
    ['it was removed', (mailbox) => remove(mailbox)],
    ['it left email_list', (_, other, path) => patch(path, { email_list: [other.address] })],
  ])('wait and are counted when %s; no other mailbox writes to them', async (_why, drop) => {
    const mailbox = await sending.createMailbox(anna)
    const path = await started(mailbox)
    const other = await sending.createMailbox(bert)
    await patch(path, { email_list: [anna, bert] })
    await drop(mailbox, other, path)
    const waiting = {
      ...{ state: 'waiting', reason: 'waiting_for_mailbox' },
      ...{ leads_waiting_for_mailbox: 1, next_send_at: null },
    }
    expect(await statusOf(path)).toMatchObject(waiting)
    await sending.startRunner()
    await sending.untilAsleep()
    expect(await sending.ledger()).toHaveLength(1)
    expect((await sending.call('GET', path)).body.lead_counts.active).toBe(1)
  })

  test('are told in the answer of the change that drops a sender, and go on when it returns', async () => {
    const mailbox = await sending.createMailbox(anna)
    const path = await started(mailbox)
    await sending.createMailbox(bert)
    const { body } = await patch(path, { email_list: [bert] })
    expect(body.sending_status.leads_waiting_for_mailbox).toBe(1)
    const back = await patch(path, { email_list: [bert, anna] })
    expect(back.body.sending_status).toMatchObject({
      ...{ state: 'sending', reason: null },
      ...{ leads_waiting_for_mailbox: 0, next_send_at: null },
    })
    await sending.startRunner()
    await sending.waitForLedger(sent(2))
  })

  test('are counted while the mailbox is paused, and while the campaign is', async () => {
    const mailbox = await sending.createMailbox(anna)
    const path = await started(mailbox)
    await sending.ctx.database.peek.updateTable('mailboxes').set({ status: 'paused' }).execute()
    expect(await statusOf(path)).toMatchObject({
      ...{ state: 'waiting', reason: 'mailboxes_unhealthy' },
      ...{ leads_waiting_for_mailbox: 1, next_send_at: null },
    })
    const { body } = await patch(path, { status: 'paused' })
    expect(body.sending_status).toMatchObject({ reason: 'paused', leads_waiting_for_mailbox: 1 })
  })
})

describe('a hand-over', () => {
  test('says that answers in the first mailbox are seen by nobody, and since when', async () => {
    const mailbox = await sending.createMailbox(anna)
    await started(mailbox)
    await sending.createMailbox(bert)
    const { ctx, workspaceId } = sending
    const request = { from: anna, to: bert }
    expect(await previewHandOver(ctx, workspaceId, request)).toMatchObject({ is_read: true })
    const { workspace_id, id, imap_version } = await ctx.database.peek
      .selectFrom('mailboxes')
      .select(['workspace_id', 'id', 'imap_version'])
      .where('id', '=', mailbox.id)
      .executeTakeFirstOrThrow()
    const last_read = new Date(ctx.now().getTime() - 4 * 86_400_000)
    await ctx.database.peek
      .insertInto('mailbox_folders')
      .values({
        ...{ workspace_id, mailbox_id: id, imap_version, folder: 'INBOX' },
        ...{ uid_validity: '1', next_uid: '1', timestamp_read: last_read },
      })
      .execute()
    await remove(mailbox)
    const unread = { is_read: false, last_read }
    expect(await previewHandOver(ctx, workspaceId, request)).toMatchObject(unread)
    expect(await handOver(ctx, workspaceId, request, operator)).toMatchObject({
      ...unread,
      moved: 1,
    })
  })

  test('lets another mailbox go on in the same thread', async () => {
    const mailbox = await sending.createMailbox(anna)
    const path = await started(mailbox)
    const other = await sending.createMailbox(bert)
    await remove(mailbox)
    const request = { from: 'Anna@example.com', to: bert }
    const { ctx, workspaceId } = sending
    await putOff(mailbox)
    const counted = await previewHandOver(ctx, workspaceId, request)
    expect(counted).toMatchObject({ from: anna, to: bert, moved: null, campaigns: [{ leads: 1 }] })
    expect((await statusOf(path)).leads_waiting_for_mailbox).toBe(1)

    expect(await handOver(ctx, workspaceId, request, operator)).toMatchObject({ moved: 1, left: 0 })
    expect((await sending.call('GET', path)).body.email_list).toEqual([anna, bert])
    const recorded = await ctx.database.peek
      .selectFrom('audit_log')
      .select('details')
      .where('workspace_id', '=', workspaceId)
      .where('action', '=', 'mailbox.handed_over')
      .execute()
    expect(recorded).toEqual([{ details: { from: anna, to: bert, moved: 1 } }])
    await sending.startRunner()
    const [first, second] = await sending.waitForLedger(sent(2))
    expect(second?.mailbox_id).toBe(other.id)
    const threads = await ctx.database.peek.selectFrom('threads').select('mailbox_id').execute()
    expect(threads).toEqual([{ mailbox_id: other.id }])
    const source = sending.outbox[1]?.source.toString() ?? ''
    expect(source).toContain(`In-Reply-To: ${first?.message_id}\r\n`)
    expect(source).toContain(`References: ${first?.message_id}\r\n`)
    expect(source).toMatch(/^From: bert@example\.com\r$/m)
    expect(source).toMatch(/^Subject: Re: Hello\r$/m)
    expect(await handOver(ctx, workspaceId, request, operator)).toMatchObject({ moved: 0, left: 0 })
  })

  test('of a lead that is stopped counts it as waiting once it goes on, where the other mailbox sends nothing', async () => {
    const mailbox = await sending.createMailbox(anna)
    const path = await started(mailbox)
    await sending.createMailbox(bert)
    const set = (new_status: string) =>
      sending.call('POST', '/api/v2/lead/update/status', {
        body: { campaign_id: path.split('/').at(-1), email: lead, new_status },
      })
    await set('not_interested')
    await handOver(sending.ctx, sending.workspaceId, { from: anna, to: bert }, operator)
    expect((await sending.call('GET', path)).body.email_list).toEqual([anna])
    await set('active')
    await patch(path, { status: 'active' })
    expect(await statusOf(path)).toMatchObject({ leads_waiting_for_mailbox: 1 })
  })

  test('that failed half way moves no lead without what counts it as waiting', async () => {
    const mailbox = await sending.createMailbox(anna)
    const path = await started(mailbox)
    await sending.createMailbox(bert)
    const { ctx, workspaceId } = sending
    const { peek } = ctx.database
    const set = (new_status: string) =>
      sending.call('POST', '/api/v2/lead/update/status', {
        body: { campaign_id: path.split('/').at(-1), email: lead, new_status },
      })
    await set('not_interested')
    const constraint = sql`alter table campaigns add constraint no_former check (former_senders = '{}')`
    await constraint.execute(peek)
    await expect(handOver(ctx, workspaceId, { from: anna, to: bert }, operator)).rejects.toThrow()
    await sql`alter table campaigns drop constraint no_former`.execute(peek)
    await handOver(ctx, workspaceId, { from: anna, to: bert }, operator)
    await set('active')
    await patch(path, { status: 'active' })
    expect(await statusOf(path)).toMatchObject({ leads_waiting_for_mailbox: 1 })
  })

  test('of a lead that is paused lets the other mailbox go on once it is resumed', async () => {
    const mailbox = await sending.createMailbox(anna)
    const path = await started(mailbox)
    const other = await sending.createMailbox(bert)
    const set = (new_status: string) =>
      sending.call('POST', '/api/v2/lead/update/status', {
        body: { campaign_id: path.split('/').at(-1), email: lead, new_status },
      })
    await set('paused')
    await remove(mailbox)
    const request = { from: anna, to: bert }
    expect(await handOver(sending.ctx, sending.workspaceId, request, operator)).toMatchObject({
      ...{ campaigns: [], moved: 1 },
    })
    expect((await sending.call('GET', path)).body.email_list).toEqual([anna, bert])
    await set('active')
    await sending.startRunner()
    const [, second] = await sending.waitForLedger(sent(2))
    expect(second?.mailbox_id).toBe(other.id)
  })

  test('takes a conversation along whose answer is taken in at the same time, and holds it up in nothing', async () => {
    const mailbox = await sending.createMailbox(anna)
    await started(mailbox)
    const other = await sending.createMailbox(bert)
    await putOff(mailbox)
    const { ctx, workspaceId } = sending
    const { peek } = ctx.database
    // Whoever takes an answer in has the conversation first, then the lead.
    const ingest = await peek.startTransaction().execute()
    await sql`select from threads for no key update`.execute(ingest)
    const handing = handOver(ctx, workspaceId, { from: anna, to: bert }, operator)
    await ctx.database.untilWaiting(1, 'threads')
    await sql`select from leads for no key update`.execute(ingest)
    // What it has read of the lead before.
    await ingest.updateTable('threads').set({ mailbox_id: mailbox.id }).execute()
    await ingest.commit().execute()
    expect(await handing).toMatchObject({ moved: 1, left: 0 })
    const threads = () => peek.selectFrom('threads').select('mailbox_id').execute()
    expect(await threads()).toEqual([{ mailbox_id: other.id }])

    await peek.updateTable('threads').set({ mailbox_id: mailbox.id }).execute()
    await handOver(ctx, workspaceId, { from: anna, to: bert }, operator)
    expect(await threads()).toEqual([{ mailbox_id: other.id }])
  })

  test('makes the other mailbox a sender of a campaign whose first mail has left meanwhile, too', async () => {
    const mailbox = await sending.createMailbox(anna)
    const path = await started(mailbox)
    await sending.createMailbox(bert)
    const { ctx, workspaceId } = sending
    const { peek } = ctx.database
    const { id } = await sending.createCampaign([mailbox], { sequences })
    const [leadId = ''] = await sending.addLeads(id, ['bob@lead.example'])
    const held = await peek.startTransaction().execute()
    await sql`select from campaigns where id = ${path.split('/').at(-1)} for update`.execute(held)
    const handing = handOver(ctx, workspaceId, { from: anna, to: bert }, operator)
    await ctx.database.untilWaiting(1, 'campaigns')
    const written = { mailbox_id: mailbox.id, sending_state: 'active', current_step: 1 }
    await peek.updateTable('leads').set(written).where('id', '=', leadId).execute()
    await held.commit().execute()
    expect(await handing).toMatchObject({ moved: 2, left: 0 })
    for (const each of [path, `/api/v2/campaigns/${id}`]) {
      expect((await sending.call('GET', each)).body.email_list).toEqual([anna, bert])
    }
  })

  test('takes no lead of a campaign along for which the other mailbox could not be made a sender', async () => {
    const mailbox = await sending.createMailbox(anna)
    await started(mailbox)
    const other = await sending.createMailbox(bert)
    const { ctx, workspaceId } = sending
    const { peek } = ctx.database
    const { id } = await sending.createCampaign([mailbox], { sequences })
    const [leadId = ''] = await sending.addLeads(id, ['bob@lead.example'])
    const written = { mailbox_id: mailbox.id, sending_state: 'active', current_step: 1 }
    // Its first mail leaves after the campaigns were listed.
    await sql`
      create function write_to_bob() returns trigger language plpgsql as $$
      begin
        update leads set mailbox_id = ${sql.lit(mailbox.id)}, sending_state = 'active', current_step = 1
        where id = ${sql.lit(leadId)};
        return new;
      end $$`.execute(peek)
    await sql`
      create trigger write_to_bob before insert on hand_overs
      for each row execute function write_to_bob()`.execute(peek)
    await sql`
      create function refuse() returns trigger language plpgsql as $$
      begin raise exception using errcode = '57P01'; end $$`.execute(peek)
    await sql`
      create trigger refuse before update on campaigns
      for each row when (new.id = ${sql.lit(id)}) execute function refuse()`.execute(peek)
    const hand = () => handOver(ctx, workspaceId, { from: anna, to: bert }, operator)
    await expect(hand()).rejects.toMatchObject({ code: '57P01' })
    const bob = peek.selectFrom('leads').select(Object.keys(written) as never[])
    expect(await bob.where('id', '=', leadId).execute()).toEqual([written])
    await sql`drop function refuse cascade`.execute(peek)
    await sql`drop function write_to_bob cascade`.execute(peek)
    expect(await hand()).toMatchObject({ moved: 1, left: 0 })
    expect((await sending.call('GET', `/api/v2/campaigns/${id}`)).body.email_list).toEqual([
      anna,
      bert,
    ])
    expect(await bob.where('id', '=', leadId).execute()).toEqual([
      { ...written, mailbox_id: other.id },
    ])
  })

  test('leaves a lead alone whose mail is under way, and says so', async () => {
    const mailbox = await sending.createMailbox(anna)
    await started(mailbox)
    await sending.createMailbox(bert)
    const { ctx, workspaceId } = sending
    await ctx.database.peek.updateTable('sends').set({ state: 'transmitting' }).execute()
    const request = { from: anna, to: bert }
    expect(await handOver(ctx, workspaceId, request, operator)).toMatchObject({ moved: 0, left: 1 })
    await ctx.database.peek.updateTable('sends').set({ state: 'sent' }).execute()
    expect(await handOver(ctx, workspaceId, request, operator)).toMatchObject({ moved: 1, left: 0 })
  })

  test.each([
    [{ from: 'nobody@example.com', to: anna }, '/from'],
    [{ from: anna, to: 'nobody@example.com' }, '/to'],
    [{ from: anna, to: 'ANNA@example.com' }, '/to'],
    [{ from: 'anna', to: anna }, '/from'],
  ])('of %o is refused with what is wrong', async (request, path) => {
    await sending.createMailbox(anna)
    await expect(
      handOver(sending.ctx, sending.workspaceId, request, operator),
    ).rejects.toMatchObject({
      ...{ code: 'invalid_field', details: [{ path }] },
    })
  })

  test('takes the conversations of its own workspace alone', async () => {
    const mailbox = await sending.createMailbox(anna)
    await started(mailbox)
    const { workspaceId } = await sending.createStranger()
    await expect(
      previewHandOver(sending.ctx, workspaceId, { from: anna, to: bert }),
    ).rejects.toMatchObject({ code: 'invalid_field' })
  })
})
