import { expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { connect } from './db.ts'
import { apiTimeouts, commandTimeouts, type DatabaseTimeouts, runnerTimeouts } from './timeouts.ts'

test.each<[string, DatabaseTimeouts, object]>([
  ['an API', apiTimeouts, { statement_timeout: '15s', lock_timeout: '10s' }],
  ['a runner', runnerTimeouts, { statement_timeout: '1min', lock_timeout: '0' }],
  ['a command', commandTimeouts, { statement_timeout: '0', lock_timeout: '0' }],
])('a connection of %s waits for the database as long as it may', async (_, timeouts, expected) => {
  await using database = await testDatabase()
  const { db, pool } = connect(database.url, 1, timeouts)
  const { rows } = await pool.query(
    `select current_setting('statement_timeout') as statement_timeout,
       current_setting('lock_timeout') as lock_timeout,
       current_setting('idle_in_transaction_session_timeout') as idle_timeout`,
  )
  await db.destroy()
  expect(rows).toEqual([{ ...expected, idle_timeout: '1min' }])
})
