import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { makeDataDir } from '../../../test/processes.ts'
import { readConfig } from '../../config.ts'
import { startPostgres } from '../postgres/index.ts'
import { findAwayStandby } from './away-standby.ts'

test('a standby is away for which one commit goes on waiting: a statement that took long by itself says nothing', async () => {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  // Which standby commits wait for is a setting of the server, and other tests share theirs.
  await using server = await startPostgres({ dataDir: await makeDataDir(), log, durable: false })
  const { url } = server
  const find = () => findAwayStandby(readConfig({ DATABASE_URL: url }))
  await query(
    url,
    `alter database "${new URL(url).pathname.slice(1)}" set search_path = public, pg_catalog`,
    // Every statement began long ago, whatever it did since.
    `create function clock_timestamp() returns timestamptz language sql as
     $$ select pg_catalog.clock_timestamp() + interval '1 hour' $$`,
    "alter system set synchronous_standby_names = 'standby'",
    'select pg_reload_conf()',
  )
  await using _commits = await keepCommitting(url)
  expect(await find()).toBe('standby')

  // Between the looks the commit that waits is met, and the next statement of its connection waits.
  await query(
    url,
    `create function pg_sleep(double precision) returns void language plpgsql as $$
    declare
      met timestamptz;
      waiter int;
    begin
      select pid, query_start into waiter, met from pg_stat_activity where wait_event = 'SyncRep';
      perform pg_cancel_backend(waiter);
      loop
        perform pg_stat_clear_snapshot();
        exit when exists (
          select from pg_stat_activity
          where pid = waiter and wait_event = 'SyncRep' and query_start <> met
        );
      end loop;
    end $$`,
  )
  expect(await find()).toBeUndefined()

  // As in the moment after none is named any more, before the waits end.
  await query(
    url,
    'drop function public.pg_sleep',
    `create function current_setting(text) returns text language sql as $$ select '' $$`,
  )
  expect(await find()).toBeUndefined()
})

async function query(url: string, ...texts: string[]) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    for (const text of texts) await client.query(text)
  } finally {
    await client.end()
  }
}

/** Changes, one after the other, of which one waits for the standby when this resolves. */
async function keepCommitting(url: string): Promise<AsyncDisposable> {
  const [client, watcher] = [new pg.Client(url), new pg.Client(url)]
  await client.connect()
  await watcher.connect()
  // A server for tests does not wait for its disk, and so for no standby either.
  await client.query('set synchronous_commit = on')
  let isOver = false
  const changes = (async () => {
    // Some end before the server has read its settings again.
    while (!isOver) await client.query("select pg_logical_emit_message(true, '', 'x')")
  })()
  const waiting = "from pg_stat_activity where wait_event = 'SyncRep'"
  while ((await watcher.query(`select ${waiting}`)).rowCount === 0);
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      await watcher.query(`select pg_cancel_backend(pid) ${waiting}`)
      await changes
      await Promise.all([client.end(), watcher.end()])
    },
  }
}
