import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { inWorkspace } from '../../kernel/context.ts'
import {
  createWorkspace,
  ensureDefaultWorkspace,
  listWorkspaces,
  locateWorkspace,
  setWorkspace,
} from './index.ts'

let ctx: TestContext
beforeEach(async () => {
  ctx = await testContext()
})
afterEach(() => ctx[Symbol.asyncDispose]())

test('the first workspace stays the default one under another name, and no later start makes a second', async () => {
  const { id } = await ensureDefaultWorkspace(ctx)
  await setWorkspace(inWorkspace(ctx, id), id, { name: 'Acme' })
  expect((await ensureDefaultWorkspace(ctx)).id).toBe(id)
  expect((await listWorkspaces(ctx)).map(({ name }) => name)).toEqual(['Acme'])
})

test('where there are several workspaces and none is named default, nobody guesses', async () => {
  const { id } = await ensureDefaultWorkspace(ctx)
  await createWorkspace(ctx, 'Second')
  expect((await ensureDefaultWorkspace(ctx)).id).toBe(id)
  await setWorkspace(inWorkspace(ctx, id), id, { name: 'Acme' })
  await expect(ensureDefaultWorkspace(ctx)).rejects.toMatchObject({ code: 'not_ready' })
  expect((await locateWorkspace(ctx, 'Acme')).found.id).toBe(id)
})

test('nobody names their workspace so that commands without a name go to it, and the first one may be named so again', async () => {
  const { id } = await ensureDefaultWorkspace(ctx)
  const second = await createWorkspace(ctx, 'Second')
  const name = (workspaceId: string, text: string) =>
    setWorkspace(inWorkspace(ctx, workspaceId), workspaceId, { name: text })
  await name(id, 'Acme')
  await expect(name(second.id, 'default')).rejects.toMatchObject({ code: 'invalid_field' })
  await expect(createWorkspace(ctx, 'default')).rejects.toMatchObject({ code: 'invalid_field' })
  await expect(ensureDefaultWorkspace(ctx)).rejects.toMatchObject({ code: 'not_ready' })
  await name(id, 'default')
  expect((await ensureDefaultWorkspace(ctx)).id).toBe(id)
})

test('of two workspaces that are given one name at the same instant, the second is told that it is taken', async () => {
  const [one, two] = [await createWorkspace(ctx, 'One'), await createWorkspace(ctx, 'Two')]
  const { pool } = ctx.database
  const first = await pool.connect()
  try {
    await first.query('begin')
    await first.query(`update workspaces set name = 'Acme' where id = $1`, [one.id])
    const second = setWorkspace(inWorkspace(ctx, two.id), two.id, { name: 'Acme' })
    const refused = expect(second).rejects.toMatchObject({ code: 'invalid_field' })
    // It has seen that the name is free, and is about to write it.
    await ctx.database.untilWaiting()
    await first.query('commit')
    await refused
  } finally {
    first.release()
  }
})
