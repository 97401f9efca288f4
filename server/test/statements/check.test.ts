import { describe, expect, test } from 'vitest'
import type { Catalog } from './catalog.ts'
import { checkStatement } from './check.ts'
import type { Uses } from './handle-uses.ts'
import type { Rule } from './rules.ts'
import { verdictOn } from './verdicts.ts'

const catalog: Catalog = {
  tenantTables: new Set(['leads', 'campaigns', 'deliveries', 'events', 'counts', 'old_20200101']),
  localTables: new Set(['leases']),
  referenceTables: new Set(['workspaces', 'key_hashes']),
}

const rulesBroken = (text: string) => checkStatement(text, catalog).map(({ rule }) => rule)

/** Each statement breaks exactly this rule, once. */
const breaks = (rule: Rule, statements: string[]) =>
  test.each(statements)(`${rule}: %s`, (text) => {
    expect(rulesBroken(text)).toEqual([rule])
  })

const keeps = (statements: string[]) =>
  test.each(statements)('allowed: %s', (text) => {
    expect(checkStatement(text, catalog)).toEqual([])
  })

describe('every range of a tenant table is bound to a workspace parameter', () => {
  breaks('unbound-range', [
    'select id from leads',
    'select id from leads where id = $1',
    `select id from leads where workspace_id = '0197'::uuid`,
    'select id from leads where workspace_id = $1 or id = $2',
    'select id from leads where not (workspace_id = $1)',
    'select id from leads where workspace_id <> $1',
    'select id from leads where workspace_id::text = $1',
    'select id from leads where workspace_id in (select id from workspaces)',
    'select id from leads where (workspace_id, id) < ($1, $2)',
    'select id from public.leads l where l.id = $1',
    'select id from only leads where id = $1',
    'select id from events_20260105 where id = $1',
    'select id from old_20200101 where id = $1',
    'select id from leads where workspace_id is distinct from $1',
    'select id from leads where workspace_id is not distinct from $1',
    'with leads as (select 1) select id from public.leads',
    'select 1 where (select id from leads) in (select $1::uuid)',
    'select * from (select exists (select 1 from leads)) l',
    'select c.id from campaigns c join workspaces w on exists (select 1 from leads) where c.workspace_id = $1',
    'select 1 from (select $1::uuid as w) k where exists (select 1 from key_hashes, leads l where l.workspace_id = w)',
    'with recursive k(w) as (select $1::uuid union all select k.w from k) select l.id from leads l join k on l.workspace_id = k.w',
    'explain select id from leads',
    'update leads set status = $1 where id = $2',
    'delete from leads where id = $1',
    'delete from deliveries d using leases k where d.workspace_id = k.workspace_id',
    'select l.id from leads l, campaigns c where l.workspace_id = $1 and c.id = l.campaign_id',
    'select l.id from leads l join campaigns c on c.id = l.campaign_id where l.workspace_id = $1',
    'select id from leads where workspace_id = $1 union all select id from campaigns',
    'select 1 from campaigns c where c.workspace_id = $1 and exists (select 1 from leads l where l.campaign_id = c.id)',
    'select (select count(*) from leads l where l.campaign_id = c.id) from campaigns c where c.workspace_id = $1',
    'select id from leads where workspace_id = $1 and campaign_id in (select id from campaigns)',
    'select id from campaigns c where c.workspace_id = $1 order by (select count(*) from leads l where l.campaign_id = c.id)',
    'with due as (select id from deliveries) select * from due',
    'with due as (select id from leads where workspace_id = $1) delete from deliveries d using due where d.id = due.id',
    'select * from (select id from leads) l',
    'select c.id, l.id from campaigns c, lateral (select id from leads where campaign_id = c.id order by id limit 1) l where c.workspace_id = $1',
    'insert into counts (workspace_id, n) select $1, count(*) from leads',
    'insert into counts (workspace_id, n) values ($1, (select count(*) from leads))',
    'insert into counts (workspace_id, n) values ($1, $2) on conflict (workspace_id) do update set n = (select count(*) from leads)',
    'select h.key_id from key_hashes h join leads l on l.workspace_id = h.workspace_id where h.hash = $1',
  ])
  keeps([
    'select id from leads where workspace_id = $1',
    'select id from leads where $1 = workspace_id',
    'select id from "leads" as "l" where "l"."workspace_id" = $1::uuid',
    'select id from leads where leads.workspace_id = $1 and (id < $2 or $2 is null)',
    'select id from leads where (workspace_id, id) = ($1, $2)',
    'select id from leads where workspace_id = any($1) and workspace_id = $2',
    'with recursive leads as (select 1 as id union all select id + 1 from leads) select id from leads',
    'select 1 from campaigns c where c.workspace_id = $1 and exists (select 1 from leases c, (select l.id from leads l where l.workspace_id = c.workspace_id) l)',
    'select id from events_20260105 where workspace_id = $1 and id = $2',
    'update leads l set status = c.status from campaigns c where l.workspace_id = $1 and c.workspace_id = l.workspace_id and c.id = l.campaign_id',
    'delete from leads where workspace_id = $1 and id = any($2::uuid[]) returning id',
    'select l.id from leads l join campaigns c on c.workspace_id = l.workspace_id and c.id = l.campaign_id where c.workspace_id = $1',
    'select l.id from leads l join campaigns c using (workspace_id) where workspace_id = $1',
    'select a.id from leads a, leads b, leads c where a.workspace_id = b.workspace_id and b.workspace_id = c.workspace_id and c.workspace_id = $1',
    'select id from leads where workspace_id = $1 union all select id from campaigns where workspace_id = $1',
    'select 1 from campaigns c where c.workspace_id = $1 and not exists (select 1 from leads l where l.workspace_id = c.workspace_id and l.campaign_id = c.id)',
    'select l.id from leads l join (select c.workspace_id, c.id from campaigns c where c.workspace_id = $1) s on s.workspace_id = l.workspace_id and s.id = l.campaign_id',
    'select l.id from leads l, (select $1::uuid, $2::uuid) k(w, id) where l.workspace_id = k.w and l.id = k.id',
    'select c.id, l.id from campaigns c, lateral (select id from leads where workspace_id = c.workspace_id and campaign_id = c.id order by id limit 1) l where c.workspace_id = $1',
    'with due as (select id from deliveries where workspace_id = $1) delete from deliveries d using due where d.workspace_id = $1 and d.id = due.id',
    'with leads as (select id from leads where workspace_id = $1) select id from leads',
    'select l.id from unnest($2::uuid[]) k(id) join leads l on l.workspace_id = $1 and l.id = k.id',
    'select plan_api from workspaces where id = $1',
    'select key_id from key_hashes where hash = $1',
    'update leases set runner_id = $1 where bucket = any($2::int[])',
    'select count(*) from pg_stat_activity where now() > query_start',
    'explain (costs off) select id from leads where workspace_id = $1',
  ])
})

