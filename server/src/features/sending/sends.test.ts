import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { report, testInbox } from '../../../test/inbox.ts'
import { testSending } from '../../../test/sending.ts'
import { bind } from '../../kernel/db/db.ts'
import { operator } from '../audit/index.ts'
import { removeMailbox } from '../mailboxes/index.ts'
import { listSends } from './sends.ts'

const sending = await testSending()
afterAll(() => sending[Symbol.asyncDispose]())

const mails = 2_000

/** So many mails that were sent, each newer than the ones before it. */
async function fillLedger(campaignIds: string[]) {
  const { ctx, workspaceId } = sending
  const { peek } = ctx.database
  await sql`
    insert into sends (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, step, variant,
      variant_id, message_id, starts_thread, state, claim_token, is_new, campaign_day, mailbox_day,
      timestamp_claimed)
    select ${workspaceId}::uuid, id, id, id, c.campaign_id, id, 1, 1, id, '', false, 'sent', 0, true,
      'epoch', 'epoch', 'epoch'
    from generate_series(1, ${mails}::integer) n
    cross join unnest(${campaignIds}::uuid[]) with ordinality as c (campaign_id, place)
    cross join lateral (
      select lpad(to_hex(${campaignIds.length}::integer * n + c.place::integer), 32, '0')::uuid as id
    ) as made`.execute(peek)
  await sql`analyze sends`.execute(peek)
}

test('the newest mails of all campaigns are listed in order, however many there are', async () => {
  const { ctx, workspaceId } = sending
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaigns = [
    await sending.createCampaign([mailbox]),
    await sending.createCampaign([mailbox]),
  ]
  await fillLedger(campaigns.map(({ id }) => id))
  const filter = { campaignId: null, state: null }
  const { listed, read } = await ctx.database.peek.transaction().execute(async (tx) => {
    const own = { ...ctx, db: bind(tx, workspaceId) }
    const listed = await listSends(own, workspaceId, filter, 10)
    const { rows } = await sql<{ read: string }>`
      select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables
      where relname = 'sends'`.execute(tx)
    return { listed, read: Number(rows[0]?.read) }
  })
  const ids = listed.map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted().toReversed())
  expect(new Set(listed.map(({ campaign_id }) => campaign_id)).size).toBe(2)
  expect(read).toBeLessThanOrEqual(10 * campaigns.length)
  const next = await listSends(ctx, workspaceId, filter, 10, ids.at(-1))
  expect(next[0]?.id && ids.includes(next[0].id)).toBe(false)
})

test('the ledger says which mail came back, and the address of a mailbox that is removed', async () => {
  await using inbox = await testInbox()
  const { ctx, workspaceId } = inbox
  const [ada, bob] = ['ada@lead.example', 'bob@lead.example']
  const { mailbox, messageId } = await inbox.contact([bob, ada])
  inbox.startReader()
  inbox.arrive(report({ recipient: ada, messageId }))
  await inbox.waitForEvents('email.bounced')
  await removeMailbox(ctx, workspaceId, mailbox.id, operator)
  const sends = await listSends(ctx, workspaceId, { campaignId: null, state: null }, 10)
  const shown = sends.map(({ lead_email, bounced, mailbox: from }) => [lead_email, bounced, from])
  expect(shown.toSorted()).toEqual([
    [ada, true, mailbox.address],
    [bob, false, mailbox.address],
  ])
})
