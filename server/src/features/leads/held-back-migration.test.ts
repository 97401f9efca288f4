import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { databaseBefore } from '../../../test/database-before.ts'

test('who may have been paused by a person before goes on by nobody else', async () => {
  const { client, migrate } = await databaseBefore('0150_leads_held_back.sql')
  const workspace = randomUUID()
  const at = '2026-11-02T10:00:00.000Z'
  await client.query(
    `insert into workspaces (id, name, handle, timestamp_created, timestamp_updated) values ($1, 'one', 'one', $2, $2)`,
    [workspace, at],
  )
  const [lacks, refused] = ['template_failed: city', 'message_refused: 550 No']
  for (const [email, state, stopReason, from, reason] of [
    ['a@lead.example', 'paused', null, null, lacks],
    ['b@lead.example', 'paused', null, null, refused],
    ['c@lead.example', 'stopped', 'bounced', 'paused', lacks],
  ]) {
    await client.query(
      `insert into leads (workspace_id, id, campaign_id, email, email_folded, sending_state,
         stop_reason, stopped_from, skip_reason, status, timestamp_created, timestamp_updated)
       values ($1, gen_random_uuid(), gen_random_uuid(), $2, $2, $3, $4, $5, $6, 'new', $7, $7)`,
      [workspace, email, state, stopReason, from, reason, at],
    )
  }
  const undo = [
    { sending_state: 'paused', skip_reason: lacks },
    { sending_state: 'paused', skip_reason: refused },
  ]
  await client.query(
    `insert into lead_jobs (workspace_id, id, user_id, action, target, total, undo,
       timestamp_created, timestamp_updated)
     values ($1, $1, $1, '{}', '{}', 2, $2, $3, $3)`,
    [workspace, JSON.stringify(undo), at],
  )
  await migrate()
  const leads = await client.query('select skip_reason from leads order by email')
  expect(leads.rows).toEqual([null, refused, null].map((skip_reason) => ({ skip_reason })))
  const jobs = await client.query('select undo from lead_jobs')
  expect(jobs.rows).toEqual([{ undo: [{ ...undo[0], skip_reason: null }, undo[1]] }])
})
