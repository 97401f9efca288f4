import { expect, test } from 'vitest'
import { transaction } from '../src/kernel/db/transaction.ts'
import { testContext } from './context.ts'
import { guardNetwork } from './network-guard.ts'

test('whoever asks the network while a transaction is open gets an error, and is noted when it is swallowed', async () => {
  await using ctx = await testContext()
  const looked: string[] = []
  const lookup: typeof ctx.lookup = async (name) => {
    looked.push(name)
    return []
  }
  const guarded = { ...ctx, lookup }
  const { violations } = guardNetwork(guarded)
  await guarded.lookup('before.example')
  await transaction(guarded, async (tx) => {
    await expect(async () => guarded.lookup('inside.example')).rejects.toThrow(
      'while a transaction',
    )
    await (async () => tx.sleep(0))().catch(() => undefined)
  })
  await guarded.lookup('after.example')
  expect(looked).toEqual(['before.example', 'after.example'])
  expect(violations.length).toBeGreaterThan(0)
})
