import { afterEach, expect, test, vi } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { connect, pipelineOf } from './db.ts'
import { watchForSilence } from './silence.ts'

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
