import { expect, test } from 'vitest'
import { testContext } from '../test/context.ts'
import { leaseKind } from './features/mailbox-lanes/index.ts'
import { startRunner } from './loops.ts'

test('a runner that fails to start leads nobody, keeps no mailboxes and hears nothing', async () => {
  await using ctx = await testContext()
  const { db, database } = ctx
  const runners = () => db.selectFrom('runners').select('id').where('kind', '=', leaseKind)
  let listeners = 0
  const listen = async () => {
    listeners += 1
    return async () => {
      listeners -= 1
    }
  }
  const unreadable = new Error('The marker cannot be read.')
  const marker = {
    ownsDatabase: false,
    async recall() {
      // By now it has begun to take mailboxes.
      await database.until(async () => (await runners().execute()).length === 1)
      throw unreadable
    },
    note: async () => undefined,
  }
  await expect(startRunner(ctx, { listen, marker })).rejects.toBe(unreadable)
  expect(listeners).toBe(0)
  expect(await runners().execute()).toEqual([])
  const kept = await db.selectFrom('bucket_leases').where('runner_id', 'is not', null)
  expect(await kept.select(['kind', 'bucket']).execute()).toEqual([])
})
