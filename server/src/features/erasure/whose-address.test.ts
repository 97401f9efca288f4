import { afterEach, beforeEach, expect, test } from 'vitest'
import { importer } from '../../../test/imports.ts'
import { address, type Inbox, letter, testInbox } from '../../../test/inbox.ts'
import { tablesWith } from '../../../test/tables-with.ts'
import { operator } from '../audit/index.ts'
import { replyInThread } from '../inbox/index.ts'
import { removeMailbox } from '../mailboxes/index.ts'
import { startErasure } from './erase.ts'
import { eraseLead, runErasures } from './index.ts'

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

const ada = 'ada@lead.example'

/** Everything that is stored of somebody: what they were sent, what they answered, and what was told of it. */
async function stored(address: string) {
  const { peek } = inbox.ctx.database
  const messages = await peek
    .selectFrom('messages')
    .select(['from_address', 'to_addresses', 'cc_addresses', 'subject', 'text', 'html', 'snippet'])
    .orderBy('id')
    .execute()
  const events = await peek
    .selectFrom('events')
    .select(['lead_email', 'body'])
    .orderBy('id')
    .execute()
  const threads = await peek.selectFrom('threads').select(['from_address', 'snippet']).execute()
  const rows = [...messages, ...events, ...threads].map((row) => JSON.stringify(row))
  return rows.filter((row) => row.includes(address))
}

test.each(['jo.ada@lead.example', 'joada@lead.example', 'ada@lead.example.org'])(
  '%s keeps everything when somebody is erased whose address is a part of it',
  async (other) => {
    const { messageId } = await inbox.contact([other])
    await inbox.contact([ada])
    inbox.startReader()
    const headers = [`In-Reply-To: ${messageId}`, 'Message-ID: <j1@x.example>']
    inbox.arrive(letter({ from: other, headers, body: `Write to ${other}, not to ${ada}.` }))
    await inbox.waitForEvents('lead.replied')
    const imports = importer(inbox)
    const { id } = await imports.send(`email\n${other}\n`)
    const { id: utf16 } = await imports.send(Buffer.from(`\ufeffemail\n${other}\n`, 'utf16le'))
    const before = await stored(other)
    expect(before.filter((row) => row.includes(`not to ${ada}`))).toHaveLength(3)
    await eraseLead(inbox.ctx, ada)
    const letters = before.map((row) => row.replaceAll(`not to ${ada}`, 'not to [erased]'))
    expect(await stored(other)).toEqual(letters)
    expect((await imports.get(id)).state).toBe('ready')
    expect((await imports.get(utf16)).state).toBe('ready')
  },
)

test('a conversation of somebody else goes on with them where the answers in it went to who is erased', async () => {
  const { ctx, workspaceId } = inbox
  const { messageId, leadId } = await inbox.contact(['bob@lead.example'])
  const { messageId: toEve, leadId: eve } = await inbox.contact(['eve@lead.example'])
  inbox.startReader()
  const arrive = (from: string, answered: string, more: string[]) =>
    inbox.arrive(letter({ from, headers: [`In-Reply-To: ${answered}`, ...more] }))
  arrive(ada, messageId, ['Message-ID: <a1@x.example>'])
  arrive('eve@lead.example', toEve, ['Message-ID: <e1@x.example>', `Reply-To: ${ada}`])
  await inbox.waitForEvents('lead.replied', 2)
  await inbox.startSender()
  const answer = async (thread_id: string, idempotency_key: string) => {
    const input = { thread_id, text: 'Gladly.', idempotency_key }
    return (await replyInThread(ctx, workspaceId, input)).to_address
  }
  expect([await answer(leadId, 'b1'), await answer(eve, 'e1')]).toEqual([ada, ada])
  await eraseLead(ctx, ada)
  const others = [await answer(leadId, 'b2'), await answer(eve, 'e2')]
  expect(others).toEqual(['bob@lead.example', 'eve@lead.example'])
})

test('a file that is full of longer addresses is not looked through without end, and goes', async () => {
  const imports = importer(inbox)
  const fileOf = (count: number) =>
    `email\n${Array.from({ length: count }, (_, n) => `jo${n}${ada}\n`).join('')}`
  const few = await imports.send(fileOf(90))
  const many = await imports.send(fileOf(110))
  await eraseLead(inbox.ctx, ada)
  expect((await imports.get(few.id)).state).toBe('ready')
  expect((await imports.get(many.id)).state).toBe('failed')
})

