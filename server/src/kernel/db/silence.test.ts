import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { startTcpProxy } from '../../../test/mail/tcp-proxy.ts'
import { startPgBouncer, whyNoPgBouncer } from '../../../test/pgbouncer.ts'
import { connect, pipelineOf } from './db.ts'
import { watchForSilence } from './silence.ts'
import { apiTimeouts } from './timeouts.ts'

afterEach(() => vi.useRealTimers())

/** A watch whose questions are answered by hand. */
function watched(isBusy = true) {
  vi.useFakeTimers()
  const answers: (() => void)[] = []
  const onSilence = vi.fn()
  const end = watchForSilence({
    isBusy: () => isBusy,
    ask: () => new Promise((resolve) => void answers.push(() => resolve(undefined))),
    onSilence,
  })
  return { answers, onSilence, end }
}

test('a database that answers, however slow its statements are, is never called silent', async () => {
  const { answers, onSilence, end } = watched()
  for (let at = 0; at < 40; at++) {
    await vi.advanceTimersByTimeAsync(1000)
    answers.pop()?.()
  }
  expect(onSilence).not.toHaveBeenCalled()
  end()
})

test('nothing is asked while nobody waits for the database', async () => {
  const { answers, end } = watched(false)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(answers).toEqual([])
  end()
})

test('3 s without an answer are silence, told once', async () => {
  const { onSilence, end } = watched()
  await vi.advanceTimersByTimeAsync(500 + 2900)
  expect(onSilence).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(200)
  expect(onSilence).toHaveBeenCalledOnce()
  end()
})

// Each waits for longer than silence has to last: side by side they wait once.
describe.concurrent('a database that answers late', () => {
  test('a pipelined read that waits for a lock ends no connection: the database answers', async () => {
    await using database = await testDatabase()
    const { db, pool } = connect(database.url, 3)
    const holder = await pool.connect()
    await holder.query('begin; lock table workspaces in access exclusive mode')
    const waiting = pipelineOf(db)?.query('select id from workspaces', [])
    // Longer than silence has to last.
    const slow = await pool.query('select pg_sleep(5)')
    expect(slow.rowCount).toBe(1)
    await holder.query('commit')
    holder.release()
    expect((await waiting)?.rowCount).toBe(0)
    await db.destroy()
  })

  /** One whose only connection to the database somebody else has for as long as `busy` takes. */
  async function queueing(isDirect: boolean) {
    const stack = new AsyncDisposableStack()
    const database = stack.use(await testDatabase())
    const url = new URL(database.url)
    const proxy = stack.use(await startTcpProxy(Number(url.port)))
    url.port = String(proxy.port)
    const pooler = stack.use(
      await startPgBouncer(url.href, 'default_pool_size = 1\nmin_pool_size = 0'),
    )
    const { db, pool } = connect(pooler.url, 3, {
      ...{ ...apiTimeouts, isPooled: true },
      directUrl: isDirect ? url.href : undefined,
    })
    stack.defer(() => db.destroy())
    // Connected, and the question beside it answered, before there is a queue.
    await pool.query('select 1')
    await pool.query('select 1')
    const other = new pg.Client(pooler.url)
    other.on('error', () => undefined)
    await other.connect()
    stack.defer(() => other.end())
    return { proxy, pool, other, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }

  test.skipIf(whyNoPgBouncer).each([true, false])(
    'who waits in the queue of a pooler for longer than silence lasts gets the answer (direct way: %s)',
    async (isDirect) => {
      await using queue = await queueing(isDirect)
      const busy = queue.other.query('select pg_sleep(7)')
      const waiting = queue.pool.query('select pg_backend_pid()')
      await busy
      expect((await waiting).rowCount).toBe(1)
    },
  )

  test.skipIf(whyNoPgBouncer)(
    'a database that is silent behind a pooler is told from a queue by the direct way',
    async () => {
      await using queue = await queueing(true)
      queue.proxy.freezeAll()
      await expect(queue.pool.query('select 1')).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    },
  )
})
