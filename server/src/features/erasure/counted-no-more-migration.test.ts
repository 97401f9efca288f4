import pg from 'pg'
import { expect, test } from 'vitest'
import { databaseBefore } from '../../../test/database-before.ts'
import { patience } from '../../../test/patience.ts'

const waiting = `
  select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

test('the counters of campaigns are locked in the order of processes that still run', async () => {
  const { client, migrate } = await databaseBefore('0151_erased_are_counted_no_more.sql')
  const workspace = '019a9d5e-0000-7000-8000-000000000001'
  const [first, second] = [1, 2].map((n) => `019a9d5e-0000-7000-8000-00000000010${n}`)
  const at = '2026-11-02T10:00:00.000Z'
  await client.query(
    `insert into workspaces (id, name, handle, timestamp_created, timestamp_updated) values ($1, 'one', 'one', $2, $2)`,
    [workspace, at],
  )
  for (const campaign of [second, first]) {
    await client.query(
      `insert into campaign_lead_counts (workspace_id, campaign_id, total) values ($1, $2, 1)`,
      [workspace, campaign],
    )
    await client.query(
      `insert into leads (workspace_id, id, campaign_id, email, email_folded, sending_state, status,
         timestamp_created, timestamp_updated)
       values ($1, $2, $2, 'x@erased.invalid', 'x@erased.invalid', 'paused', 'new', $3, $3)`,
      [workspace, campaign, at],
    )
  }
  const { host, port, user, password, database } = client
  await using running = await open({ host, port, user, password, database } as pg.ClientConfig)
  await using watcher = await open({ host, port, user, password, database } as pg.ClientConfig)
  const add = (campaign = '') =>
    running.query('update campaign_lead_counts set total = total + 1 where campaign_id = $1', [
      campaign,
    ])
  // By a hash of who is erased the counters would be taken as they lie: the second one first.
  await client.query(
    'set enable_sort = off; set enable_nestloop = off; set enable_mergejoin = off; set enable_indexscan = off',
  )
  await running.query('begin')
  await add(first)
  const migration = migrate()
  await expect.poll(async () => (await watcher.query(waiting)).rowCount, patience).toBe(1)
  await add(second)
  await running.query('commit')
  await migration
  const { rows } = await client.query('select total from campaign_lead_counts')
  expect(rows).toEqual([{ total: 1 }, { total: 1 }])
})

async function open(config: pg.ClientConfig) {
  const client = new pg.Client(config)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