describe('an outer join binds only the side it may leave empty', () => {
  breaks('unbound-range', [
    'select a.id from leads a left join campaigns b on b.workspace_id = $1 and a.workspace_id = $1',
    'select a.id from leads a right join campaigns b on a.workspace_id = $1 and b.workspace_id = $1',
    'select a.id from leads a left join campaigns b using (workspace_id) where b.workspace_id = $1',
  ])
  keeps([
    'select a.id from leads a left join campaigns b on b.workspace_id = a.workspace_id where a.workspace_id = $1',
    'select a.id from leads a left join campaigns b using (workspace_id) where a.workspace_id = $1',
    'select b.id from leads a right join campaigns b on a.workspace_id = b.workspace_id where b.workspace_id = $1',
  ])
  test('a full join binds neither', () => {
    const text =
      'select a.id from leads a full join campaigns b on a.workspace_id = $1 and b.workspace_id = $1'
    expect(checkStatement(text, catalog)).toEqual([
      { rule: 'unbound-range', subject: 'leads a' },
      { rule: 'unbound-range', subject: 'campaigns b' },
    ])
  })
})

const listed = `delete from deliveries d using unnest($1::uuid[], $2::uuid[]) k(w, id)
  where d.workspace_id = k.w and d.id = k.id returning d.workspace_id, d.id`

