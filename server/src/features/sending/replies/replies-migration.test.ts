import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { databaseBefore } from '../../../../test/database-before.ts'
import { bind } from '../../../kernel/db/db.ts'
import { findByMessageIds } from '../../messages/index.ts'
import { findReply } from '../index.ts'

test('answers of before are in the ledger: their keys and states hold, and none is sent again', async () => {
  const { client, db, migrate } = await databaseBefore('0048_replies_in_the_ledger.sql')
  const workspaceId = randomUUID()
  const states = ['claimed', 'transmitting', 'sent', 'failed', 'uncertain']
  const at = '2026-11-02T10:00:00.000Z'
  for (const state of states) {
    await client.query(
      `insert into replies (workspace_id, idempotency_key, id, thread_id, campaign_id, mailbox_id,
         message_id, from_address, to_address, in_reply_to, mail_references, subject, text,
         is_forced, state, attempt, error_code, error_message, timestamp_created, timestamp_claimed,
         timestamp_transmitting)
       values ($1, $2, $3, $3, $3, $3, $4, 'anna@example.com', 'ada@lead.example', '<a@b>',
         '{<a@b>,<c@d>}', 'Hello', 'Gladly — "yes"', true, $5, 2,
         case when $5 = 'failed' then '4.2.0' end, null, $6, $6, $6)`,
      [workspaceId, `key ä ${state}`, randomUUID(), `<${state}@example.com>`, state, at],
    )
  }
  await migrate()
  const own = bind(db, workspaceId)
  const rows = await Promise.all(states.map((s) => findReply(own, workspaceId, `key ä ${s}`)))
  expect(rows.map((row) => row?.state)).toEqual([
    ...['failed', 'uncertain', 'sent', 'failed', 'uncertain'],
  ])
  const [claimed, transmitting, , failed] = rows
  expect(claimed?.error_message).toContain('before it was sent')
  expect(failed).toMatchObject({
    ...{ error_code: '4.2.0', attempt: 2, message_id: '<failed@example.com>' },
    timestamp_claimed: new Date(at),
    reply: {
      ...{ idempotency_key: 'key ä failed', to_address: 'ada@lead.example', html: null },
      ...{ text: 'Gladly — "yes"', references: ['<a@b>', '<c@d>'], is_forced: true },
    },
  })
  expect(new Date(failed?.reply.timestamp_created ?? '')).toEqual(new Date(at))
  const known = await findByMessageIds(own, workspaceId, ['<transmitting@example.com>'])
  expect(known.get('<transmitting@example.com>')?.id).toBe(transmitting?.id)
})