test('a person is erased in every spelling of their address', async () => {
  const typed = 'Zoë@Bücher.example'
  const { messageId } = await inbox.contact([typed])
  const other = await inbox.contact(['bob@lead.example'])
  inbox.startReader()
  const body = `I am ${typed}.\n${typed}, not\u00a0zoë@XN--BCHER-KVA.example!`
  const from = 'zoë@xn--bcher-kva.example'
  for (const [number, answered] of [messageId, other.messageId].entries()) {
    const headers = [`In-Reply-To: ${answered}`, `Message-ID: <z${number}@x.example>`]
    inbox.arrive(letter({ from: number === 0 ? from : 'bob@lead.example', headers, body }))
  }
  await inbox.waitForEvents('lead.replied', 2)
  const imports = importer(inbox)
  const files = ['utf8', 'latin1', 'utf16le'] as const
  for (const encoding of files) await imports.send(Buffer.from(`name\nx\n${typed}\n`, encoding))
  const { peek } = inbox.ctx.database
  const spellings = [typed.toLowerCase(), from, typed.toLowerCase().normalize('NFD')]
  expect(await tablesWith(peek, spellings[0] ?? '')).toContain('events')
  await eraseLead(inbox.ctx, typed)
  for (const spelling of spellings) expect(await tablesWith(peek, spelling)).toEqual([])
  expect(await peek.selectFrom('import_parts').select('number').execute()).toEqual([])
})

test.each(['is', 'was'])(
  'an address that %s a mailbox of the workspace is erased by nobody, and what it has sent stays',
  async (tense) => {
    const { ctx, workspaceId } = inbox
    const { mailbox, campaign } = await inbox.contact(['bob@lead.example'])
    const [leadId = ''] = await inbox.addLeads(campaign.id, [address])
    if (tense === 'was') await removeMailbox(ctx, workspaceId, mailbox.id, operator)
    const before = await stored(address)
    expect(before.length).toBeGreaterThan(1)
    const refusal = { code: 'not_eligible', status: 409 }
    const by = operator
    await expect(startErasure(ctx, workspaceId, leadId, by)).rejects.toMatchObject(refusal)
    await runErasures(ctx)
    expect(await stored(address)).toEqual(before)
    expect(await inbox.lead(leadId)).toMatchObject({ email: address, stop_reason: null })
    expect(await ctx.database.peek.selectFrom('suppressions').selectAll().execute()).toEqual([])
  },
)

test.each(['is', 'was'])(
  'an address that %s a mailbox of one workspace is erased in the others and opted out of all, and the command says where not',
  async (tense) => {
    const { ctx, workspaceId } = inbox
    const { peek } = ctx.database
    const { mailbox, campaign } = await inbox.contact(['bob@lead.example'])
    const [leadId = ''] = await inbox.addLeads(campaign.id, [address])
    if (tense === 'was') await removeMailbox(ctx, workspaceId, mailbox.id, operator)
    const { key, workspaceId: other } = await inbox.createStranger()
    const { body: theirs } = await inbox.call('POST', '/api/v2/campaigns', {
      ...{ key, body: { name: 'x' } },
    })
    const body = { campaign_id: theirs.id, leads: [{ email: address }] }
    await inbox.call('POST', '/api/v2/lead/add', { key, body })
    const addresses = async (of: string) => {
      const leads = peek.selectFrom('leads').select('email').where('workspace_id', '=', of)
      return (await leads.execute()).map(({ email }) => email)
    }
    expect(await addresses(other)).toEqual([address])
    const before = await stored(address)

    const { leads, kept } = await eraseLead(ctx, address.toUpperCase())
    expect(leads).toBe(1)
    expect(kept.filter((each) => each.includes('a mailbox of the workspace, or was one'))).toEqual([
      expect.stringContaining(`workspace ${workspaceId} has`),
    ])
    expect(await addresses(other)).toEqual([expect.stringContaining('erased')])
    expect(await stored(address)).toEqual(expect.arrayContaining(before))
    expect(await inbox.lead(leadId)).toMatchObject({ email: address, stop_reason: 'unsubscribed' })
    const again = await inbox.call('POST', '/api/v2/lead/add', { key, body })
    expect(again.body).toMatchObject({ leads_uploaded: 0, in_blocklist: 1 })
  },
)

test('what a mailbox sends whose address is being erased since before it was connected stays', async () => {
  const { ctx, workspaceId } = inbox
  const { peek } = ctx.database
  const { leadId } = await inbox.contact([ada])
  await startErasure(ctx, workspaceId, leadId, operator)
  const campaign = await inbox.createCampaign([await inbox.createMailbox(ada)])
  const [bob = ''] = await inbox.addLeads(campaign.id, ['bob@lead.example'])
  const runner = await inbox.startRunner()
  const isSent = ({ lead_id, state }: { lead_id: string; state: string }) =>
    lead_id === bob && state === 'sent'
  await inbox.waitForLedger((entries) => entries.some(isSent))
  await runner.stop()
  await runErasures(ctx)
  const sent = peek.selectFrom('messages').select('from_address').where('lead_id', '=', bob)
  expect(await sent.execute()).toEqual([{ from_address: ada }])
})
