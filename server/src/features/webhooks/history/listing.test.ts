import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../../test/context.ts'
import {
  type History,
  insertAttempt,
  insertHistory,
  midweek,
} from '../../../../test/webhook-event-rows.ts'
import { rowsOf } from '../../../kernel/db/rows-of.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import { createWorkspace } from '../../workspaces/index.ts'
import { selectRecentAttempts } from '../health/queries.ts'
import { type HistoryFilter, listNewestAttempts } from './listing.ts'
import * as queries from './queries.ts'

const count = 20_000
const dayMs = 86_400_000

let ctx: TestContext
let workspaceId: string
let history: History
let all: queries.Attempt[]
let before: string

beforeAll(async () => {
  ctx = await testContext()
  ctx.clock.set(midweek(ctx.now()))
  workspaceId = (await createWorkspace(ctx, 'history')).id
  history = await insertHistory(ctx, workspaceId, count, 9 * dayMs)
  const other = (await createWorkspace(ctx, 'other')).id
  await insertHistory(ctx, other, 1000, 9 * dayMs)
  await sql`
    insert into events (workspace_id, id, type, body)
    select workspace_id, event_id, event_type, '{}' from webhook_events
    where workspace_id = ${workspaceId}::uuid`.execute(ctx.db)
  await sql`analyze events`.execute(ctx.db)
  before = firstIdAt(new Date(ctx.now().getTime() + dayMs))
  all = await rowsOf(ctx.db, queries.selectAttempts(workspaceId, { before }, count + 1))
})
afterAll(() => ctx[Symbol.asyncDispose]())

/** Every combination of the filters, each with what it looks for or without it. */
function combinations(): [string, Omit<HistoryFilter, 'before'>][] {
  const { webhookIds, types, emails, urlsOf } = history
  const choices: Record<string, unknown[]> = {
    success: [undefined, true, false],
    webhookId: [undefined, webhookIds[3]],
    webhookUrl: [undefined, urlsOf(3)[0]],
    eventType: [undefined, types[1]],
    leadEmail: [undefined, emails[43]],
    from: [undefined, firstIdAt(new Date(ctx.now().getTime() - 6 * dayMs))],
  }
  const combined = Object.entries(choices).reduce<Record<string, unknown>[]>(
    (filters, [name, values]) =>
      filters.flatMap((filter) => values.map((value) => ({ ...filter, [name]: value }))),
    [{}],
  )
  return combined.map((filter) => {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined)
    return [given.map(([name]) => name).join(' + ') || 'no filter', filter]
  })
}

const matches = (attempt: queries.Attempt, filter: HistoryFilter) =>
  (filter.success === undefined || attempt.success === filter.success) &&
  (filter.webhookId === undefined || attempt.webhook_id === filter.webhookId) &&
  (filter.webhookUrl === undefined || attempt.webhook_url === filter.webhookUrl) &&
  (filter.eventType === undefined || attempt.event_type === filter.eventType) &&
  (filter.leadEmail === undefined || attempt.lead_email === filter.leadEmail) &&
  (filter.from === undefined || attempt.id >= filter.from) &&
  attempt.id < filter.before

test('every combination of filters finds the newest attempts that match, at any depth', async () => {
  const cursors = [before, all[count / 2]?.id ?? '', all[count - 500]?.id ?? '']
  for (const [name, filter] of combinations()) {
    for (const cursor of cursors) {
      const wanted = { ...filter, before: cursor }
      const found = await listNewestAttempts(ctx.db, workspaceId, wanted, 26)
      const expected = all.filter((attempt) => matches(attempt, wanted)).slice(0, 26)
      expect(
        found.map((attempt) => attempt.id),
        name,
      ).toEqual(expected.map((attempt) => attempt.id))
    }
  }
})

test('walking a URL page by page meets each of its attempts once', async () => {
  const webhookUrl = history.urls[2] ?? ''
  const walked: string[] = []
  let cursor = before
  for (;;) {
    const page = await listNewestAttempts(ctx.db, workspaceId, { webhookUrl, before: cursor }, 500)
    walked.push(...page.map((attempt) => attempt.id))
    if (page.length < 500) break
    cursor = page.at(-1)?.id ?? ''
  }
  const expected = all.filter((attempt) => attempt.webhook_url === webhookUrl)
  expect(walked).toEqual(expected.map((attempt) => attempt.id))
  expect(walked.length).toBeGreaterThan(3000)
})

test('nothing is found of an unknown destination, an unknown URL, or the two of different ones', async () => {
  const find = (filter: object) =>
    listNewestAttempts(ctx.db, workspaceId, { ...filter, before }, 26)
  expect(await find({ webhookId: ctx.newId() })).toEqual([])
  expect(await find({ webhookUrl: 'https://hooks.example.com/9' })).toEqual([])
  const [webhookId] = history.webhookIds
  const webhookUrl = history.urls.find((url) => !history.urlsOf(0).includes(url))
  expect(await find({ webhookId, webhookUrl })).toEqual([])
})

test('a URL is sent to the database once, however many destinations have it', async () => {
  const webhookUrl = history.urls[1] ?? ''
  const targets = await queries.listTargets(ctx.db, workspaceId, { webhookUrl })
  expect(targets).toHaveLength(8)
  const runs = targets.map((target) => ({ ...target, success: true }))
  const { parameters } = queries.selectNewest(workspaceId, runs, { before }).compile(ctx.db)
  expect(parameters.flat().filter((parameter) => parameter === webhookUrl)).toEqual([webhookUrl])
})

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)]

