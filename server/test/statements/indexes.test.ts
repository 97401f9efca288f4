import { type KyselyPlugin, RawNode, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sumDays } from '../../src/features/daily-counts/step-day-queries.ts'
import { countOpenSends } from '../../src/features/erasure/queries.ts'
import { claimImport } from '../../src/features/imports/cross-workspace.ts'
import { listChanges } from '../../src/features/lead-overview/queries.ts'
import { readFilter } from '../../src/features/leads/lists/filter.ts'
import { countMatching, listLeads } from '../../src/features/leads/lists/list-queries.ts'
import type { Db, ProcessDb } from '../../src/kernel/db/db.ts'
import { type TestApi, testApi } from '../app.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

/** A handle that answers each statement with its plan. */
const explaining = () => {
  const plans: string[] = []
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) =>
      RawNode.is(node)
        ? RawNode.create(
            [`explain ${node.sqlFragments[0]}`, ...node.sqlFragments.slice(1)],
            node.parameters,
          )
        : node,
    transformResult: async ({ result }) => {
      plans.push(JSON.stringify(result.rows))
      return result
    },
  }
  const db = api.ctx.database.peek.withPlugin(plugin) as unknown as Db
  return { db, plans }
}

test('results of some days are read without those of all the days before', async () => {
  const { workspaceId } = api
  const { peek } = api.ctx.database
  await sql`
    insert into campaign_step_days (workspace_id, campaign_id, day, sent)
    select ${workspaceId}::uuid, gen_random_uuid(), date '2026-01-01' + day, 1
    from generate_series(1, 300) day, generate_series(1, 30)`.execute(peek)
  await sql`analyze campaign_step_days`.execute(peek)
  const { db, plans } = explaining()
  await sumDays(db, workspaceId, { from: '2026-10-01', to: '2026-10-07', campaignId: null })
  expect(plans).toEqual([expect.stringContaining('campaign_step_days_day')])
})

test('leads of a label are listed and counted without all the others', async () => {
  const { workspaceId } = api
  const { peek } = api.ctx.database
  const { body } = await api.call('POST', '/api/v2/campaigns', { body: { name: 'Autumn' } })
  const label = api.ctx.newId()
  await sql`
    insert into leads (workspace_id, id, campaign_id, email, email_folded, label_id,
      timestamp_created, timestamp_updated)
    select ${workspaceId}::uuid, gen_random_uuid(), ${body.id}::uuid, n || '@lead.example',
      n || '@lead.example', case when n % 1000 = 0 then ${label}::uuid end, now(), now()
    from generate_series(1, 5000) n`.execute(peek)
  await sql`analyze leads`.execute(peek)
  const { db, plans } = explaining()
  const filter = readFilter({ label_id: label })
  await listLeads(db, workspaceId, filter, { limit: 50, startingAfter: undefined })
  await countMatching(db, workspaceId, filter, 1000)
  const indexed = expect.stringContaining('leads_label')
  expect(plans).toEqual([indexed, indexed])
})

test('what was done to a lead, and to it with others, is found without the rest of the audit log', async () => {
  const { workspaceId } = api
  const { peek } = api.ctx.database
  // Of few subjects, so that to walk back from the newest entry looks cheap.
  await sql`
    insert into audit_log (workspace_id, id, actor_type, action, subject_type, subject_id, details,
      timestamp_created)
    select ${workspaceId}::uuid, gen_random_uuid(), 'service', 'campaign.updated', 'campaign', c.id,
      '{}', now()
    from (select gen_random_uuid() as id from generate_series(1, 5)) c, generate_series(1, 1000)`.execute(
    peek,
  )
  await sql`analyze audit_log`.execute(peek)
  const { db, plans } = explaining()
  const id = api.ctx.newId()
  const of = { workspaceId, leadId: id, campaignId: id, email: '', since: id }
  await listChanges(db, of, undefined, 51)
  expect(plans).toEqual([expect.stringContaining('audit_log_subject')])
  expect(plans).toEqual([expect.stringContaining('lead_job_changes_lead')])
})

test('whether a mail to a person is under way is asked without all that were sent', async () => {
  const { workspaceId } = api
  const { peek } = api.ctx.database
  await sql`
    insert into sends (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, message_id,
      starts_thread, is_new, claim_token, kind, reply, state, timestamp_claimed)
    select ${workspaceId}::uuid, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
      gen_random_uuid(), gen_random_uuid(), n::text, false, false, 0, 'manual', '{}',
      case when n % 1000 = 0 then 'transmitting' else 'sent' end, now()
    from generate_series(1, 5000) n`.execute(peek)
  await sql`analyze sends`.execute(peek)
  const { db, plans } = explaining()
  const person = { folded: 'a@b.example', spellings: ['a@b.example'], leadIds: [api.ctx.newId()] }
  await countOpenSends(db, workspaceId, person)
  for (const index of ['sends_pkey', 'sends_open', 'sends_waiting']) {
    expect(plans).toEqual([expect.stringContaining(index)])
  }
  expect(plans[0]).not.toContain('Seq Scan')
})

test('whose import is next is found without all that a workspace has imported', async () => {
  const { workspaceId } = api
  const { peek } = api.ctx.database
  const now = api.ctx.now()
  await sql`
    insert into imports (workspace_id, id, user_id, file_name, file_bytes, parts_total, state,
      timestamp_claimed, timestamp_created, timestamp_updated)
    select ${workspaceId}::uuid, gen_random_uuid(), gen_random_uuid(), 'leads.csv', 1, 1,
      case when n % 100 = 0 then 'running' else 'finished' end,
      case when n % 100 = 0 then null else ${now}::timestamptz end, ${now}::timestamptz, ${now}::timestamptz
    from generate_series(1, 5000) n`.execute(peek)
  await sql`analyze imports`.execute(peek)
  const { db, plans } = explaining()
  await claimImport(db as unknown as ProcessDb, api.ctx.newId(), now, now)
  expect(plans).toEqual([expect.stringContaining('imports_turn')])
})
