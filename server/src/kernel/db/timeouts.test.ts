import { afterEach, expect, test, vi } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { patience } from '../../../test/patience.ts'
import { startTcpServer } from '../../../test/tcp-server.ts'
import { connect } from './db.ts'
import { apiTimeouts, commandTimeouts, type DatabaseTimeouts, runnerTimeouts } from './timeouts.ts'

afterEach(() => vi.useRealTimers())

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

test.each<[string, DatabaseTimeouts, number]>([
  ['an API', apiTimeouts, 4_000],
  ['a runner', runnerTimeouts, 10_000],
  ['a command', commandTimeouts, 10_000],
])(
  'a connection of %s to a server that says nothing is given up when its time is over, and not before',
  async (_, timeouts, connectMs) => {
    const accepted = Promise.withResolvers<void>()
    await using server = await startTcpServer(() => accepted.resolve())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { db, pool } = connect(`postgres://u:p@127.0.0.1:${server.port}/x`, 1, timeouts)
    const ended = vi.fn()
    void pool.connect().catch(ended)
    await accepted.promise
    await vi.advanceTimersByTimeAsync(connectMs - 1)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    vi.useRealTimers()
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), patience)
    await db.destroy()
  },
)
