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