describe('only a batch takes workspaces from a list', () => {
  breaks('list-outside-batch', [
    listed,
    `select 1; /* batch */ ${listed}`,
    'select id from leads where workspace_id = any($1::uuid[])',
    'select l.id from leads l join jsonb_to_recordset($1::jsonb) as r(workspace_id uuid, id uuid) on l.workspace_id = r.workspace_id and l.id = r.id',
    'select l.id from leads l, rows from (unnest($1::uuid[]), unnest($2::uuid[])) k(w, id) where l.workspace_id = k.w',
    'select l.id from leads l join (values ($1::uuid), ($2)) k(w) on l.workspace_id = k.w',
    'with k as (select $1::uuid as w) select l.id from leads l join k on l.workspace_id = k.w',
    'with due as (select workspace_id, id from deliveries where workspace_id = $1) delete from deliveries d using due where d.workspace_id = due.workspace_id and d.id = due.id',
  ])
  keeps([
    `/* batch */ ${listed}`,
    `/* batch */ select d.id from deliveries d join unnest($1::uuid[], $2::uuid[]) k(w, id)
       on d.workspace_id = k.w and d.id = k.id order by d.workspace_id, d.id for update of d`,
    '/* batch */ update deliveries d set attempt = d.attempt + 1 from (select w, id from unnest($1::uuid[], $2::uuid[]) k(w, id)) k where d.workspace_id = k.w and d.id = k.id',
  ])
  test('the mark gives no leave to read without a list', () => {
    expect(rulesBroken('/* batch */ select id from deliveries')).toEqual(['unbound-range'])
  })
  test('a list of other values binds nothing', () => {
    const text =
      '/* batch */ select d.id from deliveries d, unnest(d.tags) k(w) where d.workspace_id = k.w'
    expect(rulesBroken(text)).toEqual(['unbound-range'])
  })
})

describe('an inserted row gets its workspace from a parameter', () => {
  breaks('insert-without-workspace', [
    'insert into leads (id) values ($1)',
    'insert into leads values ($1, $2)',
    'insert into leads default values',
    `insert into leads (workspace_id, id) values ('0197', $1)`,
    'insert into leads (workspace_id, id) values ($1, $2), (default, $3)',
    'insert into leads (workspace_id, id) values ((select workspace_id from key_hashes where hash = $1), $2)',
    'insert into leads (id, workspace_id) select $1, $2 union all select $3, null',
    'insert into leads (workspace_id, id) select h.workspace_id, $1 from key_hashes h',
    'insert into leads (workspace_id, id) select unnest(array[$1]), $2',
    'insert into leads (workspace_id, id) select * from campaigns where workspace_id = $1',
    'insert into leads (id, workspace_id) select c.*, $1 from campaigns c where c.workspace_id = $2',
    'with new as (insert into leads (id) values ($1) returning id) select id from new',
  ])
  keeps([
    'insert into leads (workspace_id, id) values ($1, $2)',
    'insert into leads (id, workspace_id) values ($1, $2::uuid), ($3, $4::uuid)',
    'insert into leads (workspace_id, id) select $1, k.id from unnest($2::uuid[]) k(id)',
    'insert into leads (workspace_id, id) select k.w, k.id from unnest($1::uuid[], $2::uuid[]) k(w, id)',
    'insert into leads (workspace_id, id) select * from unnest($1::uuid[], $2::uuid[])',
    'insert into leads (workspace_id, id) select unnest($1::uuid[]), unnest($2::uuid[])',
    'insert into leads (workspace_id, id) select k.w::uuid, $2 from unnest($1::text[]) k(w)',
    'insert into leads (workspace_id, id) select k.* from rows from (jsonb_to_recordset($1::jsonb) as (workspace_id uuid, id uuid)) k',
    'insert into leads (workspace_id, id) select w, id from (select * from unnest($1::uuid[], $2::uuid[]) as t(w, id)) s',
    'insert into leads (workspace_id, id) select r.workspace_id, r.id from jsonb_to_recordset($1::jsonb) as r(workspace_id uuid, id uuid)',
    'insert into counts (workspace_id, n) select workspace_id, count(*) from leads where workspace_id = $1 group by workspace_id',
    'with k as (select w from unnest($1::uuid[]) w) insert into counts (workspace_id, n) select k.w, 1 from k',
    'insert into leads as l (workspace_id, id) values ($1, $2) on conflict (workspace_id, id) do update set n = (select count(*) from campaigns c where c.workspace_id = l.workspace_id) returning l.id',
    'insert into leases (bucket) values (1)',
  ])
  breaks('moved-workspace', [
    'update leads set workspace_id = $1 where workspace_id = $2',
    'update leads set (workspace_id, id) = ($1, $2) where workspace_id = $3',
    'insert into leads (workspace_id, id) values ($1, $2) on conflict (workspace_id, id) do update set workspace_id = excluded.workspace_id',
  ])
})

