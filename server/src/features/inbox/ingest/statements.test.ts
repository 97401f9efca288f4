import { afterEach, expect, test } from 'vitest'
import { fetched, type Inbox, letter, testInbox } from '../../../../test/inbox.ts'
import { captureStatements } from '../../../kernel/db/client.ts'
import { readInbound } from './inbound-message.ts'
import { ingest } from './ingest.ts'

let inbox: Inbox
afterEach(async () => {
  captureStatements(undefined)
  await inbox[Symbol.asyncDispose]()
})

/** Asked by what listens now and then, and told to open pages each quarter of a second: after the commit. */
const beside = /^select 1$|pg_notify/

test('a reply that ends its lead and campaign takes at most 23 statements, with its delivery', async () => {
  inbox = await testInbox()
  const { ctx } = inbox
  await inbox.call('POST', '/api/v2/webhooks', {
    body: { name: 'all', target_hook_url: 'https://hook.example/', event_type: 'all_events' },
  })
  const from = 'ada@lead.example'
  const { mailbox, messageId } = await inbox.contact([from])
  const headers = ['Message-ID: <answer@lead.example>', `In-Reply-To: ${messageId}`]
  const arrived = fetched(letter({ from, headers }), ctx.now())
  const mail = await readInbound(inbox.workspaceId, arrived, ctx.now())
  const row = await ctx.database.peek
    .selectFrom('mailboxes')
    .select(['workspace_id', 'id', 'address', 'imap_version'])
    .where('id', '=', mailbox.id)
    .executeTakeFirstOrThrow()
  const position = { folder: 'INBOX', uid_validity: '1', next_uid: 2, read_at: ctx.now() }

  const countDeliveries = async () =>
    (await ctx.database.peek.selectFrom('deliveries').select('id').execute()).length
  const before = await countDeliveries()
  const texts: string[] = []
  captureStatements((text) => {
    if (!beside.test(text)) texts.push(text)
  })
  expect(await ingest(ctx, row, [mail], position)).toBe(1)
  captureStatements(undefined)
  const names = texts.map((text) => text.replaceAll(/\s+/g, ' ').slice(0, 90))
  expect(names.length, names.join('\n')).toBeLessThanOrEqual(23)
  expect((await countDeliveries()) - before).toBe(2)
})
