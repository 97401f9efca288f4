import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asService, type TestContext, testContext } from '../../../test/context.ts'
import { install, killMoverAt, lockLeadsTable, ofShards } from '../../../test/moves.ts'
import { patience } from '../../../test/patience.ts'
import { isTried } from '../../../test/thoroughness.ts'
import { inWorkspace } from '../../kernel/context.ts'
import { databaseSilent, movingOf } from '../../kernel/db/failure.ts'
import {
  createPartition,
  dropPartition,
  listPartitions,
  startOfPeriod,
} from '../../kernel/db/partitions.ts'
import { dayMs } from '../../kernel/durations.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { operator } from '../audit/index.ts'
import { findOptedOut, optOut } from '../directory/index.ts'
import { addMailbox, storeTokenForMs } from '../mailboxes/index.ts'
import { createWorkspace, setWorkspace } from '../workspaces/index.ts'
import { cancelMove, cleanUpMoves, listLeaving, moveWorkspace } from './index.ts'
import { listFenced } from './queries.ts'
import { listWorkspaceTables, type WorkspaceTable } from './tables.ts'

let a: TestContext
let b: TestContext
let workspaceId: string
let tables: WorkspaceTable[]
beforeEach(async () => {
  ;[a, b] = await Promise.all([testContext(), testContext()])
  // Both draw the same ids at the same time.
  b.clock.advance(1_000)
  await Promise.all([install(a), install(b)])
  workspaceId = (await createWorkspace(asService(a), 'Acme')).id
  tables = await listWorkspaceTables(a.db)
})
afterEach(async () => {
  await Promise.all([a[Symbol.asyncDispose](), b[Symbol.asyncDispose]()])
})

const toB = () =>
  moveWorkspace(asService(a), asService(b), workspaceId, {
    ...{ sourceName: 'a', targetName: 'b', restMs: 0 },
  })
const toA = () =>
  moveWorkspace(asService(b), asService(a), workspaceId, {
    ...{ sourceName: 'b', targetName: 'a', restMs: 0 },
  })

/**
 * A row of the workspace in every table, whatever the table is for: each value is of its type and no
 * more. What rows must be otherwise is not asked, in either database.
 */
async function fillEveryTable() {
  for (const { peek } of [a.database, b.database]) {
    const { rows } = await sql<{ name: string; of: string }>`
      select conname as name, conrelid::regclass::text as of from pg_constraint
      where contype = 'c' and conrelid <> 0 and conislocal and coninhcount = 0`.execute(peek)
    for (const { name, of } of rows)
      await sql`alter table ${sql.table(of)} drop constraint ${sql.ref(name)}`.execute(peek)
  }
  const same = a.newId()
  for (const table of tables) {
    if (table.owner === 'id') continue
    const { rows: columns } = await sql<{ name: string; type: string }>`
      select attname as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = ${table.name}::regclass and attname = any(${table.columns})
      order by attnum`.execute(a.database.peek)
    const values = columns.map(({ name, type }) =>
      name === 'workspace_id' ? sql`${workspaceId}::uuid` : anyOf(type, same),
    )
    await sql`
      insert into ${sql.table(table.name)} (${sql.join(columns.map(({ name }) => sql.ref(name)))})
      values (${sql.join(values)})`.execute(a.database.peek)
  }
  // A move would wait for a login that is under way.
  await a.database.peek.updateTable('mailboxes').set({ token_lease_until: null }).execute()
}