describe('a marked read may cross workspaces, without recursion', () => {
  keeps([
    '/* cross-workspace: discovery */ select distinct workspace_id, webhook_id from deliveries where bucket = any($1)',
    '\n  /* cross-workspace: upkeep */\n delete from deliveries where expires_at < $1',
    'with recursive n(i) as (select 1 union all select i + 1 from n where i < 9) select i from n',
    'with recursive up as (select id from leads where workspace_id = $1 union all select l.id from leads l join up on up.id = l.id where l.workspace_id = $1) select id from up',
  ])
  breaks('recursion-across-workspaces', [
    '/* cross-workspace: sweep */ with recursive lane as (select 1 as i union all select i + 1 from lane) select id from deliveries, lane',
  ])
  breaks('unbound-range', [
    '/* cross-workspace */ select id from deliveries',
    '/* cross-workspace: */ select id from deliveries',
    'select id /* cross-workspace: late */ from deliveries',
    '-- /* cross-workspace: hidden */\nselect id from deliveries',
  ])
})

describe('no write in a CTE feeds the insert of another table', () => {
  breaks('write-feeds-insert', [
    'with gone as (delete from deliveries where workspace_id = $1 returning id) insert into events (workspace_id, id) select $1, gone.id from gone',
    'with e as (insert into events (workspace_id, id) values ($1, $2) returning id), few as (select id from e) insert into deliveries (workspace_id, id) select $1, id from few',
    'with gone as (delete from deliveries where workspace_id = $1 returning id), kept as (insert into events (workspace_id, id) select $1, id from gone) select count(*) from gone',
    'with gone as (update leases set runner_id = $2 returning bucket) insert into events (workspace_id, id) select $1, bucket from gone',
    'with gone as (delete from deliveries where workspace_id = $1 returning id) insert into events (workspace_id, id) select $1, $2 where exists (select 1 from gone)',
  ])
  keeps([
    'with gone as (delete from deliveries where workspace_id = $1 returning id) select count(*) from gone',
    'with due as (select id from deliveries where workspace_id = $1) insert into events (workspace_id, id) select $1, due.id from due',
    'with gone as (delete from leases returning bucket) insert into leases (bucket) select bucket from gone',
    'with gone as (delete from leases returning bucket) insert into key_hashes (hash) select bucket from gone',
    'with gone as (delete from events_20260105 where workspace_id = $1 returning id) insert into events (workspace_id, id) select $1, id from gone',
    'with gone as (delete from deliveries where workspace_id = $1) insert into events (workspace_id, id) values ($1, $2)',
  ])
})

describe('no local table is joined laterally with a tenant table', () => {
  breaks('lateral-from-local', [
    '/* cross-workspace: discovery */ select d.id from leases b cross join lateral (select id from deliveries d where d.bucket = b.bucket order by id limit 9) d',
    'with mine as (select bucket from leases) select d.id from mine, lateral (select d.id from deliveries d where d.workspace_id = $1 and d.bucket = mine.bucket) d',
  ])
  keeps([
    'select d.id from unnest($2::int[]) b(bucket), lateral (select id from deliveries d where d.workspace_id = $1 and d.bucket = b.bucket order by id limit 9) d',
    'select l.bucket from leases l, lateral (select 1 from workspaces w where w.id = l.runner_id) w',
  ])
})

