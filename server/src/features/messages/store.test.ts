import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { createWorkspace } from '../workspaces/index.ts'
import {
  addMessageIds,
  dropOldMessages,
  findByMessageIds,
  insertMessages,
  listThreadMessages,
  type NewMessage,
} from './index.ts'

let ctx: TestContext
let workspaceId: string

beforeAll(async () => {
  ctx = await testContext()
  workspaceId = (await createWorkspace(ctx, 'one')).id
})
afterAll(() => ctx[Symbol.asyncDispose]())

const mailboxId = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'

function mail(more: Partial<NewMessage> = {}): NewMessage {
  const leadId = more.lead_id ?? ctx.newId()
  const id = ctx.newId()
  return {
    workspace_id: workspaceId,
    id,
    direction: 'out',
    kind: 'step',
    mailbox_id: mailboxId,
    campaign_id: ctx.newId(),
    lead_id: leadId,
    step_id: ctx.newId(),
    step: 1,
    variant: 1,
    message_id: `<${id}@example.com>`,
    in_reply_to: null,
    thread_id: leadId,
    from_address: 'ada@example.com',
    to_addresses: ['ann@example.com'],
    subject: 'Hello',
    text: 'Hello\n\nAnn',
    html: '<p>Hello</p><p>Ann</p>',
    size_bytes: 100,
    timestamp: ctx.now(),
    ...more,
  }
}

const write = (...messages: NewMessage[]) => insertMessages(ctx, messages)
const threadOf = async (threadId: string, limit = 100, startingAfter?: string) =>
  listThreadMessages(ctx, workspaceId, threadId, { limit, startingAfter })

test('a mail is kept as it was given, whatever stands in it', async () => {
  const message = mail({
    to_addresses: ['a,"{}@example.com', 'ünï@example.com', ''],
    cc_addresses: [],
    subject: 'a "b" \\ {c}',
    text: 'x'.repeat(250),
    details: { list: [1, { two: null }] },
  })
  await write(message)
  const { items } = await threadOf(message.thread_id)
  expect(items).toEqual([{ ...message, snippet: `${'x'.repeat(200)}…` }])
})

test('written again, as after a COMMIT without an answer, it is there once', async () => {
  const message = mail()
  await write(message, mail())
  await write(message)
  expect((await threadOf(message.thread_id)).items).toHaveLength(1)
})

