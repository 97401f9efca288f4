import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseBefore } from '../../../test/database-before.ts'
import { patience } from '../../../test/patience.ts'
import { bind } from '../../kernel/db/db.ts'

const at = '2026-11-02T10:00:00.000Z'
const [lacks, refused] = ['template_failed: city', 'message_refused: 550 No']

test('who may have been paused by a person before goes on by nobody else', async () => {
  const { client, migrate, workspace, insertLead } = await workspaceBefore()
  await insertLead('a@lead.example', 'paused', null, null, lacks)
  await insertLead('b@lead.example', 'paused', null, null, refused)
  await insertLead('c@lead.example', 'stopped', 'bounced', 'paused', lacks)
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

test('a process that has locked a lead meanwhile changes it, and then the tables are changed', async () => {
  const { client, db, migrate, workspace, insertLead } = await workspaceBefore()
  await insertLead('a@lead.example', 'paused', null, null, lacks)
  const waiting = sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  let migrating: Promise<unknown> | undefined
  await bind(db, workspace)
    .transaction()
    .execute(async (tx) => {
      await sql`select from leads where workspace_id = ${workspace} for update`.execute(tx)
      migrating = migrate()
      await expect.poll(async () => (await waiting.execute(db)).rows.length, patience).toBe(1)
      await sql`update leads set first_name = 'Ada' where workspace_id = ${workspace}`.execute(tx)
    })
  await migrating
  const leads = await client.query('select first_name, skip_reason from leads')
  expect(leads.rows).toEqual([{ first_name: 'Ada', skip_reason: null }])
})

async function workspaceBefore() {
  const database = await databaseBefore('0150_leads_held_back.sql')
  const { client } = database
  const workspace = randomUUID()
  await client.query(
    `insert into workspaces (id, name, handle, timestamp_created, timestamp_updated) values ($1, 'one', 'one', $2, $2)`,
    [workspace, at],
  )
  const insertLead = (email: string, ...states: (string | null | undefined)[]) =>
    client.query(
      `insert into leads (workspace_id, id, campaign_id, email, email_folded, sending_state,
         stop_reason, stopped_from, skip_reason, status, timestamp_created, timestamp_updated)
       values ($1, gen_random_uuid(), gen_random_uuid(), $3, $3, $4, $5, $6, $7, 'new', $2, $2)`,
      [workspace, at, email, ...states],
    )
  return { ...database, workspace, insertLead }
}
