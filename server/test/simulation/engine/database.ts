import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { migrate } from '../../../src/kernel/db/migrate.ts'
import { partitionedTables } from '../../../src/partitions.ts'
import { startPostgresServer } from '../../postgres-server.ts'
import { Backends } from './backends.ts'
import type { Scenario } from './scenario.ts'

/** A PostgreSQL for simulations alone. */
export interface SimulationServer extends AsyncDisposable {
  admin: pg.Client
  /** A migrated database on it, that others are copied from. */
  templateUrl: URL
}

/** A database in which one simulation of a scenario after the other runs. */
export interface SimulationDatabase extends AsyncDisposable {
  admin: pg.Client
  backends: Backends
  /** As if nothing had ever happened in it. */
  clear: () => Promise<void>
}

interface SimulationDatabaseOptions {
  /** Real chance decides what must not matter: which connection is used, how long an answer takes. */
  unsteady?: boolean
  /** Undefined: one of its own. */
  server?: SimulationServer
}

export async function startSimulationServer(): Promise<SimulationServer> {
  const postgres = await startPostgresServer()
  const admin = new pg.Client({ connectionString: postgres.url })
  await admin.connect()
  if (!process.env.TEST_DATABASE_URL) {
    // Its look at the tables would count as a transaction that may still see their old rows.
    await admin.query('alter system set autovacuum = off')
    await admin.query('select pg_reload_conf()')
  }
  const templateUrl = await createDatabase(admin, new URL(postgres.url))
  await migrate(templateUrl.href)
  return {
    ...{ admin, templateUrl },
    async [Symbol.asyncDispose]() {
      await dropDatabase(admin, templateUrl)
      await admin.end()
      await postgres[Symbol.asyncDispose]()
    },
  }
}

async function createDatabase(admin: pg.Client, server: URL, more = ''): Promise<URL> {
  const url = new URL(server)
  url.pathname = `/simulation_${randomBytes(6).toString('hex')}`
  await admin.query(`create database ${url.pathname.slice(1)} ${more}`)
  return url
}

const dropDatabase = (admin: pg.Client, { pathname }: URL) =>
  admin.query(`drop database ${pathname.slice(1)} with (force)`)

export async function openSimulationDatabase(
  { seedRows }: Pick<Scenario, 'seedRows'>,
  { unsteady = false, server }: SimulationDatabaseOptions = {},
): Promise<SimulationDatabase> {
  const { admin: serverAdmin, templateUrl, ...own } = server ?? (await startSimulationServer())
  const template = `template ${templateUrl.pathname.slice(1)} strategy file_copy`
  const url = await createDatabase(serverAdmin, templateUrl, template)

  const admin = new pg.Client({ connectionString: url.href })
  await admin.connect()
  await admin.query('set synchronous_commit = off; set wal_compression = off')
  await admin.query(noClock)
  for (const { name } of partitionedTables) {
    await admin.query(`create table ${name}_of_any_time partition of ${name} default`)
  }
  await admin.query(seedRows)
  await admin.query(setUp)
  await admin.query(standby)
  const backends = new Backends(url.href, admin, unsteady)
  let cleared = 0
  return {
    ...{ admin, backends },
    async clear() {
      await backends.terminateLost()
      await admin.query('select simulation.clear()')
      await admin.query('update standby.of_timeline set number = 1 where number > 1')
      if (++cleared % 50 === 0) await admin.query('vacuum pg_class')
    },
    async [Symbol.asyncDispose]() {
      await backends.close()
      await admin.end()
      await dropDatabase(serverAdmin, url)
      if (!server) await own[Symbol.asyncDispose]()
    },
  }
}

/** Statements get the simulated time in the place of this call (database-server.ts). */
const noClock = `
  create or replace function outrider_now() returns timestamptz language plpgsql as
    $$ begin raise exception 'the real time has no place in a simulation'; end $$`

/**
 * Nothing but the simulation writes, reads or measures. What is there now is what every simulation
 * begins with, down to the files: a table that grew before might get another plan, and rows in
 * another order. Only what foreign keys refer to is mended row by row: to empty it would empty
 * every other table with it.
 */
const setUp = `
  create schema simulation;
  do $$ declare name text; begin
    for name in select oid::regclass::text from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace
    loop execute format('alter table %s set (autovacuum_enabled = off)', name); end loop;
  end $$;
  do $$ declare it record; has_rows boolean; begin
    for it in select oid::regclass::text as name, relname from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0
        -- What is generated cannot be put back; nothing begins with such a row.
        and not exists (select from pg_attribute where attrelid = pg_class.oid and attgenerated <> '')
      order by oid
    loop
      execute format('select exists (select from %s)', it.name) into has_rows;
      continue when not has_rows;
      execute format('create table simulation.%I as table %s', it.relname, it.name);
    end loop;
  end $$;
  create view simulation.seed_rows as
    select relname as name, ('public.' || quote_ident(relname))::regclass as original,
      exists (select from pg_constraint where contype = 'f'
        and confrelid = ('public.' || quote_ident(relname))::regclass) as is_referred_to
    from pg_class where relkind = 'r' and relnamespace = 'simulation'::regnamespace;
  create function simulation.clear() returns void language plpgsql as $$
    declare grown text; it record;
    begin
      perform set_config('session_replication_role', 'replica', true);
      select string_agg(oid::regclass::text, ', ') into grown from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0
        and oid not in (select original from simulation.seed_rows where is_referred_to);
      execute 'truncate ' || grown || ' cascade';
      for it in select * from simulation.seed_rows loop
        execute format('delete from %1$s t
          where not exists (select from simulation.%2$I s where s::text = t::text)', it.original, it.name);
        execute format('insert into %1$s select s.* from simulation.%2$I s
          where not exists (select from %1$s t where s::text = t::text)', it.original, it.name);
      end loop;
    end $$`

/**
 * A standby of the database: what was committed when it followed last, and takes the place of what is
 * there when it is promoted. Its timeline is outside of both.
 */
const standby = `
  create schema standby;
  create table standby.of_timeline as select 1 as number;
  create or replace function outrider_database_identity() returns text language sql stable as
    $$ select '1.' || upper(lpad(to_hex(number), 8, '0')) || '.1' from standby.of_timeline $$;
  create function standby.tables() returns table (original regclass, copy text) language sql as $$
    select oid::regclass, format('standby.%I', relname) from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by oid $$;
  create function standby.follow() returns void language plpgsql as $$
    declare it record;
    begin
      for it in select * from standby.tables() loop
        execute format('create unlogged table if not exists %2$s as table %1$s with no data', it.original, it.copy);
        if pg_relation_size(it.copy) > 0 then execute 'truncate ' || it.copy; end if;
        if pg_relation_size(it.original) > 0 then
          execute format('insert into %2$s table %1$s', it.original, it.copy);
        end if;
      end loop;
    end $$;
  create function standby.promote() returns void language plpgsql as $$
    declare grown text; it record; columns text;
    begin
      perform set_config('session_replication_role', 'replica', true);
      select string_agg(original::text, ', ') into grown from standby.tables()
        where pg_relation_size(original) > 0;
      execute 'truncate ' || grown || ' cascade';
      for it in select * from standby.tables() where pg_relation_size(copy) > 0 loop
        -- What is generated is generated again.
        select string_agg(quote_ident(attname), ', ' order by attnum) into columns from pg_attribute
          where attrelid = it.original and attnum > 0 and not attisdropped and attgenerated = '';
        execute format('insert into %1$s (%3$s) overriding system value select %3$s from %2$s',
          it.original, it.copy, columns);
      end loop;
    end $$`