test('of a transaction that is rolled back nothing is kept', async () => {
  const message = mail()
  const failed = transaction(ctx, async (tx) => {
    await insertMessages(tx, [message])
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  expect((await threadOf(message.thread_id)).items).toEqual([])
  expect(await findByMessageIds(ctx.db, workspaceId, [message.message_id ?? ''])).toEqual(new Map())
})

test('mails are found by any of their Message-IDs, many at once, with or without brackets', async () => {
  const [one, two] = [mail(), mail({ message_id: null })]
  await write(one, two)
  await addMessageIds(ctx.db, [{ ...two, alias: '<stamped@provider.example>' }])
  const bare = one.message_id?.slice(1, -1) ?? ''
  const asked = [`<${bare}>`, ` ${bare} `, 'stamped@provider.example', '<nobody@example.com>', '']
  const found = await findByMessageIds(ctx.db, workspaceId, asked)
  const shown = ({ id, lead_id, campaign_id, mailbox_id }: NewMessage) => ({
    ...{ id, lead_id, campaign_id, mailbox_id },
  })
  expect(found).toEqual(
    new Map([
      [`<${bare}>`, shown(one)],
      [` ${bare} `, shown(one)],
      ['stamped@provider.example', shown(two)],
    ]),
  )
})

test('a mail that claims a Message-ID of ours does not take its place', async () => {
  const [ours, theirs] = [mail(), mail({ direction: 'in', kind: 'reply' })]
  await write(ours)
  await write({ ...theirs, message_id: ours.message_id })
  const found = await findByMessageIds(ctx.db, workspaceId, [ours.message_id ?? ''])
  expect([...found.values()].map(({ id }) => id)).toEqual([ours.id])
})

test('a mail of ours takes its Message-ID back from a copy that was read before it was recorded', async () => {
  const ours = mail()
  const [alias, theirs] = [ours.message_id ?? '', mail({ campaign_id: null })]
  expect(await addMessageIds(ctx.db, [{ ...theirs, alias, campaign_id: null }])).toEqual(
    new Set([alias]),
  )
  await write(ours)
  expect((await findByMessageIds(ctx.db, workspaceId, [alias])).get(alias)).toEqual({
    ...{ id: ours.id, lead_id: ours.lead_id, campaign_id: ours.campaign_id },
    mailbox_id: mailboxId,
  })
  // Read again it is known, and in one batch the mail of ours is the one.
  const [other, again] = [mail(), mail()]
  const second = other.message_id ?? ''
  const copies = [alias, second].map((each) => ({ ...again, alias: each, campaign_id: null }))
  const added = await addMessageIds(ctx.db, [...copies, { ...other, alias: second }])
  expect(added).toEqual(new Set([second]))
  const found = await findByMessageIds(ctx.db, workspaceId, [alias, second])
  expect([...found.values()].map(({ id }) => id)).toEqual([ours.id, other.id])
})

test('nothing is found from another workspace', async () => {
  const message = mail()
  await write(message)
  const { id: other } = await createWorkspace(ctx, 'two')
  expect(await findByMessageIds(ctx.db, other, [message.message_id ?? ''])).toEqual(new Map())
  const page = { limit: 10, startingAfter: undefined }
  expect((await listThreadMessages(ctx, other, message.thread_id, page)).items).toEqual([])
})

test('a page of large mails ends before its limit, and the next one goes on where it has ended', async () => {
  const { thread_id } = mail()
  const halfMegabyte = 'x'.repeat(524_288)
  const written = Array.from({ length: 25 }, () =>
    mail({ thread_id, text: halfMegabyte, html: halfMegabyte }),
  )
  for (const message of written) await write(message)
  const pages: string[][] = []
  for (let after: string | undefined; pages.length === 0 || after; ) {
    const { items, next_starting_after } = await threadOf(thread_id, 100, after)
    pages.push(items.map(({ id }) => id))
    after = next_starting_after
  }
  expect(pages.map(({ length }) => length)).toEqual([...Array.from({ length: 12 }, () => 2), 1])
  expect(pages.flat()).toEqual(written.map(({ id }) => id).toReversed())
})

test('a thread is read newest first, page by page, each mail once', async () => {
  const lead_id = ctx.newId()
  const messages = Array.from({ length: 5 }, () => mail({ lead_id }))
  await write(...messages, mail())
  const first = await threadOf(lead_id, 3)
  const second = await threadOf(lead_id, 3, first.next_starting_after)
  const ids = [...first.items, ...second.items].map(({ id }) => id)
  expect(ids).toEqual(messages.map(({ id }) => id).toReversed())
  expect(second.next_starting_after).toBeUndefined()
})

test('past the retention time mails are gone, also of an attempt that is decided then, and their Message-IDs still find the lead', async () => {
  const message = mail()
  await write(message)
  await dropOldMessages(ctx)
  expect((await threadOf(message.thread_id)).items).toHaveLength(1)
  const undecided = mail()
  const later = {
    ...ctx,
    now: () => new Date(ctx.now().getTime() + 50 * 86_400_000),
    config: { ...ctx.config, messageRetentionDays: 30 },
  }
  await dropOldMessages(later)
  // Somebody decides now that it had left.
  await insertMessages(later, [undecided])
  expect((await threadOf(undecided.thread_id)).items).toEqual([])
  const known = await findByMessageIds(ctx.db, workspaceId, [undecided.message_id ?? ''])
  expect(known.get(undecided.message_id ?? '')?.lead_id).toBe(undecided.lead_id)
  expect((await threadOf(message.thread_id)).items).toEqual([])
  const found = await findByMessageIds(ctx.db, workspaceId, [message.message_id ?? ''])
  expect(found.get(message.message_id ?? '')?.lead_id).toBe(message.lead_id)
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from messages where id >= ${firstIdAt(new Date(0))}`.execute(
    ctx.database.peek,
  )
  expect(rows).toEqual([{ n: 0 }])
})