function anyOf(type: string, id: string) {
  const now = a.now().toISOString()
  const values: Record<string, string> = {
    ...{
      uuid: id,
      text: 'Käse "\\\t\n',
      boolean: 'true',
      integer: '3',
      bigint: '9007199254740993',
    },
    ...{ smallint: '7', jsonb: '{"a": [1, null, "ü"]}', bytea: '\\x00ff', date: now.slice(0, 10) },
    ...{ 'timestamp with time zone': now, tsvector: "'a':1 'b':2", 'double precision': '0.1' },
    ...{ 'text[]': '{"a,b",c}', 'uuid[]': `{${id}}`, numeric: '1.5', 'integer[]': '{1}' },
    ...{ json: '{}', inet: '10.0.0.1', real: '0.5', interval: '1 day' },
  }
  const value = values[type]
  if (value === undefined) throw new Error(`Say what a value of ${type} is.`)
  return sql`${value}::text::${sql.raw(type)}`
}

/** The rows of the workspace, by table. */
async function rowsIn({ database: { peek } }: TestContext) {
  const found: Record<string, unknown[]> = {}
  for (const { name, owner } of tables) {
    if (owner === 'id') continue
    const { rows } = await sql<{ row: unknown }>`
      select to_jsonb(each) as row from ${sql.table(name)} each
      where workspace_id = ${workspaceId}::uuid`.execute(peek)
    found[name] = rows.map(({ row }) => row)
  }
  return found
}

const tablesWithRows = async (ctx: TestContext) =>
  Object.entries(await rowsIn(ctx))
    .filter(([, rows]) => rows.length > 0)
    .map(([name]) => name)

const placeIn = ({ database: { peek } }: TestContext) =>
  peek
    .selectFrom('workspaces')
    .select(['moving_to', 'moved_to'])
    .where('id', '=', workspaceId)
    .executeTakeFirst()

const leaving = () => listLeaving(asService(a).db)

/** Longer than anything is kept, and the time goes on from there. */
async function passTwoHours() {
  const { rows } = await sql<{ now: Date }>`select outrider_now() as now`.execute(a.database.peek)
  await a.database.setClock(new Date((rows[0]?.now ?? a.now()).getTime() + 7_200_000))
}

const errorsIn = (ctx: TestContext) => loggedIn(ctx, 50)
const warningsIn = (ctx: TestContext) => loggedIn(ctx, 40)

const loggedIn = ({ logLines }: TestContext, severity: number) =>
  logLines
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === severity)
    .map(({ workspace, to, msg }) => ({ workspace, to, msg }))

const here = { moving_to: null, moved_to: null }
const movedToB = { moving_to: 'b', moved_to: 'b' }

/** What becomes of a write to each table: 'written', or that it was refused for the move. */
async function writesIn({ database: { peek } }: TestContext) {
  const outcomes: Record<string, string> = {}
  for (const { name, owner, columns } of tables) {
    const column = sql.ref(columns.find((each) => each !== owner) ?? owner)
    const change = sql`
      update ${sql.table(name)} set ${column} = ${column}
      where ${sql.ref(owner)} = ${workspaceId}::uuid`.execute(peek)
    outcomes[name] = await change.then(
      () => 'written',
      (error) => (movingOf(error) ? `refused: ${JSON.stringify(movingOf(error))}` : String(error)),
    )
  }
  return outcomes
}

const everywhere = (outcome: string) =>
  Object.fromEntries(tables.map(({ name }) => [name, outcome]))
const refusedAs = (isMoved: boolean) => `refused: ${JSON.stringify({ workspaceId, isMoved })}`

/** Without what a move writes itself: its entries in the audit log, and what the owners of lanes noted, which means nothing there. */
function asMoved(rows: Record<string, unknown[]>) {
  const { mailbox_lanes, webhook_lanes, audit_log, ...others } = rows
  const entries = audit_log as { action: string }[]
  return {
    ...others,
    ...{ mailbox_lanes: mailbox_lanes?.length, webhook_lanes: webhook_lanes?.length },
    audit_log: entries.filter(({ action }) => !action.startsWith('workspace.move')),
  }
}

