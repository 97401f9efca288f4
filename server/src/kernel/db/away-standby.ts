import type pg from 'pg'
import type { Config } from '../../config.ts'
import { openClient } from './open-client.ts'

const answerMs = 4_000
const waitMsMin = 5_000

/**
 * Whether commits wait for a synchronous standby that does not answer, as those of all processes then
 * do, without end: no timeout of PostgreSQL ends this wait. Asked over a connection of its own, as all
 * of the pool may wait, and without a commit. The embedded database has no standby.
 *
 * PostgreSQL tells when a statement began, and not since when its commit waits: one that took long by
 * itself counts only if it still waits a second later. A standby that is there has a commit in milliseconds.
 *
 * @returns what stands in `synchronous_standby_names`; undefined: no commit waits
 */
export async function findAwayStandby({
  databaseUrl,
  databaseDirectUrl = databaseUrl,
}: Config): Promise<string | undefined> {
  if (databaseDirectUrl === undefined) return undefined
  const client = await openClient(databaseDirectUrl, 'outrider probe', answerMs)
  try {
    const before = await listWaiting(client)
    if (before.length === 0) return undefined
    await ask(client, 'select pg_sleep(1)')
    const after = await listWaiting(client)
    const waiting = after.find(({ statement }) => before.some((one) => one.statement === statement))
    // Where none is named any more, PostgreSQL is about to end the wait.
    return waiting?.names || undefined
  } finally {
    await client.end()
  }
}

const listWaiting = (client: pg.Client) =>
  ask(
    client,
    `select pid || ' ' || query_start as statement, current_setting('synchronous_standby_names') as names
     from pg_stat_activity
     where wait_event = 'SyncRep' and query_start < clock_timestamp() - interval '${waitMsMin} ms'`,
  )

async function ask(client: pg.Client, text: string): Promise<Record<string, string>[]> {
  return (await client.query({ text, query_timeout: answerMs } as pg.QueryConfig)).rows
}

export const standbyIsAway = (names: string) =>
  `Changes wait for a synchronous standby that does not answer: synchronous_standby_names is ${names}.`

export const bringStandbyBack =
  'Bring it back, or set synchronous_standby_names to those that are there and reload the settings of PostgreSQL.'