async function explain(statement: RawBuilder<unknown>, { db } = ctx): Promise<PlanNode[]> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>`
    explain (analyze, format json) ${statement}`.execute(db)
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  return plan ? flatten(plan) : []
}

const costly = /Seq Scan|Sort|Bitmap|Hash/

const rowsRead = (nodes: PlanNode[]) =>
  nodes
    .filter((node) => node['Relation Name'])
    .map(
      (node) =>
        (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    )
    .reduce((sum, rows) => sum + rows, 0)

describe('no page is sorted, and none walks a table', () => {
  test('with any filter on attempts, on the first page and deep down', async () => {
    for (const [name, { webhookId, webhookUrl, ...filter }] of combinations()) {
      if (webhookId !== undefined || webhookUrl !== undefined) continue
      for (const cursor of [before, all[count / 2]?.id ?? '']) {
        const statement = queries.selectAttempts(workspaceId, { ...filter, before: cursor }, 26)
        const nodes = await explain(statement)
        const types = nodes.map((node) => node['Node Type'])
        expect(types, name).toContain('Limit')
        expect(
          types.filter((type) => costly.test(type)),
          name,
        ).toEqual([])
        // At worst all of a lead's, to find those of one type.
        expect(rowsRead(nodes), name).toBeLessThanOrEqual(count / 100)
      }
    }
  })

  test('with a destination or a URL, whatever else is looked for', async () => {
    const targets = await queries.listTargets(ctx.db, workspaceId, {
      webhookUrl: history.urls[1],
    })
    expect(targets.length).toBe(8)
    const runs = targets.flatMap((target) =>
      [true, false].map((success) => ({ ...target, success })),
    )
    for (const [name, { webhookId, webhookUrl, success, ...filter }] of combinations()) {
      if (webhookId === undefined || webhookUrl === undefined || success === true) continue
      const bounded = { ...filter, before }
      for (const statement of [
        queries.selectNewest(workspaceId, runs, bounded),
        queries.selectAttemptsOfRuns(workspaceId, runs, bounded, 26),
      ]) {
        const types = (await explain(statement)).map((node) => node['Node Type'])
        expect(types, name).toContain('Limit')
        expect(
          types.filter((type) => costly.test(type)),
          name,
        ).toEqual([])
      }
    }
  })

  test('for what a page needs beside its attempts', async () => {
    const page = all.slice(0, 50)
    const statements = [
      queries.selectRetryOutcomes(
        workspaceId,
        page.map((attempt) => attempt.retry_group_id),
        all[count / 10]?.id ?? '',
      ),
      queries.selectBodies(
        workspaceId,
        page.map((attempt) => attempt.event_id),
      ),
    ]
    for (const statement of statements) {
      const nodes = await explain(statement)
      expect(rowsRead(nodes)).toBeGreaterThan(0)
      // An empty partition costs nothing to walk.
      expect(rowsRead(nodes.filter((node) => node['Node Type'] === 'Seq Scan'))).toBe(0)
      expect(rowsRead(nodes)).toBeLessThan(100)
    }
  })
})

test('beside a destination with thousands of attempts, none of which failed, only what is shown is read', async () => {
  await using ctx = await testContext()
  ctx.clock.set(midweek(ctx.now()))
  const { id } = await createWorkspace(ctx, 'uneven')
  const quiet = await insertAttempt(ctx, id)
  ctx.clock.advance(60_000)
  const busy = await insertAttempt(ctx, id)
  await sql`
    insert into webhook_events (workspace_id, id, webhook_id, webhook_url, event_id, event_type,
      retry_group_id, retry_count, status_code, success, will_retry, response_time_ms)
    select ${id}::uuid, made.id, ${busy.webhook_id}::uuid, ${busy.webhook_url}::text, made.id,
      'lead.interested', made.id, 0, 200, true, false, 12
    from generate_series(1, ${count}::integer) n
    cross join lateral (
      select (left(${busy.id}::text, 19) || '7777' || lpad(to_hex(n), 12, '0'))::uuid as id
    ) made`.execute(ctx.db)
  await sql`vacuum analyze webhook_events`.execute(ctx.db)
  const bounded = { before: firstIdAt(new Date(ctx.now().getTime() + dayMs)) }
  const targets = await queries.listTargets(ctx.db, id, {})
  const runs = targets.flatMap((target) => [true, false].map((success) => ({ ...target, success })))
  const newest = await rowsOf(ctx.db, queries.selectNewest(id, runs, bounded))
  expect(newest.map(({ webhook_id }) => webhook_id).sort()).toEqual(
    [quiet.webhook_id, busy.webhook_id].sort(),
  )
  const webhookIds = [quiet.webhook_id, busy.webhook_id]
  for (const statement of [
    queries.selectNewest(id, runs, bounded),
    queries.selectAttemptsOfRuns(id, runs, bounded, 26),
    selectRecentAttempts(id, webhookIds, bounded.before, 26),
  ]) {
    expect(rowsRead(await explain(statement, ctx))).toBeLessThan(100)
  }
})