/** What the audit log there says of moves, in that order. */
async function movesLoggedIn(ctx: TestContext) {
  const rows = await ctx.database.peek
    .selectFrom('audit_log')
    .select(['action', 'actor_type', 'details'])
    .where('workspace_id', '=', workspaceId)
    .where('action', 'like', 'workspace.move%')
    .orderBy('timestamp_created')
    .orderBy('id')
    .execute()
  return rows.map(({ action, actor_type, details }) => ({ action, actor_type, details }))
}

const byOperator = (action: string, details: object) => ({
  action,
  actor_type: 'operator',
  details,
})

test('every table that has a workspace_id is moved, fenced and at last emptied, whatever it is called', async () => {
  for (const { peek } of [a.database, b.database]) {
    await sql`
      create table later_things (
        workspace_id uuid not null references workspaces, id uuid, words tsvector not null,
        twice integer generated always as (2 * number) stored, number integer,
        primary key (workspace_id, id))`.execute(peek)
  }
  tables = await listWorkspaceTables(a.db)
  const { rows: inCatalogue } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where column_name = 'workspace_id' and table_schema = 'public' and table_type = 'BASE TABLE'
      and table_name not in (select relname from pg_class where relispartition)`.execute(
    a.database.peek,
  )
  const names = inCatalogue.map(({ name }) => name).toSorted()
  expect(names).toContain('later_things')
  expect(names.length).toBeGreaterThan(45)
  await fillEveryTable()
  expect((await tablesWithRows(a)).toSorted()).toEqual(names)
  const before = await rowsIn(a)

  const { rows, was_there } = await toB()
  // And that of the workspace itself, and the entry that the move was begun.
  expect({ rows, was_there }).toEqual({ rows: names.length + 2, was_there: false })
  expect(asMoved(await rowsIn(b))).toEqual(asMoved(before))
  expect(await placeIn(b)).toEqual(here)
  expect(await writesIn(b)).toEqual(everywhere('written'))

  expect(await placeIn(a)).toEqual(movedToB)
  const left = await rowsIn(a)
  expect(asMoved(left)).toEqual(asMoved(before))
  expect(await writesIn(a)).toEqual(everywhere(refusedAs(true)))
  await cleanUpMoves(ofShards(a, b))
  expect(await rowsIn(a)).toEqual(left)
  await passTwoHours()
  await cleanUpMoves(ofShards(a, b))
  expect(await tablesWithRows(a)).toEqual([])
  expect(await placeIn(a)).toEqual(movedToB)
  const { rows: triggers } = await sql`
    select from pg_trigger where tgname like 'outrider_fence%'`.execute(a.database.peek)
  expect(triggers).toEqual([])
})

test('no table of a workspace refers to one that belongs to none', () => {
  const names = new Set(tables.map(({ name }) => name))
  expect(tables.flatMap(({ refers_to }) => refers_to).filter((name) => !names.has(name))).toEqual(
    [],
  )
  expect(tables[0]?.name).toBe('workspaces')
})

test('a workspace is moved there and back as often as one likes, before and after the rest is deleted', async () => {
  await fillEveryTable()
  const before = asMoved(await rowsIn(a))
  for (let round = 0; round < 2; round++) {
    await toB()
    if (round === 1) {
      await passTwoHours()
      await cleanUpMoves(ofShards(a, b))
    }
    await toA()
    expect(await placeIn(a)).toEqual(here)
    expect(await placeIn(b)).toEqual({ moving_to: 'a', moved_to: 'a' })
    expect(asMoved(await rowsIn(a))).toEqual(before)
    expect(await writesIn(a)).toEqual(everywhere('written'))
  }
  await cleanUpMoves(ofShards(a, b))
  expect(asMoved(await rowsIn(a))).toEqual(before)
})

test('mailboxes go on under the leases of the database that they come to', async () => {
  await fillEveryTable()
  await toB()
  const { rows } = await sql<{ token: string; wake_at: Date }>`
    select token, wake_at from mailbox_lanes`.execute(b.database.peek)
  expect(rows).toEqual([{ token: '0', wake_at: expect.any(Date) }])
})

test('a delivery that was under way when its workspace was moved is not taken for one that ended its process', async () => {
  await fillEveryTable()
  await toB()
  const inFlight = ({ database: { peek } }: TestContext) =>
    peek.selectFrom('webhook_lanes').select('in_flight_id').execute()
  expect(await inFlight(a)).toEqual([{ in_flight_id: expect.any(String) }])
  expect(await inFlight(b)).toEqual([{ in_flight_id: null }])
})

const steps = ['drain', 'fence', 'copy', 'compare', 'switch', 'activate', 'clean', 'done']

test.each(steps.filter((_, at) => isTried(at)))(
  'a mover that is killed at %s loses nothing, and the same command ends it',
  async (step) => {
    await Promise.all([a.useRealTime(), b.useRealTime()])
    await fillEveryTable()
    const before = asMoved(await rowsIn(a))
    await killMoverAt(step, a, b, workspaceId)
    const isThere = ['clean', 'done'].includes(step)
    const active = [await placeIn(a), await placeIn(b)].filter((place) => place?.moved_to === null)
    // Never both; between the two commits none.
    expect(active.length).toBe(step === 'activate' ? 0 : 1)
    const again = await toB()
    expect(again.was_there).toBe(isThere)
    expect(await placeIn(a)).toEqual(movedToB)
    expect(await placeIn(b)).toEqual(here)
    expect(asMoved(await rowsIn(b))).toEqual(before)
    expect(await writesIn(b)).toEqual(everywhere('written'))
  },
)

test('a workspace that has left one shard and come to none is kept until it is brought there, however late', async () => {
  await Promise.all([a.useRealTime(), b.useRealTime()])
  await fillEveryTable()
  await killMoverAt('activate', a, b, workspaceId)
  const before = await rowsIn(a)
  await passTwoHours()
  await cleanUpMoves(ofShards(a, b))
  expect(await rowsIn(a)).toEqual(before)
  expect(errorsIn(a)).toEqual([
    {
      workspace: workspaceId,
      to: 'b',
      msg: expect.stringContaining('no shard has it'),
    },
  ])
  await toB()
  expect(asMoved(await rowsIn(b))).toEqual(asMoved(before))
  await passTwoHours()
  await cleanUpMoves(ofShards(a, undefined))
  expect(asMoved(await rowsIn(a))).toEqual(asMoved(before))
  // The one that does not answer may have it.
  expect(errorsIn(a).length).toBe(1)
  expect(warningsIn(a)).toEqual([
    {
      workspace: workspaceId,
      to: 'b',
      msg: expect.stringContaining('a shard that may have it does not answer'),
    },
  ])
  await cleanUpMoves(ofShards(a, b))
  expect(await tablesWithRows(a)).toEqual([])
})

test.each(['fence', 'copy', 'activate'])(
  'a move that was left at %s is taken back by cancelling it',
  async (step) => {
    await Promise.all([a.useRealTime(), b.useRealTime()])
    await fillEveryTable()
    const before = asMoved(await rowsIn(a))
    await killMoverAt(step, a, b, workspaceId)
    expect(await leaving()).toMatchObject([{ id: workspaceId, is_under_way: false }])
    await cancelMove(asService(a), () => asService(b), workspaceId)
    expect(await placeIn(a)).toEqual(here)
    expect(await writesIn(a)).toEqual(everywhere('written'))
    expect(asMoved(await rowsIn(a))).toEqual(before)
    expect(await tablesWithRows(b)).toEqual([])
    await expect(cancelMove(asService(a), () => asService(b), workspaceId)).rejects.toThrow(
      'The workspace is not being moved.',
    )
  },
)

test('a table that is in use does not end the upkeep, and is freed of the move by the next one', async () => {
  await toB()
  await passTwoHours()
  let minutes = 0
  const upkeep = { ...ofShards(a, b), monotonicMs: () => minutes++ * 60_000 }
  {
    await using _dump = await lockLeadsTable(a.database, 'access share')
    await cleanUpMoves(upkeep)
  }
  expect(warningsIn(a)).toEqual([
    { workspace: workspaceId, to: 'b', msg: expect.stringContaining('a table was in use') },
  ])
  expect(await listFenced(a.db, workspaceId)).toContain('leads')
  await cleanUpMoves(upkeep)
  expect(await listFenced(a.db, workspaceId)).toEqual([])
})

test('who asked to be removed where a workspace was is refused where it is, also who did meanwhile', async () => {
  await optOut(asService(a), 'ada@before.example')
  await optOut(asService(b), 'grace@there.example')
  await toB()
  const asked = ['ada@before.example', 'eve@meanwhile.example', 'grace@there.example']
  const refused = async () => [...(await findOptedOut(b.db, asked))].join()
  expect(await refused()).toBe('ada@before.example,grace@there.example')
  // As if it had been killed before it was through.
  await optOut(asService(a), 'eve@meanwhile.example')
  await toB()
  expect(await refused()).toBe(asked.join())
})

test('events whose replay is shown stay as long where the workspace comes to', async () => {
  const noted = ({ database: { peek } }: TestContext) =>
    peek.selectFrom('replayed_weeks').selectAll().orderBy('week').execute()
  const weeks = (attempts: [string, string][]) =>
    attempts.map(([week, attempts_until]) => ({ week, attempts_until }))
  const of = (context: TestContext, given: [string, string][]) =>
    context.database.peek.insertInto('replayed_weeks').values(weeks(given)).execute()
  await of(a, [
    ['2026-01-05', '2026-02-03'],
    ['2026-01-12', '2026-02-03'],
    ['2026-01-19', '2026-02-03'],
  ])
  await of(b, [
    ['2026-01-12', '2026-02-01'],
    ['2026-01-19', '2026-02-05'],
  ])
  await toB()
  expect(await noted(b)).toEqual(
    weeks([
      ['2026-01-05', '2026-02-03'],
      ['2026-01-12', '2026-02-03'],
      ['2026-01-19', '2026-02-05'],
    ]),
  )
})

test('a workspace is not moved while a provider is asked for a token, which has to be stored before', async () => {
  const own = inWorkspace(asService(a), workspaceId)
  const login = { username: 'anna', password: 'correct horse', security: 'none' }
  const server = { ...login, host: '127.0.0.1', port: 1 }
  const mailbox = { address: 'anna@example.com', smtp: server, imap: server }
  const { id } = await addMailbox(own, workspaceId, mailbox, operator)
  const until = new Date(a.now().getTime() + 20_000)
  await a.database.peek
    .updateTable('mailboxes')
    .set({ token_lease_until: until })
    .where('id', '=', id)
    .execute()
  const moving = () =>
    moveWorkspace(asService(a), asService(b), workspaceId, {
      ...{ sourceName: 'a', targetName: 'b', restMs: 0, drainMs: 0 },
    })
  await expect(moving()).rejects.toThrow('login of its mailboxes')
  expect(await placeIn(a)).toEqual(here)
  // The lease is over, and its owner goes on to store what the provider gave it.
  a.clock.advance(20_000 + storeTokenForMs - 1)
  await expect(moving()).rejects.toThrow('login of its mailboxes')
  a.clock.advance(1)
  await toB()
  expect([await placeIn(a), await placeIn(b)]).toEqual([movedToB, here])
})

/** Those that come to the target. */
async function loseViews() {
  const { peek } = b.database
  await sql`
    create function lose() returns trigger language plpgsql as $$ begin return null; end $$`.execute(
    peek,
  )
  await sql`create trigger lose before insert on saved_views for each row execute function lose()`.execute(
    peek,
  )
}

test('what fails before the switch is taken back by itself, and what has arrived cannot be cancelled', async () => {
  await fillEveryTable()
  await loseViews()
  await expect(toB()).rejects.toThrow('saved_views has 1 rows of the workspace, of which 0 came')
  expect(await placeIn(a)).toEqual(here)
  expect(await placeIn(b)).toBeUndefined()
  expect(await writesIn(a)).toEqual(everywhere('written'))
  await sql`drop trigger lose on saved_views`.execute(b.database.peek)
  await toB()
  const cancelling = () => cancelMove(asService(a), () => asService(b), workspaceId)
  await expect(cancelling()).rejects.toThrow('so there is nothing to cancel')
  // It has gone on from there.
  await sql`
    update workspaces
    set moving_to = 'c', moved_to = 'c', timestamp_moving = outrider_now() + interval '1 minute'
    where id = ${workspaceId}::uuid`.execute(b.database.peek)
  await expect(cancelling()).rejects.toThrow('so there is nothing to cancel')
  expect(await placeIn(a)).toEqual(movedToB)
})

/** The move is of no effect in the target, and the source says that the workspace has gone. */
async function breakOffAtCommit() {
  const { peek } = b.database
  await sql`
    create function break_off() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`.execute(peek)
  await sql`
    create constraint trigger break_off after insert on workspaces deferrable initially deferred
    for each row execute function break_off()`.execute(peek)
  await expect(toB()).rejects.toThrow('Until the command is run again')
  expect([await placeIn(a), await placeIn(b)]).toEqual([movedToB, undefined])
  await sql`drop trigger break_off on workspaces`.execute(peek)
}

test('a move whose target breaks off when it is committed says that it is to be run again, which ends it', async () => {
  await breakOffAtCommit()
  await toB()
  expect([await placeIn(a), await placeIn(b)]).toEqual([movedToB, here])
})

test('a move that is run again after its target broke off, and fails, is taken back', async () => {
  await fillEveryTable()
  const before = asMoved(await rowsIn(a))
  await breakOffAtCommit()
  await loseViews()
  await expect(toB()).rejects.toThrow('saved_views has 1 rows of the workspace, of which 0 came')
  expect([await placeIn(a), await placeIn(b)]).toEqual([here, undefined])
  expect(await writesIn(a)).toEqual(everywhere('written'))
  expect(asMoved(await rowsIn(a))).toEqual(before)
})

test('a move that breaks off after it arrived says where the workspace is', async () => {
  const moving = moveWorkspace(asService(a), asService(b), workspaceId, {
    ...{ sourceName: 'a', targetName: 'b', restMs: 0 },
    onProgress({ step }) {
      if (step === 'clean') throw databaseSilent()
    },
  })
  await expect(moving).rejects.toThrow('The workspace is on b, and what is done last was not')
  expect([await placeIn(a), await placeIn(b)]).toEqual([movedToB, here])
})

/** Ends the sessions of movers, as a server does that has not heard of them for hours. */
async function endMovers({ database: { peek } }: TestContext) {
  const held = sql`
    from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`
  await sql`select pg_terminate_backend(pid) ${held}`.execute(peek)
  await expect
    .poll(async () => (await sql`select ${held}`.execute(peek)).rows, patience)
    .toEqual([])
}

test('a mover that fails late leaves the workspace where another command has brought it meanwhile', async () => {
  let hasSlept = false
  const sleepLong = async () => {
    await endMovers(a)
    await endMovers(b)
    await toB()
    hasSlept = true
  }
  let sleep: Promise<void> | undefined
  const late = {
    ...asService(a),
    monotonicMs: () => (hasSlept ? 1 : 0),
    sleep: () => (sleep ??= sleepLong()),
  }
  const options = { sourceName: 'a', targetName: 'b', restMs: 1 }
  const moving = moveWorkspace(late, asService(b), workspaceId, options)
  await expect(moving).rejects.toThrow('not queryable')
  expect([await placeIn(a), await placeIn(b)]).toEqual([movedToB, here])
})

/** The workspace's own row waits there on its way into the target, until `work` is done. */
async function atGate(work: () => Promise<void>, move: () => Promise<unknown> = toB) {
  const { peek } = b.database
  await sql`
    create function wait_at_gate() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(42); return new; end $$`.execute(peek)
  await sql`
    create trigger gate before insert on workspaces
    for each row execute function wait_at_gate()`.execute(peek)
  const waiting = async () => {
    const { rows } = await sql`
      select from pg_locks where locktype = 'advisory' and not granted and objid = 42`.execute(peek)
    return rows.length
  }
  const tx = await peek.startTransaction().execute()
  await sql`select pg_advisory_xact_lock(42)`.execute(tx)
  const moving = move()
  moving.catch(() => undefined)
  await expect.poll(waiting, patience).toBe(1)
  try {
    await work()
  } finally {
    await tx.rollback().execute()
  }
  await moving
}

test('while it is copied everything that writes is refused, and reading and other workspaces go on', async () => {
  await fillEveryTable()
  const other = await createWorkspace(asService(a), 'Other')
  await atGate(async () => {
    expect(await placeIn(a)).toEqual({ moving_to: 'b', moved_to: null })
    expect(await leaving()).toMatchObject([{ is_fenced: true, is_under_way: true }])
    expect(await writesIn(a)).toEqual(everywhere(refusedAs(false)))
    expect((await tablesWithRows(a)).length).toBe(tables.length - 1)
    const { numUpdatedRows } = await a.database.peek
      .updateTable('workspaces')
      .set({ name: 'Renamed' })
      .where('id', '=', other.id)
      .executeTakeFirstOrThrow()
    expect(numUpdatedRows).toBe(1n)
    await expect(toB()).rejects.toThrow('Another move of this workspace is under way')
    await expect(cancelMove(asService(a), () => asService(b), workspaceId)).rejects.toThrow(
      'Another move of this workspace is under way',
    )
  })
  expect(await placeIn(b)).toEqual(here)
})

test('weeks that upkeep drops in the target while mails are waited for, or would while they are copied, arrive', async () => {
  const old = new Date(a.now().getTime() - 400 * dayMs)
  const week = { name: 'messages', by: 'week' } as const
  await createPartition(asService(a).db, week, startOfPeriod(week, old))
  const id = firstIdAt(old).replace(/0{12}$/, '000000000001')
  await sql`
    insert into messages (workspace_id, id, direction, kind, mailbox_id, thread_id, from_address, timestamp)
    values (${workspaceId}::uuid, ${id}::uuid, 'in', 'reply', ${id}::uuid, ${id}::uuid, '', ${old})`.execute(
    a.database.peek,
  )
  const dropThere = async () => {
    const found = await listPartitions(b.db, week)
    const made = found.find(({ end }) => end.getTime() < b.now().getTime() - 300 * dayMs)
    return made && (await dropPartition(asService(b).db, week, made))
  }
  let hasDropped = false
  let passedMs = 0
  const waiting = {
    ...asService(a),
    // No time passes until it is dropped. Who tells others of changes sleeps, too, also at the same time.
    monotonicMs: () => (hasDropped ? ++passedMs : 0),
    async sleep() {
      if (!hasDropped && (await dropThere())) hasDropped = true
    },
  }
  const options = { sourceName: 'a', targetName: 'b', restMs: 1 }
  await atGate(
    async () => expect(await dropThere()).toBe(false),
    () => moveWorkspace(waiting, asService(b), workspaceId, options),
  )
  expect(hasDropped).toBe(true)
  expect((await rowsIn(b)).messages).toHaveLength(1)
})

const rename = (ctx: TestContext, id: string, name: string) =>
  setWorkspace(inWorkspace(asService(ctx), id), id, { name })

test('the name of a workspace that has gone is free where it was: for a new one, one that is there, and one that comes', async () => {
  const other = await createWorkspace(asService(a), 'Other')
  await toB()
  const made = await createWorkspace(asService(a), 'Acme')
  await rename(a, made.id, 'Made')
  await rename(a, other.id, 'Acme')
  // It has a name as long as it is somewhere.
  await expect(toA()).rejects.toThrow('a has another workspace that is named Acme')
  await rename(b, workspaceId, 'Acme EU')
  await toA()
  await rename(a, other.id, 'Other')
  await toB()
  const third = await createWorkspace(asService(b), 'Acme')
  workspaceId = third.id
  await toA()
  expect(await placeIn(a)).toEqual(here)
})

test.each(['name', 'handle'] as const)(
  'a move whose %s another workspace is given while it copies ends with what to do, and changes nothing',
  async (column) => {
    await fillEveryTable()
    const before = asMoved(await rowsIn(a))
    const other = await createWorkspace(asService(b), 'Other')
    const value = { name: 'Acme', handle: 'acme' }[column]
    const moving = atGate(async () => {
      await b.database.peek
        .updateTable('workspaces')
        .set({ [column]: value })
        .where('id', '=', other.id)
        .execute()
    })
    await expect(moving).rejects.toThrow('b has another workspace that is named Acme, or has its')
    expect([await placeIn(a), await placeIn(b)]).toEqual([here, undefined])
    expect(asMoved(await rowsIn(a))).toEqual(before)
    expect(await writesIn(a)).toEqual(everywhere('written'))
  },
)

test('a move whose workspace has lost its name meanwhile is not taken back before that is given back', async () => {
  await Promise.all([a.useRealTime(), b.useRealTime()])
  await killMoverAt('activate', a, b, workspaceId)
  const { id } = await createWorkspace(asService(a), 'Acme')
  const cancelling = () => cancelMove(asService(a), () => asService(b), workspaceId)
  await expect(cancelling()).rejects.toThrow('Another workspace has been named Acme')
  expect(await placeIn(a)).toEqual(movedToB)
  await rename(a, id, 'Made')
  // Another one that nobody sees yet.
  const naming = await a.database.peek.startTransaction().execute()
  await sql`update workspaces set name = 'Acme' where id = ${id}::uuid`.execute(naming)
  const tooLate = expect(cancelling()).rejects.toThrow('Another workspace has been named Acme')
  const waiting = async () => {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event = 'transactionid'`.execute(a.database.peek)
    return rows.length
  }
  await expect.poll(waiting, patience).toBe(1)
  await naming.commit().execute()
  await tooLate
  await rename(a, id, 'Made')
  await cancelling()
  expect(await placeIn(a)).toEqual(here)
})

test('a move to another shard of a workspace whose move was left is refused', async () => {
  await a.database.peek.updateTable('workspaces').set({ moving_to: 'c' }).execute()
  await expect(toB()).rejects.toThrow('A move of this workspace to c was begun and left.')
})

test('the audit log tells of a move where the workspace is: begun, arrived, or taken back', async () => {
  const begun = byOperator('workspace.move_begun', { from: 'a', to: 'b' })
  await toB()
  const arrived = [begun, byOperator('workspace.moved', { from: 'a', to: 'b' })]
  expect(await movesLoggedIn(b)).toEqual(arrived)
  expect(await movesLoggedIn(a)).toEqual([begun])

  await b.useRealTime()
  // Whoever is killed here calls its databases so, whichever they are.
  await killMoverAt('copy', b, a, workspaceId)
  expect(await movesLoggedIn(b)).toEqual([...arrived, begun])
  await cancelMove(asService(b), () => asService(a), workspaceId)
  const cancelled = byOperator('workspace.move_cancelled', { to: 'b' })
  expect(await movesLoggedIn(b)).toEqual([...arrived, begun, cancelled])
})
