import type pg from 'pg'
import type { Config } from '../../config.ts'
import { openClient } from './open-client.ts'

const answerMs = 4_000
/** A standby that is there has a commit in milliseconds. */
const waitMsMax = 5_000

/**
 * Whether commits wait for a synchronous standby that does not answer, as those of all processes then
 * do, without end: no timeout of PostgreSQL ends this wait. Asked over a connection of its own, as all
 * of the pool may wait, and without a commit. The embedded database has no standby.
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
    const { rows } = await client.query({
      text: `select current_setting('synchronous_standby_names') as names from pg_stat_activity
        where wait_event = 'SyncRep' and query_start < clock_timestamp() - interval '${waitMsMax} ms'
        limit 1`,
      query_timeout: answerMs,
    } as pg.QueryConfig)
    return rows[0]?.names
  } finally {
    await client.end()
  }
}

export const standbyIsAway = (names: string) =>
  `Changes wait for a synchronous standby that does not answer: synchronous_standby_names is ${names}.`

export const bringStandbyBack =
  'Bring it back, or set synchronous_standby_names to those that are there and reload the settings of PostgreSQL.'
