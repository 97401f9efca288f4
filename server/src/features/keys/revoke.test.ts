// Also runs on PostgreSQL 15: locks.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { createMember } from '../../../test/people.ts'
import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { Caller } from '../../kernel/http/access.ts'
import { operator } from '../audit/index.ts'
import { removeMember } from '../members/members.ts'
import { createKeyAsCaller, createKeyAsOperator, listKeys, revokeKey } from './keys.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const scopes = ['service_accounts:create']

const createParent = () => createKeyAsOperator(api.ctx, api.workspaceId, { name: 'parent', scopes })

const callerOf = (actor: Caller['actor']): Caller => ({
  workspaceId: api.workspaceId,
  actor,
  rateKey: api.workspaceId,
  scopes: new Set(scopes),
  entitlements: new Set(),
  demands: new Set(),
  requestsMax: 0,
  expiresAt: null,
})

/** What somebody does after they were let in. */
const createAs = (ctx: Context, actor: Caller['actor']) =>
  createKeyAsCaller(ctx, callerOf(actor), { name: 'child', scopes }, 'request')

const createChild = (ctx: Context, parentId: string) => createAs(ctx, { type: 'key', id: parentId })

/** An admin, and an owner who takes them out. */
async function createAdmin(name: string) {
  const owner = await createMember(api, `${name}-owner@example.com`, 'owner')
  const { id } = await createMember(api, `${name}@example.com`, 'admin')
  const by = { actor: { type: 'user', id: owner.id } } as const
  return { id, remove: (ctx: Context) => removeMember(ctx, api.workspaceId, id, by) }
}

const revokeFamily = (ctx: Context, id: string) =>
  revokeKey(ctx, api.workspaceId, id, operator, { withChildren: true })

async function statusOf(key: string): Promise<number> {
  return (await api.call('POST', '/oauth/service-accounts', { key, body: {} })).status
}

/** Does `work` in a transaction that stays open until it is told to commit. */
async function keepOpen<T>(work: (tx: Context) => Promise<T>) {
  const done = Promise.withResolvers<T>()
  const gate = Promise.withResolvers<void>()
  const committed = transaction(api.ctx, async (tx) => {
    done.resolve(await work(tx))
    await gate.promise
  })
  const commit = () => {
    gate.resolve()
    return committed
  }
  return { result: await done.promise, commit }
}

/** Resolves when somebody waits for a lock in this database, or `other` is over. */
const blockedOr = (other: Promise<unknown>) =>
  Promise.race([other.catch(() => undefined), api.ctx.database.untilWaiting()])

test('a key that is being created while its parent is revoked with its children does not survive', async () => {
  const parent = await createParent()
  const child = await keepOpen((tx) => createChild(tx, parent.id))
  const revoking = revokeFamily(api.ctx, parent.id)
  await blockedOr(revoking)
  await child.commit()
  await revoking
  expect(await statusOf(child.result.key)).toBe(401)
})

test('a request that was let in before its key was revoked creates nothing after', async () => {
  const parent = await createParent()
  const revoked = await keepOpen((tx) => revokeFamily(tx, parent.id))
  const creating = createChild(api.ctx, parent.id)
  await blockedOr(creating)
  await revoked.commit()
  await expect(creating).rejects.toMatchObject({ code: 'revoked_key' })
})

test('an admin who is taken out while their request is under way leaves no key behind', async () => {
  const { id, remove } = await createAdmin('eve')
  const removed = await keepOpen(remove)
  const creating = createAs(api.ctx, { type: 'user', id })
  await blockedOr(creating)
  await removed.commit()
  await expect(creating).rejects.toMatchObject({ code: 'role_required' })
})

test('a key that an admin is making while they are taken out is there to be seen once they are', async () => {
  const { id, remove } = await createAdmin('ivy')
  const made = await keepOpen((tx) => createAs(tx, { type: 'user', id }))
  const page = { limit: 1, startingAfter: undefined }
  const seen = remove(api.ctx).then(() => listKeys(api.ctx, api.workspaceId, page))
  await blockedOr(seen)
  await made.commit()
  expect((await seen).items).toMatchObject([{ id: made.result.id, status: 'active' }])
})

test('the children of a child that was revoked before are revoked with the rest', async () => {
  const parent = await createParent()
  const child = await createChild(api.ctx, parent.id)
  const grandchild = await createChild(api.ctx, child.id)
  await revokeKey(api.ctx, api.workspaceId, child.id, operator)
  expect(await statusOf(grandchild.key)).toBe(400)
  await revokeFamily(api.ctx, parent.id)
  expect(await statusOf(grandchild.key)).toBe(401)
})

test('a key that was revoked alone is still revoked with those that it made', async () => {
  const parent = await createParent()
  const child = await createChild(api.ctx, parent.id)
  const grandchild = await createChild(api.ctx, child.id)
  const first = await revokeKey(api.ctx, api.workspaceId, parent.id, operator)
  expect(await revokeFamily(api.ctx, parent.id)).toEqual(first)
  expect(await statusOf(child.key)).toBe(401)
  expect(await statusOf(grandchild.key)).toBe(401)
  const told = await api.ctx.database.peek
    .selectFrom('audit_log')
    .select('subject_id')
    .where('action', '=', 'key.revoked')
    .where('subject_id', '=', parent.id)
    .execute()
  expect(told).toHaveLength(1)
  await expect(revokeFamily(api.ctx, api.ctx.newId())).rejects.toMatchObject({ code: 'not_found' })
})
