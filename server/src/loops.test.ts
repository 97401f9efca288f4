import { expect, test } from 'vitest'
import { testApi } from '../test/app.ts'
import { asService, testContext } from '../test/context.ts'
import { startReceiver } from '../test/receiver.ts'
import { emit } from './features/events/index.ts'
import { leaseKind } from './features/mailbox-lanes/index.ts'
import { transaction } from './kernel/db/transaction.ts'
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

test('a runner tells in one line how many deliveries succeeded, of the last minute when it ends', async () => {
  await using receiver = await startReceiver()
  await using api = await testApi()
  const { ctx, workspaceId } = api
  ctx.clock.run()
  const body = { name: 'x', target_hook_url: receiver.url, event_type: 'all_events' }
  await api.call('POST', '/api/v2/webhooks', { body })
  const runner = await startRunner(asService(ctx))
  const event = {
    type: 'lead.neutral',
    campaign: null,
    leadEmail: 'ada@x.invalid',
    data: {},
  } as const
  await transaction(ctx, (tx) => emit(tx, workspaceId, [event, event]))
  await receiver.waitFor(2)
  await runner.stop()
  const lines = ctx.logLines.map((line) => JSON.parse(line))
  const told = lines.filter(({ msg }) => msg === 'deliveries succeeded')
  expect(told.every(({ level }) => level === 30)).toBe(true)
  expect(told.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBe(2)
})