describe('a limit names its rows', () => {
  breaks('limit-without-order', [
    'select id from leads where workspace_id = $1 limit $2',
    'select id from leads where workspace_id = $1 offset 5',
    'select id from leads where workspace_id = $1 fetch first row only',
    'select 1, id from leads where workspace_id = $1 limit 1',
    'with due as (select id from leads where workspace_id = $1) select id from due limit 5',
    'select id from (select id from leads where workspace_id = $1 order by id) l limit 5',
    '(select id from leads where workspace_id = $1) union all (select id from campaigns where workspace_id = $1) limit 3',
    'delete from leads where workspace_id = $1 and id in (select id from leads where workspace_id = $1 limit 5000)',
  ])
  keeps([
    'select id from leads where workspace_id = $1 order by id limit $2',
    'select id from leads where workspace_id = $1 limit all',
    'select 1 from leads where workspace_id = $1 limit 1',
    'select count(*) from (select 1 from leads where workspace_id = $1 limit 10001) l',
    'select exists (select id from leads where workspace_id = $1 limit 1)',
    'select bucket from leases limit 1',
  ])
})

describe('time, ids and chance come from the application', () => {
  breaks('impure-function', [
    'select now()',
    'select pg_catalog.now()',
    'select current_timestamp',
    'select current_date',
    'select localtimestamp(3)',
    'select clock_timestamp()',
    'select statement_timestamp()',
    'select transaction_timestamp()',
    'select random()',
    'select gen_random_uuid()',
    'select uuidv7()',
    `select 'now'::timestamptz`,
    'update leases set leased_until = now()',
    '/* cross-workspace: sweep */ delete from deliveries where expires_at < now()',
    'insert into leads (workspace_id, id) values ($1, gen_random_uuid())',
    'insert into leads (workspace_id, id) values ($1, $2) on conflict (workspace_id, id) do update set seen = now()',
    'select id from leads where workspace_id = $1 order by random()',
    'with t as (select now() as t) select id from leads, t where workspace_id = $1 and due < t.t',
  ])
  keeps([
    'select outrider_now()',
    'select current_user, current_database()',
    `select 'now'::text`,
    'select $1::timestamptz, date_trunc($2, $3::timestamptz)',
  ])
})

describe('a row is named by its key', () => {
  breaks('system-column', [
    'select ctid from leads where workspace_id = $1',
    'delete from leads l where l.workspace_id = $1 and l.ctid = $2',
    'select xmin from leases',
    'select tableoid from events where workspace_id = $1',
    'insert into leads (workspace_id, id) values ($1, $2) on conflict (workspace_id, id) do update set seen = $3 returning xmax',
  ])
  keeps(['select l.id as ctid from leads l where l.workspace_id = $1'])
})

describe('nothing lasts longer than its transaction', () => {
  breaks('session-setting', [
    'set work_mem = 64',
    'set session authorization default',
    'reset work_mem',
    'reset all',
    'discard all',
    `select set_config('work_mem', $1, false)`,
    `select set_config('work_mem', $1, $2)`,
    'select pg_advisory_lock($1)',
    'select pg_try_advisory_lock_shared($1)',
    'select pg_advisory_unlock($1)',
    'select pg_advisory_unlock_all()',
    'create temporary table staged (like leases)',
    'create temp table staged as select bucket from leases',
    'explain select pg_advisory_lock($1)',
  ])
  keeps([
    '/* session: around the pooler */ select pg_advisory_lock($1)',
    '/* session: around the pooler */ create temporary table staged (like leases)',
    'set local work_mem = 64',
    'set transaction isolation level repeatable read',
    `select set_config('work_mem', $1, true)`,
    'select pg_advisory_xact_lock_shared($1)',
  ])
  breaks('unbound-range', ['/* session: around the pooler */ select id from leads'])
})

describe('a lock of a fixed name is said to be for the installation as a whole', () => {
  breaks('advisory-lock', [
    'select pg_advisory_xact_lock(1)',
    `select pg_advisory_xact_lock(hashtext('users'))`,
    'select pg_try_advisory_xact_lock_shared(1, 2)',
    '/* installation */ select pg_advisory_xact_lock(1)',
  ])
  keeps([
    'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    'select pg_advisory_xact_lock(n) from generate_series(1, $1) n',
    `/* installation: who is the first user */ select pg_advisory_xact_lock(hashtext('users'))`,
  ])
})

