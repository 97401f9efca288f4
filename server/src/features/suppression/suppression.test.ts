import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { createWorkspace } from '../workspaces/index.ts'
import {
  findSuppressed,
  holdSuppressions,
  liftBounces,
  type NewSuppression,
  type SuppressionReason,
  suppress,
} from './index.ts'

let ctx: TestContext
let workspaceId: string

beforeAll(async () => {
  ctx = await testContext()
  workspaceId = (await createWorkspace(ctx, 'one')).id
})
afterAll(() => ctx[Symbol.asyncDispose]())

const write = (entries: NewSuppression[], workspace = workspaceId) =>
  transaction(ctx, (tx) => suppress(tx, workspace, entries))

const address = (value: string, reason: SuppressionReason): NewSuppression => ({
  kind: 'address',
  value,
  reason,
  campaignId: null,
})

const domain = (value: string, reason: SuppressionReason): NewSuppression => ({
  ...address(value, reason),
  kind: 'domain',
})

test('an address is suppressed by itself or by its domain, and its own entry tells why', async () => {
  await write([
    address('gone@one.example', 'bounced'),
    domain('blocked.example', 'blocked'),
    address('asked@blocked.example', 'unsubscribed'),
  ])
  const found = await findSuppressed(ctx.db, workspaceId, [
    'gone@one.example',
    'other@one.example',
    'any@blocked.example',
    'any@sub.blocked.example',
    'asked@blocked.example',
  ])
  expect(found).toEqual(
    new Map([
      ['gone@one.example', 'bounced'],
      ['any@blocked.example', 'blocked'],
      ['asked@blocked.example', 'unsubscribed'],
    ]),
  )
})

test.each([
  ['blocked', 'unsubscribed', 'unsubscribed'],
  ['unsubscribed', 'blocked', 'unsubscribed'],
  ['bounced', 'unsubscribed', 'unsubscribed'],
  ['unsubscribed', 'bounced', 'unsubscribed'],
  ['bounced', 'blocked', 'bounced'],
  ['blocked', 'bounced', 'bounced'],
] as const)('%s, then %s: %s stands', async (first, second, stands) => {
  const apart = `${ctx.newId()}@one.example`
  await write([address(apart, first)])
  await write([address(apart, second)])
  const together = `${ctx.newId()}@one.example`
  await write([address(together, first), address(together, second)])
  const found = await findSuppressed(ctx.db, workspaceId, [apart, together])
  expect([...found.values()]).toEqual([stands, stands])
})

test.each([
  ['blocked', 'bounced'],
  ['bounced', 'blocked'],
] as const)('%s, then %s: lifting the bounce leaves the block', async (first, second) => {
  const value = `${ctx.newId()}@one.example`
  await write([address(value, first)])
  await write([address(value, second)])
  const together = `${ctx.newId()}@one.example`
  await write([address(together, first), address(together, second)])
  const alone = `${ctx.newId()}@one.example`
  await write([address(alone, 'bounced')])
  const all = [value, together, alone]
  await transaction(ctx, (tx) => liftBounces(tx, workspaceId, all))
  expect(await findSuppressed(ctx.db, workspaceId, all)).toEqual(
    new Map([
      [value, 'blocked'],
      [together, 'blocked'],
    ]),
  )
})

test('a suppression holds in its workspace only', async () => {
  const other = await createWorkspace(ctx, 'two')
  await write([address('ann@two.example', 'unsubscribed')])
  expect(await findSuppressed(ctx.db, other.id, ['ann@two.example'])).toEqual(new Map())
})

test('nobody is suppressed while a transaction that holds the suppressions is open', async () => {
  const order: string[] = []
  let suppressing: Promise<void> | undefined
  await transaction(ctx, async (tx) => {
    await holdSuppressions(tx, workspaceId)
    // A second holder does not wait.
    await transaction(ctx, (other) => holdSuppressions(other, workspaceId))
    suppressing = write([address('late@one.example', 'unsubscribed')]).then(() => {
      order.push('suppressed')
    })
    await ctx.database.untilWaiting()
    expect(await findSuppressed(ctx.db, workspaceId, ['late@one.example'])).toEqual(new Map())
    order.push('held')
  })
  await suppressing
  expect(order).toEqual(['held', 'suppressed'])
})

test('suppressing without a transaction is refused', async () => {
  await expect(suppress(ctx, workspaceId, [])).rejects.toThrow('transaction')
})