describe('an update reads no array from text', () => {
  breaks('stable-cast', [
    'update leads l set steps = k.steps::uuid[] from unnest($2::uuid[], $3::text[]) k(id, steps) where l.workspace_id = $1 and l.id = k.id',
    'update leads set seen = $2 where workspace_id = $1 and tags::text[] @> $3',
  ])
  keeps([
    `update leads l set steps = string_to_array(k.steps, ',')::uuid[] from unnest($2::uuid[], $3::text[]) k(id, steps) where l.workspace_id = $1 and l.id = k.id`,
    'update leases set steps = raw::int[]',
    'select steps::uuid[] from leads where workspace_id = $1',
  ])
})

describe('no statement asks what time it is in a zone that is stored', () => {
  breaks('stored-zone', [
    `select id from campaigns m where workspace_id = $1 and (now_at at time zone m.timezone)::date = $2`,
    `select (now_at at time zone coalesce(timezone, 'UTC'))::date from leads where workspace_id = $1`,
    'select id from leads where workspace_id = $1 and timezone($2, now_at) > $3',
  ])
  keeps([`select (now_at at time zone 'UTC')::date from leads where workspace_id = $1`])
})

describe('a statement and the handle that it was asked of name the same workspace', () => {
  const asked = (text: string, uses: Uses) =>
    verdictOn(text, catalog, uses).map(({ rule, subject }) => `${rule}: ${subject}`)
  const bound = (...own: number[]): Uses => ({ bound: true, unbound: false, own: new Set(own) })
  const unbound: Uses = { bound: false, unbound: true, own: new Set() }

  test.each([
    ['select id from leads where workspace_id = $1 and id = $2', 2],
    ['select id from leads where $1::uuid = workspace_id and id = $2', 2],
    ['select id from leads where (workspace_id, id) = ($1, $2)', 2],
    ['update leads set status = $2 where workspace_id = $1', 2],
    ['insert into leads (id, workspace_id) values ($2, $1)', 2],
    ['insert into leads (workspace_id, id) select $1::uuid, id from unnest($2::uuid[]) k (id)', 2],
  ])('%s', (text, other) => {
    expect(asked(text, bound(1))).toEqual([])
    expect(asked(text, bound(other))).toEqual(['other-workspace: $1'])
    expect(asked(text, unbound)).toEqual(['unbound-handle: its handle'])
  })

  test('in every row and every level', () => {
    const rows = 'insert into leads (workspace_id, id) values ($1, $2), ($3, $4)'
    expect(asked(rows, bound(1, 3))).toEqual([])
    expect(asked(rows, bound(1))).toEqual(['other-workspace: $3'])
    const levels =
      'select id from leads l where workspace_id = $1 and exists (select 1 from campaigns c where c.workspace_id = $2 and c.id = l.campaign_id)'
    expect(asked(levels, bound(1))).toEqual(['other-workspace: $2'])
  })

  test('what is asked across workspaces is asked of no bound handle', () => {
    const text = '/* cross-workspace: discovery */ select id from leads'
    expect(asked(text, unbound)).toEqual([])
    expect(asked(text, bound())).toEqual(['bound-handle: cross-workspace'])
  })

  test('what belongs to no workspace is asked of either', () => {
    const text = 'select owner from leases where bucket = $1'
    expect([...asked(text, unbound), ...asked(text, bound())]).toEqual([])
  })
})

describe('statements that manage rather than work are passed over', () => {
  keeps([
    'begin',
    'commit',
    'rollback',
    'set local lock_timeout = 200',
    'listen due',
    `notify due, 'x'`,
    'create table events_20260105 (like events)',
    'alter table events attach partition events_20260105 for values from (1) to (2)',
    'drop table events_20260105',
    'truncate leads',
    'select pg_try_advisory_xact_lock($1)',
    'select pg_notify($1, $2)',
    `select set_config('a.b', $1, true)`,
    'select relname from pg_class join pg_inherits on oid = inhrelid',
  ])
  breaks('not-understood', [
    'selec id from leads',
    'select count(*) from leads tablesample system (1)',
    'copy leads from stdin',
    'merge into leads l using leases k on l.id = k.id when matched then delete',
    'with m as (merge into leads l using leases k on true when matched then delete returning l.id) select * from m',
  ])
})

test('a violation names the range as the statement does', () => {
  expect(checkStatement('select a.id from leads a', catalog)).toEqual([
    { rule: 'unbound-range', subject: 'leads a' },
  ])
})
